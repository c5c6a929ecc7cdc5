"""Grounded mode: a model writes, the index decides, and what is not so never reaches the agent."""

import json
import re

import pytest

from worldgen import World
from worldgen.env import Episode, read_trajectory
from worldgen.errors import CallerError
from worldgen.llm import Blocking, ModelError, ScriptedModel
from worldgen.search.world_model.backend import Backend, Simulation, read_simulation
from worldgen.search.world_model.players import (
    PLAYERS,
    babbles,
    breaks_off,
    contradicts,
    copies,
    leaks,
    material,
    mends,
)
from worldgen.search.world_model.reasons import REASONS

QUERIES = ("ferries with a diesel drive", "staff of the lines", "landing register")


@pytest.fixture(scope="module")
def world(tiny_world):
    with World.load(tiny_world) as opened:
        yield opened


def played(player):
    """A model that a player plays."""

    def say(request):
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        return player({"messages": messages})

    return ScriptedModel(say)


def walk(episode):
    """A short walk: three searches, and of each the first two pages."""
    seen = []
    for query in QUERIES:
        results = episode.call("web_search", {"query": query})
        seen.append(results)
        for url in re.findall(r"^\[\d+\] (\S+)$", results.text, re.MULTILINE)[:2]:
            seen.append(episode.call("web_extractor", {"url": url}))
    return seen


def episode_of(world, model, **more):
    return Episode.start(world, backend=Backend(Simulation(model="m", **more), model))


@pytest.fixture(scope="module")
def plain(world):
    return walk(Episode.start(world))


def test_a_model_that_copies_is_accepted_and_shows_what_the_index_shows(world, plain):
    with Blocking(played(copies)) as model:
        seen = walk(episode_of(world, model))
    assert [s.text for s in seen] == [s.text for s in plain]
    written = [w for s in seen for w in s.written]
    assert len(written) == len(seen) == 9
    assert {(w.outcome, w.reasons, len(w.replies)) for w in written} == {("accepted", (), 1)}


def test_a_model_that_mends_what_is_told_to_it_is_repaired(world, plain):
    with Blocking(played(mends)) as model:
        seen = walk(episode_of(world, model))
    assert [s.text for s in seen] == [s.text for s in plain]
    outcomes = [s.written[0].outcome for s in seen]
    assert "repaired" in outcomes
    assert "fallback" not in outcomes
    assert all(len(s.written[0].replies) == 2 for s in seen if s.written[0].outcome == "repaired")


@pytest.mark.parametrize("player", [babbles, breaks_off], ids=["babbles", "breaks-off"])
def test_a_model_that_writes_something_else_falls_back_to_the_index_each_time(world, plain, player):
    with Blocking(played(player)) as model:
        seen = walk(episode_of(world, model))
    assert [s.text for s in seen] == [s.text for s in plain]
    assert {s.written[0].outcome for s in seen} == {"fallback"}
    assert all(len(s.written[0].replies) == 3 for s in seen)


def test_a_model_that_contradicts_is_never_shown(world, plain):
    with Blocking(played(contradicts)) as model:
        seen = walk(episode_of(world, model))
    assert [s.text for s in seen] == [s.text for s in plain]
    reasons = {reason for s in seen for reason in s.written[0].reasons}
    assert reasons
    assert reasons <= REASONS


def test_a_model_that_leaks_a_true_fact_is_never_shown(world, plain):
    name, staff = world.sql("SELECT name, staff FROM line ORDER BY staff DESC LIMIT 1")[0]
    told = f"{name} has a staff of {staff}."
    with Blocking(played(leaks(told))) as model:
        seen = walk(episode_of(world, model))
    assert not any(told in s.text for s in seen)
    assert [s.text for s in seen] == [s.text for s in plain]
    assert {"unlicensed-fact", "unlicensed-name"} & {reason for s in seen for reason in s.written[0].reasons}


def test_a_dead_model_costs_the_index_s_text_and_is_told(world, plain):
    with Blocking(ScriptedModel(lambda request: ModelError("model.unreachable", "gone"))) as model:
        seen = walk(episode_of(world, model))
    assert [s.text for s in seen] == [s.text for s in plain]
    assert {(s.written[0].outcome, s.written[0].failure) for s in seen} == {("fallback", "model.unreachable")}


def test_the_same_call_twice_asks_the_model_once(world):
    model = played(copies)
    with Blocking(model) as asks:
        episode = episode_of(world, asks)
        first = episode.call("web_search", {"query": QUERIES[0]})
        again = episode.call("web_search", {"query": QUERIES[0]})
    assert first.text == again.text
    assert (len(first.written), len(again.written), len(model.requests)) == (1, 0, 1)


@pytest.mark.parametrize("player", sorted(PLAYERS))
def test_a_record_plays_again_without_a_model(world, player):
    with Blocking(played(PLAYERS[player])) as model:
        episode = episode_of(world, model)
        walk(episode)
    record = read_trajectory(json.loads(episode.trajectory().to_line()))
    assert record == episode.trajectory()
    again = Episode.replay(world, record)
    assert again.trajectory() == record
    with pytest.raises(CallerError, match="no model is at hand"):
        again.call("web_search", {"query": "something that was never asked"})


