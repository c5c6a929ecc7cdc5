"""The client against SGLang itself: replies, streams, shapes, the prefix cache's count, and what the server can do."""

import asyncio
import json
import re

import pytest

from worldgen.llm import Message, ModelClient, Reply, Request, Sampling, Shape

NAME = "babbler"
FERRY = {
    "type": "object",
    "properties": {"kind": {"enum": ["ferry", "bridge"]}, "boats": {"type": "integer", "minimum": 0, "maximum": 9}},
    "required": ["kind", "boats"],
    "additionalProperties": False,
}


def request(text: str, *, shape: Shape | None = None, thinking: bool | None = False) -> Request:
    return Request((Message("user", text),), Sampling(max_tokens=48), shape=shape, thinking=thinking)


@pytest.fixture
def ask(sglang_url):
    """Runs a coroutine made from a client, and closes the client."""

    def run(question, **options):
        async def within():
            async with ModelClient(sglang_url, NAME, **options) as client:
                return await question(client)

        return asyncio.run(within())

    return run


def test_what_it_can_do(ask):
    can = ask(lambda client: client.capabilities())
    assert (can.server, can.models) == ("sglang", (NAME,))
    assert can.json_schema
    assert can.regex
    assert can.ebnf
    assert can.thinking
    assert can.cached_tokens


def test_a_reply_and_its_cost(ask):
    reply = ask(lambda client: client.complete(request("Which ferries cross the river?")))
    assert reply.text
    assert not reply.thinking
    assert reply.model == NAME
    assert reply.tokens.prompt > 0
    assert 0 < reply.tokens.completion <= 48


def test_what_it_thinks_stands_apart(ask):
    reply = ask(lambda client: client.complete(request("Which ferries cross?", thinking=None)))
    assert reply.thinking


def test_a_stream_ends_with_the_whole_reply(ask):
    async def read(client):
        return [piece async for piece in client.stream(request("Which harbour is the largest?"))]

    *pieces, reply = ask(read)
    assert isinstance(reply, Reply)
    assert len(pieces) > 1
    assert "".join(pieces).strip() == reply.text.strip()
    assert reply.tokens.completion > 0


@pytest.mark.parametrize("seed", range(4))
def test_shapes_are_kept_to(seed, ask):
    async def shaped(client):
        found = []
        for shape in (
            Shape("json_schema", FERRY),
            Shape("regex", "[0-9]{4}-[0-9]{2}"),
            Shape("ebnf", 'root ::= "yes" | "no"'),
        ):
            found.append((await client.complete(request(f"{seed} boats", shape=shape))).text)
        return found

    whole, date, word = ask(shaped)
    assert json.loads(whole)["kind"] in {"ferry", "bridge"}
    assert json.loads(whole)["boats"] in range(10)
    assert re.fullmatch("[0-9]{4}-[0-9]{2}", date)
    assert word in {"yes", "no"}


def test_a_prefix_said_again_is_found_in_the_cache(ask):
    rules = "the ferry crosses the river at noon " * 20

    async def twice(client):
        return [await client.complete(request(f"{rules}{question}")) for question in ("how many?", "which?")]

    _, second = ask(twice)
    assert second.tokens.cached > second.tokens.prompt * 0.8


def test_a_stored_reply_costs_nothing(ask, tmp_path):
    async def twice(client):
        replies = [await client.complete(request("the same again")) for _ in range(2)]
        return replies, client.usage

    (first, second), usage = ask(twice, cache=tmp_path)
    assert (first.text, second.stored, usage.requests, usage.stored) == (second.text, True, 1, 1)
