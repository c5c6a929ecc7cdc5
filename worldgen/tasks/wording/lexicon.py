"""What one question calls things: each noun, label and pattern is drawn once, so that it stays the same throughout.

Two labels for one attribute would leave the reader to guess whether two things are meant, and so would one label for
two attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from worldgen.facts.tables import Facts, Table
from worldgen.seeds import Stream
from worldgen.tasks.frame import ordinal
from worldgen.tasks.meaning import NUMBERS, Meaning, meaning
from worldgen.tasks.query import Agg, At, Attr, TableQuery, Term, comparisons
from worldgen.tasks.wording.nouns import (
    labels,
    named_after,
    nouns,
    period_said,
    role_of,
    smooth,
    unfolded,
)
from worldgen.tasks.words import words

T = TypeVar("T")


class Lexicon:
    """The nouns, labels and patterns of one question.

    Args:
        facts: The world in columns.
        language: Of the question.
        rng: Draws what is not settled yet.
    """

    def __init__(self, facts: Facts, language: str, rng: Stream) -> None:
        self.facts = facts
        self.language = language
        self.rng = rng
        self._drawn: dict[Hashable, Any] = {}
        self._taken: set[str] = set()

    @property
    def tables(self) -> dict[str, Any]:
        """The language's wording tables."""
        return words(self.language).tables

    def noun(self, table: str) -> tuple[str, str]:
        """What the rows of a table are called, as (one, many)."""
        return self._once(("noun", table), lambda: self._noun(self.facts.tables[table]))

    def _noun(self, table: Table) -> tuple[str, str]:
        if table.kind != "series":
            return self.rng.choice(nouns(self.facts, table.name, self.language))
        one, many = self.noun(table.columns[table.key[0]].target or "")
        label = self.label(table, table.stated()[0])
        said = self.tables["series_nouns"]
        return said.format(label=label, nouns=one), said.format(label=label, nouns=many)

    def label(self, table: Table, name: str, *, folded: bool = False) -> str:
        """What a column is called inside a sentence, unlike what others are called where there is a choice."""
        target = named_after(self.facts, table, name, self.language)
        if target is not None:
            return self.noun(target)[0]
        return self._once((table.name, name), lambda: self._label(table, name, folded=folded))

    def _label(self, table: Table, name: str, *, folded: bool) -> str:
        texts = smooth(labels(self.facts, table, name, self.language), self.language)
        texts = self.rng.shuffled(unfolded(texts, self.language) if folded else texts)
        text = next((text for text in texts if text.casefold() not in self._taken), texts[0])
        self._taken.add(text.casefold())
        return text

    def frame(self, kind: str) -> str:
        """The pattern for a kind of term."""
        return self._once(("frame", kind), lambda: str(self.rng.choice(self.tables["terms"][kind])))

    def term(self, subject: str, term: Term, clause: Callable[[Agg], str] | None = None) -> str:
        """What a term is called, in a heading as in a sentence.

        Args:
            subject: The table that it is a term of.
            term: The term.
            clause: Says the condition of an aggregate.
        """
        found = meaning(self.facts, subject, term)
        if isinstance(term, Agg):
            return self._folded(subject, term, found, clause)
        if found.column is None and not found.hops:
            return self.noun(subject)[0]
        text = self.label(found.table, term.words[-1])
        for table, word in reversed(found.hops):
            ref = self.label(self.facts.tables[table], word)
            text = self.frame("hop" if isinstance(term, Attr) else "hop_at").format(label=text, ref=ref)
        if isinstance(term, At):
            every = found.table.columns[found.table.key[1]].every or "year"
            text = self.frame("at").format(label=text, period=period_said(ordinal(term.period), every, self.language))
        return text

    def _folded(self, subject: str, term: Agg, found: Meaning, clause: Callable[[Agg], str] | None) -> str:
        time = term.how in ("min", "max") and found.type not in NUMBERS
        label = self.label(found.table, term.of, folded=True) if term.of is not None else ""
        text = self.frame(f"{term.how}_time" if time else term.how).format(nouns=self._rows(subject, term), label=label)
        if term.where is not None and clause is not None:
            text = self.tables["terms"]["filtered"].format(heading=text, clause=clause(term))
        return text

    def _rows(self, subject: str, term: Agg) -> str:
        """The rows that an aggregate is over, and what the subject is to them where their noun leaves that open."""
        table = self.facts.tables[term.table]
        if table.kind == "series":
            periods = table.columns[table.key[1]]
            ends = int(periods.values.min()), int(periods.values.max())
            first, last = (period_said(end, periods.every or "year", self.language) for end in ends)
            return str(self.tables["terms"][f"periods_{periods.every}"].format(first=first, last=last))
        rows = self.noun(term.table)[1]
        role = self.role(subject, term)
        if role is None:
            return rows
        return str(self.tables["terms"]["as"].format(nouns=rows, noun=self.noun(subject)[0], role=role))

    def role(self, subject: str, term: Agg) -> str | None:
        """What the subject is to the rows of an aggregate; None where there is but one thing that it can be."""
        if not role_of(self.facts, subject, term, self.language):
            return None
        return self.label(self.facts.tables[term.table], term.by)

    def _once(self, key: Hashable, draw: Callable[[], T]) -> T:
        if key not in self._drawn:
            self._drawn[key] = draw()
        found: T = self._drawn[key]
        return found


def sayable(query: TableQuery, facts: Facts, language: str) -> bool:
    """Whether every attribute that is aggregated has a label that is no aggregate itself, as `average price` is."""
    terms = [*query.columns, *(item.term for item in comparisons(query.where))]
    terms += [query.order.term] if query.order is not None else []
    for term in terms:
        if isinstance(term, Agg) and term.of is not None:
            texts = labels(facts, facts.tables[term.table], term.of, language)
            if not unfolded(smooth(texts, language), language):
                return False
    return True
