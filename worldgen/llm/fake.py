"""Models for tests: a server on loopback that behaves as badly as wanted, and a model in process that follows a script.

A behaviour is a function from the request, as it was sent, to what is said: a text, a `FakeReply`, or None for what the
server would say by itself (the smallest instance of the JSON Schema asked for, else an echo). `BEHAVIOURS` has shipped
ones by name. Requests that only find out what the server can do are answered by the server and kept apart.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from worldgen.errors import CallerError, did_you_mean
from worldgen.llm.frames import FakeReply, chunks, completion
from worldgen.llm.probe import PROBE
from worldgen.llm.scripted import ScriptedModel
from worldgen.llm.smallest import smallest

__all__ = [
    "BEHAVIOURS",
    "Behaviour",
    "FakeReply",
    "FakeServer",
    "ScriptedModel",
    "dead",
    "echo",
    "flaky",
    "malformed",
    "slow",
    "smallest",
    "thinking",
]

_LARGEST = 64 * 2**20
_WORD = "qx7az"
_SHAPES = ("json_schema", "regex", "ebnf")


Behaviour = Callable[[dict[str, Any]], "str | FakeReply | None"]


def echo(request: dict[str, Any]) -> str | FakeReply | None:
    """Say what the last message says, or the smallest instance of the JSON Schema asked for."""
    form = request.get("response_format") or {}
    if form.get("type") == "json_schema":
        return json.dumps(smallest(form["json_schema"]["schema"]))
    return str(request["messages"][-1]["content"]) if request.get("messages") else ""


def slow(seconds: float = 0.3) -> Behaviour:
    """Wait before each answer."""
    return lambda request: FakeReply(text=_text(echo(request)), delay=seconds)


def dead() -> Behaviour:
    """Close the connection in place of each answer."""
    return lambda request: FakeReply(drop=True)


def flaky(failures: int = 2, *, status: int = 429, retry_after: float | None = 0.0) -> Behaviour:
    """Fail so many times, then be well."""
    left = iter(range(failures))
    headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}

    def answer(request: dict[str, Any]) -> str | FakeReply | None:
        if next(left, None) is None:
            return echo(request)
        return FakeReply("try again later", status=status, headers=headers)

    return answer


def malformed(how: str = "html") -> Behaviour:
    """Send what is not of the protocol: ``html``, ``fields`` (JSON of another kind) or ``cut`` (JSON cut off)."""
    whole = {"html": b"<html>hello</html>", "fields": b'{"choices": [{"text": 3}]}', "cut": b'{"choices": [{"mess'}
    if how not in whole:
        raise CallerError("fake.malformed", "no such way", expected=", ".join(whole), got=how)
    return lambda request: FakeReply(raw=whole[how])


def thinking(how: str = "nested") -> Behaviour:
    """Think aloud before an echo: ``nested``, ``unopened``, ``unclosed`` (no answer comes) or ``reasoning`` (apart)."""
    frames = {
        "nested": "<think>a <think>b</think> c</think>\n\n{}",
        "unopened": "a, b</think>{}",
        "unclosed": "<think>{}",
    }

    def answer(request: dict[str, Any]) -> str | FakeReply | None:
        said = _text(echo(request))
        if how == "reasoning":
            return FakeReply(said, reasoning="a, b")
        return frames[how].replace("{}", said)

    if how not in frames and how != "reasoning":
        raise CallerError("fake.thinking", "no such way", expected=", ".join([*frames, "reasoning"]), got=how)
    return answer


BEHAVIOURS: dict[str, Callable[[], Behaviour]] = {
    "echo": lambda: echo,
    "slow": slow,
    "dead": dead,
    "flaky": flaky,
    "malformed": malformed,
    "thinking": thinking,
}


class FakeServer:
    """An OpenAI-compatible server on a free loopback port: ``/v1/models``, ``/v1/chat/completions``, ``/health``.

    Args:
        behaviour: A function of the request, or the name of a shipped one.
        model: The model it lists.
        server: The kind it says it is: ``sglang``, ``vllm``, ``llamacpp`` or anything else.
        shapes: What it can hold a reply to; what it cannot, it ignores.
        port: On loopback; 0 takes a free one.

    Attributes:
        requests: What was asked, in order, without probes.
        probes: Requests that asked what it can do.
        headers: The headers of ``requests``, their names in small letters.

    >>> with FakeServer(lambda request: "Eight.") as server:
    ...     server.url.startswith("http://127.0.0.1:")
    True
    """

    def __init__(
        self,
        behaviour: Behaviour | str = "echo",
        *,
        model: str = "fake",
        server: str = "sglang",
        shapes: Iterable[str] = _SHAPES,
        port: int = 0,
    ) -> None:
        if isinstance(behaviour, str):
            if behaviour not in BEHAVIOURS:
                raise CallerError(
                    "fake.behaviour",
                    "there is no behaviour of that name",
                    expected=", ".join(BEHAVIOURS),
                    got=behaviour,
                    fix=did_you_mean(behaviour, BEHAVIOURS),
                )
            behaviour = BEHAVIOURS[behaviour]()
        self.behaviour = behaviour
        self.model = model
        self.server = server
        self.port = port
        self.shapes = frozenset(shapes)
        self.requests: list[dict[str, Any]] = []
        self.probes: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.closing = threading.Event()
        self._http: _Loopback | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Its address, up to and with ``/v1``."""
        if self._http is None:
            raise CallerError("fake.not-started", "the server is not running", fix="use it in a with statement")
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def start(self) -> FakeServer:
        """Listen; done by a with statement."""
        if self._http is None:
            self.closing.clear()
            try:
                self._http = _Loopback(self)
            except OSError as error:
                raise CallerError(
                    "fake.port", f"cannot listen on port {self.port}: {error.strerror}", fix="choose another; 0 is free"
                ) from error
            self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
            self._thread.start()
        return self

    def close(self) -> None:
        """End all connections and stop; twice is once."""
        http, thread = self._http, self._thread
        if http is None or thread is None:
            return
        self._http = self._thread = None
        self.closing.set()
        http.shutdown()
        thread.join()
        http.hang_up()
        http.server_close()

    def __enter__(self) -> FakeServer:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.close()

    def answer(self, request: dict[str, Any], headers: dict[str, str]) -> FakeReply:
        """What is said to a request."""
        if request.get("messages") and request["messages"][-1].get("content") == PROBE:
            self.probes.append(request)
            return FakeReply(self._probed(request))
        self.requests.append(request)
        self.headers.append(headers)
        said = self.behaviour(request)
        said = echo(request) if said is None else said
        return said if isinstance(said, FakeReply) else FakeReply(_text(said))

    def _probed(self, request: dict[str, Any]) -> str:
        inner = request.get("structured_outputs") or {}
        if request.get("response_format") and "json_schema" in self.shapes:
            return _text(echo(request))
        asked = {
            "regex": "regex" in request or "guided_regex" in request or "regex" in inner,
            "ebnf": bool(request.keys() & {"ebnf", "guided_grammar", "grammar"}) or "grammar" in inner,
        }
        return _WORD if any(told and shape in self.shapes for shape, told in asked.items()) else "Hello!"


