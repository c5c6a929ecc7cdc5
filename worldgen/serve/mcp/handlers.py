"""The protocol's methods over a `Seat`: tools, and under the profile ``open`` also pages and questions.

One low-level server of the SDK serves any number of worlds and profiles: its handlers take the seat from the request.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import mcp_types as types
import pydantic_core
from anyio.to_thread import run_sync
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server as Protocol
from mcp.shared.exceptions import MCPError

from worldgen.errors import CallerError
from worldgen.serve.mcp.seat import Seat
from worldgen.tools import DictMemory, Observation, SqlTool
from worldgen.tools.profile import profiles
from worldgen.tools.typed import table_tools
from worldgen.tools.web_extractor import WebExtractor
from worldgen.version import __version__
from worldgen.world import World

PAGE = 100
"""Pages or questions in one answer to a request for the list."""
Context = ServerRequestContext[Any, Any]
SeatOf = Callable[[Context], Seat]
_MARKDOWN = "text/markdown"
_SAME_AS_LIST = "traverse"


def make_protocol(seat_of: SeatOf, *, pages: bool, instructions: str | None = None) -> Protocol[Any]:
    """A server of the SDK whose handlers ask the seat of each request.

    Args:
        seat_of: The seat of a request.
        pages: Whether it offers pages as resources and questions as prompts.
        instructions: What a client may tell its model at the start.
    """
    handlers: dict[str, Any] = {
        "on_list_tools": partial(_list_tools, seat_of),
        "on_call_tool": partial(_call_tool, seat_of),
    }
    if pages:
        handlers |= {
            "on_list_resources": partial(_list_resources, seat_of),
            "on_list_resource_templates": _list_templates,
            "on_read_resource": partial(_read_resource, seat_of),
            "on_list_prompts": partial(_list_prompts, seat_of),
            "on_get_prompt": partial(_get_prompt, seat_of),
        }
    protocol: Protocol[Any] = Protocol(
        "worldgen",
        version=__version__,
        instructions=instructions,
        **handlers,
    )
    # A span a message, which costs a tenth of a call; what a server does is counted in its metrics.
    protocol.middleware.clear()
    return protocol


async def _list_tools(
    seat_of: SeatOf, context: Context, params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    return types.ListToolsResult(tools=await run_sync(_tools, seat_of(context)))


async def _call_tool(seat_of: SeatOf, context: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
    return {**await call_tool(seat_of(context), params.name, params.arguments or {}), "resultType": "complete"}


async def call_tool(seat: Seat, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The result of a call, as the protocol of any version has it but for what is the same in all results."""
    # A thread costs as much as all the rest of a short call.
    seen = _observe(seat, name, arguments) if seat.quick else await run_sync(_observe, seat, name, arguments)
    result: dict[str, Any] = {"content": [{"type": "text", "text": seen.text}], "isError": seen.status != 200}
    structured = _structured(seat.profile, seen)
    if structured is not None:
        result["structuredContent"] = structured
    return result


def _structured(profile: str, seen: Observation) -> dict[str, Any] | None:
    """The reply of a typed tool or of SQL, which is a JSON object, as one."""
    answers_in_json = profiles()[profile].typed or profiles()[profile].sql
    if not answers_in_json or seen.status != 200 or not seen.text.startswith("{"):
        return None
    try:
        found = pydantic_core.from_json(seen.text, allow_inf_nan=False)
    except ValueError:  # a note of the agent's own may begin with a brace too
        return None
    return found if isinstance(found, dict) else None


def _observe(seat: Seat, name: str, arguments: dict[str, Any]) -> Observation:
    try:
        return seat.call(name, arguments)
    except CallerError as error:
        parts = [error.message, error.expected and f"expected {error.expected}", error.fix]
        return Observation(f"Error: {'; '.join(part for part in parts if part)}.", 400)


def _tools(seat: Seat) -> list[types.Tool]:
    specs = [spec["function"] for spec in seat.specs()]
    with seat.world() as world:
        outputs = {seat.called(usual): schema for usual, schema in _outputs(world, seat.profile).items()}
    notebook = seat.called(DictMemory.name)
    return [
        types.Tool(
            name=spec["name"],
            description=spec["description"],
            input_schema=spec["parameters"],
            output_schema=outputs.get(spec["name"]),
            annotations=types.ToolAnnotations(
                read_only_hint=spec["name"] != notebook,
                destructive_hint=spec["name"] == notebook,
                open_world_hint=False,
            ),
        )
        for spec in specs
    ]


def _outputs(world: World, profile: str) -> dict[str, dict[str, Any]]:
    """What the tools that answer in JSON return, by their usual names."""
    kinds = _kinds()
    found = {}
    if profiles()[profile].typed:
        for tool in table_tools(world.tables):
            found[tool.name] = kinds["list" if tool.action == _SAME_AS_LIST else tool.action]
    if profiles()[profile].sql:
        found[SqlTool.name] = kinds["sql"]
    return found


@cache
def _kinds() -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("outputs.json").read_text("utf-8"))
    return loaded


async def _list_resources(
    seat_of: SeatOf, context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    def listed(seat: Seat, after: str) -> types.ListResourcesResult:
        with seat.world() as world:
            rows = world.addresses(after=after, limit=PAGE)
        resources = [types.Resource(uri=url, name=title, mime_type=_MARKDOWN) for url, title in rows]
        return types.ListResourcesResult(resources=resources, next_cursor=rows[-1][0] if len(rows) == PAGE else None)

    return await run_sync(listed, seat_of(context), (params and params.cursor) or "")


async def _list_templates(
    context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    page = types.ResourceTemplate(
        uri_template="https://{host}/{+path}", name="page", description="A page, by its address", mime_type=_MARKDOWN
    )
    return types.ListResourceTemplatesResult(resource_templates=[page])


async def _read_resource(
    seat_of: SeatOf, context: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    seen = await run_sync(_read, seat_of(context), params.uri)
    if seen.status != 200 or seen.text.startswith("Error: "):
        raise MCPError(code=types.INVALID_PARAMS, message=seen.text.removeprefix("Error: "), data={"uri": params.uri})
    text = types.TextResourceContents(uri=params.uri, mime_type=_MARKDOWN, text=seen.text)
    return types.ReadResourceResult(contents=[text])


def _read(seat: Seat, url: str) -> Observation:
    """A page as the tool for pages brings it, whatever its name in an episode: reading is a call, faults included."""
    name = seat.called(WebExtractor.name)
    assert name is not None
    return _observe(seat, name, {"url": url})


async def _list_prompts(
    seat_of: SeatOf, context: Context, params: types.PaginatedRequestParams | None
) -> types.ListPromptsResult:
    def listed(seat: Seat, start: int) -> types.ListPromptsResult:
        with seat.world() as world:
            names = [task.instance_id for task in world.tasks]
        end = start + PAGE
        prompts = [types.Prompt(name=name) for name in names[start:end]]
        return types.ListPromptsResult(prompts=prompts, next_cursor=str(end) if end < len(names) else None)

    cursor = (params and params.cursor) or "0"
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 10):
        raise MCPError(code=types.INVALID_PARAMS, message="the cursor is not of this list")
    return await run_sync(listed, seat_of(context), int(cursor))


async def _get_prompt(seat_of: SeatOf, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    def question(seat: Seat) -> str | None:
        with seat.world() as world:
            return next((task.question for task in world.tasks if task.instance_id == params.name), None)

    text = await run_sync(question, seat_of(context))
    if text is None:
        raise MCPError(code=types.INVALID_PARAMS, message="there is no such prompt")
    content = types.TextContent(type="text", text=text)
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])
