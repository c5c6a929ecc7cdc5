"""The one place where an address given by an agent is brought to the form that pages are stored under."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

MAX_URL = 2_000
_UNFIT = re.compile(r"[\s\x00-\x1f]")
# Most addresses are in this form already, and taking one apart costs a tenth of indexing its page.
_PLAIN = re.compile(r"https?://[a-z0-9.-]+/[A-Za-z0-9._~/%+=,;:@&-]*")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


def canonical_url(text: str) -> str | None:
    """The address without what cannot change the page: fragment, default port, letter case of scheme and host.

    Path and query are kept to the letter, since they may be significant.

    Args:
        text: Whatever was given as an address.

    Returns:
        The address, or None where the text is no web address.

    >>> canonical_url(" HTTPS://News.Example:443/A?b=1#top ")
    'https://news.example/A?b=1'
    >>> canonical_url("not an address") is None
    True
    """
    stripped = text.strip()
    if len(stripped) <= MAX_URL and _PLAIN.fullmatch(stripped):
        return stripped
    if not stripped or len(stripped) > MAX_URL or _UNFIT.search(stripped):
        return None
    try:
        parts = urlsplit(stripped)
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS or not parts.netloc:
        return None
    host = parts.netloc.lower().removesuffix(_DEFAULT_PORTS[scheme])
    return urlunsplit((scheme, host, parts.path or "/", parts.query, ""))
