"""The proof that a plan of faults preserves the oracle finds faults that do not."""

from __future__ import annotations

import re

import pytest

from worldgen.proofs import perturbed
from worldgen.proofs.perturbed import check_perturbed
from worldgen.tools import Perturbation, PerturbationPlan, read_plan
from worldgen.tools.perturbation import FAULTS, Fault, parse_plan, shipped_plans
from worldgen.tools.perturbation.refusal import Refusal
from worldgen.tools.perturbation.wrappers import InParts, _Wrapper
from worldgen.world import World


@pytest.fixture(scope="module")
def world(tiny_world):
    with World.load(tiny_world) as opened:
        yield opened


def failing(world, plan: PerturbationPlan) -> dict[str, str]:
    """Which proofs fail, and why."""
    return {r.name.rpartition(".")[2]: r.detail for r in check_perturbed(world, plan).results if not r.passed}


class Changing(_Wrapper):
    """A tool whose replies are changed by a function."""

    def __init__(self, tool, note, change) -> None:
        super().__init__(tool, note)
        self._change = change

    def call(self, arguments):
        self._note()
        return self._change(self._tool.call(arguments))


def fault(tool_name: str, change, kind: str = "false_fault") -> PerturbationPlan:
    """A plan with a fault that no plan may have."""

    class False_(Fault):
        def over_tool(self, tool, draw, note):
            return Changing(tool, note, change) if tool.name == tool_name else tool

    False_.kind = kind
    return PerturbationPlan("false", "", (False_(),))


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setitem(FAULTS._items, "false_fault", Fault)


@pytest.mark.parametrize("name", sorted(shipped_plans()))
def test_shipped_plans_preserve_the_oracle(world, name):
    assert failing(world, read_plan(name)) == {}


@pytest.mark.parametrize("name", ["rough", "misleading"])
def test_shipped_plans_preserve_the_oracle_in_two_languages(tiny_world_in_two_languages, name):
    with World.load(tiny_world_in_two_languages) as opened:
        assert failing(opened, read_plan(name)) == {}


def test_a_calm_plan_and_a_world_say_what_was_met(world):
    report = check_perturbed(world, parse_plan("name: late\nfaults: [{kind: timeout, rate: 0.3}]"))
    assert [r.name for r in report.results] == [
        f"perturbed.late.{what}" for what in ("oracle", "fair-play", "content", "labels", "faults")
    ]
    assert re.fullmatch(r"met: timeout \d+", report.results[-1].detail)
    assert all(r.checked for r in report.results)


def test_a_changed_value_is_found_in_a_page(world):
    found = failing(world, fault("web_extractor", lambda text: re.sub(r"\d", "7", text)))
    assert "reads otherwise" in found["content"]
    assert "oracle" in found


def test_one_letter_more_is_found(world):
    assert "reads otherwise" in failing(world, fault("web_extractor", lambda text: f"{text}."))["content"]


def test_a_lost_part_is_found(world):
    class Losing(InParts):
        def call(self, arguments):
            text = super().call(arguments)
            return text.replace("[Part 1 of 3. Call again with part=2", "[Part 2 of 3. Call again with part=3")

    class Lossy(Fault):
        def over_tool(self, tool, draw, note):
            return Losing(tool, 100, note) if tool.name == "web_extractor" else tool

    Lossy.kind = "false_fault"
    assert "reads otherwise" in failing(world, PerturbationPlan("false", "", (Lossy(),)))["content"]


def test_a_lost_result_is_found(world):
    found = failing(world, fault("web_search", lambda text: re.sub(r"\n\n\[3\] \S+\n(?:.+\n?)*", "\n", text)))
    assert "is lost from the results" in found["content"]


def test_an_invented_snippet_or_a_result_from_elsewhere_is_found(world):
    found = failing(world, fault("web_search", lambda text: text.replace("Snippet: ", "Snippet: Oh, ")))
    assert "shown otherwise" in found["content"]
    elsewhere = next(iter(world.pages))
    found = failing(world, fault("web_search", lambda text: re.sub(r"\[1\] \S+", f"[1] {elsewhere}", text)))
    assert re.search("is no result of|is shown otherwise|is lost", found["content"])


def test_a_lost_result_is_found_in_batches_alone(world):
    def lose(text: str) -> str:
        return re.sub(r"\n\n\[3\] \S+\n(?:.+\n?)*", "\n", text) if "Results for" in text else text

    assert "is lost from the results" in failing(world, fault("web_search", lose))["content"]


def test_a_query_that_is_never_answered_is_found(world):
    names: list[str] = []

    def silent(text: str) -> str:
        names.extend(re.findall(r"^Results for: (.*)$", text, re.MULTILINE)[:1])
        return f'{text}\n\nError: no answer to "{names[-1]}". Try again.' if names else text

    assert "is not answered in a batch" in failing(world, fault("web_search", silent))["content"]


def test_a_label_that_shows_is_found(world, registered):
    found = failing(world, fault("web_search", lambda text: f"{text}\n\nfalse_fault"))
    assert "shows false_fault" in found["labels"]


def test_a_word_of_the_world_is_no_label(world, monkeypatch):
    for word in ("ferry", "landing", "line"):
        monkeypatch.setitem(FAULTS._items, word, Fault)
    assert "labels" not in failing(world, parse_plan("faults: [{kind: small_pages, results: 4}]"))


def test_a_plan_that_no_call_meets_is_told(world):
    for text in (
        "faults: [{kind: timeout, rate: 1, tools: [nothing]}]",
        "faults: [{kind: rename_tool, tool: nothing, to: something}]",
        "faults: [{kind: missing_field, field: nothing}, {kind: timeout, rate: 0.5}]",
    ):
        assert "no call met" in failing(world, parse_plan(text))["faults"]


def test_calls_that_never_pass_lose_the_oracle_without_a_crash(world):
    class Never(Fault):
        def refuse(self, tool, dice):
            return Refusal(503, "Error: 503 Service Unavailable. Try again.")

        @property
        def in_a_row(self):
            return 10**9

    Never.kind = "server_error"
    found = failing(world, PerturbationPlan("false", "", (Never(),)))
    assert {"oracle", "content"} <= set(found)


def test_a_tool_that_is_gone_loses_the_oracle_without_a_crash(world):
    class Gone(_Wrapper):
        def spec(self):
            return {"type": "function", "function": {"name": self.name, "parameters": {"properties": {}}}}

    class Hidden(Fault):
        def over_tool(self, tool, draw, note):
            return Gone(tool, note) if tool.name == "web_search" else tool

    assert "cannot be solved" in failing(world, PerturbationPlan("false", "", (Hidden(),)))["oracle"]


def test_the_most_that_a_plan_may_refuse_is_borne(world):
    plan = "faults: [{kind: rate_limit, rate: 1, in_a_row: 5}, {kind: timeout, rate: 1, in_a_row: 5}]"
    assert failing(world, parse_plan(plan)) == {}
    tools = world.toolbox(perturbation=Perturbation(parse_plan(plan), 0))
    statuses = [tools.observe("web_search", {"query": "a"}).status for _ in range(11)]
    assert statuses == [429] * 5 + [504] * 5 + [200]


def test_the_limits_of_the_proof_are_reached_in_the_tiny_world(world):
    assert perturbed._BATCHED * len(world.tasks) * 1.0 >= perturbed._OFTEN
