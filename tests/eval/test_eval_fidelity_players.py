"""The players for measuring: one answers from what it was shown, the other judges by shared words."""

import json

import pytest

from worldgen.eval.fidelity.benchmark import Sample
from worldgen.eval.fidelity.comparer import compares
from worldgen.eval.fidelity.judging import judge_messages
from worldgen.eval.fidelity.testset import make_testset
from worldgen.scoring.rubric import read_judgement
from worldgen.search.world_model.rememberer import remembers
from worldgen.search.world_model.turns import action_text, observation_text, read_observation
from worldgen.world import World


def judged(reference, prediction, history="seen before"):
    sample = Sample("search", "e", 2, 2, "s", ("do", "do"), (history, reference), "do")
    messages = [{"role": each.role, "content": each.content} for each in judge_messages(sample, prediction)]
    return read_judgement(compares({"messages": messages}))


@pytest.mark.parametrize(
    ("reference", "prediction", "scores"),
    [
        ("No results found.", "No results found.", (5, 5, 5, 5, 5)),
        ("# Canuth Kidhan\n\nIt has 90 seats.", "# Canuth Kidhan", (5, 5, 5, 5, 2)),
        ("# Canuth Kidhan\n\nIt has 90 seats.", "Error: gone", (1, 1, 1, 1, 1)),
        ("[1] https://a.example/", "[1] https://b.example/", (5, 4, 4, 5, 4)),
        ('{"a": 1}', "seen before", (1, 1, 5, 1, 1)),
    ],
)
def test_the_judge_gives_a_readable_verdict_by_shared_words(reference, prediction, scores):
    verdict = judged(reference, prediction)
    assert verdict.problem == ""
    assert tuple(verdict.scores.to_dict().values()) == scores


def test_a_request_that_is_no_judgement_brings_no_verdict():
    said = compares({"messages": [{"role": "user", "content": "hello"}]})
    assert read_judgement(said).scores is None


@pytest.fixture(scope="module")
def samples(tiny_world):
    with World.load(tiny_world) as world:
        return make_testset(world, walks=1)


def answered(sample):
    turns = [part for done, seen in sample.history for part in (("user", done), ("assistant", seen))]
    messages = [("system", sample.system), *turns, ("user", sample.current)]
    return remembers({"messages": [{"role": role, "content": content} for role, content in messages]})


def test_it_brings_exactly_what_was_determined_by_the_turns_before(samples):
    determined = {each.key for each in samples.expected if each.determined}
    found = {sample.key: answered(sample) for sample in samples.samples if sample.key in determined}
    wanted = {sample.key: sample.reference for sample in samples.samples if sample.key in determined}
    assert len(found) > 5
    assert {key: read_observation(said) for key, said in found.items()} == {
        key: read_observation(said) for key, said in wanted.items()
    }


def test_it_lists_and_opens_the_pages_of_the_state_and_no_others(samples):
    first = samples.samples[0]
    said = answered(first)
    url = said.split("[1] ")[1].split("\n")[0]
    assert url in first.system
    for address, starts in ((url, "# "), ("https://nowhere.example/", "Error: https://nowhere.example/ could")):
        content = action_text(2, "web_extractor", {"url": address})
        messages = [{"role": "system", "content": first.system}, {"role": "user", "content": content}]
        assert read_observation(remembers({"messages": messages})).startswith(starts)


def test_what_is_removed_from_the_notebook_is_gone():
    calls = [
        {"operation": "add", "dict": {"a": "1", "b": "2"}},
        {"operation": "remove", "key_list": ["a"]},
        {"operation": "update", "dict": {"b": "3"}},
    ]

    def ask(**last):
        turns = []
        for number, arguments in enumerate([*calls, last], 1):
            turns.append({"role": "user", "content": action_text(number, "dict_memory", arguments)})
            turns.append({"role": "assistant", "content": observation_text("…")})
        return read_observation(remembers({"messages": turns[:-1]}))

    assert json.loads(ask(operation="retrieve_all")) == {"b": "3"}
    assert ask(operation="retrieve", key_list=["a"]) == "Key not found: a"
    assert json.loads(ask(operation="retrieve", key_list=["b"])) == {"b": "3"}


@pytest.mark.parametrize(
    "content", ["hello", action_text(1, "phone_get", {"id": "phone/1"}), "**Action:**\n```json\n[]\n```"]
)
def test_what_it_cannot_know_is_an_error(content):
    said = remembers({"messages": [{"role": "user", "content": content}]})
    assert read_observation(said).startswith("Error:")
