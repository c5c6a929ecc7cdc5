"""The typed tools themselves: each one a name, a JSON schema and a reply, all of them made from the tables."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from worldgen.tools.tool import MalformedCall, echo, kind_of, only
from worldgen.tools.typed.columns import MOST, SeenColumn, SeenTable, text_schema
from worldgen.tools.typed.reader import DEFAULT_LIMIT, MAX_LIMIT, Condition, TableReader

_MAX_NAME = 64
_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a typed tool: its JSON schema, and the condition that it becomes, if it becomes one."""

    schema: dict[str, Any]
    column: SeenColumn | None = None
    operator: str = "="


@dataclass(eq=False)
class TableTool:
    """A tool over one table; call it with keyword arguments for plain Python values, with `call` for an agent's text.

    Attributes:
        name: As agents call it.
        action: ``list``, ``count``, ``get``, ``traverse`` or ``range``.
        table: Whose rows it gives.
        description: For people and models.
        parameters: Its arguments by name.
        required: Those that must be given.
    """

    name: str
    action: str
    table: SeenTable
    description: str
    parameters: Mapping[str, Parameter]
    required: tuple[str, ...]
    _act: Callable[[Mapping[str, Any]], dict[str, Any]] = field(repr=False)

    def __call__(self, /, **arguments: Any) -> dict[str, Any]:
        """The reply as Python values.

        Raises:
            MalformedCall: An argument is unknown, missing, of another type or out of its range.
        """
        return self._act(self._checked(arguments))

    def call(self, arguments: Mapping[str, Any]) -> str:
        """See `Tool.call`; the reply is JSON."""
        return json.dumps(self(**arguments), ensure_ascii=False)

    def spec(self) -> dict[str, Any]:
        """See `Tool.spec`."""
        parameters: dict[str, Any] = {
            "type": "object",
            "properties": {name: dict(parameter.schema) for name, parameter in self.parameters.items()},
            "additionalProperties": False,
        }
        if self.required:
            parameters["required"] = list(self.required)
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}

    def _checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        only(arguments, *self.parameters)
        given = {name: value for name, value in arguments.items() if value is not None}
        for name in self.required:
            if name not in given:
                raise MalformedCall(f"missing argument {name!r}", expected=self.parameters[name].schema["description"])
        for name, value in given.items():
            given[name] = _checked_value(name, value, self.parameters[name].schema)
        return given


def table_tools(reader: TableReader) -> list[TableTool]:
    """All typed tools of a world, in the order of its tables."""
    found: list[TableTool] = []
    for table in reader.tables.values():
        if table.shape == "series":
            found.append(_range(reader, table))
        else:
            found += [_list(reader, table), _count(reader, table)]
            if table.shape == "entity":
                found.append(_get(reader, table))
    for table in reader.tables.values():
        if table.shape != "series":
            found += _traversals(reader, table)
    taken: set[str] = set()
    for tool in found:
        tool.name = _free_name(tool.name, taken)
        taken.add(tool.name)
    return found


def _free_name(wanted: str, taken: Collection[str]) -> str:
    """A name of a length that services take, and that no other tool has: of two tables one may end as the other's."""
    name, number = wanted, 1
    while len(name) > _MAX_NAME or name in taken:
        tied = blake2b(f"{wanted} {number}".encode(), digest_size=3).hexdigest()
        name, number = f"{wanted[: _MAX_NAME - 7]}_{tied}", number + 1
    return name


