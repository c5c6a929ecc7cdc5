"""Conditions in words, as clauses that follow a noun in English and stand before it in Chinese."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from worldgen.facts.tables import EPOCH, Facts
from worldgen.language import ValueSpec, currencies, plain
from worldgen.language.units import Currency
from worldgen.seeds import Stream
from worldgen.tasks.cells import literal_text
from worldgen.tasks.frame import ordinal, stored
from worldgen.tasks.meaning import NUMBERS, Meaning, meaning
from worldgen.tasks.query import Agg, And, At, Attr, Compare, Condition, Not, Or, Term
from worldgen.tasks.wording.nouns import labels, nouns, period_said, smooth
from worldgen.tasks.words import words

_LETTERS = "abcdefgh"


@dataclass(frozen=True, slots=True)
class Speaker:
    """Says conditions of one subject in one language, in wordings that its stream draws."""

    facts: Facts
    subject: str
    language: str
    rng: Stream

    @property
    def tables(self) -> dict[str, Any]:
        """The language's wording tables."""
        return words(self.language).tables

    def label(self, term: Term) -> str:
        """A term as it is called inside a sentence."""
        found = meaning(self.facts, self.subject, term)
        if isinstance(term, Agg):
            return self._aggregate_label(term, found)
        text = self.rng.choice(
            smooth(labels(self.facts, found.table, term.words[-1], self.language), self.language)[:2]
        )
        if isinstance(term, At):
            every = found.table.columns[found.table.key[1]].every or "year"
            period = period_said(ordinal(term.period), every, self.language)
            text = self.tables["at_in_clause"].format(label=text, period=period)
        for table, word in reversed(found.hops):
            ref = smooth(labels(self.facts, self.facts.tables[table], word, self.language), self.language)[0]
            text = self.tables["hop_in_clause"].format(label=text, ref=ref)
        return str(text)

    def _aggregate_label(self, term: Agg, found: Meaning) -> str:
        many = nouns(self.facts, term.table, self.language)[0][1]
        time = term.how in ("min", "max") and found.type not in NUMBERS
        frame = self.tables["headings"][f"{term.how}_time" if time else term.how][0]
        label = smooth(labels(self.facts, found.table, term.of, self.language), self.language)[0] if term.of else ""
        text = frame.format(nouns=many, label=label)
        if term.where is None:
            return str(text)
        inner = Speaker(self.facts, term.table, self.language, self.rng)
        return str(self.tables["headings"]["filtered"].format(heading=text, clause=inner.clause(term.where)))

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
        found = meaning(self.facts, self.subject, compare.term)
        frames = self.tables["clauses"][clause_kind(compare.term, found)]
        frame = self.rng.choice(frames[compare.op])
        many = ""
        if isinstance(compare.term, Agg):
            many = nouns(self.facts, compare.term.table, self.language)[0][1]
            if compare.term.how == "count" and compare.term.where is not None:
                inner = Speaker(self.facts, compare.term.table, self.language, self.rng)
                joined = f"{inner.clause(compare.term.where)}的{many}"
                many = joined if self.language == "zh" else f"{many} {inner.clause(compare.term.where)}"
        value = self.value(compare.term, found, compare.value)
        label = "" if isinstance(compare.term, Agg) and compare.term.how == "count" else self.label(compare.term)
        return str(frame.format(label=label, value=value, nouns=many))

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
        return plain(number_spec(found), int(exact), 0, self.language)


def number_spec(found: Meaning) -> ValueSpec:
    """How a literal against that term is said; its scale is the column's."""
    decimals = found.column.decimals if found.column is not None else 0
    if found.type == "money" and found.currency is not None:
        code = found.currency
        return ValueSpec("money", decimals, currency=currencies().get(code) or Currency(code, "", code, code, code))
    if found.type == "percent":
        return ValueSpec("percent", decimals)
    return ValueSpec("decimal" if decimals else "integer", decimals, unit=found.unit)


def clause_kind(term: Term, found: Meaning) -> str:
    """Which table of clauses a comparison with that term uses."""
    if isinstance(term, Agg) and term.how == "count":
        return "count"
    if found.type == "boolean":
        return "boolean"
    if found.type in ("category", "ref", "name"):
        return "choice"
    if found.type == "period" and isinstance(term, Attr):
        return "period"
    return "number" if found.type in NUMBERS else "time"
