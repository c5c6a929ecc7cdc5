"""The lies: each changes one thing in an honest draft. A maker gives None where the draft has no room for its lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal

from benchmarks.guards.drafts import STYLES, VOICES, Clause, Draft, clause_of, filled, value_words, written
from benchmarks.guards.material import Excerpt, Known, Material, is_number
from benchmarks.guards.values import NUMBERS, Style, Wordings, around, beyond, said
from worldgen.language.units import currencies
from worldgen.seeds import Stream


@dataclass(frozen=True, slots=True)
class Making:
    """What a maker works with."""

    draft: Draft
    excerpt: Excerpt
    material: Material
    rng: Stream

    @property
    def language(self) -> str:
        """The language of the text."""
        return self.wordings.language

    @property
    def wordings(self) -> Wordings:
        """Those of the text."""
        return self.draft.wordings

    def first(self, wanted: Callable[[Clause], bool]) -> int | None:
        """Where a clause of that sort stands, drawn."""
        places = [i for i, clause in enumerate(self.draft.clauses) if wanted(clause)]
        return self.rng.choice(places) if places else None

    def put(self, place: int, **changes: object) -> Draft:
        """The draft with one clause changed."""
        clauses = list(self.draft.clauses)
        clauses[place] = replace(clauses[place], **changes)  # type: ignore[arg-type]
        return replace(self.draft, clauses=tuple(clauses))

    def add(self, sentence: str) -> Draft:
        """The draft with one sentence more."""
        return replace(self.draft, extra=(sentence,))

    def listed(self, kind: str, clause: Clause, **words: object) -> str:
        """A sentence of the data about a clause's subject."""
        owner = clause.subject + ("'" if clause.subject.endswith("s") else "'s")
        template = str(self.rng.choice(self.wordings["lies"][kind]))
        fields = {"subject": clause.subject, "owner": owner, "label": clause.label, "noun": clause.noun,
                  "value": clause.value, **words}  # fmt: skip
        return filled(template, self.language, **fields)

    def other(self, table: str, besides: set[str]) -> str | None:
        """Another thing of a type, by id."""
        rest = [id_ for id_ in self.material.named.get(table, []) if id_ not in besides]
        return self.rng.choice(rest) if rest else None


Maker = Callable[[Making], Draft | None]
_PROSE = ("list", "table")


def _disclosed(clause: Clause) -> bool:
    return bool(clause.known.value)


def _exact(clause: Clause) -> bool:
    return is_number(clause.known) and clause.style.way in ("plain", "other_units")


def _amounting(clause: Clause) -> bool:
    """Whether another unit or power of ten would make it another amount."""
    return _exact(clause) and Decimal(clause.known.value) > 0


def _in_prose(making: Making) -> bool:
    return making.draft.family not in _PROSE


def _retold(making: Making, place: int, value: str) -> Draft | None:
    clause = making.draft.clauses[place]
    known = replace(clause.known, value=value, shown=value)
    words = value_words(known, clause.style, making.wordings)
    return None if words is None or words == clause.value else making.put(place, value=words)


def _digit(making: Making) -> Draft | None:
    place = making.first(_exact)
    if place is None:
        return None
    text = making.draft.clauses[place].known.value
    spots = [i for i, char in enumerate(text) if char.isdigit() and not (char == "0" and i > 0 and "." not in text)]
    spot = making.rng.choice(spots)
    least = 1 if spot == 0 else 0
    digit = making.rng.choice([str(n) for n in range(least, 10) if str(n) != text[spot]])
    return _retold(making, place, text[:spot] + digit + text[spot + 1 :])


def _magnitude(making: Making) -> Draft | None:
    place = making.first(_amounting)
    if place is None:
        return None
    amount = Decimal(making.draft.clauses[place].known.value)
    down = amount % 10 == 0 and making.rng.chance(0.5)
    return _retold(making, place, f"{amount / 10 if down else amount * 10:f}")


def _unit(making: Making) -> Draft | None:
    wrong = making.wordings["wrong_units"]
    place = making.first(lambda c: _amounting(c) and c.known.spec.unit in wrong and c.style.way == "plain")
    if place is None:
        return None
    spec, value = making.draft.clauses[place].known.spec, making.draft.clauses[place].known.value
    space = "" if making.language == "zh" else " "
    return making.put(place, value=f"{value}{space}{wrong[spec.unit]}")


def _currency(making: Making) -> Draft | None:
    place = making.first(lambda c: _amounting(c) and c.known.spec.type == "money")
    if place is None:
        return None
    clause = making.draft.clauses[place]
    codes = [
        code
        for code in ("USD", "EUR", "GBP", "JPY", "CNY")
        if code in currencies() and code != clause.known.spec.currency
    ]
    spec = replace(clause.known.spec, currency=making.rng.choice(codes))
    words = said(spec, clause.known.value, clause.style, making.wordings)
    return None if words is None else making.put(place, value=words)