def test_a_record_goes_on_with_the_model_that_made_it_and_no_other(world):
    with Blocking(played(copies)) as model:
        backend = Backend(Simulation(model="m"), model)
        episode = Episode.start(world, backend=backend)
        episode.call("web_search", {"query": QUERIES[0]})
        again = Episode.replay(world, episode.trajectory(), backend=backend)
        assert again.call("web_search", {"query": QUERIES[1]}).written[0].outcome == "accepted"
        with pytest.raises(CallerError, match="another world model"):
            Episode.replay(world, episode.trajectory(), backend=Backend(Simulation(model="other"), model))


def test_a_record_that_lies_is_judged_again_and_refused(world):
    with Blocking(played(copies)) as model:
        episode = episode_of(world, model)
        episode.call("web_search", {"query": QUERIES[0]})
    raw = json.loads(episode.trajectory().to_line())
    step = raw["steps"][0]
    altered = re.sub(r"(?m)^Snippet: .*$", "Snippet: All of them cost 990 dollars.", step["observation"], count=1)
    step["observation"] = altered
    step["written"][0]["replies"] = [altered]
    with pytest.raises(CallerError, match=r"no further replies|brings something else"):
        Episode.replay(world, read_trajectory(raw))


def test_the_prompt_holds_the_turn_s_material_and_no_gold(world):
    task = max(world.tasks, key=lambda task: len(task.rows))
    model = played(copies)
    with Blocking(model) as asks:
        episode = Episode.start(world, task.instance_id, backend=Backend(Simulation(model="m"), asks))
        results = episode.call("web_search", {"query": task.columns[0]})
    (request,) = model.requests
    said = "\n".join(message.content for message in request.messages)
    assert task.question not in said
    assert task.instance_id not in said
    system = request.messages[0].content
    assert not [row[0] for row in task.rows if re.search(rf"(?<!\w){re.escape(row[0])}(?!\w)", system)]
    shown = {row[0] for row in task.rows if row[0] in results.text}
    assert {row[0] for row in task.rows if row[0] in said} <= shown | {r[0] for r in task.rows if r[0] in task.columns}


def test_later_turns_carry_the_earlier_ones_without_their_material(world):
    model = played(copies)
    with Blocking(model) as asks:
        walk(episode_of(world, asks))
    last = model.requests[-1].messages
    assert [m.role for m in last[:3]] == ["system", "user", "assistant"]
    assert sum("**Material:**" in m.content for m in last) == 1
    assert last[-1].content.startswith(f"### Turn {len(model.requests)}\n**Action:**")
    for earlier, later in zip(model.requests, model.requests[1:], strict=False):
        shared = earlier.messages[:-1]
        assert later.messages[: len(shared)] == shared


def test_an_honest_rewording_is_shown(world):
    def rewords(request):
        text = material(request)
        return re.sub(r"(?m)^Snippet: .*$", "Snippet: A closer look at the subject follows on the page.", text)

    with Blocking(played(rewords)) as model:
        seen = episode_of(world, model).call("web_search", {"query": QUERIES[0]})
    assert seen.written[0].outcome == "accepted"
    assert seen.text.count("A closer look at the subject follows on the page.") == seen.text.count("Snippet: ")


def test_one_bad_snippet_is_mended_and_the_good_ones_are_kept(world):
    honest = "Snippet: More of it stands on the page."
    asked = []

    def play(request):
        asked.append(request)
        text = re.sub(r"(?m)^Snippet: .*$", honest, material(request))
        return text.replace(honest, "Snippet: It costs 31,337 dollars.", 1) if len(asked) == 1 else text

    with Blocking(played(play)) as model:
        seen = episode_of(world, model).call("web_search", {"query": QUERIES[0]})
    assert (seen.written[0].outcome, len(seen.written[0].replies)) == ("repaired", 2)
    assert "31,337" not in seen.text
    assert "result [1]:" in asked[1]["messages"][-1]["content"]


def test_free_mode_has_no_question(world):
    backend = Backend(Simulation("free", "m"))
    with pytest.raises(CallerError, match="invents a world of its own"):
        Episode.start(world, world.tasks[0].instance_id, backend=backend)


@pytest.mark.parametrize("profile", ["api", "sql", "open"])
def test_free_mode_has_no_tool_that_knows_the_facts(world, profile):
    with pytest.raises(CallerError, match="know nothing of"):
        Episode.start(world, profile=profile, backend=Backend(Simulation("free", "m")))


@pytest.mark.parametrize(
    "wrong",
    [{"mode": "wild"}, {"attempts": 0}, {"attempts": 11}, {"temperature": 3.0}, {"max_tokens": 0}, {"seed": -1}],
)
def test_a_simulation_is_checked(wrong):
    with pytest.raises(CallerError, match="expected"):
        Simulation(**wrong)


@pytest.mark.parametrize("text", ["", "{}x", "[]", '{"mode": 3}', '{"unknown": 1}', "null"])
def test_a_record_s_simulation_is_checked(text):
    with pytest.raises(CallerError):
        read_simulation(text)


def test_a_perturbation_lies_over_the_model(world):
    plan = "faults: [{kind: stale_first, rate: 1.0}]"
    with Blocking(played(copies)) as asks:
        episode = Episode.start(world, perturbation=plan, backend=Backend(Simulation(model="m"), asks))
        seen = episode.call("web_search", {"query": QUERIES[1]})
    assert [w.action for w in seen.written] == ["search"]
