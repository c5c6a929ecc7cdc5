"""A table that is none of the material's: each row must be what licensed claims say, however its columns are laid out.

A cell is a name, a label of an attribute, a value, or an aside (a running number, a kind of thing, a unit, a period).
A row is read in each way that its cells and the header allow: subject, label and value in any order; a label with
values under the subjects of the header; a subject with values under the labels of the header; cells of the form
`label: value`. One reading must account for every cell, else the row is a problem.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from worldgen.audit.claims.cells import headings, loaded, says
from worldgen.audit.claims.licence import Claim
from worldgen.audit.claims.matching import period_span
from worldgen.audit.claims.reading import read
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.text import LINK, key, table_key
from worldgen.audit.claims.traits import Trait
from worldgen.audit.claims.verdict import Problem, problem
from worldgen.audit.claims.words import stems, vocabulary

_RULE = re.compile(r":?-+:?")
_EMPTY = frozenset(["", "-", "–", "—", "†", "*", "..."])
_UNIT = re.compile(
    r"^(?P<label>.*?)\s*(?:[(（\[](?P<unit>[^()（）\[\]]{1,24})[)）\]]|[,，/]\s*(?P<tail>[^\s,，/]{1,12}))$"
)
_PAIR = re.compile(r"(?P<label>[^:：=]{1,80}?)\s*(?:[:：=]|\s[–—-]\s)\s*(?P<value>.+)")
_PLACE = re.compile(r"(?:#|no\.? ?|第)?(?P<n>\d{1,3})[.)名]?", re.IGNORECASE)
_MOST_PROBLEMS = 5
_MOST_ROWS = 400
_MOST_CELLS = 8

Ids = frozenset[str]


class Cell(NamedTuple):
    """A cell that is not empty: its column, its words, what stands above it, whom it names."""

    column: int
    text: str
    head: str
    ids: Ids


def judge(text: str, scope: Scope) -> Iterator[Problem]:
    """The problems of a table; the facts that it states are counted in the scope."""
    if _shortened(text, scope):
        return
    rows = [[key(LINK.sub(lambda m: m[1], cell)) for cell in row] for row in _rows(text)]
    ruled = len(rows) > 1 and all(_RULE.fullmatch(cell) for cell in rows[1])
    header = rows[0] if ruled else []
    body = rows[2:] if ruled else rows
    yield from [problem("table", cell) for cell in headings(header, _whole_traits(scope), scope) if cell not in _EMPTY]
    if not body or len(body) > _MOST_ROWS:
        yield problem("table", text.split("\n")[0])
        return
    found = 0
    for number, row in enumerate(body, 1):
        if not _row(row, header, number, scope):
            yield problem("table", " | ".join(row))
            found += 1
        if found >= _MOST_PROBLEMS:
            return


def _rows(text: str) -> list[list[str]]:
    """The cells of each row; the ruled line of a table is a row of its own."""
    lines = (line.strip().removeprefix("|").removesuffix("|") for line in text.split("\n"))
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def _shortened(text: str, scope: Scope) -> bool:
    """Whether it is one of the material's tables with rows left out."""
    lines = table_key(text).split("\n")
    for known, claims in scope.licence.tables.items():
        whole = known.split("\n")
        if lines[:2] == whole[:2] and set(lines[2:]) <= set(whole[2:]):
            scope.state(*(claim for claim in claims if claim.source in lines))
            return True
    return False


def _row(row: list[str], header: list[str], number: int, scope: Scope) -> bool:
    """Whether some reading accounts for every cell of a row; the facts that it states are counted."""
    heads = [*header, *[""] * len(row)]
    cells = [Cell(i, text, heads[i], scope.lexicon.names.ids(text)) for i, text in enumerate(row) if text not in _EMPTY]
    if not cells or len(cells) > _MOST_CELLS:
        return not cells
    if len(cells) == 1 and not _PAIR.fullmatch(cells[0].text):
        return bool(cells[0].ids & scope.licence.names)
    for claims in _readings(cells, header, number, scope):
        scope.state(*claims)
        return True
    return False


def _readings(cells: list[Cell], header: list[str], number: int, scope: Scope) -> Iterator[list[Claim]]:
    """The claims of each reading that accounts for all cells."""
    above = [scope.lexicon.names.ids(head) for head in header]
    subjects = [cell for cell in cells if cell.ids]
    for subject in [*subjects, None]:
        rest = [cell for cell in cells if cell is not subject]
        owner = subject.ids if subject else next((ids for ids in above if ids), frozenset())
        for reading in (_told_in_row, _told_by_header, _told_in_cells):
            claims = reading(owner, subject, rest, number, scope)
            if claims:
                yield claims
    for label in cells:
        rest = [cell for cell in cells if cell is not label]
        claims = _told_by_subjects(label, rest, above, number, scope)
        if claims:
            yield claims


def _told_in_row(owner: Ids, subject: Cell | None, rest: list[Cell], number: int, scope: Scope) -> list[Claim]:
    """A label and a value among the cells, in either order, the others asides."""
    for label, value in itertools.permutations(rest, 2):
        if subject and value.ids and value.column < subject.column and not _said_to_be_value(value, subject, scope):
            continue
        others = [cell for cell in rest if cell not in (label, value)]
        claim = _with_asides(owner, label.text, value.text, others, number, scope)
        if claim:
            return [claim]
    return []


def _told_by_header(owner: Ids, subject: Cell | None, rest: list[Cell], number: int, scope: Scope) -> list[Claim]:
    """Each cell under its label, or an aside."""
    labelled = [cell for cell in rest if cell.head and _any_traits(cell.head, scope)]
    others = [cell for cell in rest if cell not in labelled]
    found: list[Claim] = []
    for cell in labelled:
        claim = _with_asides(owner, cell.head, cell.text, others, number, scope)
        if claim is None:
            return []
        found.append(claim)
    return found