def _points(making: Making) -> Draft | None:
    place = making.first(lambda c: _amounting(c) and c.known.spec.type == "percent")
    if place is None:
        return None
    form = making.rng.choice(making.wordings["points"])
    return making.put(place, value=form.format(making.draft.clauses[place].known.value))


def _moved(part: str) -> Maker:
    def make(making: Making) -> Draft | None:
        types = ("date", "year") if part == "year" else ("date",)
        ways = ("plain",) if part == "day" else ("plain", "month_year")
        place = making.first(lambda c: _disclosed(c) and c.known.spec.type in types and c.style.way in ways)
        if place is None:
            return None
        value = making.draft.clauses[place].known.value
        if part == "year":
            shift = making.rng.choice((-3, -2, -1, 1, 2))
            return _retold(making, place, f"{int(value[:4]) + shift}{value[4:].replace('02-29', '02-28')}")
        if part == "month":
            month = (int(value[5:7]) - 1 + 1 + making.rng.integer(10)) % 12 + 1
            return _retold(making, place, f"{value[:5]}{month:02}-{min(int(value[8:]), 28):02}")
        day = date.fromisoformat(value)
        moves = [day + timedelta(days=n) for n in (-9, -4, -1, 1, 3, 8) if (day + timedelta(days=n)).month == day.month]
        return _retold(making, place, making.rng.choice(moves).isoformat())

    return make


def _pairs(making: Making, wanted: Callable[[Clause, Clause], bool]) -> tuple[int, int] | None:
    clauses = making.draft.clauses
    found = [(i, j) for i, a in enumerate(clauses) for j, b in enumerate(clauses) if i < j and wanted(a, b)]
    return making.rng.choice(found) if found else None


def _swap_values(making: Making, pair: tuple[int, int] | None) -> Draft | None:
    if pair is None:
        return None
    clauses = list(making.draft.clauses)
    a, b = (clauses[i] for i in pair)
    for place, own, theirs in ((pair[0], a, b), (pair[1], b, a)):
        # Each keeps its form of telling, so that only the values trade places.
        words = value_words(replace(theirs.known, spec=own.known.spec), own.style, making.wordings)
        if words is None or words == own.value:
            return None
        clauses[place] = replace(own, value=words)
    return replace(making.draft, clauses=tuple(clauses))


def _swapped_subjects(making: Making) -> Draft | None:
    return _swap_values(making, _pairs(making, lambda a, b: (
        a.known.subject != b.known.subject and a.known.spec == b.known.spec and a.known.time == b.known.time
        and _disclosed(a) and _disclosed(b) and a.known.value != b.known.value
        and a.known.spec.type not in ("boolean", "name")
    )))  # fmt: skip


def _swapped_attributes(making: Making) -> Draft | None:
    def alike(a: Clause, b: Clause) -> bool:
        x, y = a.known.spec, b.known.spec
        return (
            a.known.subject == b.known.subject and x.key != y.key and _disclosed(a) and _disclosed(b)
            and a.known.value != b.known.value
            and (x.type, x.unit, x.currency) == (y.type, y.unit, y.currency) and x.type in (*NUMBERS, "date", "year")
        )  # fmt: skip

    return _swap_values(making, _pairs(making, alike))


def _wrong_subject(making: Making) -> Draft | None:
    place = making.first(lambda c: _disclosed(c) and not c.pronoun)
    if place is None or (len(making.draft.clauses) > place + 1 and making.draft.clauses[place + 1].pronoun):
        return None
    clause = making.draft.clauses[place]
    known = clause.known
    # Not one of whom the same happens to be true.
    same = {
        s
        for s, facts in making.material.facts.items()
        if any(f.spec.key == known.spec.key and f.value == known.value for f in facts)
    }
    other = making.other(making.material.table(known.subject), same | {known.subject})
    return None if other is None else making.put(place, subject=making.material.names[other])


def _wrong_kind(making: Making) -> Draft | None:
    """A value said of a thing of another kind that the material names: the price of a phone, said of its chip."""
    place = making.first(lambda c: _disclosed(c) and not c.pronoun)
    if place is None or (len(making.draft.clauses) > place + 1 and making.draft.clauses[place + 1].pronoun):
        return None
    known = making.draft.clauses[place].known
    told = [(f.subject, making.material.names.get(f.subject, "")) for f in making.excerpt.known]
    told += [(f.value, f.shown) for f in making.excerpt.known if f.spec.type == "ref"]
    others = sorted(
        {
            id_
            for id_, name in told
            if name in making.excerpt.text
            and making.material.table(id_) != making.material.table(known.subject)
            and id_ != known.value
            and not any(
                f.value == known.value and set(f.spec.labels) & set(known.spec.labels)
                for f in making.material.facts.get(id_, ())
            )
        }
    )
    if not others:
        return None
    return making.put(place, subject=making.material.names[making.rng.choice(others)])


