"""Checks that a page's statements and links lie where they say."""

from __future__ import annotations

import unicodedata

from worldgen.errors import InternalError
from worldgen.records import Page


def check_spans(page: Page) -> None:
    """Raise if a span is not where it says.

    Raises:
        InternalError: The body is not NFC with plain line ends, a span is empty, outside the body or not inside its
            sentence, a sentence crosses a line, or a link is not in the body.
    """
    body = page.body
    if "\r" in body or "\x00" in body or not unicodedata.is_normalized("NFC", body):
        raise _broken(page, "the body is not NFC text with \\n line ends", repr(body[:60]))
    for statement in page.statements:
        start, end, first, last = statement.start, statement.end, statement.value_start, statement.value_end
        if not 0 <= start <= first < last <= end <= len(body):
            raise _broken(page, f"the spans of {statement.fact} do not nest", f"{start} {first} {last} {end}")
        sentence, value = body[start:end], body[first:last]
        if "\n" in sentence or sentence != sentence.strip() or value != value.strip():
            raise _broken(page, f"the span of {statement.fact} is not a trimmed line", repr(sentence))
        if start > 0 and body[start - 1].isalnum() and body[start].isalnum() and page.language == "en":
            raise _broken(page, f"the span of {statement.fact} begins inside a word", repr(body[start - 5 : end]))
        for at in (first, last) if page.language == "en" else ():
            if 0 < at < len(body) and body[at - 1].isalnum() and body[at].isalnum():
                raise _broken(page, f"the value of {statement.fact} cuts a word", repr(sentence))
        if (statement.claimed == "") != (statement.label == "undisclosed"):
            raise _broken(page, f"{statement.fact} claims nothing, or claims what is not disclosed", statement.claimed)
    for link in page.links:
        if f"[{link.text}]({link.url})" not in body:
            raise _broken(page, "a link is not in the body", link.url)


def _broken(page: Page, message: str, got: str) -> InternalError:
    return InternalError("audit.span", f"{page.url}: {message}", got=got)
