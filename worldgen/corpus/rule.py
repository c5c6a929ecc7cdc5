"""The rule by which contradictions are settled, stated to the agent as part of the world.

The site of the higher class wins; among equals the later date, an undated page being oldest; then the address that
comes first in the alphabet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from worldgen.corpus.sites import TRUST_RANK
from worldgen.records import Page, Statement

Standing = tuple[int, str, tuple[int, ...]]


def standing(page: Page) -> Standing:
    """How much a page's word counts: compare by ``>``."""
    return (TRUST_RANK[page.trust], page.date, tuple(-ord(letter) for letter in page.url))


def statements_by_fact(pages: Iterable[Page]) -> dict[str, list[tuple[Page, Statement]]]:
    """Fact id → the pages and statements that are about it, in the order of the pages."""
    out: dict[str, list[tuple[Page, Statement]]] = {}
    for page in pages:
        for statement in page.statements:
            out.setdefault(statement.fact, []).append((page, statement))
    return out


def winner(stated: Sequence[tuple[Page, Statement]]) -> tuple[Page, Statement]:
    """The statement that counts among those about one fact."""
    return max(stated, key=lambda pair: (standing(pair[0]), -pair[1].start))
