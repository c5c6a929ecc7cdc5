"""What one cell of a table may hold: words of a header, or a claim's value and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from worldgen.audit.claims.licence import Claim
from worldgen.audit.claims.matching import covers, fits
from worldgen.audit.claims.reading import read
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.silence import negative, undisclosed_words
from worldgen.audit.claims.strangers import strangers
from worldgen.audit.claims.traits import Trait
from worldgen.audit.claims.words import phrases, stem, vocabulary

_LOADED = ("negation", "modal", "comparison", "causal", "alien")
_MOST_HEAD = 40


def headings(header: list[str], tables: Iterable[str], scope: Scope) -> Iterator[str]:
    """Header cells that name what the material does not, or that tell a value."""
    for cell in header:
        if scope.lexicon.names.ids(cell) or _label(cell, tables, scope):
            continue
        bare = re.sub(r"[(（\[].*?[)）\]]|[#№]|^[Nn](?:o|r|os)\.$", " ", cell).strip()
        reading = read(bare, scope.lexicon, scope.licence.foreign)
        scope.enter(reading)
        period = bool(reading.days) and not re.sub(r"[\W\x02]", "", reading.masked)
        told = (reading.names or reading.amounts or reading.days) and not period
        strange = any(strangers(reading, scope, heading=True)) or not _column(bare, scope)
        if told or len(cell) > _MOST_HEAD or strange or loaded(bare, (), scope):
            yield cell


def _label(cell: str, tables: Iterable[str], scope: Scope) -> bool:
    """Whether a cell holds a label of an attribute, with a unit or a period beside it at most."""
    lower = cell.lower().replace("-", " ")
    for table in tables:
        for trait in scope.lexicon.traits.get(table, ()):
            for phrase in trait.phrases:
                head, found, tail = lower.partition(phrase.replace("-", " "))
                if found and not _more_than_a_unit(head + " " + tail, scope):
                    return True
    return False


def _more_than_a_unit(rest: str, scope: Scope) -> bool:
    masked = read(re.sub(r"[(（\[].*?[)）\]]", " ", rest), scope.lexicon).masked.lower()
    small = vocabulary("columns", scope.lexicon.language) | vocabulary("stop", scope.lexicon.language)
    words = re.findall(r"[a-z]+|[\u3400-\u9fff]+", masked)
    return any(word not in small for word in words)


def _column(cell: str, scope: Scope) -> bool:
    """Whether the words of a header cell are such as columns are called by, or words of the world's pages."""
    if scope.lexicon.language == "zh" and re.search(r"[\u3400-\u9fff]", cell):
        return True
    small = vocabulary("columns", "en") | vocabulary("opening", "en") | vocabulary("stop", "en")
    plain = {stem(word) for word in small}
    return all(
        word in scope.lexicon.common or word in scope.lexicon.spoken or stem(word) in plain
        for word in re.findall(r"[a-z]+", cell.lower())
    )


def loaded(text: str, traits: Iterable[Trait], scope: Scope) -> bool:
    """Whether words deny, compare, explain or tell of an event, besides those of the labels of attributes."""
    lower = text.lower()
    for phrase in sorted({phrase for trait in traits for phrase in trait.phrases}, key=lambda word: (-len(word), word)):
        lower = lower.replace(phrase, " ")
    return any(phrases(kind, scope.lexicon.language).search(lower) for kind in _LOADED)


def says(claim: Claim, cell: str, scope: Scope) -> bool:
    """Whether a cell is a claim's value and nothing else."""
    lower, language, trait = cell.lower().strip(" .。!"), scope.lexicon.language, claim.trait
    if claim.value == "":
        return undisclosed_words(lower, language) is not None and not re.search(r"\d", cell)
    if trait.kind in ("ref", "name"):
        wanted = claim.value if trait.kind == "ref" else f"={claim.value}"
        return any(wanted in scope.lexicon.names.ids(text) for text in (cell, re.sub(r"^[Tt]he ", "", cell)))
    if trait.kind == "category":
        return lower in [word.lower() for word in trait.categories.get(claim.value, ())]
    if trait.kind == "boolean":
        said = "yes" if lower in vocabulary("yes", language) else "no" if lower in vocabulary("no", language) else ""
        return said == claim.value
    return _says_amount(claim, cell, scope)


def _says_amount(claim: Claim, cell: str, scope: Scope) -> bool:
    trait, language = claim.trait, scope.lexicon.language
    reading = read(cell, scope.lexicon)
    if reading.names or reading.gaps or len(reading.days) + len(reading.amounts) != 1:
        return False
    masked = reading.masked.lower()
    counted = (*trait.units, *trait.phrases, *trait.says)
    others = [w for w in re.findall(r"[a-z\u3400-\u9fff]+", masked) if not any(w in said for said in counted)]
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
