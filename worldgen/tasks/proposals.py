"""Draws queries of given shapes and aims them at a number of rows; whether they are accepted is decided elsewhere.

All is done on columns: a proposal costs a fraction of a millisecond, so that many can be thrown away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from worldgen.seeds import Stream
from worldgen.tasks.askable import Askable, Family, Option
from worldgen.tasks.cells import literal_of
from worldgen.tasks.frame import Frame, Ints, Values
from worldgen.tasks.frame import ordered as sort
from worldgen.tasks.meaning import NUMBERS
from worldgen.tasks.query import (
    Agg,
    And,
    At,
    Compare,
    Condition,
    Not,
    Operator,
    Or,
    Order,
    TableQuery,
    Term,
    comparisons,
)
from worldgen.tasks.thresholds import apart, clear_cut, cuts

Shape = Literal["filter", "join", "top", "or", "not", "all", "series", "aggregate", "composite"]
SHAPES: tuple[Shape, ...] = (
    "filter", "join", "top", "composite", "or", "series", "aggregate", "not", "all", "join", "composite", "top",
)  # fmt: skip
"""The order in which shapes take turns, so that even a world of few questions has most of them."""

LEAST_ROWS, MOST_ROWS = 8, 80
_TARGETS = (12, 18, 24, 30, 36, 38, 40, 42, 44, 46, 50, 54, 58, 64, 70, 78)
_TOPS = (10, 12, 15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80)
_WIDTHS = (3, 4, 4, 5, 6, 6, 6, 6, 6, 7, 7, 7, 8)
_SEARCHED = 24
_FAMILIES: tuple[Family, ...] = ("own", "hop", "at", "aggregate")


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """A query and the rows it selects."""

    query: TableQuery
    rows: Ints


class Proposer:
    """Draws proposals over one world.

    Args:
        frame: The facts in columns.
        askable: What may be asked.
    """

    def __init__(self, frame: Frame, askable: Sequence[Askable]) -> None:
        self.frame = frame
        self.askable = askable

    def fits(self, shape: Shape) -> list[Askable]:
        """The subjects that a shape can be about."""
        found = []
        for item in self.askable:
            size = self.frame.facts.tables[item.table].size
            fits = {
                "all": size <= MOST_ROWS,
                "join": bool(item.of("hop", where=True)),
                "series": bool(item.of("at", where=True)),
                "aggregate": bool(item.of("aggregate", where=True) or item.of("aggregate")),
                "composite": len(item.keys) > 1,
            }.get(shape, size > LEAST_ROWS + 2)
            if fits:
                found.append(item)
        return found

    def propose(self, shape: Shape, rng: Stream) -> Proposal | None:
        """Draw a query of that shape; None where the draw leads nowhere."""
        subjects = self.fits(shape)
        if not subjects:
            return None
        target = rng.choice(_TARGETS)
        subject = subjects[int(rng.weighted(1, [self._weight(item, target) for item in subjects])[0])]
        size = self.frame.facts.tables[subject.table].size
        want = min(target, _most(size))
        draw = _Draw(self.frame, subject, rng, want)
        where, rows = draw.condition(shape, np.arange(size, dtype=np.int64))
        order, limit = None, None
        if shape == "top":
            found = draw.top(rows)
            if found is None:
                return None
            order, limit, rows = found
        most = MOST_ROWS if shape == "all" else min(MOST_ROWS, max(_most(size), LEAST_ROWS + 4))
        if not LEAST_ROWS <= len(rows) <= most:
            return None
        columns = draw.columns(shape, where, order)
        if not columns:
            return None
        return Proposal(TableQuery(subject.table, subject.keys, columns, where, order, limit), rows)

    def _weight(self, item: Askable, target: int) -> float:
        """A table that is too small for so many rows is drawn less often."""
        room = min(1.0, _most(self.frame.facts.tables[item.table].size) / target)
        return item.weight * room * room * room


def _most(size: int) -> int:
    """Rows that a filter may keep: one that keeps nearly all is none, and who opens everything would answer it."""
    return max(LEAST_ROWS, size * 3 // 5)


class _Draw:
    """The draws of one proposal."""

    def __init__(self, frame: Frame, subject: Askable, rng: Stream, want: int) -> None:
        self.frame = frame
        self.subject = subject
        self.rng = rng
        self.want = want

    def condition(self, shape: Shape, rows: Ints) -> tuple[Condition | None, Ints]:
        """A condition of the shape, and the rows of ``rows`` that it keeps."""
        if shape == "all":
            return None, rows
        if shape == "top":
            return self._narrowed(rows, self.want * 3) if len(rows) > self.want * 6 else (None, rows)
        items: list[Condition] = []
        if len(rows) > self.want * 6 and shape in ("or", "not"):
            first, rows = self._narrowed(rows, self.want * 3)
            items += [first] if first is not None else []
        if shape == "or":
            made = self._either(rows, _terms(items))
        elif shape == "not":
            made = self._without(rows, _terms(items))
        else:
            made = self._plain(shape, rows)
        if not made:
            return None, rows[:0]
        items += made
        where: Condition = items[0] if len(items) == 1 else And(tuple(items))
        return where, self._kept(rows, made)

    def _plain(self, shape: Shape, rows: Ints) -> list[Condition]:
        families: dict[str, Family] = {"join": "hop", "series": "at", "aggregate": "aggregate"}
        family = families.get(shape)
        if shape == "aggregate" and not self.subject.of("aggregate", where=True):
            family = None
        two = self.rng.chance(0.4) and len(rows) > 2 * self.want
        made: list[Condition] = []
        if two:
            first = self._compare(rows, min(len(rows) // 2, self.want * 2), None)
            if first is not None:
                made.append(first)
                rows = self._kept(rows, made)
        last = self._compare(rows, self.want, family, avoid=_terms(made))
        if last is None:
            return [] if family is not None or not made else made
        return [*made, last]

    def _either(self, rows: Ints, avoid: tuple[Term, ...]) -> list[Condition]:
        first = self._compare(rows, max(4, self.want * 11 // 20), None, avoid=avoid)
        if first is None:
            return []
        second = self._compare(rows, max(4, self.want * 11 // 20), None, avoid=(*avoid, *_terms([first])))
        return [Or((first, second))] if second is not None else []

    def _without(self, rows: Ints, avoid: tuple[Term, ...]) -> list[Condition]:
        """A condition and an exception to it, of another term and never a negation itself."""
        made: list[Condition] = []
        if len(rows) > self.want * 3 // 2:
            first = self._compare(rows, self.want * 13 // 10, None, avoid=avoid)
            if first is None:
                return []
            made.append(first)
            rows = self._kept(rows, made)
        out = self._compare(rows, max(2, len(rows) // 4), None, avoid=(*avoid, *_terms(made)), plain=True)
        return [*made, Not(out)] if out is not None else []

    def _narrowed(self, rows: Ints, want: int) -> tuple[Condition | None, Ints]:
        found = self._compare(rows, want, None)
        return (found, self._kept(rows, [found])) if found is not None else (None, rows)

    def _kept(self, rows: Ints, made: Sequence[Condition]) -> Ints:
        mask = np.ones(self.frame.facts.tables[self.subject.table].size, dtype=np.bool_)
        for item in made:
            mask = mask & self.frame.mask(self.subject.table, item)
        return np.asarray(rows[mask[rows]])

    def _compare(
        self, rows: Ints, want: int, family: Family | None, *, avoid: tuple[Term, ...] = (), plain: bool = False
    ) -> Compare | None:
        """A comparison that keeps about as many of the rows as wanted; a plain one is no `is not`."""
        options = self.subject.of(family, where=True) if family is not None else self._general()
        options = [option for option in options if option.term not in avoid]
        for option in self.rng.sample(options, 3):
            values = self.frame.values(self.subject.table, option.term)
            if values.meaning.type in ("category", "boolean", "ref"):
                found = self._choice(option.term, values, rows, want, plain=plain)
            else:
                found = self._cut(option.term, values, rows, want)
            if found is not None:
                return found
        return None

    def _general(self) -> list[Option]:
        own = [*self.subject.of("own", where=True), *self.subject.of("hop", where=True)]
        return own or list(self.subject.wheres)

    def _choice(self, term: Term, values: Values, rows: Ints, want: int, *, plain: bool) -> Compare | None:
        if len(rows) == len(values.values):
            counts = self.frame.counts(self.subject.table, term)
        else:
            counts = np.bincount(values.values[rows].astype(np.int64))
        near: list[tuple[int, Operator]] = []
        least, most = want * 3 // 5, want * 3 // 2
        near += [(value, "=") for value in np.flatnonzero((counts >= least) & (counts <= most)).tolist()]
        if not plain and values.meaning.type != "boolean":
            rest = len(rows) - counts
            others = np.flatnonzero((rest >= least) & (rest <= most) & (counts > 0))
            near += [(value, "!=") for value in others.tolist()]
        if not near:
            return None
        value, op = self.rng.choice(near)
        return Compare(term, op, literal_of(values.meaning, value))

    def _cut(self, term: Term, values: Values, rows: Ints, want: int) -> Compare | None:
        whole = len(rows) == len(values.values)
        frame = self.frame
        known = frame.ordered(self.subject.table, term) if whole else sort(values.values[rows][values.ok[rows]])
        top = self.rng.chance(0.6)
        spread = max(2, min(_SEARCHED, want // 3))
        options = cuts(values.meaning, known, want - spread, want + spread, top=top)
        if values.meaning.type in NUMBERS and not values.meaning.step:
            # "Fewer than 1" is none, said oddly.
            options = [option for option in options if option[2] > 1 or top]
        if not whole and values.meaning.step:
            everything = frame.ordered(self.subject.table, term)
            options = [option for option in options if apart(everything, option[2]) > values.meaning.step]
        if not options:
            return None
        best = [option for option in options if option[0] <= options[0][0] + 1]
        _, _, threshold = self.rng.choice(best)
        stepped = values.meaning.step > 0
        loose = stepped and self.rng.chance(0.5)
        op: Operator = (">" if loose else ">=") if top else ("<=" if loose else "<")
        return Compare(term, op, literal_of(values.meaning, threshold))

    def top(self, rows: Ints) -> tuple[Order, int, Ints] | None:
        """An order and a limit that cut the rows without a tie."""
        # Rows that share what they refer to share its values, so an order by one of those is full of ties.
        families: tuple[Family, ...] = ("own", "aggregate") if len(self.subject.keys) > 1 else _FAMILIES
        options = [option for family in families for option in self.subject.of(family, where=True)]
        options = [o for o in options if self.frame.meaning(self.subject.table, o.term).type not in
                   ("category", "boolean", "ref", "period")]  # fmt: skip
        # "With the lowest highest price" is hard to follow.
        options = [o for o in options if not (isinstance(o.term, Agg) and o.term.how in ("min", "max"))]
        for option in self.rng.sample(options, 3):
            values = self.frame.values(self.subject.table, option.term)
            known = rows[values.ok[rows]]
            descending = self.rng.chance(0.7)
            ordered = sort(values.values[known])
            limits = [k for k in _TOPS if k <= len(known) * 3 // 4 and abs(k - self.want) <= max(6, self.want // 2)]
            limits = [k for k in limits if clear_cut(values.meaning, ordered, k, top=descending)]
            if not limits:
                continue
            limit = self.rng.choice(limits)
            keyed = -values.values[known] if descending else values.values[known]
            return Order(option.term, descending), limit, known[np.argsort(keyed, kind="stable")][:limit]
        return None

    def columns(self, shape: Shape, where: Condition | None, order: Order | None) -> tuple[Term, ...]:
        """The columns beside the keys: mostly the subject's own, with what the shape is about among them."""
        fixed = {item.term for item in comparisons(where) if item.op == "=" and not isinstance(where, Or)}
        width = max(2, self.rng.choice(_WIDTHS) - len(self.subject.keys))
        chosen: list[Term] = []
        if order is not None and self.rng.chance(0.8) and order.term not in self.subject.keys:
            chosen.append(order.term)
        if shape == "series":
            chosen += self._periods()
        if shape == "aggregate":
            chosen += [o.term for o in self.rng.sample(self.subject.of("aggregate"), 1 + self.rng.integer(2))]
        if shape in ("join", "composite"):
            chosen += [o.term for o in self.rng.sample(self.subject.of("hop"), 1 + self.rng.integer(2))]
        rest = self.rng.shuffled(self.subject.of("own"))
        rest += self.rng.sample(self.subject.of("hop"), 2) if len(rest) < width or self.rng.chance(0.4) else []
        for option in rest:
            chosen.append(option.term)
        chosen = [term for term in dict.fromkeys(chosen) if term not in fixed]
        if len(chosen) < width:
            others = [o.term for family in ("hop", "aggregate") for o in self.rng.sample(self.subject.of(family), 3)]
            chosen += [term for term in others if term not in fixed and term not in chosen]
        chosen = chosen[:width]
        return tuple(sorted(chosen, key=self._place)) if chosen else ()

    def _periods(self) -> list[Term]:
        options = self.subject.of("at")
        if not options:
            return []
        start = self.rng.integer(len(options))
        first = options[start].term
        assert isinstance(first, At)
        run = [o.term for o in options[start : start + 1 + self.rng.integer(4)]]
        return [term for term in run if isinstance(term, At) and term.path == first.path]

    def _place(self, term: Term) -> tuple[int, int]:
        for place, option in enumerate(self.subject.columns):
            if option.term == term:
                return (2 if isinstance(term, Agg) else 1 if isinstance(term, At) else 0), place
        return 3, 0


def _terms(made: Sequence[Condition]) -> tuple[Term, ...]:
    return tuple(item.term for condition in made for item in comparisons(condition))
