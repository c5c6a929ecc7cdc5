"""A table that is none of the material's: each cell must be what a licensed claim says of its row and column.

Three layouts are read: a column of attributes beside one of values, rows of subject, attribute and value, and a grid
of subjects and attributes, whichever of them stands in the header. Everything else is a problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from worldgen.audit.claims.lexicon import Trait
from worldgen.audit.claims.licence import Claim
from worldgen.audit.claims.matching import covers, fits, period_span
from worldgen.audit.claims.reading import read
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.silence import negative, undisclosed_words
from worldgen.audit.claims.text import LINK, key, table_key
from worldgen.audit.claims.verdict import Problem, problem
from worldgen.audit.claims.words import phrases, stems, vocabulary

_RULE = re.compile(r":?-+:?")
_EMPTY = frozenset(["", "-", "–", "—", "†", "*", "..."])
_UNIT = re.compile(r"^(?P<label>.*?)\s*[(（](?P<unit>[^()（）]{1,24})[)）]$")
_YES = frozenset(["yes", "y", "true", "✓", "是", "有", "对"])
_NO = frozenset(["no", "n", "false", "✗", "否", "无", "没有", "不"])
_LOADED = ("negation", "modal", "comparison", "causal", "alien")
_MOST_PROBLEMS = 5
_MOST_ROWS = 400

Ids = frozenset[str]


def judge(text: str, scope: Scope) -> Iterator[Problem]:
    """The problems of a table; the facts that it states are counted in the scope."""
    if _shortened(text, scope):
        return
    rows = [[key(LINK.sub(lambda m: m[1], cell)) for cell in row] for row in _rows(text)]
    ruled = len(rows) > 1 and all(_RULE.fullmatch(cell) for cell in rows[1])
    header = rows[0] if ruled else []
    body = rows[2:] if ruled else rows
    yield from [problem("table", cell) for cell in _headings(header, scope)]
    if not body or len(body) > _MOST_ROWS:
        yield problem("table", text.split("\n")[0])
        return
    found = 0
    for row in body:
        for wrong in _row(row, header, scope):
            yield problem("table", wrong)
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


def _headings(header: list[str], scope: Scope) -> Iterator[str]:
    """Header cells that name what the material does not, or that tell a number."""
    for cell in header:
        bare = _UNIT.sub(lambda m: m["label"], cell)
        if cell in _EMPTY or _ids(bare, scope) or any(_traits(table, bare, scope) for table in _tables(scope)):
            continue
        reading = read(bare, scope.lexicon, scope.licence.foreign)
        known = all(
            word in scope.lexicon.common or word in scope.lexicon.spoken or word in vocabulary("opening", "en")
            for word in re.findall(r"[a-z]+", bare.lower())
        )
        known = known and not any(phrases(kind, scope.lexicon.language).search(bare.lower()) for kind in _LOADED)
        if reading.names or reading.amounts or reading.days or not known:
            yield cell


def _tables(scope: Scope) -> list[str]:
    return list(dict.fromkeys([*scope.tables(), *(claim.trait.table for claim in scope.licence.claims)]))


def _ids(cell: str, scope: Scope) -> Ids:
    """Whom a cell names, where it is a name and nothing else."""
    return scope.lexicon.names.ids(cell)


def _row(row: list[str], header: list[str], scope: Scope) -> Iterator[str]:
    """What is wrong with the cells of a row."""
    first, rest = row[0], row[1:]
    told = [(label, cell) for label, cell in zip(header[1:], rest, strict=False) if cell not in _EMPTY]
    own = _ids(first, scope)
    if len(row) == 3 and not any(header[1:]) and (own or not first):
        told, rest = [(row[1], row[2])], rest[1:]
    elif not own and any(_ids(name, scope) for name in header[1:]):
        for name, cell in told:
            if not _cell(_ids(name, scope), first, cell, scope):
                yield f"{name} | {first} | {cell}"
        return
    elif not own and len(row) == 2:
        subject = _ids(header[0], scope) if header else frozenset()
        if rest[0] not in _EMPTY and not _cell(subject, first, rest[0], scope):
            yield f"{first} | {rest[0]}"
        return
    if len(rest) > max(len(told), len(header[1:])):
        yield " | ".join(row)
        return
    if own and not own & scope.licence.names:
        yield first
    for label, cell in told:
        if not own or not _cell(own, label, cell, scope):
            yield f"{first} | {label} | {cell}"


def _cell(subjects: Ids, label: str, cell: str, scope: Scope) -> bool:
    """Whether a claim says this of one of the subjects, or without one of whomever the text speaks of."""
    unit = _UNIT.match(label)
    bare = unit["label"] if unit else label
    for claim in scope.licence.claims:
        table = claim.trait.table
        whose = subjects or scope.spoken(table) or frozenset()
        if claim.subject not in whose or claim.trait not in _traits(table, bare, scope):
            continue
        if _timed(claim, label, scope) and (
            _says(claim, cell, scope) or (unit is not None and _says(claim, f"{cell} {unit['unit']}", scope))
        ):
            scope.state(claim)
            return True
    return False


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


def _says(claim: Claim, cell: str, scope: Scope) -> bool:
    """Whether a cell is a claim's value and nothing else."""
    lower, language, trait = cell.lower(), scope.lexicon.language, claim.trait
    if claim.value == "":
        return undisclosed_words(lower, language) is not None and not re.search(r"\d", cell)
    if trait.kind in ("ref", "name"):
        return (claim.value if trait.kind == "ref" else f"={claim.value}") in _ids(cell, scope)
    if trait.kind == "category":
        return lower in [word.lower() for word in trait.categories.get(claim.value, ())]
    if trait.kind == "boolean":
        said = "yes" if lower in _YES else "no" if lower in _NO else ""
        return said == claim.value
    reading = read(cell, scope.lexicon)
    if reading.names or reading.gaps or len(reading.days) + len(reading.amounts) != 1:
        return False
    masked = reading.masked.lower()
    others = [w for w in re.findall(r"[a-z\u3400-\u9fff]+", masked) if not any(w in said for said in _counted(trait))]
    if others or negative(masked, language):
        return False
    if reading.days:
        day = reading.days[0]
        if claim.day is not None:
            return covers(day, claim.day)
        return trait.kind == "year" and any(first.year == last.year == claim.number for first, last in day.spans)
    amount = reading.amounts[0]
    if claim.day is not None:
        return amount.dimension == "" and amount.value == claim.day.year
    return fits(amount, trait, claim.number)


def _counted(trait: Trait) -> tuple[str, ...]:
    return (*trait.units, *trait.phrases, *trait.says)