def _reversed(making: Making) -> Draft | None:
    place = making.first(lambda c: c.known.spec.type == "ref" and _disclosed(c) and not c.pronoun)
    if place is None:
        return None
    clause = making.draft.clauses[place]
    return making.put(place, subject=clause.value, value=clause.subject)


def _other_referent(making: Making) -> Draft | None:
    place = making.first(lambda c: c.known.spec.type == "ref" and _disclosed(c))
    if place is None:
        return None
    known = making.draft.clauses[place].known
    other = making.other(known.spec.target, {known.value})
    return None if other is None else making.put(place, value=making.material.names[other])


def _invented(making: Making) -> Draft | None:
    name = making.rng.choice(making.wordings["lies"]["invented"])
    place = making.first(lambda c: c.known.spec.type in ("ref", "name") and _disclosed(c))
    if place is not None:
        return making.put(place, value=name)
    if making.draft.family == "pronoun":
        return None
    return making.put(making.rng.integer(len(making.draft.clauses)), subject=name)


def _category(making: Making) -> Draft | None:
    place = making.first(lambda c: c.known.spec.type == "category" and _disclosed(c))
    if place is None:
        return None
    known = making.draft.clauses[place].known
    own = dict(known.spec.values)[known.value]
    others = [forms for key, forms in known.spec.values if key != known.value and not set(forms) & set(own)]
    return making.put(place, value=making.rng.choice(making.rng.choice(others))) if others else None


def _boolean(making: Making) -> Draft | None:
    place = making.first(lambda c: c.known.spec.type == "boolean" and _disclosed(c))
    if place is None:
        return None
    clause = making.draft.clauses[place]
    flipped = {"yes": "no", "no": "yes"}[clause.known.value]
    own = making.wordings["attributes"].get(clause.known.spec.key)
    if own and clause.sentence in own[clause.known.value]:
        return making.put(place, sentence=making.rng.choice(own[flipped]))
    return _retold(making, place, flipped)


def _resaid(kind: str) -> Maker:
    def make(making: Making) -> Draft | None:
        place = making.first(lambda c: _disclosed(c) and not c.known.spec.period and c.known.spec.type != "boolean")
        if place is None or not _in_prose(making) or making.draft.family == "two_facts":
            return None
        return making.put(place, sentence=making.rng.choice(making.wordings["lies"][kind]))

    return make


def _revealed(making: Making) -> Draft | None:
    place = making.first(lambda c: not _disclosed(c) and not c.known.spec.period)
    if place is None:
        return None
    clause = making.draft.clauses[place]
    peers = [f for facts in making.material.facts.values() for f in facts if f.spec.key == clause.known.spec.key]
    if not peers:
        return None
    peer = replace(making.rng.choice(peers), subject=clause.known.subject)
    told = clause_of(peer, making.material, making.rng, making.rng.choice(VOICES))
    return None if told is None else making.put(place, value=told.value, sentence=told.sentence)


def _added(kind: str) -> Maker:
    ordering = kind in ("superlative", "comparison")

    def make(making: Making) -> Draft | None:
        # A page that ranks may say itself which is first.
        if ordering and making.excerpt.page.genre in ("ranking", "statistics"):
            return None
        place = making.first(lambda c: _disclosed(c) and (is_number(c.known) or not ordering))
        if place is None:
            return None
        clause = making.draft.clauses[place]
        table = making.material.table(clause.known.subject)
        page_tells = {statement.fact.rpartition("/")[0] for statement in making.excerpt.page.statements}
        other = making.other(table, {clause.known.subject} | page_tells)
        if kind == "comparison" and other is None:
            return None
        n = 3 + making.rng.integer(17)
        # Not a count that happens to be true.
        n += n == len(making.material.named.get(table, []))
        words = {
            "other": making.material.names[other] if other else "",
            "n": n,
            "nouns": making.material.nouns[table][1],
        }
        return making.add(making.listed(kind, clause, **words))

    return make


def _told(making: Making, known: Known) -> str | None:
    clause = clause_of(known, making.material, making.rng, making.rng.choice((*VOICES, "idiomatic")))
    return None if clause is None else written(clause, making.wordings)


