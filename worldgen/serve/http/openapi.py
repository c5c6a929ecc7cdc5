"""The OpenAPI file of a world's typed routes, from the same tools that answer them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldgen.serve.http.hot import openapi_fragment
from worldgen.tools.typed import SeenTable, TableTool
from worldgen.version import __version__

_ERRORS = {
    "400": "A parameter is wrong",
    "401": "A key is needed",
    "403": "No tool profile in use has typed tools",
    "404": "No such row",
    "409": "The episode has ended",
    "429": "Too many requests",
    "500": "Try again",
    "502": "Try again",
    "503": "Try again",
    "504": "Try again",
}


def describe(title: str, prefix: str, paths: Mapping[str, TableTool]) -> dict[str, Any]:
    """The OpenAPI 3.1 file of typed routes.

    Args:
        title: Of the world.
        prefix: What stands before the paths, if anything.
        paths: Path templates and the tool that answers each.
    """
    error = openapi_fragment()["components"]["schemas"]["Error"]
    tables = {tool.table.name: _row(tool.table) for tool in paths.values() if tool.table.shape != "series"}
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": __version__, "description": "Rows of the world's tables."},
        "servers": [{"url": prefix or "/"}],
        "paths": {path: {"get": _operation(path, tool)} for path, tool in paths.items()},
        "components": {"schemas": {"wg_error": error, **tables}},
    }


def _operation(path: str, tool: TableTool) -> dict[str, Any]:
    parameters = [
        {
            "name": name,
            "in": "query",
            "required": name in tool.required,
            "schema": {key: value for key, value in parameter.schema.items() if key != "description"},
            "description": parameter.schema.get("description", name),
        }
        for name, parameter in tool.parameters.items()
        if name != "id"
    ]
    if "{ordinal}" in path:
        number = {"type": "integer", "minimum": 0}
        words = "The number in the row's id"
        parameters.insert(
            0, {"name": "ordinal", "in": "path", "required": True, "schema": number, "description": words}
        )
    episode = {"name": "X-Episode", "in": "header", "schema": {"type": "string"}, "description": "Call in this episode"}
    failed = {"application/json": {"schema": {"$ref": "#/components/schemas/wg_error"}}}
    return {
        "operationId": tool.name,
        "tags": [tool.table.name],
        "summary": tool.description,
        "parameters": [*parameters, episode],
        "responses": {
            "200": {"description": "The reply", "content": {"application/json": {"schema": _reply(tool)}}},
            **{status: {"description": words, "content": failed} for status, words in _ERRORS.items()},
        },
    }


def _reply(tool: TableTool) -> dict[str, Any]:
    row = {"$ref": f"#/components/schemas/{tool.table.name}"}
    if tool.action == "get":
        return row
    if tool.action == "count":
        return _object({"count": {"type": "integer"}})
    if tool.action == "range":
        value = tool.table.columns[-1]
        point = _object({"period": {"type": "string"}, value.name: value.result_schema()})
        return _object({"of": {"type": "string"}, "unit": {"type": "string"}, "points": _array(point)})
    return _object({"total": {"type": "integer"}, "items": _array(row), "next_cursor": {"type": ["string", "null"]}})


def _row(table: SeenTable) -> dict[str, Any]:
    columns = {column.name: column.result_schema() for column in table.columns}
    # A fault may leave a column out of a list, so that only the id is sure.
    return {"type": "object", "properties": {"id": {"type": ["string", "integer"]}, **columns}, "required": ["id"]}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}
