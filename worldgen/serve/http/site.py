"""The site: a page's address below ``/site/`` renders as HTML with working links, for browsers and browser agents.

What is shown is what ``web_extractor`` and ``web_search`` say, nothing more: in an episode the calls are recorded and
meet its faults. Markdown is rendered without HTML, its links are led back below ``/site/``, and what results is
sanitised once more.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from html import escape, unescape
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import parse_qsl, quote, urljoin

import nh3
from fastapi import APIRouter, Response
from markdown_it import MarkdownIt

from worldgen.errors import CallerError
from worldgen.search import canonical_url
from worldgen.serve.http.desk import Desk
from worldgen.serve.http.errors import RequestError, status_of
from worldgen.serve.http.status import VISIT
from worldgen.serve.http.visit import Reply, Visit
from worldgen.tools import Observation

_MANY = 1_000_000
_LAYOUTS = Path(__file__).parent / "layouts"
_OWN = "_style"
_BLOCKS = ["blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "ul"]
_TAGS = {*_BLOCKS, "a", "br", "code", "em", "strong", "table", "tbody", "td", "th", "thead", "tr"}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_MORE = re.compile(r"\[(Part|Page) (\d+) of (\d+)\.[^\]\n]*\]\s*\Z")
_RESULT = re.compile(r"(?m)^(\[\d+\]) (https?://\S+)$")
_HOST = re.compile(r"[^\W_][\w-]*(\.[\w-]+)*(:[0-9]{1,5})?")
_NUMBER = re.compile(r"[0-9]{1,6}")
_PART = re.compile(r"(?:^|&)part=(\d{1,6})$")
_MOST_LISTED = 1_000


def site_routes(desk: Desk) -> APIRouter:
    """``/site/…``; nothing of it stands in the OpenAPI file."""
    router = APIRouter(include_in_schema=False)
    site = Site(desk)

    @router.get("/site")
    @router.get("/site/")
    async def front(visit: Visit = VISIT) -> Response:
        return (await _shown(visit, site.front)).response()

    @router.get("/site/{path:path}")
    async def page(path: str, visit: Visit = VISIT) -> Response:
        if path.startswith(f"{_OWN}/"):
            return _style(path.removeprefix(f"{_OWN}/")).response()
        return (await _shown(visit, site.page)).response()

    return router


class Site:
    """Answers for the site of all worlds."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def front(self, visit: Visit) -> Reply:
        """A search form and its results; the hosts too, where the profile lists pages."""
        self._desk.require(visit, "web")
        given = dict(parse_qsl(visit.query.decode("latin-1")))
        asked, page = given.get("q", ""), given.get("page", "")
        if asked:
            if len(asked) > self._desk.server.limits.query:
                raise RequestError("serve.too-long", "the query is too long")
            arguments: dict[str, Any] = {"query": asked}
            if _NUMBER.fullmatch(page):
                arguments["page"] = int(page)
            seen = await self._desk.use(visit, "web", "web_search", arguments)
            body = _results(visit, seen.text) + _next(seen.text, f"q={quote(asked)}&amp;")
            return _observed(visit, "", seen, body, asked)
        hosts: list[str] = []
        if self._desk.has(visit, "pages"):
            hosts = sorted({_host(url) for url in await self._addresses(visit)})
        return _html(visit, "", "Search", _links(visit, [f"https://{host}/" for host in hosts]))

    async def page(self, visit: Visit) -> Reply:
        """The page whose address follows ``/site/``; a host alone lists its pages where the profile lists pages."""
        self._desk.require(visit, "web")
        url, part = _wanted(visit)
        host = _host(url)
        if url == f"https://{host}/" and self._desk.has(visit, "pages"):
            below = [address for address in await self._addresses(visit) if address.startswith(url)]
            return _html(visit, host, host, _links(visit, below), 200 if below else 404)
        arguments: dict[str, Any] = {"url": url} if part is None else {"url": url, "part": part}
        seen = await self._desk.use(visit, "web", "web_extractor", arguments)
        body = await self._desk.apart(lambda: _markdown(seen.text, url, visit) + _next(seen.text))
        return _observed(visit, host, seen, body)

    async def _addresses(self, visit: Visit) -> list[str]:
        async with self._desk.world(self._desk.world_name(visit)) as world:
            return await self._desk.apart(lambda: [url for url, _ in world.addresses(limit=_MANY)])


async def _shown(visit: Visit, answer: Callable[[Visit], Awaitable[Reply]]) -> Reply:
    """The answer; a caller's mistake as a page of the same looks."""
    try:
        return await answer(visit)
    except CallerError as error:
        return _html(visit, "", error.message, f"<p>{escape(error.message)}</p>", status_of(error))


def _wanted(visit: Visit) -> tuple[str, int | None]:
    """The address that follows ``/site/``, and the part of the page that is asked for.

    The path is taken as it was sent: what was escaped in an address must stay so.
    """
    host, _, path = visit.raw_path.removeprefix("/site/").partition("/")
    query = visit.query.decode("latin-1")
    part = _PART.search(query)
    if part is not None:
        query = query[: part.start()]
    url = f"https://{host.lower()}/{path}" + (f"?{query}" if query else "")
    # Every page has a first part, also where nothing comes in parts.
    return url, None if part is None or int(part[1]) == 1 else int(part[1])


