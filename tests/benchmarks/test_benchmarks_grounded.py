"""The benchmark of grounded mode counts what each player comes to, and goes on from the replies it has."""

import argparse
import io
import re
from contextlib import redirect_stderr

import pytest

from benchmarks.grounded import run
from worldgen import World
from worldgen.llm import Blocking, FakeServer, ModelClient
from worldgen.search.world_model.players import babbles, copies, mends

ASKED = argparse.Namespace(model="fake", searches=3, pages=2, attempts=2, max_tokens=500, jobs=2)


def counted(tiny_world, url, cache=None):
    client = ModelClient(url, "fake", cache=cache)
    with World.load(tiny_world) as world, Blocking(client) as model, redirect_stderr(io.StringIO()) as told:
        found = run(world, model, ASKED)
    assert told.getvalue().count(" s\n") == 5
    return found


@pytest.mark.parametrize(
    ("player", "outcome", "replies"), [(copies, "accepted", 1), (mends, "repaired", 2), (babbles, "fallback", 2)]
)
def test_what_a_player_comes_to_is_counted_by_action(tiny_world, player, outcome, replies):
    with FakeServer(player) as server:
        found = counted(tiny_world, server.url)
    assert found["search"]["outcomes"] == {outcome: 3}
    assert found["open"]["outcomes"] == {outcome: 2}
    assert (found["search"]["replies"], found["open"]["replies"]) == (3 * replies, 2 * replies)
    assert bool(found["search"]["reasons"]) == (outcome != "accepted")
    assert (found["search"]["same_as_the_index"], found["open"]["same_as_the_index"]) == (3, 2)
    assert found["search"]["snippets_of_the_model"] == 0
    assert found["pages_that_fell_back_and_differ"] == 0
    assert found["audit"] == "strict"


def shortens(request):
    """Copy, but for the mark at the end of a snippet that is cut."""
    return re.sub(r"(?m)^(Snippet: .*?) \.\.\.$", r"\1", copies(request))


def test_snippets_that_are_the_model_s_own_are_counted(tiny_world):
    with FakeServer(shortens) as server:
        found = counted(tiny_world, server.url)["search"]
    assert found["same_as_the_index"] == 0
    assert found["snippets_of_the_model"] >= 3


def test_a_repeated_run_asks_for_nothing_that_it_has(tiny_world, tmp_path):
    with FakeServer(mends) as server:
        first = counted(tiny_world, server.url, tmp_path)
        again = counted(tiny_world, server.url, tmp_path)
    assert (first["stored"], again["stored"]) == (0, 10)
    assert [first[action] for action in ("search", "open")] == [again[action] for action in ("search", "open")]
