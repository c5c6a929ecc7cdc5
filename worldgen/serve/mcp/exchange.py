"""One JSON-RPC message in, one answer out: what the streamable HTTP transport comes to without sessions and streams.

The SDK's own transport makes streams, tasks and a session's worth of state for each such request of the protocol's
handshake era; here a request of either era goes straight to the SDK's handler kernel, which validates its parameters,
calls the handler and shapes the result for the version spoken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
import pydantic_core
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server as Protocol
from mcp.server.runner import ServerRunner, modern_error_data
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    InboundModernRoute,
    classify_inbound_request,
    find_duplicated_routing_header,
    unsupported_protocol_version_rejection,
)
from mcp.shared.message import MessageMetadata, ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types.methods import validate_client_request
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from worldgen.serve.mcp.handlers import call_tool
from worldgen.serve.mcp.seat import Seat

JSON = (b"content-type", b"application/json")
_NO_REQUEST = "Body must be a single JSON-RPC request or notification object"


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP answer."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[bytes, bytes], ...] = ()


async def exchange(protocol: Protocol[Any], seat: Seat, headers: list[tuple[str, str]], body: bytes) -> Reply:
    """Answer one message.

    Args:
        protocol: Whose handlers answer; they find the seat as their context's ``request``.
        seat: Of the client.
        headers: Of the request, names in lower case.
        body: Its body.
    """
    named = dict(headers)
    try:
        message = pydantic_core.from_json(body, allow_inf_nan=False)
    except ValueError:
        return _failed(None, types.PARSE_ERROR, "Parse error", status=400)
    version = named.get(MCP_PROTOCOL_VERSION_HEADER, types.DEFAULT_NEGOTIATED_VERSION)
    modern = version not in HANDSHAKE_PROTOCOL_VERSIONS
    if not _is_message(message):
        return _failed(None, types.INVALID_REQUEST, _NO_REQUEST, status=400)
    if "id" not in message:
        refused = unsupported_protocol_version_rejection(version) if modern else None
        return Reply(202) if refused is None else _rejected(None, refused)
    route = _route(message, headers, named) if modern else None
    if isinstance(route, InboundLadderRejection):
        return _rejected(message["id"], route)
    try:
        if message["method"] == "tools/call":
            result = await _call(protocol, seat, version, message.get("params"))
        else:
            result = await _dispatch(protocol, seat, version, message, route)
    # The one boundary of this transport: the SDK maps what it knows, and logs and hides what it does not.
    except Exception as error:
        data = modern_error_data(error)
        status = ERROR_CODE_HTTP_STATUS.get(data.code, 200) if modern else 200
        return _failed(message["id"], data.code, data.message, data.data, status=status)
    return _ok({"jsonrpc": "2.0", "id": message["id"], "result": result})


async def _call(protocol: Protocol[Any], seat: Seat, version: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
    """What the kernel makes of a call of a tool, without the two models it makes of each result on the way."""
    validate_client_request("tools/call", version, params)
    assert params is not None
    result = await call_tool(seat, params["name"], params.get("arguments") or {})
    if version in MODERN_PROTOCOL_VERSIONS:
        about = {"name": protocol.name, "version": protocol.version}
        result |= {"resultType": "complete", "_meta": {types.SERVER_INFO_META_KEY: about}}
    return result


async def _dispatch(
    protocol: Protocol[Any], seat: Seat, version: str, message: Mapping[str, Any], route: InboundModernRoute | None
) -> dict[str, Any]:
    info, capabilities = (None, None) if route is None else (route.client_info, route.client_capabilities)
    # The connection has nothing to tear down: no handler of ours leaves anything on it.
    runner = ServerRunner(protocol, Connection.from_envelope(version, info, capabilities), {})
    request = _Request(message["id"], ServerMessageMetadata(request_context=seat))
    return await runner.on_request(request, message["method"], message.get("params"))


def _is_message(message: object) -> bool:
    """Whether it is one request or notification."""
    return (
        isinstance(message, dict)
        and message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method"), str)
        and isinstance(message.get("params"), dict | None)
        and ("id" not in message or (isinstance(message["id"], int | str) and not isinstance(message["id"], bool)))
    )


def _route(
    message: Mapping[str, Any], headers: list[tuple[str, str]], named: Mapping[str, str]
) -> InboundModernRoute | InboundLadderRejection:
    """What a request of 2026 says of itself, in headers and body alike."""
    twice = find_duplicated_routing_header(headers)
    if twice is not None:
        return InboundLadderRejection(code=types.HEADER_MISMATCH, message=f"{twice} header appears more than once")
    return classify_inbound_request(message, headers=named)


def _rejected(id: object, rejection: InboundLadderRejection) -> Reply:
    status = ERROR_CODE_HTTP_STATUS.get(rejection.code, 400)
    return _failed(id, rejection.code, rejection.message, rejection.data, status=status)


def _failed(id: object, code: int, message: str, data: object = None, *, status: int) -> Reply:
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return _ok({"jsonrpc": "2.0", "id": id, "error": error}, status)


def _ok(body: Mapping[str, Any], status: int = 200) -> Reply:
    return Reply(status, pydantic_core.to_json(body), (JSON,))


_TRANSPORT = TransportContext(kind="streamable-http", can_send_request=False)


@dataclass(slots=True)
class _Request:
    """The SDK's view of a request that is answered once and over which nothing else can be sent."""

    request_id: types.RequestId
    message_metadata: MessageMetadata
    transport: TransportContext = _TRANSPORT
    can_send_request: bool = field(default=False, init=False)
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)

    async def send_raw_request(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> dict[str, Any]:
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> None:
        return None

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        return None
