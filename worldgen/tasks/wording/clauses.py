"""Conditions in words, as clauses that follow a noun in English and stand before it in Chinese."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from worldgen.facts.tables import EPOCH, Facts
from worldgen.language import ValueSpec, currencies, plain, unit
from worldgen.language.units import Currency
from worldgen.seeds import Stream
from worldgen.tasks.cells import literal_text
from worldgen.tasks.frame import stored
from worldgen.tasks.meaning import NUMBERS, Meaning, meaning
from worldgen.tasks.query import Agg, And, Attr, Compare, Condition, Not, Or, Term
from worldgen.tasks.wording.lexicon import Lexicon
from worldgen.tasks.wording.nouns import period_said

_LETTERS = "abcdefgh"


@dataclass(frozen=True, slots=True)
class Speaker:
    """Says conditions of one subject, in wordings that its lexicon's stream draws."""

    lexicon: Lexicon
    subject: str

    @property
    def facts(self) -> Facts:
        """The world in columns."""
        return self.lexicon.facts

    @property
    def language(self) -> str:
        """Of what is said."""
        return self.lexicon.language

    @property
    def rng(self) -> Stream:
        """Draws the wordings."""
        return self.lexicon.rng

    @property
    def tables(self) -> dict[str, Any]:
        """The language's wording tables."""
        return self.lexicon.tables

    def label(self, term: Term) -> str:
        """What a term is called."""
        return self.lexicon.term(self.subject, term, self._members)

    def _members(self, term: Agg) -> str:
        assert term.where is not None
        return Speaker(self.lexicon, term.table).clause(term.where)

    def clause(self, condition: Condition) -> str:
        """A condition as one clause."""
        if isinstance(condition, Compare):
            return self._compare(condition)
        if isinstance(condition, Not):
            return str(self.tables["not_inside"].format(clause=self.clause(condition.item)))
        if isinstance(condition, And):
            return str(self.tables["join"]["all"]).join(self.clause(item) for item in condition.items)
        items = [
            self.tables["any_item"].format(letter=_LETTERS[i % len(_LETTERS)], clause=self.clause(item))
            for i, item in enumerate(condition.items)
        ]
        return str(self.rng.choice(self.tables["any"]).format(items=self.tables["any_between"].join(items)))

    def clauses(self, where: Condition | None) -> tuple[str, str]:
        """A whole condition, as the clause of what must hold and the exception of what must not; either may be empty.

        An OR comes last, since what follows it would seem to belong to its last group.
        """
        items = where.items if isinstance(where, And) else () if where is None else (where,)
        plain_ = [item for item in items if not isinstance(item, Not | Or)]
        groups = [item for item in items if isinstance(item, Or)]
        said = [self.clause(item) for item in [*plain_, *groups]]
        out = [
            self.rng.choice(self.tables["none"]).format(clause=self.clause(i.item)) for i in items if isinstance(i, Not)
        ]
        return str(self.tables["join"]["all"]).join(said), "".join(out)

    def _compare(self, compare: Compare) -> str:
        term = compare.term
        found = meaning(self.facts, self.subject, term)
        if isinstance(term, Agg) and term.how == "count":
            return self._count(compare, term)
        frames = self._fitting(self.tables["clauses"][clause_kind(term, found)][compare.op], found)
        return self.rng.choice(frames).format(label=self.label(term), value=self.value(term, found, compare.value))

    def _fitting(self, frames: list[str], found: Meaning) -> list[str]:
        """The frames that read well: what belongs to another row is not said to be the subject's own."""
        if not found.hops:
            return frames
        for start, instead in self.tables["reached"].items():
            frames = [instead + text.removeprefix(start) for text in frames if text.startswith(start)]
        return frames

    def _count(self, compare: Compare, term: Agg) -> str:
        """How many rows there are; a role of the subject is what it is, not what it has."""
        role = self.lexicon.role(self.subject, term)
        rows = self.lexicon.noun(term.table)[0 if compare.value == "1" else 1]
        if term.where is not None:
            rows = self.tables["terms"]["those"].format(nouns=rows, clause=self._members(term))
        frame = self.rng.choice(self.tables["clauses"]["count" if role is None else "count_as"][compare.op])
        return str(frame.format(value=compare.value, nouns=rows, role=role))

    def value(self, term: Term, found: Meaning, value: str) -> str:
        """A canonical literal in words, with its unit."""
        kind = found.type
        if kind in ("ref", "name", "category", "boolean"):
            return literal_text(found, value, self.facts, self.language)
        exact = stored(found, value)
        if kind == "period" and found.column is not None:
            return period_said(int(exact), found.column.every or "year", self.language)
        if kind == "date":
            return plain(ValueSpec("date"), int(exact) + EPOCH.toordinal(), 0, self.language)
        if kind == "year":
            return plain(ValueSpec("year"), int(exact), 0, self.language)
        return plain(number_spec(found, self.language), int(exact), 0, self.language)


def number_spec(found: Meaning, language: str) -> ValueSpec:
    """How a literal against that term is said; its scale is the column's. English labels say what is counted."""
    decimals = found.column.decimals if found.column is not None else 0
    if found.type == "money" and found.currency is not None:
        code = found.currency
        return ValueSpec("money", decimals, currency=currencies().get(code) or Currency(code, "", code, code, code))
    if found.type == "percent":
        return ValueSpec("percent", decimals)
    counted = found.unit is not None and unit(found.unit).dimension == "count"
    shown = None if counted and language != "zh" else found.unit
    return ValueSpec("decimal" if decimals else "integer", decimals, unit=shown)


def clause_kind(term: Term, found: Meaning) -> str:
    """Which table of clauses a comparison with that term uses."""
    if found.type == "boolean":
        return "boolean"
    if found.type in ("category", "ref", "name"):
        return "choice"
    if found.type == "period" and isinstance(term, Attr):
        return "period"
    return "number" if found.type in NUMBERS else "time"
