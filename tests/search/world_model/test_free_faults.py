"""In free mode a fault that an instruction asks for reaches the agent, leaves nothing behind, and passes."""

import json
from pathlib import Path

import pytest

from worldgen import World
from worldgen.eval.fidelity.systems import mcp_system, search_system
from worldgen.facts.reading import read_schema
from worldgen.llm import Blocking, ScriptedModel
from worldgen.search.world_model.backend import Simulation
from worldgen.search.world_model.free import FreeEngine
from worldgen.search.world_model.instructions import shipped_instruction
from worldgen.search.world_model.prompt import describe_world
from worldgen.search.world_model.session import Session
from worldgen.tools import Toolbox
from worldgen.train.lwm import record, sample_of

SCHEMA = read_schema(Path(__file__).parents[2] / "data" / "river-ferries.yaml")
SAID = "Kestrel Packet has a staff of 77 employees."
RESULT = f"""**Environment Observation:**
[1] https://kestrel.example/about
Title: Kestrel Packet
Snippet: {SAID}
Date: Jun 18, 2027"""
STAFF = {"entity": "line", "subject": "Kestrel Packet", "attribute": "staff", "value": "77 employees", "time": ""}
READ = json.dumps({"assertions": [{**STAFF, "quote": SAID}]})
FAULT = "**Environment Observation:**\nError: the service timed out. Try again."
NOTHING = '**Environment Observation:**\nNo results found for "Kestrel". Try other or fewer words.'
QUERY = {"query": "Kestrel Packet staff"}


def tools(name, *replies, turns=(1,)):
    """The tools over a model that keeps to a script, and that is told an instruction with the turns given."""
    told = shipped_instruction(name).model_copy(
        update={"level": "turn", "turns": turns, "share": None, "every": None, "actions": ("web_search",)}
    )
    asks = Blocking(ScriptedModel(replies))
    engine = FreeEngine(Session(asks, "You are a world model.", attempts=1, instructions=[told]), SCHEMA)
    return Toolbox(engine), engine, asks


@pytest.mark.parametrize("name", ["inject-fault", "rate-limit", "server-error"])
def test_a_fault_that_is_asked_for_passes(name):
    box, engine, asks = tools(name, FAULT, RESULT, READ)
    with asks:
        first = box.observe("web_search", QUERY)
        again = box.observe("web_search", QUERY)
    assert (first.text.startswith("Error: the service timed out"), first.written[0].outcome) == (True, "accepted")
    assert first.status == 503
    assert SAID in again.text
    assert not list(engine.ledger.contradictions())


def test_nothing_found_passes_where_it_is_asked_for():
    box, _, asks = tools("empty-result", NOTHING, RESULT, READ)
    with asks:
        first = box.observe("web_search", QUERY)
        again = box.observe("web_search", QUERY)
    assert first.text.startswith("No results found")
    assert first.written[0].outcome == "accepted"
    assert "Kestrel Packet" in again.text


def test_a_fault_that_nobody_asked_for_is_no_answer():
    box, _, asks = tools("inject-fault", FAULT, turns=(7,))
    with asks:
        seen = box.observe("web_search", QUERY)
    assert seen.written[0].outcome == "fallback"
    assert seen.text.startswith("No results found")


def test_the_episode_s_seed_decides_which_turns_an_instruction_concerns(tiny_world):
    fault = shipped_instruction("inject-fault")
    with World.load(tiny_world) as world:
        simulation = Simulation("free", "m", instructions=("inject-fault",))
        sessions = [world.simulator(simulation, None, seed=seed).session for seed in (0, 1)]
    met = []
    for seed, session in enumerate(sessions):
        met.append([turn for turn in range(1, 60) if fault.concerns(turn, "web_search", seed)])
        assert session._seed == seed
    assert met[0] != met[1]


def test_a_world_is_described_alike_in_serving_measuring_and_training(tiny_world):
    with World.load(tiny_world) as world:
        state = describe_world(world.schema, world.manifest.languages, setting=world.manifest.setting)
        served = world.simulator(Simulation(model="m"), None).session._system
        measured = [search_system(world, [], ()), mcp_system(world, world.toolbox("api").specs())]
        trained = sample_of(world, record(world, 0)).system
    assert world.manifest.setting["en"] in state
    assert [state in text for text in (served, *measured, trained)] == [True] * 4