def _checked_value(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    """The value, a whole number as an integer; `MalformedCall` where its schema does not take it."""
    kinds = _KINDS[schema["type"]]
    if schema["type"] == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise MalformedCall(f"argument {name!r} has the wrong type", expected=schema["type"], got=kind_of(value))
    if "enum" in schema and value not in schema["enum"]:
        known = " or ".join(schema["enum"])
        raise MalformedCall(f"argument {name!r} has no such value", expected=known, got=echo(str(value)))
    return _in_bounds(name, value, schema)


def _in_bounds(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    longest = schema.get("maxLength")
    if longest is not None and len(value) > longest:
        raise MalformedCall(
            f"argument {name!r} is too long", expected=f"{longest} characters at most", got=f"{len(value)}"
        )
    if "pattern" in schema and re.fullmatch(schema["pattern"], value) is None:
        raise MalformedCall(f"argument {name!r} has another form", expected=schema["description"], got=echo(value))
    if "maximum" in schema and not schema["minimum"] <= value <= schema["maximum"]:
        got = str(value) if abs(value) < 10 * MOST else "a number far beyond it"
        raise MalformedCall(
            f"argument {name!r} is out of range", expected=f"{schema['minimum']} to {schema['maximum']}", got=got
        )
    return value


def _filters(table: SeenTable) -> dict[str, Parameter]:
    found: dict[str, Parameter] = {}

    def add(name: str, parameter: Parameter) -> None:
        # A column may be called as the filter of another is.
        while name in found or name in _PAGING:
            name += "_"
        found[name] = parameter

    for column in table.columns:
        add(column.name, Parameter(column.json_schema(), column))
    for column in table.columns:
        schema = column.json_schema()
        if column.ordered:
            for suffix, operator, words in (("min", ">=", "at least"), ("max", "<=", "at most")):
                bound = {**schema, "description": f"{schema['description']}, {words} this"}
                add(f"{column.name}_{suffix}", Parameter(bound, column, operator))
        elif column.kind == "name":
            part = text_schema(f"{column.description}, containing this")
            add(f"{column.name}_contains", Parameter(part, column, "contains"))
    return found


_PAGING = {
    "sort": Parameter({"type": "string"}),
    "limit": Parameter(
        {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_LIMIT,
            "default": DEFAULT_LIMIT,
            "description": f"Rows a page, 1 to {MAX_LIMIT}",
        }
    ),
    "cursor": Parameter(text_schema("next_cursor of the page before")),
}


def _paging(table: SeenTable) -> dict[str, Parameter]:
    names = [sign + column.name for column in table.columns if column.kind != "ref" for sign in ("", "-")]
    words = "Column to sort by, - before it for descending; values not disclosed come last"
    return {**_PAGING, "sort": Parameter({"type": "string", "enum": names, "description": words})}


def _conditions(reader: TableReader, tool: Mapping[str, Parameter], given: Mapping[str, Any]) -> list[Condition]:
    found = []
    for name, parameter in tool.items():
        column = parameter.column
        if column is None or name not in given:
            continue
        value = given[name]
        if column.kind == "ref" and column.target is not None:
            value = reader.find(column.target, value)
        found.append(Condition(column.name, parameter.operator, int(value) if column.kind == "boolean" else value))
    return found


def _page(reader: TableReader, table: SeenTable, parameters: Mapping[str, Parameter], given: Mapping[str, Any]) -> Any:
    page = reader.page(
        table.name,
        _conditions(reader, parameters, given),
        sort=given.get("sort", ""),
        limit=given.get("limit", DEFAULT_LIMIT),
        cursor=given.get("cursor"),
    )
    return {"total": page.total, "items": page.items, "next_cursor": page.next_cursor}


_UNKNOWN = "A value that is not disclosed is null and meets no condition."


def _list(reader: TableReader, table: SeenTable) -> TableTool:
    parameters = {**_filters(table), **_paging(table)}
    return TableTool(
        f"{table.name}_list",
        "list",
        table,
        f"List rows of {table.name} (one row: {table.label}) that meet all conditions given. {_UNKNOWN}",
        parameters,
        (),
        lambda given: _page(reader, table, parameters, given),
    )


def _count(reader: TableReader, table: SeenTable) -> TableTool:
    parameters = _filters(table)
    return TableTool(
        f"{table.name}_count",
        "count",
        table,
        f"Count the rows of {table.name} (one row: {table.label}) that meet all conditions given. {_UNKNOWN}",
        parameters,
        (),
        lambda given: {"count": reader.count(table.name, _conditions(reader, parameters, given))},
    )


def _get(reader: TableReader, table: SeenTable) -> TableTool:
    wanted = Parameter(text_schema(f"Id or name of the {table.label}"))
    return TableTool(
        f"{table.name}_get",
        "get",
        table,
        f"Get one row of {table.name} by id or name. A value that is not disclosed is null.",
        {"id": wanted},
        ("id",),
        lambda given: reader.get(table.name, given["id"]),
    )


def _traversals(reader: TableReader, table: SeenTable) -> list[TableTool]:
    """For each ref of a table the way back: the rows that point to a given one."""
    refs = [column for column in table.columns if column.kind == "ref" and column.target in reader.tables]
    often = Counter(column.target for column in refs)
    found = []
    for column in refs:
        assert column.target is not None
        name = f"{column.target}_to_{table.name}"
        if often[column.target] > 1:
            name += f"_by_{column.name}"
        wanted = Parameter(text_schema(f"Id or name of the {reader.tables[column.target].label}"), column)
        found.append(_traversal(reader, table, name, {"id": wanted, **_paging(table)}, column))
    return found


def _traversal(
    reader: TableReader, table: SeenTable, name: str, parameters: dict[str, Parameter], column: SeenColumn
) -> TableTool:
    return TableTool(
        name,
        "traverse",
        table,
        f"From a row of {column.target} to the rows of {table.name} whose {column.name} it is.",
        parameters,
        ("id",),
        lambda given: _page(reader, table, parameters, given),
    )


def _range(reader: TableReader, table: SeenTable) -> TableTool:
    owner, period, value = table.columns
    parameters = {
        "id": Parameter(text_schema(f"Id or name of the {reader.tables[owner.name].label}"), owner),
        "start": Parameter(text_schema(f"First {period.description}", period.pattern), period, ">="),
        "end": Parameter(text_schema(f"Last {period.description}", period.pattern), period, "<="),
    }

    def act(given: Mapping[str, Any]) -> dict[str, Any]:
        conditions = _conditions(reader, parameters, given)
        points: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            page = reader.page(table.name, conditions, sort="period", limit=MAX_LIMIT, cursor=cursor)
            points += [{"period": row["period"], value.name: row[value.name]} for row in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        return {"of": reader.find(owner.name, given["id"]), "unit": value.description, "points": points}

    return TableTool(
        f"{table.name}_range",
        "range",
        table,
        f"Values over time of one {owner.name}: {value.description}, by period, both ends included.",
        parameters,
        ("id",),
        act,
    )
