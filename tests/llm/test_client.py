from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import math
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldgen.errors import CallerError
from worldgen.llm import Blocking, Message, ModelClient, ModelError, Reply, Request, Sampling, Shape
from worldgen.llm.bounds import HTTP, bound, reading
from worldgen.llm.failures import asked_wait
from worldgen.llm.fake import FakeReply, FakeServer, dead, flaky, malformed, slow, thinking
from worldgen.llm.model import whole
from worldgen.llm.wire import cut

ASKED = Request((Message("user", "How many stops are there?"),))
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]}


def ask(server, request=ASKED, **options):
    """What one call gives, and the client that made it."""

    async def call():
        async with ModelClient(server.url, "fake", **options) as client:
            return await client.complete(request), client

    return asyncio.run(call())


def pieces(server, request=ASKED, **options):
    async def call():
        async with ModelClient(server.url, "fake", **options) as client:
            return [piece async for piece in client.stream(request)]

    return asyncio.run(call())


def refusal(behaviour, call=ask, **options):
    with FakeServer(behaviour) as server, pytest.raises(ModelError) as caught:
        call(server, **{"retries": 0, **options})
    return caught.value


def test_a_reply_with_what_it_cost():
    with FakeServer(lambda request: FakeReply("Eight.", cached=2)) as server:
        reply, client = ask(server, api_key="sk-1234", extra_body={"top_k": 5})
        assert (reply.text, reply.model, reply.tokens) == ("Eight.", "fake", (5, 2, 1))
        assert (client.usage.requests, client.usage.prompt, client.usage.cached) == (1, 5, 2)
        sent = server.requests[0]
        assert (sent["seed"], sent["temperature"], sent["top_k"]) == (0, 0.6, 5)
        assert "chat_template_kwargs" not in sent
        assert server.headers[0]["authorization"] == "Bearer sk-1234"


def test_a_stream_gives_pieces_and_then_the_reply():
    with FakeServer(lambda request: FakeReply("Eight stops and a half.", reasoning="7, 8")) as server:
        *said, reply = pieces(server)
    assert len(said) == 2
    assert (reply.text, reply.thinking, reply.finish, reply.tokens) == ("".join(said), "7, 8", "stop", (5, 0, 7))


@pytest.mark.parametrize("how", ["nested", "unopened", "reasoning"])
def test_thinking_is_kept_apart(how):
    with FakeServer(thinking(how)) as server:
        reply, _ = ask(server)
    assert reply.text == ASKED.messages[0].content
    assert reply.thinking.startswith("a")


@pytest.mark.parametrize("status", [429, 500, 503])
@pytest.mark.parametrize("call", [lambda server: ask(server)[0], lambda server: pieces(server)[-1]])
def test_a_server_that_recovers_is_asked_again(status, call):
    with FakeServer(flaky(2, status=status)) as server:
        assert call(server).text == ASKED.messages[0].content
        assert len(server.requests) == 3


def test_retries_end_and_are_counted():
    with FakeServer(flaky(9)) as server:

        async def call():
            async with ModelClient(server.url, "fake", retries=2) as client:
                with pytest.raises(ModelError, match=r"HTTP 429: try again later.*model\.overloaded"):
                    await client.complete(ASKED)
                return client.usage

        usage = asyncio.run(call())
    assert (usage.requests, usage.retries, usage.failures) == (3, 2, 1)


def test_a_server_that_asks_for_a_long_wait_is_told_of_at_once():
    begun = time.monotonic()
    assert refusal(flaky(1, retry_after=3_600), retries=3).code == "model.overloaded"
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("0.001", 0.001), ("61", 61), ("inf", math.inf), ("1e400", math.inf), ("nan", math.inf), ("9" * 400, math.inf),
        ("Wed, 21 Oct 2026 07:28:30 GMT", 30), ("Wed, 21 Oct 2026 07:28:30 -0000", 30),
        ("Wed, 21 Oct 2026 07:00:00 GMT", 0), ("Wed, 21 Oct 2026 09:28:30 +0200", 30),
        ("", None), ("abc", None), ("-5", None), ("Wed, 99 Foo 0000", None), ("Wed, 21 Oct 9999 99:28:00 GMT", None),
    ],
)  # fmt: skip
def test_the_wait_that_a_server_asks_for(header, wait):
    assert asked_wait(header, datetime(2026, 10, 21, 7, 28, tzinfo=UTC).timestamp()) == wait


