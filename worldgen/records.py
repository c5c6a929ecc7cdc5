r"""The records that cross from one stage to the next: frozen, typed, without behaviour.

A reader who knows these knows the data of a world: pages with the statements they make, hits, tasks with their
evidence. Offsets are code points of NFC text with ``\n`` line ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Language = Literal["en", "zh"]
Trust = Literal["high", "medium", "low"]
PageKind = Literal["sound", "stale", "mistaken", "background", "haystack"]
Label = Literal["sound", "undisclosed", "stale", "mistaken"]
Form = Literal["plain", "unit", "relative", "two_step"]


class Statement(NamedTuple):
    """A sentence or table cell of a page that states a fact.

    ``body[start:end]`` is the whole sentence (or table row, list item) and stands alone;
    ``body[value_start:value_end]`` is the words inside it that give the value. ``form`` says what it takes to read the
    value: ``plain`` as asked, ``unit`` a conversion, ``relative`` the page's date, ``two_step`` arithmetic over two
    sentences. ``claimed`` is the canonical value that the words mean, which differs from the fact where ``label`` is
    ``stale`` or ``mistaken``.
    """

    fact: str
    start: int
    end: int
    value_start: int
    value_end: int
    label: Label
    form: Form
    claimed: str


class Link(NamedTuple):
    """A Markdown link in a page's body: its target's URL and its text."""

    url: str
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    r"""One page of the corpus. ``date`` is ISO or empty for an undated page; ``subject`` is an entity id or empty.

    ``years`` are the places in ``f"{title}\n{body}"`` at which a year of the world's calendar begins, in order.
    """

    url: str
    site: str
    genre: str
    language: str
    title: str
    date: str
    author: str
    body: str
    trust: Trust
    kind: PageKind
    subject: str = ""
    links: tuple[Link, ...] = ()
    statements: tuple[Statement, ...] = ()
    years: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result as an agent sees it; ``date`` is ISO or empty; ``score`` is quantised, higher is better."""

    url: str
    title: str
    snippet: str
    date: str
    score: int = 0


Outcome = Literal["accepted", "repaired", "fallback"]


@dataclass(frozen=True, slots=True)
class Written:
    """How an answer that a world model wrote came about.

    Attributes:
        action: What was asked: ``search`` or ``open``.
        outcome: ``accepted`` at once, ``repaired`` after asking again, ``fallback`` where the answer is not its own.
        reasons: Codes of what was wrong with what it wrote, each once, in order.
        replies: What it wrote, one text an attempt, without thinking.
        failure: Code of the error with which the model failed after these; empty where it did not.
    """

    action: str
    outcome: Outcome
    reasons: tuple[str, ...]
    replies: tuple[str, ...]
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a gold cell can be read: row and column of the gold table, a fact it rests on, a page that states it."""

    row: int
    column: str
    fact: str
    url: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Task:
    """A question with its gold table and all that proves it.

    ``columns`` are the headings as asked, ``rows`` the gold cells in that order (display strings), ``evaluation`` the
    benchmark's evaluation object, ``query`` the table query, ``plan`` the oracle's steps: plain JSON, all three.
    """

    instance_id: str
    language: str
    question: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    evaluation: dict[str, Any]
    query: dict[str, Any]
    plan: dict[str, Any]
    evidence: tuple[Evidence, ...] = ()
    difficulty: dict[str, Any] = field(default_factory=dict)