class _Loopback(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, fake: FakeServer) -> None:
        self.fake = fake
        self._held: set[socket.socket] = set()
        super().__init__(("127.0.0.1", fake.port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._held.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._held.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Wake the threads that wait for another request on a connection that is kept."""
        for held in list(self._held):
            try:
                held.shutdown(socket.SHUT_RDWR)
            except OSError:  # the other side was first
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that hung up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Loopback

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        """List the models, or say that all is well."""
        fake = self.server.fake
        if self.path == "/health":
            self._send(200, b"{}")
        elif self.path == "/v1/models":
            cards = [{"id": fake.model, "object": "model", "owned_by": fake.server}]
            self._send(200, _json({"object": "list", "data": cards}))
        else:
            self._send(404, _error("no such path"))

    def do_POST(self) -> None:
        """Answer a request."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _LARGEST:
            self.close_connection = True
            return self._send(400, _error("a body of known length is needed"))
        text = self.rfile.read(int(length))
        if self.path != "/v1/chat/completions":
            return self._send(404, _error("no such path"))
        try:
            request = json.loads(text)
            messages = request["messages"]
            if not all(isinstance(message["content"], str) for message in messages):
                raise TypeError
        except (ValueError, KeyError, TypeError):
            return self._send(400, _error("not a request for a chat completion"))
        said = self.server.fake.answer(request, {name.lower(): value for name, value in self.headers.items()})
        if said.delay and self.server.fake.closing.wait(said.delay):
            said = FakeReply(drop=True)
        return self._say(said, request)

    def _say(self, said: FakeReply, request: dict[str, Any]) -> None:
        if said.drop:
            self.close_connection = True
        elif said.raw is not None:
            self._send(said.status, said.raw, said.headers)
        elif said.status > 399:
            self._send(said.status, _error(said.text), said.headers)
        elif request.get("stream"):
            self._stream(said, request)
        else:
            self._send(200, _json(completion(said, request)), said.headers)

    def _send(self, status: int, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, said: FakeReply, request: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for index, chunk in enumerate(chunks(said, request)):
            if index == said.pieces:
                self.close_connection = True
                return
            self._part(b"data: " + _json(chunk) + b"\n\n")
        self._part(b"data: [DONE]\n\n")
        self._part(b"")

    def _part(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))


def _text(said: object) -> str:
    return said.text if isinstance(said, FakeReply) else str(said or "")


def _json(value: object) -> bytes:
    return json.dumps(value).encode("ascii")


def _error(message: str) -> bytes:
    return _json({"error": {"message": message, "type": "fake", "code": None}})
