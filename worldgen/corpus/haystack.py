"""The haystack: pages of sibling worlds that are searched along with a world's own.

A sibling is built from the same schema under a seed of its own and set in another coined place; its names and the
names of its sites are disjoint from the world's, so that nothing in it answers a question about the world.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from worldgen.corpus.writer import write_corpus
from worldgen.errors import GenerationError
from worldgen.facts.generate import generate
from worldgen.facts.naming import names_of
from worldgen.facts.tables import Facts
from worldgen.records import Page
from worldgen.seeds import key_of, stream

_MOST_SIBLINGS = 10_000


def haystack_pages(facts: Facts, languages: Sequence[str], count: int) -> list[Page]:
    """Pages of sibling worlds.

    Args:
        facts: The world whose haystack it is.
        languages: Languages of the pages.
        count: How many pages, exactly.

    Returns:
        Pages of the kind ``haystack``, without statements, sorted by URL.
    """
    taken = names_of(facts)
    pages: list[Page] = []
    for straw in _siblings(facts, languages, taken):
        if len(pages) >= count:
            break
        pages += _chosen(straw, facts.seed, count - len(pages))
    return sorted(pages, key=lambda page: page.url)


def _siblings(facts: Facts, languages: Sequence[str], taken: frozenset[str]) -> Iterator[list[Page]]:
    scopes = {facts.scope.en}
    for number in range(_MOST_SIBLINGS):
        seed = key_of(facts.seed, "haystack", number) >> 66
        sibling = generate(facts.schema, seed, avoid=taken)
        if sibling.scope.en in scopes:
            continue
        scopes.add(sibling.scope.en)
        yield write_corpus(sibling, languages)
    raise GenerationError("haystack.exhausted", "no further sibling world has a name of its own", got=facts.scope.en)


def _chosen(pages: list[Page], seed: int, most: int) -> list[Page]:
    """At most so many of the pages, drawn; links to pages left out go, their words stay."""
    drawn = stream(seed, "haystack", "pages", pages[0].url if pages else "").sample(pages, most)
    kept = {page.url for page in drawn}
    return [replace(_unlinked(page, kept), kind="haystack", statements=()) for page in drawn]


def _unlinked(page: Page, kept: set[str]) -> Page:
    lost = [link for link in page.links if link.url not in kept]
    body = page.body
    for link in lost:
        body = body.replace(f"[{link.text}]({link.url})", link.text)
    return replace(page, body=body, links=tuple(link for link in page.links if link.url in kept))
