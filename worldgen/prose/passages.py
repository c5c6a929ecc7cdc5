"""Which sentences of a page may be put in other words, and how a page reads once some were."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from worldgen.records import Page, Statement

_SET = re.compile(r"[ \t]*(?:\||>|#|[-*+] |\d{1,3}[.)] )")


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence of running text that states facts.

    Attributes:
        start: Where it begins in the page's body.
        end: Where it ends.
        text: Its words.
        statements: What it states, at their places in the body.
    """

    start: int
    end: int
    text: str
    statements: tuple[Statement, ...]

    @property
    def values(self) -> list[str]:
        """The words that give the values, in the order of the statements."""
        return [self.text[s.value_start - self.start : s.value_end - self.start] for s in self.statements]


def passages(page: Page) -> list[Passage]:
    """The sentences that may be rewritten, in the order of the text.

    Left out are rows of tables, items of lists, and what a page says more than once word for word: a quotation has to
    go on saying what was said. So are values told by a comparison or a correction, which hang on every word.
    """
    body = page.body
    by: dict[tuple[int, int], list[Statement]] = {}
    for statement in page.statements:
        by.setdefault((statement.start, statement.end), []).append(statement)
    found = []
    for (start, end), statements in sorted(by.items()):
        line = body[body.rfind("\n", 0, start) + 1 :]
        told = any(statement.form == "two_step" for statement in statements)
        if not told and not _SET.match(line) and body.count(body[start:end]) == 1:
            found.append(Passage(start, end, body[start:end], tuple(statements)))
    return found


def rewritten(page: Page, texts: Mapping[Passage, str]) -> Page:
    """The page with passages in other words, all its statements at their new places.

    Args:
        page: The page.
        texts: Passage → its new words, each of whose values stands in them once.
    """
    body, parts, at = page.body, [], 0
    moved: list[tuple[int, int]] = []  # where an old passage ended, and by how much what follows has moved
    placed: dict[Statement, Statement] = {}
    shift = 0
    for passage in sorted(texts, key=lambda each: each.start):
        text = texts[passage]
        parts += [body[at : passage.start], text]
        start = passage.start + shift
        for statement, first in zip(passage.statements, places(text, passage), strict=True):
            last = first + statement.value_end - statement.value_start
            placed[statement] = statement._replace(
                start=start, end=start + len(text), value_start=start + first, value_end=start + last
            )
        at = passage.end
        shift += len(text) - (passage.end - passage.start)
        moved.append((passage.end, shift))
    statements = tuple(placed.get(each) or _moved(each, moved) for each in page.statements)
    return replace(page, body="".join(parts) + body[at:], statements=statements)


def places(text: str, passage: Passage) -> list[int]:
    """Where the words of each value stand in a text; -1 for words that do not stand there just once."""
    return [text.find(value) if text.count(value) == 1 else -1 for value in passage.values]


def _moved(statement: Statement, moved: list[tuple[int, int]]) -> Statement:
    by = next((shift for end, shift in reversed(moved) if statement.start >= end), 0)
    return statement._replace(
        start=statement.start + by,
        end=statement.end + by,
        value_start=statement.value_start + by,
        value_end=statement.value_end + by,
    )
