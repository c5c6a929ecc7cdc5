"""Draws the cases: as many lies, spread over their kinds, and as many honest texts, spread over their families."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.guards.drafts import FAMILIES, Clause, Draft, draft_of
from benchmarks.guards.lies import MAKERS, NEEDS, Making
from benchmarks.guards.material import Excerpt, Known, Material
from benchmarks.guards.values import Wordings
from worldgen.records import Language, Page, Statement
from worldgen.seeds import Stream, stream
from worldgen.store import read_manifest

_ATTEMPTS = 1_500
_LANGUAGES: tuple[Language, ...] = ("en", "zh", "en", "zh", "en")


@dataclass(frozen=True, slots=True)
class Case:
    """A text for the guard to judge.

    Attributes:
        world: The world's folder.
        language: Of page and text.
        shape: ``snippet`` or ``page``.
        page: The page that is rewritten.
        statements: Those of the page that the text may make.
        index_text: What the index itself shows.
        text: What a world model might have written.
        label: Whether it is entailed.
        kind: Of the lie; empty for an honest text.
        family: How it is worded.
        twin: A lie's honest text, one change away; empty for an honest text.
        told: The facts that the honest text tells.
    """

    world: Path
    language: Language
    shape: str
    page: Page
    statements: tuple[Statement, ...]
    index_text: str
    text: str
    label: Literal["honest", "lie"]
    kind: str
    family: str
    twin: str
    told: tuple[Known, ...]


def make_cases(worlds: Sequence[Path], *, seed: int = 7, each: int = 200, wordings: str = "first") -> list[Case]:
    """``each`` lies, then ``each`` honest texts, over the worlds; two in five are Chinese where a world has it.

    A kind or family that a world has no room for is sought in the next one; ``LookupError`` where none has.
    ``wordings`` names the set of them.
    """
    with ExitStack() as stack:
        built: dict[Language, list[Material]] = {"en": [], "zh": []}
        for path in worlds:
            for language in built:
                if language in read_manifest(path).languages:
                    built[language].append(stack.enter_context(Material(path, Wordings(wordings, language))))
        lies = [_lie(built, seed, number) for number in range(each)]
        return lies + [_honest(built, seed, number) for number in range(each)]


def _order(built: dict[Language, list[Material]], number: int, rng: Stream) -> list[Material]:
    first = _LANGUAGES[number % len(_LANGUAGES)]
    second: Language = "en" if first == "zh" else "zh"
    return rng.shuffled(built[first]) + rng.shuffled(built[second])


def _lie(built: dict[Language, list[Material]], seed: int, number: int) -> Case:
    kind = list(MAKERS)[number % len(MAKERS)]
    rng = stream(seed, "guards", "lie", number)
    for material in _order(built, number, rng):
        for _ in range(_ATTEMPTS):
            found = _drawn(material, rng, rng.choice(NEEDS.get(kind, FAMILIES)))
            if found is None:
                continue
            excerpt, draft = found
            lie = MAKERS[kind](Making(draft, excerpt, material, rng))
            if lie is not None and lie.text() != draft.text():
                return _case(material, excerpt, draft, lie.text(), kind)
    raise LookupError(f"no world has room for a lie of the kind {kind}")


def _honest(built: dict[Language, list[Material]], seed: int, number: int) -> Case:
    family = FAMILIES[number % len(FAMILIES)]
    rng = stream(seed, "guards", "honest", number)
    for material in _order(built, number, rng):
        for _ in range(_ATTEMPTS):
            found = _drawn(material, rng, family)
            if found is not None:
                return _case(material, *found, found[1].text(), "")
    raise LookupError(f"no world has room for an honest text of the family {family}")


def _drawn(material: Material, rng: Stream, family: str) -> tuple[Excerpt, Draft] | None:
    excerpt = material.excerpt(rng, whole=rng.chance(0.3))
    draft = draft_of(excerpt, material, rng, family)
    if draft is None or _plain(draft.text()) in (_plain(excerpt.text), ""):
        return None
    return excerpt, draft


def _case(material: Material, excerpt: Excerpt, draft: Draft, text: str, kind: str) -> Case:
    told: tuple[Clause, ...] = draft.clauses
    return Case(
        material.path, material.language, excerpt.shape, excerpt.page, excerpt.statements, excerpt.text, text,
        "lie" if kind else "honest", kind, draft.family, draft.text() if kind else "",
        tuple(clause.known for clause in told),
    )  # fmt: skip


def _plain(text: str) -> str:
    return " ".join(text.split()).rstrip(".。")
