"""What an agent may see of a world's tables: their columns in the schema's words, hidden helpers left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from worldgen.records import Language
from worldgen.schema import Schema, series_table, tables
from worldgen.schema.layout import Field, Fields

Shape = Literal["entity", "relation", "series"]
_ORDERED = frozenset({"integer", "decimal", "money", "percent", "year", "date", "period"})
_JSON_TYPES = {"integer": "integer", "year": "integer", "decimal": "number", "percent": "number", "boolean": "boolean"}
_FORMS = {
    "date": "a date, YYYY-MM-DD",
    "percent": "in percent",
    "boolean": "true or false",
}
_DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_PERIODS = {
    "year": ("a year, YYYY", "^[0-9]{4}$"),
    "quarter": ("a quarter, YYYY-Q1 to YYYY-Q4", "^[0-9]{4}-Q[1-4]$"),
    "month": ("a month, YYYY-MM", "^[0-9]{4}-(0[1-9]|1[0-2])$"),
}
MAX_TEXT = 500
MOST = 2**53
"""Beyond this SQLite would soon not take an integer, and a float is no whole number any more."""


@dataclass(frozen=True, slots=True)
class SeenColumn:
    """One column as a tool shows it.

    Attributes:
        name: Its name in the table and in JSON.
        kind: What it holds; see `worldgen.schema.layout.Field`.
        target: For a ref the table referred to.
        categories: For a category its values.
        description: Its label, and its unit, currency or form.
        integral: Its numbers are whole.
        pattern: Form of the texts that may be compared with it.
    """

    name: str
    kind: str
    target: str | None
    categories: tuple[str, ...]
    description: str
    integral: bool
    pattern: str | None = None

    @property
    def ordered(self) -> bool:
        """Whether it has a smallest and a greatest value that one may ask between."""
        return self.kind in _ORDERED

    def json_schema(self) -> dict[str, Any]:
        """The JSON schema of a value that a caller gives."""
        if self.kind == "ref":
            return text_schema(f"{self.description}: id or name of a {self.target}")
        kind = self._json_type()
        if self.categories:
            return {"type": kind, "description": self.description, "enum": list(self.categories)}
        if kind in ("integer", "number"):
            return {"type": kind, "description": self.description, "minimum": -MOST, "maximum": MOST}
        if kind == "boolean":
            return {"type": kind, "description": self.description}
        return text_schema(self.description, self.pattern)

    def result_schema(self) -> dict[str, Any]:
        """The JSON schema of a value in a reply; null where it is not disclosed."""
        if self.kind == "ref":
            named = {"id": {"type": "string"}, "name": {"type": "string"}}
            return {"type": ["object", "null"], "properties": named, "description": self.description}
        return {"type": [self._json_type(), "null"], "description": self.description}

    def _json_type(self) -> str:
        if self.kind == "money":
            return "integer" if self.integral else "number"
        return _JSON_TYPES.get(self.kind, "string")


def text_schema(description: str, pattern: str | None = None) -> dict[str, Any]:
    """The JSON schema of a text that a caller gives."""
    found: dict[str, Any] = {"type": "string", "description": description, "maxLength": MAX_TEXT}
    if pattern is not None:
        found["pattern"] = pattern
    return found


@dataclass(frozen=True, slots=True)
class SeenTable:
    """A table as tools show it: ``label`` is what one row is called, ``columns`` hold no id."""

    name: str
    shape: Shape
    label: str
    columns: tuple[SeenColumn, ...]

    def column(self, name: str) -> SeenColumn:
        """The column of that name; `KeyError` where there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)


def seen_tables(schema: Schema, languages: list[Language]) -> dict[str, SeenTable]:
    """Every table of a schema that tools may show.

    Args:
        schema: The world's schema.
        languages: The world's; columns of Chinese names are shown where it is among them.
    """
    series = {series_table(name, node): node.label for name, node in schema.series.items()}
    found = {}
    for name, fields in tables(schema).items():
        shape: Shape = "entity" if name in schema.entities else "relation" if name in schema.relations else "series"
        if shape == "entity":
            nouns = schema.entities[name].label.get("en", [])
        else:
            nouns = schema.relations[name].label.get("en", []) if shape == "relation" else series[name].get("en", [])
        label = nouns[0].split("/")[0] if nouns else name.replace("_", " ")
        found[name] = SeenTable(name, shape, label, tuple(_columns(schema, fields, languages)))
    return found


def _columns(schema: Schema, fields: Fields, languages: list[Language]) -> list[SeenColumn]:
    seen = []
    for name, field in fields.items():
        chinese_name = _is_chinese_name(name, fields)
        if field.kind == "id" or (field.attribute is not None and field.attribute.hidden):
            continue
        if chinese_name and "zh" not in languages:
            continue
        integral = field.sql == "INTEGER"
        form, pattern = _form(schema, field)
        description = f"{_label(schema, name, field)}{', in Chinese' if chinese_name else ''}{form}"
        seen.append(SeenColumn(name, field.kind, field.target, field.categories, description, integral, pattern))
    return seen


def _is_chinese_name(name: str, fields: Fields) -> bool:
    """Whether a column holds the Chinese form of the names of another."""
    base = fields.get(name.removesuffix("_zh")) if name.endswith("_zh") else None
    return base is not None and base.kind == fields[name].kind == "name" and base.origin == fields[name].origin


def _label(schema: Schema, name: str, field: Field) -> str:
    if field.attribute is not None:
        labels = field.attribute.label.get("en", [])
    elif field.origin[:1] == ("series",) and field.kind not in ("ref", "period"):
        labels = schema.series[name].label.get("en", [])
    else:
        labels = []
    return labels[0] if labels else name.removesuffix("_zh" if field.kind == "name" else "").replace("_", " ")


def _form(schema: Schema, field: Field) -> tuple[str, str | None]:
    """In brackets what a column's values are written in, and the pattern of its texts."""
    if field.kind == "period":
        words, pattern = _PERIODS[schema.series[str(field.origin[1])].every]
        return f" ({words})", pattern
    unit = currency = None
    if field.attribute is not None:
        unit, currency = field.attribute.unit, field.attribute.currency
    elif field.origin[:1] == ("series",) and field.kind != "ref":
        series = schema.series[str(field.origin[1])]
        unit, currency = series.unit, series.currency
    said = unit or currency or _FORMS.get(field.kind)
    return (f" ({said})" if said else ""), _DATE if field.kind == "date" else None