def _told_in_cells(owner: Ids, subject: Cell | None, rest: list[Cell], number: int, scope: Scope) -> list[Claim]:
    """Each cell of the form `label: value`."""
    found: list[Claim] = []
    for cell in rest:
        pair = _PAIR.fullmatch(cell.text)
        claim = _cell(owner, pair["label"], pair["value"], scope) if pair else None
        if claim is not None:
            found.append(claim)
        elif not _aside(cell, owner, number, scope):
            return []
    return found


def _told_by_subjects(label: Cell, rest: list[Cell], above: list[Ids], number: int, scope: Scope) -> list[Claim]:
    """Each cell under the name of its subject, or an aside."""
    found: list[Claim] = []
    for cell in rest:
        ids = above[cell.column] if cell.column < len(above) else frozenset()
        claim = _cell(ids, label.text, cell.text, scope) if ids else None
        if claim is not None:
            found.append(claim)
        elif ids or not _aside(cell, ids, number, scope):
            return []
    return found


def _said_to_be_value(value: Cell, subject: Cell, scope: Scope) -> bool:
    """Whether the header tells which of two names is the value."""
    told = vocabulary("subject_columns", scope.lexicon.language), vocabulary("value_columns", scope.lexicon.language)
    return subject.head.lower() in told[0] or value.head.lower() in told[1]


def _with_asides(owner: Ids, label: str, value: str, others: list[Cell], number: int, scope: Scope) -> Claim | None:
    """The claim of a label and a value, where each other cell is their unit, their period or an aside."""
    left = [cell for cell in others if not _aside(cell, owner, number, scope)]
    if len(left) > 2:
        return None
    texts = [cell.text for cell in left]
    if not texts:
        return _cell(owner, label, value, scope)
    if len(texts) == 1:
        return _cell(owner, label, f"{value} {texts[0]}", scope) or _in_period(owner, label, value, texts[0], scope)
    for unit, period in (texts, texts[::-1]):
        claim = _in_period(owner, label, f"{value} {unit}", period, scope)
        if claim:
            return claim
    return None


def _in_period(owner: Ids, label: str, value: str, period: str, scope: Scope) -> Claim | None:
    days = read(period, scope.lexicon).days
    is_period = (days and days[0].start == 0 and days[0].end == len(period)) or re.fullmatch(r"[12]\d{3}年?", period)
    return _cell(owner, f"{label} {period}", value, scope, timed=True) if is_period else None


def _aside(cell: Cell, owner: Ids, number: int, scope: Scope) -> bool:
    """Whether a cell is the row's place in the table or the kind of thing that it is about."""
    place = _PLACE.fullmatch(cell.text)
    if place and int(place["n"]) == number and not _any_traits(cell.head, scope):
        return True
    kinds = {scope.table(one) for one in owner} or set(scope.tables())
    return any(cell.text.lower() == noun for kind in kinds for noun in scope.lexicon.nouns.get(kind, ()))


def _cell(owner: Ids, label: str, cell: str, scope: Scope, *, timed: bool = False) -> Claim | None:
    """The claim by which a label has this value of one of its owners, or without one of whomever the text speaks of."""
    unit = _UNIT.match(label)
    named = [(label, cell)]
    if unit:
        named.append((unit["label"], cell))
        named.append((unit["label"], f"{cell} {unit['unit'] or unit['tail']}"))
    for claim in scope.licence.claims:
        table = claim.trait.table
        whose = owner or scope.spoken(table) or frozenset()
        if claim.subject not in whose or (timed and not claim.time):
            continue
        for words, said in named:
            if claim.trait in _traits(table, words, scope) and _timed(claim, label, scope) and says(claim, said, scope):
                return claim
    return None


def _whole_traits(scope: Scope) -> frozenset[str]:
    """The tables of whatever may be told."""
    return frozenset([*scope.tables(), *(claim.trait.table for claim in scope.licence.claims)])


def _any_traits(label: str, scope: Scope) -> bool:
    bare = _UNIT.sub(lambda m: m["label"], label)
    return any(_traits(table, words, scope) for table in _whole_traits(scope) for words in {label, bare})


def _traits(table: str, label: str, scope: Scope) -> list[Trait]:
    """The attributes that a label names: by the schema's words, else the only one that its words hint at."""
    lower = label.lower().replace("-", " ")
    traits = scope.lexicon.traits.get(table, ())
    exact = [t for t in traits if any(phrase.replace("-", " ") == lower for phrase in t.phrases)]
    if exact:
        return exact
    timed = [t for t in traits if t.series and any(phrase.replace("-", " ") in lower for phrase in t.phrases)]
    if timed:
        return timed
    if loaded(label, [t for t in traits if any(phrase in lower for phrase in t.phrases)], scope):
        return []
    words = stems(lower, scope.lexicon.language)
    cues = sorted(((scope.cue(t, words), t.name, t) for t in traits), key=lambda hit: (-hit[0], hit[1]))
    if cues and cues[0][0] >= 1 and (len(cues) == 1 or cues[0][0] > cues[1][0]):
        return [cues[0][2]]
    return []


def _timed(claim: Claim, label: str, scope: Scope) -> bool:
    """Whether a label's period is the claim's."""
    if not claim.time:
        return True
    reading = read(label, scope.lexicon)
    years = [str(amount.value) for amount in reading.amounts]
    if not reading.days and not years:
        times = {c.time for c in scope.licence.claims if c.subject == claim.subject and c.trait is claim.trait}
        return len(times) == 1
    return any(period_span(claim.time) in day.spans for day in reading.days) or claim.time in years