def _leakable(making: Making, *, same: bool) -> Known | None:
    subjects = {known.subject for known in making.excerpt.known}
    licensed = {statement.fact for statement in making.excerpt.statements}
    page_says = {statement.fact for statement in making.excerpt.page.statements}
    if same:
        found = [f for s in sorted(subjects) for f in making.material.facts.get(s, ()) if f.fact not in licensed]
    else:
        others = [s for s in making.material.facts if s not in subjects and s != making.excerpt.page.subject]
        found = [f for f in making.material.facts[making.rng.choice(others)] if f.fact not in page_says]
    return making.rng.choice(found) if found else None


def _leak(*, same: bool) -> Maker:
    def make(making: Making) -> Draft | None:
        known = _leakable(making, same=same)
        sentence = None if known is None else _told(making, known)
        return None if sentence is None else making.add(sentence)

    return make


def _rounded_wrongly(making: Making) -> Draft | None:
    place = making.first(lambda c: c.style.way in STYLES["rounding"] and is_number(c.known))
    if place is None:
        return None
    clause = making.draft.clauses[place]
    way = making.rng.choice(("over", "under"))
    wrong = beyond(Decimal(clause.known.value), way)
    if wrong is None:
        return None
    words = around(clause.known.spec, wrong, Style(way, clause.style.pick), making.wordings)
    return making.put(place, value=words)


def _number_words(making: Making) -> Draft | None:
    place = making.first(lambda c: c.style.way == "number_words")
    if place is None:
        return None
    number = int(Decimal(making.draft.clauses[place].known.value))
    choices = [n for n in (number - 2, number - 1, number + 1, number + 2, number + 5) if 0 < n < 100]
    chosen = Decimal(making.rng.choice(choices))
    return _retold(making, place, str(chosen))


def _dated(clause: Clause) -> bool:
    return _disclosed(clause) and clause.known.spec.type == "date"


def _order_reversed(making: Making) -> Draft | None:
    pair = _pairs(making, lambda a, b: _dated(a) and _dated(b) and a.known.value != b.known.value)
    if pair is None:
        return None
    early, late = sorted((making.draft.clauses[i] for i in pair), key=lambda c: c.known.value)
    return making.add(making.listed("earlier", late, label2=early.label, subject2=early.subject))


def _order_added(making: Making) -> Draft | None:
    place = making.first(_dated)
    if place is None:
        return None
    clause = making.draft.clauses[place]
    known = clause.known
    peers = [
        f
        for s, facts in making.material.facts.items()
        for f in facts
        if s != known.subject and f.spec.key == known.spec.key and f.value != known.value
    ]
    if not peers:
        return None
    peer = making.rng.choice(peers)
    return making.add(
        making.listed(
            "before" if known.value > peer.value else "after", clause, other=making.material.names[peer.subject]
        )
    )


def _smuggled(where: str) -> Maker:
    def make(making: Making) -> Draft | None:
        known = _leakable(making, same=making.rng.chance(0.5))
        clause = None if known is None else clause_of(known, making.material, making.rng, "encyclopedia")
        if clause is None or clause.known.spec.period:
            return None
        words = {"subject": clause.subject, "label": clause.label, "value": clause.value}
        tail = str(making.wordings["smuggled"][where]).format(**words, url=making.excerpt.page.url)
        return replace(making.draft, tail=tail)

    return make


MAKERS: dict[str, Maker] = {
    "digit": _digit, "magnitude": _magnitude, "unit": _unit, "currency": _currency, "percent_points": _points,
    "day": _moved("day"), "month": _moved("month"), "year": _moved("year"), "values_of_two_subjects": _swapped_subjects,
    "attributes_swapped": _swapped_attributes, "wrong_subject": _wrong_subject, "wrong_kind": _wrong_kind,
    "relation_reversed": _reversed,
    "other_referent": _other_referent, "invented_name": _invented, "category": _category, "boolean": _boolean,
    "negation": _resaid("negation"), "hidden": _resaid("undisclosed"), "revealed": _revealed,
    "superlative": _added("superlative"), "comparison": _added("comparison"), "count": _added("count"),
    "leak": _leak(same=True), "other_page": _leak(same=False), "rounding": _rounded_wrongly,
    "number_words": _number_words, "order_reversed": _order_reversed, "order_added": _order_added,
    "future": _added("future"), "in_table": _smuggled("table"), "in_link": _smuggled("link"),
    "in_comment": _smuggled("comment"),
}  # fmt: skip
NEEDS = {
    "rounding": ("rounding",),
    "number_words": ("number_words",),
    "revealed": ("undisclosed", "filler", "list", "table"),
}
"""The families that a kind can only be made from."""