@given(
    st.text(max_size=40) | st.from_regex(r"[A-Z][a-z]{2}, \d{1,4} [A-Z][a-z]{2} \d{1,5} \d\d:\d\d:\d\d [-+]?\w{1,5}")
)
def test_no_header_breaks_the_wait(header):
    wait = asked_wait(header, 0.0)
    assert wait is None or wait >= 0


@pytest.mark.parametrize("header", ["1e400", "nan", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_wait_beyond_measure_is_told_of_at_once(header):
    with FakeServer(lambda request: FakeReply("later", status=429, headers={"Retry-After": header})) as server:
        with pytest.raises(ModelError, match=r"model\.overloaded"):
            ask(server, retries=1)
        assert len(server.requests) == 1


@pytest.mark.parametrize("call", [ask, pieces])
@pytest.mark.parametrize(
    ("behaviour", "code", "options"),
    [
        (dead(), "model.unreachable", {}),
        (slow(30), "model.timeout", {"timeout": 0.2}),
        (malformed("html"), "model.malformed", {}),
        (malformed("fields"), "model.malformed", {}),
        (malformed("cut"), "model.malformed", {}),
        (lambda request: FakeReply(raw=b"{}", status=307, headers={"Location": "/v1/models"}), "model.refused", {}),
    ],
)
def test_each_failure_has_its_code(behaviour, code, options, call):
    assert refusal(behaviour, call, **options).code == code


def said(text):
    """The text as a whole answer, and as an event of a stream."""
    return lambda request: FakeReply(raw=b"data: " + text + b"\n\n" if request.get("stream") else text)


@pytest.mark.parametrize("call", [ask, pieces])
@pytest.mark.parametrize(
    "text",
    [b"[]", b"5", b'"x"', b"null", b"true", b"[" * 100_000, b'{"choices":' + b"9" * 5_000 + b"}", b"\xff", b'{"a":']
    + [b'{"choices":' + b"[" * depth + b"]" * depth + b"}" for depth in (200, 300, 500, 900, 980, 5_000)],
    ids=lambda text: text[:16].decode("latin-1") + f"-{len(text)}",
)
def test_whatever_is_not_of_the_protocol_is_malformed_and_counted(text, call):
    with FakeServer(said(text)) as server:

        async def drained(client):
            return [piece async for piece in client.stream(ASKED)]

        async def count():
            async with ModelClient(server.url, "fake", retries=2) as client:
                with pytest.raises(ModelError, match=r"model\.malformed"):
                    await (client.complete(ASKED) if call is ask else drained(client))
                return client.usage

        usage = asyncio.run(count())
    assert (usage.requests, usage.failures) == (1, 1)


def test_a_count_that_no_number_of_tokens_can_be_is_none():
    answer = {"choices": [{"message": {"content": "Eight."}}], "usage": {"prompt_tokens": 10**400}}
    with FakeServer(lambda request: FakeReply(raw=json.dumps(answer).encode())) as server:
        assert ask(server)[0].tokens.prompt == 0


HUGE = "stops and " * 2**20
WHOLE = json.dumps({"choices": [{"message": {"content": HUGE}, "finish_reason": "stop"}]}).encode()


@pytest.mark.parametrize("call", [ask, pieces])
@pytest.mark.parametrize(
    "behaviour",
    [
        lambda request: FakeReply(raw=WHOLE),
        lambda request: FakeReply(HUGE),
        lambda request: FakeReply("", reasoning=HUGE),
        lambda request: FakeReply(raw=gzip.compress(WHOLE), headers={"Content-Encoding": "gzip"}),
        lambda request: FakeReply(HUGE, status=400),
    ],
    ids=["whole", "text", "thinking", "packed", "error"],
)
def test_what_is_read_of_one_answer_is_bounded(behaviour, call):
    short = replace(ASKED, sampling=Sampling(max_tokens=64))
    with FakeServer(behaviour) as server, pytest.raises(ModelError, match=r"model\.malformed"):
        call(server, short, retries=0)


def test_an_endless_body_is_read_up_to_its_bound_and_its_connection_ended():
    taken, closed = 0, []

    class Endless(HTTP.AsyncByteStream):
        async def __aiter__(self):
            nonlocal taken
            while True:
                taken += 1_000
                yield b"x" * 1_000

        async def aclose(self):
            closed.append(True)

    async def call():
        with reading(50_000):
            answer = HTTP.Response(200, stream=Endless())
            await bound(answer)
        async with contextlib.aclosing(answer):
            await answer.aread()

    with pytest.raises(ModelError, match=r"at most 50,000 bytes"):
        asyncio.run(call())
    assert taken == 51_000
    assert closed


def test_a_long_reply_that_was_asked_for_is_read():
    said = "渡" * 20_000
    long = replace(ASKED, sampling=Sampling(max_tokens=20_000))
    with FakeServer(lambda request: said) as server:
        assert ask(server, long)[0].text == said
        assert pieces(server, long)[-1].text == said


@pytest.mark.parametrize("said", ["\ud800 Paris", "Paris \udc00 is \ud83d", "x" * 15 + "\ud83d\ude00", "\ude00\ud83d"])
def test_no_text_of_a_reply_holds_half_a_character(said):
    with FakeServer(lambda request: FakeReply(said, reasoning=said)) as server:
        reply, _ = ask(server)
        *parts, streamed = pieces(server)
    assert (reply.text, reply.thinking) == (whole(said), whole(said).strip()) == (streamed.text, streamed.thinking)
    assert "".join(parts) == whole(said)
    assert [part.encode() for part in parts]


@given(st.text(st.characters() | st.characters(categories=["Cs"]), max_size=8), st.integers(0, 8))
def test_half_characters_are_mended_and_nothing_else(text, at):
    mended = whole(text)
    mended.encode("utf-8")
    assert mended == text or any(0xD800 <= ord(char) <= 0xDFFF for char in text)
    assert whole(mended) == mended
    first, half = cut(text[:at])
    assert first + whole(half + text[at:]) == mended


def test_a_stream_that_breaks_off_is_no_reply():
    whole = "Eight stops and a half, or nine."
    assert refusal(lambda request: FakeReply(whole, pieces=1), pieces).code == "model.unreachable"


def test_the_key_stands_in_no_message():
    error = refusal(lambda request: FakeReply("bad key sk-1234 " + "x" * 999, status=401), api_key="sk-1234")
    assert error.code == "model.refused"
    assert "sk-1234" not in str(error)
    assert error.__cause__ is None
    assert len(str(error)) < 600


def test_nobody_there():
    with FakeServer() as server:
        url = server.url
    with pytest.raises(ModelError, match=r"model\.unreachable"):
        asyncio.run(ModelClient(url, "fake", retries=0).complete(ASKED))


@pytest.mark.parametrize(
    "url", ["", "host:80", "ftp://h/v1", "http://", "http://u:p@h/v1", "http://h/v1?k=1", "http://h h"]
)
def test_an_address_is_checked(url):
    with pytest.raises(CallerError, match=r"model\.url") as caught:
        ModelClient(url, "fake")
    assert "u:p" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [{"concurrency": 0}, {"retries": -1}, {"timeout": 0}, {"api_key": "a\nb"}, {"extra_body": {"seed": 1}}],
)
def test_arguments_are_checked(options):
    with pytest.raises(CallerError):
        ModelClient("http://127.0.0.1:1/v1", "fake", **options)


def test_the_key_comes_from_the_settings(monkeypatch):
    monkeypatch.setenv("WORLDGEN_MODEL_KEY", "sk-5678")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-other")
    with FakeServer() as server:
        ask(server)
        assert server.headers[0]["authorization"] == "Bearer sk-5678"
        assert "other" not in json.dumps(server.headers)


def test_a_repeated_run_costs_nothing(tmp_path):
    with FakeServer(lambda request: f"Draw {request.get('seed')}.") as server:
        first, _ = ask(server, cache=tmp_path)
        second, client = ask(server, cache=tmp_path)
        assert second == replace(first, stored=True)
        assert (client.usage.requests, client.usage.stored) == (0, 1)
        assert pieces(server, cache=tmp_path) == [first.text, second]
        ask(server, replace(ASKED, sampling=Sampling(seed=None)), cache=tmp_path)
        ask(server, replace(ASKED, sampling=Sampling(seed=None)), cache=tmp_path)
        assert len(server.requests) == 3


def test_failures_are_not_stored(tmp_path):
    with FakeServer(flaky(1)) as server:
        with pytest.raises(ModelError):
            ask(server, retries=0, cache=tmp_path)
        assert not list(tmp_path.rglob("*.json"))


def test_a_reply_that_cannot_be_kept_is_used_counted_and_warned_of_once(tmp_path, caplog):
    folder = tmp_path / "replies"
    folder.write_text("")  # as unfit for a folder of replies as one that is full, whoever runs the tests
    with FakeServer(lambda request: "Eight.") as server:

        async def call():
            async with ModelClient(server.url, "fake", cache=folder) as client:
                whole = [await client.complete(ASKED), await client.complete(ASKED)]
                streamed = [piece async for piece in client.stream(ASKED)]
                return [reply.text for reply in (*whole, streamed[-1])], client.usage

        texts, usage = asyncio.run(call())
    assert texts == ["Eight."] * 3
    assert (usage.unkept, usage.failures, usage.requests) == (3, 0, 3)
    (warned,) = caplog.records
    assert "[cache.unwritable]" in warned.getMessage()
    assert str(folder) in warned.getMessage()


@pytest.mark.parametrize(
    ("kind", "shape", "field"),
    [
        ("sglang", "regex", "regex"),
        ("sglang", "ebnf", "ebnf"),
        ("vllm", "regex", "structured_outputs"),
        ("llamacpp", "ebnf", "grammar"),
        ("somebody", "ebnf", "ebnf"),
    ],
)
def test_a_shape_goes_where_the_server_looks_for_it(kind, shape, field):
    with FakeServer(lambda request: "qx7az", server=kind) as server:
        ask(server, replace(ASKED, shape=Shape(shape, "qx7[ab]z")))
        (sent,) = server.requests
        assert field in sent
        assert sent["chat_template_kwargs"] == {"enable_thinking": False}
        assert len(server.probes) <= 12


def test_a_schema_is_kept_to_and_the_probe_runs_once():
    with FakeServer() as server:

        async def call():
            async with ModelClient(server.url, "fake") as client:
                request = replace(ASKED, shape=Shape("json_schema", SCHEMA))
                replies = await asyncio.gather(*(client.complete(request) for _ in range(3)))
                return replies, await client.capabilities()

        replies, can = asyncio.run(call())
        assert [json.loads(reply.text) for reply in replies] == [{"n": 3}] * 3
        assert (can.server, can.models, can.json_schema, can.regex, can.ebnf) == ("sglang", ("fake",), True, True, True)
        assert len(server.probes) == 4


@pytest.mark.parametrize("kind", ["json_schema", "regex", "ebnf"])
def test_a_shape_that_the_server_ignores_is_refused_before_it_is_sent(kind):
    others = {"json_schema", "regex", "ebnf"} - {kind}
    with FakeServer(shapes=others) as server:
        with pytest.raises(CallerError, match=r"model\.unsupported"):
            ask(server, replace(ASKED, shape=Shape(kind, SCHEMA if kind == "json_schema" else "a")))
        assert server.requests == []


def test_no_more_requests_at_once_than_allowed():
    now, most, lock = 0, 0, threading.Lock()

    def behaviour(request):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.03)
        with lock:
            now -= 1
        return "Eight."

    with FakeServer(behaviour) as server:

        async def call():
            async with ModelClient(server.url, "fake", concurrency=3) as client:
                await asyncio.gather(*(client.complete(ASKED) for _ in range(9)))

        asyncio.run(call())
    assert 2 <= most <= 3


def test_threads_share_one_client_and_closing_twice_is_once():
    with FakeServer() as server:
        model = Blocking(ModelClient(server.url, "fake"))
        said: list[Reply] = []
        threads = [threading.Thread(target=lambda: said.append(model.complete(ASKED))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(said) == 8
        model.close()
        model.close()
        with pytest.raises(CallerError, match=r"model\.closed"):
            model.complete(ASKED)
