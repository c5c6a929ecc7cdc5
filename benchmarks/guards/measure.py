"""What a guard made of the cases: recall of each kind of lie, false alarms of each family of wordings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import sqrt

from benchmarks.guards.cases import Case
from worldgen.store import read_only
from worldgen.world import World

Judge = Callable[[Case], Sequence[str]]
"""Gives the codes of the problems that a guard sees in a case's text; none where it accepts it."""


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    hits: int
    of: int

    @property
    def value(self) -> float:
        """The share itself; 0 of nothing."""
        return self.hits / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval at 95 % (Wilson 1927, without correction for continuity).

        >>> [round(end, 3) for end in Share(196, 200).interval]
        [0.95, 0.992]
        """
        if not self.of:
            return 0.0, 1.0
        z, n, p = 1.959964, self.of, self.value
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, centre - half), min(1.0, centre + half)

    def row(self, name: str) -> str:
        """A line of the table."""
        low, high = self.interval
        return f"| {name} | {self.hits} of {self.of} | {self.value:.3f} | {low:.3f} to {high:.3f} |"


@dataclass(frozen=True, slots=True)
class Judged:
    """A case with the codes of the problems seen in it."""

    case: Case
    codes: tuple[str, ...]

    @property
    def wrong(self) -> bool:
        """Whether the guard was wrong: a lie without a problem, an honest text with one."""
        return bool(self.codes) == (self.case.label == "honest")


def judge_all(cases: Sequence[Case], judge: Judge) -> list[Judged]:
    """Every case, judged."""
    return [Judged(case, tuple(judge(case))) for case in cases]


def judge_with_guard(cases: Sequence[Case], *, strict: bool = True) -> list[Judged]:
    """Every case, judged by the guard that stands between a world model and its session; see `Guard` for ``strict``."""
    from worldgen.audit.claims import Guard, Lexicon, page_licence

    with ExitStack() as stack:
        lexicons: dict[object, Lexicon] = {}
        for path, language in {(case.world, case.language): None for case in cases}:
            schema = stack.enter_context(World.load(path)).schema
            connection = read_only(path / "world.db", guarded=False)
            stack.callback(connection.close)
            lexicons[path, language] = Lexicon.read(connection, schema, language)

        def judge(case: Case) -> list[str]:
            lexicon = lexicons[case.world, case.language]
            licence = page_licence(lexicon, case.page, case.statements, text=case.index_text)
            return [problem.code for problem in Guard(lexicon, strict=strict).audit(case.text, licence).problems]

        return judge_all(cases, judge)


def shares(judged: Sequence[Judged], label: str, key: Callable[[Case], str]) -> dict[str, Share]:
    """How many of the cases of a label had problems, by a key of theirs, in the order that the keys come."""
    seen, caught = Counter[str](), Counter[str]()
    for one in judged:
        if one.case.label == label:
            seen[key(one.case)] += 1
            caught[key(one.case)] += bool(one.codes)
    return {name: Share(caught[name], count) for name, count in seen.items()}


def tables(judged: Sequence[Judged]) -> str:
    """The figures as Markdown."""
    lines = []
    for title, label, key in (("recall", "lie", "kind"), ("false alarms", "honest", "family")):
        lines += [f"| {title} | caught | share | 95 % |", "|---|---|---|---|"]
        lines += [share.row("all") for share in shares(judged, label, lambda case: "all").values()]
        lines += [share.row(name) for name, share in shares(judged, label, lambda case: case.language).items()]
        lines += [share.row(name) for name, share in shares(judged, label, lambda case: case.shape).items()]
        lines += [share.row(name) for name, share in shares(judged, label, lambda c, k=key: str(getattr(c, k))).items()]  # type: ignore[misc]
        lines.append("")
    return "\n".join(lines)


def as_json(judged: Sequence[Judged]) -> str:
    """The figures for programs, and every case that the guard was wrong about."""
    figures = {
        name: {
            group: {"caught": share.hits, "of": share.of, "share": share.value, "interval": share.interval}
            for group, share in {
                **shares(judged, label, lambda case: "all"),
                **shares(judged, label, lambda case: case.language),
                **shares(judged, label, by),
            }.items()
        }
        for name, label, by in (
            ("recall", "lie", lambda case: case.kind),
            ("false_alarms", "honest", lambda case: case.family),
        )
    }
    wrong = [
        {
            "world": one.case.world.name, "url": one.case.page.url, "label": one.case.label, "kind": one.case.kind,
            "family": one.case.family, "index_text": one.case.index_text, "twin": one.case.twin,
            "text": one.case.text, "codes": one.codes,
        }
        for one in judged
        if one.wrong
    ]  # fmt: skip
    return json.dumps({**figures, "wrong": wrong}, ensure_ascii=False, indent=1)
