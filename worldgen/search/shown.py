"""How results and pages are written out for an agent, whoever decided or wrote them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from worldgen.records import Hit, Page

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)


def show_page(hits: Sequence[Hit], *, first: int = 1) -> str:
    """One result page, its results numbered from ``first``.

    >>> print(show_page([Hit("https://a.example/p", "A page", "Some words ...", "2029-06-18")]))
    [1] https://a.example/p
    Title: A page
    Snippet: Some words ...
    Date: Jun 18, 2029
    """
    return "\n\n".join(
        f"[{rank}] {hit.url}\nTitle: {hit.title}\nSnippet: {hit.snippet}\nDate: {display_date(hit.date)}"
        for rank, hit in enumerate(hits, first)
    )


@lru_cache(maxsize=4_096)
def display_date(iso: str) -> str:
    """A date as result pages show it.

    >>> display_date("2029-06-08"), display_date("2029-06"), display_date("")
    ('Jun 8, 2029', 'Jun 2029', 'N/A')
    """
    match = _ISO.fullmatch(iso)
    if match is None:
        return "N/A"
    year, month, day = match.groups()
    if month is None or not 1 <= int(month) <= 12:
        return year
    name = _MONTHS[int(month) - 1]
    return f"{name} {year}" if day is None else f"{name} {int(day)}, {year}"


def show_document(page: Page) -> str:
    """A page as the agent reads it: title, where and when and by whom it was published, body.

    >>> from worldgen.records import Page
    >>> page = Page("https://a.example/", "a.example", "news", "en", "A page", "", "Ada Orr", "Words.", "high", "sound")
    >>> print(show_document(page))
    # A page
    <BLANKLINE>
    Site: a.example | Date: N/A | Author: Ada Orr
    <BLANKLINE>
    Words.
    """
    published = [f"Site: {page.site}", f"Date: {display_date(page.date)}"]
    if page.author:
        published.append(f"Author: {page.author}")
    return f"# {page.title}\n\n{' | '.join(published)}\n\n{page.body}"
