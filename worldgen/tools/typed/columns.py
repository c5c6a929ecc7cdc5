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
    "period": "a period such as 2029, 2029-Q1 or 2029-06",
    "percent": "in percent",
    "boolean": "true or false",
}


@dataclass(frozen=True, slots=True)
class SeenColumn:
    """One column as a tool shows it.

    Attributes:
        name: Its name in the table and in JSON.
        kind: What it holds; see `worldgen.schema.layout.Field`.
        target: For a ref the table referred to.
        categories: For a category its values.
        description: Its label, and its unit, currency or form.
    """

    name: str
    kind: str
    target: str | None
    categories: tuple[str, ...]
    description: str
    integral: bool

    @property
    def ordered(self) -> bool:
        """Whether it has a smallest and a greatest value that one may ask between."""
        return self.kind in _ORDERED

    def json_schema(self) -> dict[str, Any]:
        """The JSON schema of a value that a caller gives."""
        if self.kind == "ref":
            return {"type": "string", "description": f"{self.description}: id or name of a {self.target}"}
        found: dict[str, Any] = {"type": self._json_type(), "description": self.description}
        if self.categories:
            found["enum"] = list(self.categories)
        return found

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
        chinese_name = field.kind == "name" and name.endswith("_zh")
        if field.kind == "id" or (field.attribute is not None and field.attribute.hidden):
            continue
        if chinese_name and "zh" not in languages:
            continue
        integral = field.sql == "INTEGER"
        description = _description(schema, name, field)
        seen.append(SeenColumn(name, field.kind, field.target, field.categories, description, integral))
    return seen


def _description(schema: Schema, name: str, field: Field) -> str:
    labels: list[str] = []
    unit = currency = None
    if field.attribute is not None:
        labels = list(field.attribute.label.get("en", []))
        unit, currency = field.attribute.unit, field.attribute.currency
    elif field.origin[:1] == ("series",) and field.kind not in ("ref", "period"):
        series = schema.series[name]
        labels, unit, currency = list(series.label.get("en", [])), series.unit, series.currency
    label = labels[0] if labels else name.replace("_", " ")
    form = unit or currency or _FORMS.get(field.kind)
    chinese = ", in Chinese" if field.kind == "name" and name.endswith("_zh") else ""
    return f"{label}{chinese}{f' ({form})' if form else ''}"
