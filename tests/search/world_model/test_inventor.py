"""The player that invents holds to every schema and to the ledger; the one that forgets is caught."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.facts.reading import read_schema
from worldgen.llm import Blocking
from worldgen.llm.scripted import ScriptedModel
from worldgen.search.world_model.free import FreeEngine
from worldgen.search.world_model.imagined import THINGS, imagine
from worldgen.search.world_model.inventions import describe_inventions
from worldgen.search.world_model.ledger import Assertion
from worldgen.search.world_model.players import PLAYERS
from worldgen.search.world_model.prompt import describe_world, system_prompt
from worldgen.search.world_model.session import Session
from worldgen.search.world_model.slots import checked, slots

TINY = str(Path(__file__).parents[2] / "data" / "river-ferries.yaml")
SCHEMAS = [TINY, "smartphone-market", "county-football", "municipal-election", "software-company"]
LANGUAGES = [["en"], ["zh"]]


def described(schema, languages):
    state = describe_world(schema, languages, setting={})
    return f"{state}\n\n{describe_inventions(schema, languages[0])}"


class Play:
    """An engine that a player plays."""

    def __init__(self, player, schema, languages=("en",), seed=0):
        self.schema = read_schema(schema)

        def say(request):
            messages = [{"role": each.role, "content": each.content} for each in request.messages]
            return PLAYERS[player]({"messages": messages, "seed": seed})

        self.asks = Blocking(ScriptedModel(say))
        system = system_prompt("free", state=described(self.schema, list(languages))).text()
        self.engine = FreeEngine(Session(self.asks, system), self.schema)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.asks.close()

    def walk(self):
        """Search for each kind of thing and open what is found; how each answer came about."""
        for kind in self.schema.entities:
            for hit in self.engine.search(kind.replace("_", " ")):
                self.engine.open(hit.url)
        return [(written.outcome, written.reasons) for written in self.engine.taken()]


@pytest.mark.parametrize("languages", LANGUAGES, ids=str)
@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda path: Path(path).stem)
def test_what_is_invented_stands_whatever_the_schema(schema, languages):
    with Play("invents", schema, languages) as play:
        assert set(play.walk()) == {("accepted", ())}
        ledger = play.engine.ledger
        assert len(ledger.assertions) > 20
        assert not ledger.contradictions()
        assert not play.engine.dropped


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(SCHEMAS), st.sampled_from(LANGUAGES), st.integers(0, 2**40), st.integers(0, 3))
def test_every_value_that_is_imagined_is_one_that_the_schema_allows(path, languages, seed, draw):
    schema = read_schema(path)
    web = imagine(described(schema, languages), seed)
    found = slots(schema)
    told = [
        (found[thing.kind, name], value)
        for thing in web.things
        for name in web.kinds[thing.kind]
        if (value := web.value(thing, name, draw)) is not None
    ]
    assert len(told) > 20
    assert [(slot.attribute, value) for slot, value in told if not isinstance(checked(slot, value), str)] == []
    assert len({thing.name for thing in web.things}) == len(web.things)


def test_what_is_told_as_computed_or_bound_to_something_else_is_left_unsaid():
    schema = read_schema(TINY)
    told = describe_inventions(schema)
    for line in ("fleet: computed", "launched: date; 1996-03-01 to 2024-06-30; after line.founded",
                 "parent: another line, never in a circle", "riders: integer; by period, 2023 to 2027"):  # fmt: skip
        assert f"  - {line}" in told
    web = imagine(described(schema, ["en"]), 0)
    assert [thing.kind for thing in web.things].count("line") == THINGS
    line = next(thing for thing in web.things if thing.kind == "line")
    ferry = next(thing for thing in web.things if thing.kind == "ferry")
    assert {web.value(line, name) for name in ("fleet", "parent", "riders")} == {None}
    assert web.value(ferry, "launched") is None
    assert web.value(line, "staff") is not None


def test_the_seed_of_an_episode_gives_another_web():
    with Play("invents", TINY, seed=1) as one, Play("invents", TINY, seed=2) as other:
        assert one.engine.search("ferries") != other.engine.search("ferries")


def test_what_the_ledger_holds_stands_above_what_would_be_invented():
    with Play("invents", TINY) as play:
        (hit, *_) = play.engine.search("lines founded")
        (said,) = [each for each in play.engine.ledger.assertions if each.url == hit.url]
    with Play("invents", TINY) as play:
        ledger = play.engine.ledger
        other = {"founded": "1931", "staff": "444", "seat": "Orrin Quay", "licence": "9998"}
        for attribute, value in other.items():
            ledger.add(Assertion(said.subject, "line", attribute, value, turn=1))
        ledger.add(Assertion("Kestrel Packet", "line", "staff", "77", turn=1))
        play.engine.search(f"{said.subject} founded")
        page = play.engine.open(hit.url)
        assert page is not None
        assert f"Founded of {said.subject}, a line: 1931." in page.body
        assert f"Licence of {said.subject}, a line: 9,998." in page.body
        (stranger, *_) = play.engine.search("Kestrel Packet staff")
        assert stranger.title == "Kestrel Packet"
        assert stranger.snippet == "Staff of Kestrel Packet, a line: 77 employees."
        assert {written.outcome for written in play.engine.taken()} == {"accepted"}
        assert not ledger.contradictions()


def test_a_player_that_forgets_is_caught_by_the_ledger():
    with Play("forgets", TINY) as play:
        (hit, *_) = play.engine.search("lines founded")
        assert play.engine.open(hit.url) is None
        assert [(written.outcome, written.reasons) for written in play.engine.taken()] == [
            ("accepted", ()),
            ("fallback", ("ledger.other-value",)),
        ]
        assert not play.engine.ledger.contradictions()


@pytest.mark.parametrize("content", ["hello", "### Turn 1\n**Action:**\n```json\n{}\n```"])
def test_a_request_that_is_none_of_free_mode_is_answered_all_the_same(content):
    said = PLAYERS["invents"]({"messages": [{"role": "user", "content": content}]})
    assert said.startswith("**Environment Observation:**\nError:")
