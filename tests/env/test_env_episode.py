"""An episode: one question, the tools of a profile, one answer, and a record that plays it again."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.env import Episode, EpisodeEnded, Limits, Start, Step, Trajectory, read_trajectory
from worldgen.errors import CallerError
from worldgen.llm import Blocking, ScriptedModel
from worldgen.records import Written
from worldgen.search.world_model.backend import Backend, Simulation
from worldgen.search.world_model.players import mends
from worldgen.tools.profile import profiles
from worldgen.world import World


@pytest.fixture(scope="module")
def world(tiny_world):
    with World.load(tiny_world) as opened:
        yield opened


@pytest.fixture
def task(world):
    return world.tasks[0]


def gold(task) -> str:
    lines = [task.columns, ["---"] * len(task.columns), *task.rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def played(world, task, **settings) -> Episode:
    episode = Episode.start(world, task.instance_id, **settings)
    for name in world.names()[:6]:
        episode.call("web_search", {"query": name})
    episode.call("web_extractor", {"url": next(iter(world.pages))})
    episode.call("dict_memory", {"operation": "add", "dict": {"a": "b"}})
    episode.call("web_search", {"query": 1})
    episode.call("nothing", None)
    return episode


def test_an_answer_is_handed_in_once_and_earns_its_reward(world, task):
    episode = played(world, task)
    assert (episode.ended, episode.reward, episode.question) == (False, None, task.question)
    episode.submit(gold(task))
    assert episode.ended
    assert episode.reward.value == 1.0
    assert episode.reward.to_json()["explanation"]
    for again in (lambda: episode.submit("x"), lambda: episode.call("web_search", {"query": "a"})):
        with pytest.raises(EpisodeEnded, match="its answer is in"):
            again()
    assert episode.reward.value == 1.0


@pytest.mark.parametrize("answer", ["", "no table", "| a |\n|---|\n| b |", "\ud800", "|" * 5_000, "x" * 100_000])
def test_any_text_is_an_answer(world, task, answer):
    episode = Episode.start(world, task.instance_id)
    episode.submit(answer)
    assert episode.reward.value in (0.0, None) or episode.reward.value < 1
    assert Episode.replay(world, read_trajectory(json.loads(episode.trajectory().to_line()))).reward == episode.reward


@pytest.mark.parametrize("answer", [None, 1, b"x", ["x"]])
def test_what_is_no_text_is_no_answer(world, task, answer):
    episode = Episode.start(world, task.instance_id)
    with pytest.raises(CallerError, match="no text"):
        episode.submit(answer)
    assert not episode.ended


def test_limits_end_the_calls_and_not_the_answer(world, task):
    episode = Episode.start(world, task.instance_id, limits=Limits(calls=2, answer=10_000))
    episode.call("web_search", {"query": "a"})
    episode.call("nothing", {})
    with pytest.raises(EpisodeEnded, match="used up"):
        episode.call("web_search", {"query": "a"})
    with pytest.raises(CallerError, match="too long"):
        episode.submit("x" * 10_001)
    episode.submit(gold(task))
    assert episode.reward.value == 1.0
    few = Episode.start(world, limits=Limits(characters=10))
    few.call("web_search", {"query": world.names()[0]})
    with pytest.raises(EpisodeEnded):
        few.call("web_search", {"query": "a"})


def test_an_episode_without_a_question_earns_nothing(world):
    episode = Episode.start(world)
    episode.submit("x")
    assert (episode.question, episode.reward, episode.ended) == ("", None, True)


@pytest.mark.parametrize("profile", list(profiles()))
def test_an_episode_has_the_tools_of_its_profile_alone(world, profile):
    wanted = profiles()[profile]
    episode = Episode.start(world, profile=profile)
    names = {spec["function"]["name"] for spec in episode.tools}
    web = {"web_search", "web_extractor", "dict_memory"}
    assert names == (web if wanted.web else set()) | (set(world.tools) if wanted.typed else set()) | (
        {"sql_query"} if wanted.sql else set()
    )
    for name in {*web, "sql_query", "ferry_list"} - names:
        seen = episode.call(name, {"query": "x"})
        assert (seen.status, "unknown tool" in seen.text) == (400, True)


def test_two_episodes_share_neither_notes_nor_faults(world, task):
    plan = "faults: [{kind: timeout, rate: 0.5}]"
    one, two, alone = (Episode.start(world, task.instance_id, seed=3, perturbation=plan) for _ in range(3))
    calls = [("dict_memory", {"operation": "add", "dict": {f"k{n}": "v"}}) for n in range(12)]
    expected = [alone.call(*call) for call in calls]
    for call, wanted in zip(calls, expected, strict=True):
        assert one.call(*call) == wanted
    assert any(seen.faults for seen in expected)
    while two.call("dict_memory", {"operation": "retrieve_all"}).faults:
        pass
    assert "k0" not in two.trajectory().steps[-1].observation


@pytest.mark.parametrize("perturbation", ["", "flaky", "rough", "faults: [{kind: timeout, rate: 1, in_a_row: 1}]"])
def test_a_record_plays_again_from_its_json(world, task, perturbation):
    episode = played(world, task, seed=4, perturbation=perturbation)
    line = episode.trajectory().to_line()
    assert "\n" not in line
    record = read_trajectory(json.loads(line))
    assert record == episode.trajectory()
    again = Episode.replay(world, record)
    assert again.trajectory() == record
    assert again.call("dict_memory", {"operation": "retrieve_all"}) == episode.call(
        "dict_memory", {"operation": "retrieve_all"}
    )
    again.submit(gold(task))
    done = again.trajectory()
    assert Episode.replay(world, read_trajectory(json.loads(done.to_line()))).reward.value == 1.0


ARGUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["query", "queries", "url", "operation", "dict", "a"]), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = (
    st.sampled_from(["web_search", "web_extractor", "dict_memory"]) | st.text(max_size=5) | st.integers() | st.none()
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(NAMES, ARGUMENTS), max_size=4), st.text(max_size=20), st.sampled_from(["", "rough"]))
def test_any_calls_are_recorded_and_play_again(world, calls, answer, perturbation):
    episode = Episode.start(world, perturbation=perturbation)
    for name, arguments in calls:
        episode.call(name, arguments)
    episode.submit(answer)
    line = episode.trajectory().to_line()
    assert len(line.encode("utf-8").decode("utf-8").splitlines()) == 1
    record = read_trajectory(json.loads(line))
    assert Episode.replay(world, record).trajectory() == record


@pytest.mark.parametrize(
    "arguments", [{"query": "a\ud800\u2028b"}, {"query": object()}, {1: 2}, "{", {"query": 10**5000}]
)
def test_odd_arguments_are_recorded_so_that_they_play_again(world, arguments):
    episode = Episode.start(world)
    episode.call("web_search", arguments)
    record = read_trajectory(json.loads(episode.trajectory().to_line().encode("utf-8")))
    assert Episode.replay(world, record).trajectory() == record


def test_a_record_keeps_what_was_said_then(world):
    arguments = {"operation": "add", "dict": {"a": "b"}}
    episode = Episode.start(world)
    episode.call("dict_memory", arguments)
    arguments["dict"]["a"] = "changed"
    assert episode.trajectory().steps[0].arguments["dict"] == {"a": "b"}


def test_a_record_of_another_world_is_refused(world, task, tiny_world_in_two_languages):
    record = played(world, task).trajectory()
    with World.load(tiny_world_in_two_languages) as other, pytest.raises(CallerError, match="another world"):
        Episode.replay(other, record)


def test_forged_records_are_refused(world, task):
    record = played(world, task, perturbation="flaky").trajectory()
    step, start = record.steps[0], record.start
    forged = [
        replace(record, steps=(replace(step, observation=step.observation + "!"),)),
        replace(record, steps=(replace(step, status=201),)),
        replace(record, steps=(replace(step, faults=("timeout", "truncate")),)),
        replace(record, steps=(replace(step, name="web_extractor"),)),
        replace(record, steps=(step,) * 1_001),
        replace(record, answer="x" * 500_001),
        replace(record, start=replace(start, seed=start.seed + 1)),
        replace(record, start=replace(start, seed=-1)),
        replace(record, start=replace(start, seed=10**400)),
        replace(record, start=replace(start, withholding="lax")),
        replace(record, start=replace(start, profile="root")),
        replace(record, start=replace(start, task="none")),
        replace(record, start=replace(start, perturbation="faults: x")),
    ]
    for odd in forged:
        with pytest.raises(CallerError):
            Episode.replay(world, odd)


def by_a_model(player, asked):
    """A backend that a player plays; what it is asked is kept."""

    def say(request):
        asked.append(request)
        return player({"messages": [message._asdict() for message in request.messages]})

    return Backend(Simulation(model="m"), Blocking(ScriptedModel(say)))


@pytest.mark.parametrize("going_on", [False, True], ids=["alone", "with-its-model"])
@pytest.mark.parametrize(
    "change",
    [
        {"outcome": "accepted"}, {"outcome": "fallback"}, {"action": "open"}, {"reasons": ()}, {"reasons": ("order",)},
        {"failure": "model.down"}, {"replies": ()}, {"replies": ("Paris",)}, {"replies": ("Paris",) * 2},
        {"replies": ("Paris",) * 3}, {"replies": ("Paris",) * 4},
    ],
    ids=str,
)  # fmt: skip
def test_a_record_that_tells_otherwise_of_its_model_is_refused_and_the_model_not_asked(world, change, going_on):
    asked = []
    backend = by_a_model(mends, asked)
    with backend.asks:
        episode = Episode.start(world, backend=backend)
        (written,) = episode.call("web_search", {"query": "ferries with a diesel drive"}).written
        assert (written.outcome, len(asked)) == ("repaired", 2)
        record = episode.trajectory()
        (step,) = record.steps
        for altered in ((replace(written, **change),), (), (written, written)):
            forged = replace(record, steps=(replace(step, written=altered),))
            with pytest.raises(CallerError, match=r"env\.replay-differs"):
                Episode.replay(world, forged, backend=backend if going_on else None)
        assert len(asked) == 2
        again = Episode.replay(world, record, backend=backend)
        assert again.trajectory() == record
        again.call("web_search", {"query": "landings"})
        assert len(asked) > 2


def test_a_record_without_a_model_tells_of_none(world, task):
    record = played(world, task).trajectory()
    forged = replace(record.steps[0], written=(Written("search", "accepted", (), ("Paris",)),))
    with pytest.raises(CallerError, match=r"env\.replay-differs"):
        Episode.replay(world, replace(record, steps=(forged, *record.steps[1:])))


GOOD = Trajectory(Start("d", "t", 0, "search", "strict", ""), (Step("a", {}, "b", 200, ()),), None).to_json()


@pytest.mark.parametrize(
    "change",
    [
        {"start": None}, {"start": {}},
        {"start": {**GOOD["start"], "seed": "0"}}, {"start": {**GOOD["start"], "seed": True}},
        {"start": {**GOOD["start"], "more": 1}},
        {"start": {**GOOD["start"], "task": None}}, {"steps": None}, {"steps": "abc"},
        {"steps": {"a": 1}}, {"steps": [1]}, {"steps": [{}]}, {"steps": [{**GOOD["steps"][0], "faults": "timeout"}]},
        {"steps": [{**GOOD["steps"][0], "faults": [1]}]}, {"steps": [{**GOOD["steps"][0], "status": "200"}]},
        {"steps": [{**GOOD["steps"][0], "name": 1}]}, {"steps": [{**GOOD["steps"][0], "observation": None}]},
        {"steps": [{**GOOD["steps"][0], "x": 1}]}, {"answer": 1}, {"answer": ["x"]},
    ],
)  # fmt: skip
def test_what_is_no_record_is_told(change):
    with pytest.raises(CallerError, match="not the record of an episode"):
        read_trajectory({**GOOD, **change})


@pytest.mark.parametrize("raw", [None, [], "x", 1, {}, {"start": GOOD["start"]}, [GOOD]])
def test_what_is_not_even_an_object_is_told(raw):
    with pytest.raises(CallerError, match="not the record of an episode") as caught:
        read_trajectory(raw)
    assert len(str(caught.value)) < 500


def test_threads_make_whole_calls(world, task):
    episode = Episode.start(world, task.instance_id, profile="open", limits=Limits(calls=40))

    def call(n: int) -> int:
        try:
            return episode.call("dict_memory", {"operation": "add", "dict": {str(n): "v"}}).status
        except EpisodeEnded:
            return 0

    def submit(_: int) -> bool:
        try:
            episode.submit(gold(task))
        except EpisodeEnded:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        statuses = list(threads.map(call, range(60)))
        handed_in = list(threads.map(submit, range(8)))
    assert statuses.count(200) == 40
    assert statuses.count(0) == 20
    assert handed_in.count(True) == 1
    assert Episode.replay(world, episode.trajectory()).trajectory() == episode.trajectory()


def test_the_reward_is_in_no_observation(world, task):
    episode = played(world, task)
    assert not any(hasattr(spec, "reward") or "reward" in json.dumps(spec) for spec in episode.tools)
    assert not any("reward" in step.observation or "key_f1" in step.observation for step in episode.trajectory().steps)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"task": "none"}, "no task 'none'"),
        ({"task": ""}, "no task ''"),
        ({"profile": "serch"}, "did you mean 'search'?"),
        ({"withholding": "lax"}, "unknown degree"),
        ({"perturbation": "flakey"}, "no faults"),
        ({"seed": "1"}, "seed is wrong"),
        ({"seed": True}, "seed is wrong"),
        ({"seed": -1}, "seed is wrong"),
        ({"seed": 10**5000}, "seed is wrong"),
    ],
)
def test_a_wrong_start_is_told(world, settings, said):
    with pytest.raises(CallerError) as caught:
        Episode.start(world, **settings)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": "\ud800"},
        {"url": "https://a.example/\ud800"},
        {"\ud800": "a"},
        "\ud800",
        '{"query": "\\ud800"}',
        {"query": json.loads("[" * 300 + "]" * 300)},
        {"query": "a" * 2_000_000},
    ],
    ids=["query", "url", "name", "text", "escaped", "deep", "long"],
)
@pytest.mark.parametrize("plan", ["", "rough", "flaky"])
def test_whatever_an_agent_says_the_record_can_be_sent_and_played_again(world, arguments, plan):
    episode = Episode.start(world, world.tasks[0].instance_id, seed=1, perturbation=plan)
    for name in ("web_search", "web_extractor", "read_page", "dict_memory", "\ud800"):
        episode.call(name, arguments).text.encode("utf-8")
    episode.call("web_search", {"query": "ferry"})
    episode.submit("\ud800 | a |")
    line = episode.trajectory().to_line()
    line.encode("utf-8")
    assert len(line) < 2_000_000
    assert Episode.replay(world, read_trajectory(json.loads(line))).trajectory() == episode.trajectory()


def test_a_hostile_page_is_noted_each_time_it_is_shown(world):
    plan = "faults: [{kind: hostile_first, rate: 1}]"
    episode = Episode.start(world, seed=1, perturbation=plan)
    url = re.search(r"\[1\] (\S+)", episode.call("web_search", {"query": "ferry"}).text)[1]
    for address in (url, url, f"{url}#a"):
        assert episode.call("web_extractor", {"url": address}).faults == ("hostile_first",)


def test_tools_speak_of_one_another_by_their_names_in_the_episode(world):
    episode = Episode.start(world, perturbation="renamed")
    assert "web_extractor" not in json.dumps(episode.tools)
    functions = {tool["function"]["name"]: tool["function"] for tool in episode.tools}
    assert "read_page" in functions["find_pages"]["description"]
