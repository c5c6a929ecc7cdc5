"""The haystack: pages of sibling worlds that are searched along with a world's own.

A sibling is built from the same schema under a seed of its own and set in another coined place; its names and the
names of its sites are disjoint from the world's, so that nothing in it answers a question about the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from worldgen.corpus.siblings import Family, processors, siblings
from worldgen.corpus.years import settled
from worldgen.errors import GenerationError
from worldgen.facts.naming import names_of
from worldgen.facts.tables import Facts
from worldgen.records import Page
from worldgen.seeds import stream

_MOST_SIBLINGS = 10_000
_WORTH_WORKERS = 3_000


def haystack_pages(facts: Facts, languages: Sequence[str], count: int, *, workers: int | None = None) -> list[Page]:
    """Pages of sibling worlds.

    Args:
        facts: The world whose haystack it is.
        languages: Languages of the pages.
        count: How many pages, exactly.
        workers: Processes that write them; by default one a processor where there are many pages. The pages are the
            same for any number.

    Returns:
        Pages of the kind ``haystack``, without statements, sorted by URL.

    Raises:
        GenerationError: No further sibling has a setting of its own name.
    """
    family = Family(facts.schema, facts.seed, tuple(languages), names_of(facts))
    if workers is None:
        workers = processors() if count >= _WORTH_WORKERS else 1
    pages: list[Page] = []
    scopes = {facts.scope.en}
    written = siblings(family, _MOST_SIBLINGS, workers=workers)
    try:
        while len(pages) < count:
            sibling = next(written, None)
            if sibling is None:
                raise GenerationError(
                    "haystack.exhausted", "no further sibling world has a name of its own", got=facts.scope.en
                )
            if sibling.scope not in scopes:
                scopes.add(sibling.scope)
                pages += _chosen(sibling.pages, facts.seed, count - len(pages))
    finally:
        written.close()
    return sorted(map(settled, pages), key=lambda page: page.url)


def _chosen(pages: list[Page], seed: int, most: int) -> list[Page]:
    """At most so many of the pages, drawn; links to pages left out go, their words stay."""
    drawn = stream(seed, "haystack", "pages", pages[0].url if pages else "").sample(pages, most)
    kept = {page.url for page in drawn}
    return [_unlinked(page, kept) for page in drawn]


def _unlinked(page: Page, kept: set[str]) -> Page:
    lost = [link for link in page.links if link.url not in kept]
    if not lost:
        return page
    body = page.body
    for link in lost:
        body = body.replace(f"[{link.text}]({link.url})", link.text)
    return replace(page, body=body, links=tuple(link for link in page.links if link.url in kept))
