"""The test set made of a world is its own answers, in the benchmark's format, with expectations that these meet."""

from __future__ import annotations

import pytest

from worldgen import World
from worldgen.errors import CallerError
from worldgen.eval.fidelity.benchmark import call_of, digest_of, read_benchmark
from worldgen.eval.fidelity.expected import EXPECTATIONS, read_expected, verdicts
from worldgen.eval.fidelity.testset import make_testset
from worldgen.scoring.lwm_reward import find_praise
from worldgen.scoring.observation_format import format_problem
from worldgen.scoring.verifiers import AXES, VERIFIERS
from worldgen.search.world_model.instructions import shipped_instruction
from worldgen.seeds import stream
from worldgen.tools.perturbation.faults import make_fault


@pytest.fixture(scope="module", params=["en", "en and zh"])
def made(request, tiny_world, tiny_world_in_two_languages):
    with World.load(tiny_world if request.param == "en" else tiny_world_in_two_languages) as world:
        yield world, make_testset(world)


def test_what_the_world_says_meets_every_expectation(made):
    _, found = made
    expected = {each.key: each for each in found.expected}
    assert list(expected) == [sample.key for sample in found.samples]
    told = [(sample, verdict) for sample in found.samples for verdict in verdicts(sample, expected, sample.reference)]
    assert [(sample.key, verdict) for sample, verdict in told if not verdict.passed] == []
    assert {verdict.axis for _, verdict in told} == set(AXES)
    assert {verdict.verifier for _, verdict in told} == set(VERIFIERS) - {"undated-after"}
    for sample in found.samples:
        assert format_problem(sample.reference, sample.reference) == ""
        assert find_praise(sample.reference) == ()


def test_the_fault_under_an_instruction_is_one_that_the_worlds_tools_have(made):
    _, found = made
    timeout = make_fault({"kind": "timeout", "rate": 1.0}).refuse("web_search", stream(0, "timeout"))
    assert timeout is not None
    failing = [s.reference for s in found.samples if shipped_instruction("inject-fault").said() in s.current]
    assert set(failing) == {timeout.text}


def test_an_empty_or_a_wrong_world_model_meets_few_of_them(made):
    _, found = made
    expected = {each.key: each for each in found.expected}
    for wrong in ("Success.", "# A page\n\nWords."):
        passed = [v.passed for sample in found.samples for v in verdicts(sample, expected, wrong)]
        assert sum(passed.count(value) for value in (True, None)) < 0.1 * len(passed)


def test_it_is_written_and_read_back_in_the_benchmarks_format(made, tmp_path):
    world, found = made
    found.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["mcp_test.jsonl", "search_test.jsonl", EXPECTATIONS]
    )
    read = read_benchmark(tmp_path)
    assert digest_of(read) == digest_of(found.samples) == digest_of(make_testset(world).samples)
    assert read_expected(tmp_path) == {each.key: each for each in found.expected}
    assert digest_of(make_testset(world, seed=1).samples) != digest_of(read)


def test_every_turn_is_a_call_that_can_be_read_and_the_canary_is_in_none(made):
    world, found = made
    for sample in found.samples:
        assert call_of(sample.current).name
        assert 1 <= sample.turn <= sample.total == len(sample.prompts) == len(sample.responses)
        assert world.manifest.canary not in f"{sample.system}{sample.prompts}{sample.responses}"


def test_long_walks_ask_again_what_was_asked_many_turns_before(made):
    _, found = made
    expected = {each.key: each for each in found.expected}
    again = [s for s in found.samples if any(e.verifier == "repeats" for e in expected[s.key].expectations)]
    apart = []
    for sample in again:
        calls = [call_of(done) for done, _ in sample.history]
        apart.append(sample.turn - 1 - calls.index(call_of(sample.current)))
    assert max(apart) >= 10
    assert all(expected[sample.key].determined for sample in again)


@pytest.mark.parametrize("walks", [0, 1.5, True, 10_000])
def test_a_number_of_walks_that_is_none_is_refused(tiny_world, walks):
    with World.load(tiny_world) as world, pytest.raises(CallerError, match="walks"):
        make_testset(world, walks=walks)


@pytest.mark.parametrize(
    "line",
    [
        '{"key": "a", "determined": 1, "expectations": []}',
        '{"key": "a", "determined": true}',
        '{"key": "a", "determined": true, "expectations": [{"verifier": "refusses"}]}',
        '{"key": "ok", "determined": true, "expectations": []}',
    ],
)
def test_a_wrong_line_of_expectations_is_named(tmp_path, line):
    path = tmp_path / EXPECTATIONS
    path.write_text('{"key": "ok", "determined": true, "expectations": []}\n' + line + "\n")
    with pytest.raises(CallerError) as refused:
        read_expected(tmp_path)
    assert (refused.value.path, refused.value.line) == (str(path), 2)
