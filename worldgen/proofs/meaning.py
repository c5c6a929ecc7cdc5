"""What a statement claims, read from its words alone, in the canonical form of its attribute."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from worldgen.proofs import parsing
from worldgen.proofs.files import Files, Leaf, Said


@dataclass(frozen=True, slots=True)
class Attribute:
    """What the schema says of an attribute, as far as a reader needs it."""

    kind: str
    unit: str | None = None
    decimals: int = 0
    every: str = "year"
    values: dict[str, Any] | None = None


def attributes(files: Files) -> dict[tuple[str, str], Attribute]:
    """(table, attribute) → what it holds; for a series the table is the entity's."""
    found: dict[tuple[str, str], Attribute] = {}
    for kind in ("entities", "relations"):
        for table, node in files.schema.get(kind, {}).items():
            for name, spec in node.get("attributes", {}).items():
                found[table, name] = _attribute(spec)
    for name, node in files.schema.get("series", {}).items():
        found[node["of"], name] = _attribute(node)
    return found


def _attribute(spec: dict[str, Any]) -> Attribute:
    kind = spec.get("type") or ("ref" if "ref" in spec else "name" if "name" in spec else "category")
    return Attribute(kind, spec.get("unit"), spec.get("decimals", 0), spec.get("every", "year"), spec.get("values"))


def means(files: Files, known: Mapping[tuple[str, str], Attribute], said: Said, page: Leaf) -> bool:
    """Whether a statement's words could mean what it claims; ``known`` is what `attributes` gives."""
    fact = files.facts[said.fact]
    attribute = known.get((fact.subject.split("/")[0], fact.attribute))
    if attribute is None:
        # The role of a relation, or a ref that a relation adds: it names what it refers to.
        return page.body[said.value_start : said.value_end].casefold() in files.surfaces.get(said.claimed, set())
    try:
        return claims(files, attribute, said, page)(said.claimed)
    except (ValueError, ZeroDivisionError):
        return False


def claims(files: Files, attribute: Attribute, said: Said, page: Leaf) -> Callable[[str], bool]:
    """A test of a canonical value: could the statement's words mean it?"""
    value = page.body[said.value_start : said.value_end]
    sentence = page.body[said.start : said.end]
    match attribute.kind:
        case "integer" | "decimal" | "money":
            return _numeric(value, sentence, said.form, attribute.unit)
        case "percent":
            read = parsing.percentages(value if said.form != "two_step" else sentence)
            meant = parsing.combined(read) if said.form == "two_step" else set(read)
            return lambda canonical: Fraction(canonical) in meant
        case "year":
            return _year(value, sentence, said.form, page.date)
        case "date":
            return _date(value, sentence, said.form, page.date)
        case "category":
            return _category(value, attribute.values or {})
        case "boolean":
            return _boolean(value, sentence)
        case "ref":
            return lambda canonical: value.casefold() in files.surfaces.get(canonical, set())
        case _:
            return lambda canonical: value == canonical or _localised(files, said, value)


def _numeric(value: str, sentence: str, form: str, unit: str | None) -> Callable[[str], bool]:
    meant = set(parsing.quantities(value, unit))
    if form == "two_step":
        meant = parsing.combined(parsing.quantities(sentence, unit))
    return lambda canonical: Fraction(canonical) in meant


def _year(value: str, sentence: str, form: str, date: str) -> Callable[[str], bool]:
    if form == "plain":
        meant = set(parsing.years(value))
    else:
        bases = set(parsing.years(sentence)) | ({int(date[:4])} if date else set())
        meant = {base + size for base in bases for size, step in parsing.gaps(sentence) if step == "year"}
    return lambda canonical: int(canonical) in meant


def _date(value: str, sentence: str, form: str, date: str) -> Callable[[str], bool]:
    if form == "plain":
        meant: set[dt.date | None] = set(parsing.dates(value))
    else:
        bases = parsing.dates(sentence) + ([dt.date.fromisoformat(date)] if date else [])
        meant = {parsing.shift(base, size, step) for base in bases for size, step in parsing.gaps(sentence)}
    return lambda canonical: dt.date.fromisoformat(canonical) in meant


def _category(value: str, values: dict[str, Any]) -> Callable[[str], bool]:
    said = value.casefold()

    def could_mean(canonical: str) -> bool:
        node = values.get(canonical)
        wordings = [canonical, canonical.replace("_", " ")]
        if isinstance(node, dict):
            for language in ("en", "zh"):
                wordings += node.get(language) or []
        return said in {wording.casefold() for wording in wordings}

    return could_mean


def _boolean(value: str, sentence: str) -> Callable[[str], bool]:
    lower = value.lower()
    tokens = set(lower.replace(",", " ").replace(".", " ").split())
    denied = any(n in tokens if n.isascii() else n in lower for n in parsing.words()["negations"])
    return lambda canonical: canonical == ("no" if denied else "yes")


def _localised(files: Files, said: Said, value: str) -> bool:
    """A coined part's Chinese form stands in its own column of the typed table."""
    entity, _, name = said.fact.rpartition("/")
    table = entity.split("/")[0]
    if f"{name}_zh" not in files.tables.get(table, []):
        return False
    rows = files.database.execute(f'SELECT "{name}", "{name}_zh" FROM "{table}" WHERE id = ?', (entity,)).fetchall()
    return bool(rows) and value in rows[0]