def _host(url: str) -> str:
    """The host of an address, however odd that is."""
    return url.split("/", 3)[2]


def _observed(visit: Visit, host: str, seen: Observation, body: str, asked: str = "") -> Reply:
    """A tool's text as a page; its status is 404 for what is not there, and a refusal's own."""
    failed = seen.text.startswith("Error:")
    status = 404 if failed and seen.status == 200 else seen.status
    title = asked or seen.text.split("\n", 1)[0].removeprefix("# ")
    headers = {} if seen.retry_after is None else {"Retry-After": str(seen.retry_after)}
    return _html(visit, host, title, f"<p>{escape(seen.text)}</p>" if failed else body, status, headers, asked)


def _html(
    visit: Visit,
    host: str,
    title: str,
    body: str,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    asked: str = "",
) -> Reply:
    choice = int.from_bytes(blake2b(host.encode("utf-8", "replace"), digest_size=4).digest())
    pages, styles = _layouts()
    names = sorted(styles)
    root = f"{quote(visit.prefix)}/site/"
    text = pages[choice % len(pages)].substitute(
        title=escape(title),
        host=escape(host or "Search"),
        home=f"{root}{quote(host)}/" if _HOST.fullmatch(host) else root,
        body=body,
        root=root,
        style=f"{root}{_OWN}/{names[choice // len(pages) % len(names)]}",
        asked=escape(asked, quote=True),
    )
    fields = {"Content-Type": "text/html; charset=utf-8", **_HEADERS, **(headers or {})}
    raw = [(name.lower().encode(), value.encode()) for name, value in fields.items()]
    return Reply(status, text.encode("utf-8", "replace"), raw)


@cache
def _layouts() -> tuple[list[Template], dict[str, bytes]]:
    """The layouts, and the style sheets by name."""
    pages = [Template(path.read_text("utf-8")) for path in sorted(_LAYOUTS.glob("*.html"))]
    return pages, {path.name: path.read_bytes() for path in _LAYOUTS.glob("*.css")}


def _style(name: str) -> Reply:
    sheet = _layouts()[1].get(name)
    if sheet is None:
        raise RequestError("page.unknown", "no such style sheet")
    return Reply(200, sheet, [(b"content-type", b"text/css; charset=utf-8"), (b"cache-control", b"max-age=3600")])


def _inside(url: str, prefix: str) -> str | None:
    """Where the page of an address stands below ``/site/``; None for what is no web address, or would lead elsewhere.

    A browser walks up at dot segments, encoded ones too, and takes a backslash for a slash.
    """
    address = canonical_url(url)
    if address is None or "\\" in address:
        return None
    host, _, path = address.partition("://")[2].partition("/")
    segments = path.partition("?")[0].lower().replace("%2e", ".").split("/")
    if not _HOST.fullmatch(host) or "." in segments or ".." in segments:
        return None
    return f"{quote(prefix)}/site/{host}/{path}"


def _markdown(text: str, url: str, visit: Visit) -> str:
    """A page's Markdown as harmless HTML, its links led back below ``/site/``."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = parser.parse(_MORE.sub("", text))
    for token in (child for block in tokens for child in block.children or ()):
        if token.type == "link_open":
            inside = _led(url, str(token.attrs.pop("href", "")), visit.prefix)
            token.attrs = {} if inside is None else {"href": inside}
    html = parser.renderer.render(tokens, parser.options, {})
    return nh3.clean(html, tags=_TAGS, attributes={"a": {"href"}}, url_schemes=set(), link_rel="nofollow")


def _led(url: str, link: str, prefix: str) -> str | None:
    try:
        return _inside(urljoin(url, link), prefix)
    except ValueError:  # brackets that belong to no address
        return None


def _next(text: str, before: str = "") -> str:
    """A link to the next part of a page, or page of results, that came in parts."""
    more = _MORE.search(text)
    if more is None or int(more[2]) >= int(more[3]):
        return ""
    number = int(more[2]) + 1
    return f'<p><a rel="next" href="?{before}{more[1].lower()}={number}">{more[1]} {number} of {more[3]}</a></p>'


def _results(visit: Visit, text: str) -> str:
    """A result page: plain text, the addresses as links."""
    return "<pre>" + _RESULT.sub(lambda hit: f"{hit[1]} {_link(visit, unescape(hit[2]))}", escape(text)) + "</pre>"


def _links(visit: Visit, addresses: Sequence[str]) -> str:
    items = "".join(f"<li>{_link(visit, address)}</li>" for address in addresses[:_MOST_LISTED])
    left = len(addresses) - _MOST_LISTED
    return f"<ul>{items}</ul>" + (f"<p>… and {left} more</p>" if left > 0 else "") if items else ""


def _link(visit: Visit, address: str) -> str:
    inside = _inside(address, visit.prefix)
    return escape(address) if inside is None else f'<a href="{escape(inside, quote=True)}">{escape(address)}</a>'
