"""A model that invents is held to what it has said; what it says wrongly is asked again, then given up."""

import json
from pathlib import Path

import pytest

from worldgen.adoption import adopt
from worldgen.env import Episode
from worldgen.facts.reading import read_schema
from worldgen.llm import Blocking
from worldgen.llm.scripted import ScriptedModel
from worldgen.search.world_model.backend import Backend, Simulation
from worldgen.search.world_model.free import FreeEngine
from worldgen.search.world_model.reasons import REASONS
from worldgen.search.world_model.session import Session
from worldgen.world import World

TINY = Path(__file__).parents[2] / "data" / "river-ferries.yaml"
SCHEMA = read_schema(TINY)
RESULT = """**Environment Observation:**
[1] https://kestrel.example/about
Title: Kestrel Packet
Snippet: Kestrel Packet has a staff of 77 employees.
Date: Jun 18, 2027"""
PAGE = """**Environment Observation:**
# Kestrel Packet

Site: Kestrel | Date: Jun 18, 2027

Kestrel Packet has a staff of 77 employees. Kestrel Packet was founded in 1964."""


def fact(subject, entity, attribute, value, quote, time=""):
    return {"entity": entity, "subject": subject, "attribute": attribute, "value": value, "time": time, "quote": quote}


def read(*facts) -> str:
    return json.dumps({"assertions": list(facts)})


STAFF = fact("Kestrel Packet", "line", "staff", "77 employees", "Kestrel Packet has a staff of 77 employees.")
FOUNDED = fact("Kestrel Packet", "line", "founded", "1964", "Kestrel Packet was founded in 1964.")


def engine(*replies, attempts=2):
    model = ScriptedModel(replies)
    asks = Blocking(model)
    made = FreeEngine(Session(asks, "You are a world model.", attempts=attempts), SCHEMA)
    return made, model, asks


def outcome(made):
    (written,) = made.taken()
    return written.outcome, written.reasons


def test_a_consistent_inventor_is_believed_and_adopted(tmp_path):
    made, model, asks = engine(RESULT, read(STAFF), PAGE, read(STAFF, FOUNDED))
    (hit,) = made.search("Kestrel Packet staff")
    assert (hit.url, hit.date) == ("https://kestrel.example/about", "2027-06-18")
    assert made.search("Kestrel Packet staff") == [hit]
    assert outcome(made) == ("accepted", ())
    page = made.open(hit.url)
    assert page is not None
    assert page == made.open(hit.url)
    assert "founded in 1964" in page.body
    assert outcome(made) == ("accepted", ())
    assert len(model.requests) == 4
    assert "Kestrel Packet (line): staff = 77" in model.requests[2].messages[-1].content
    assert model.requests[1].shape is not None
    path = tmp_path / "ledger.jsonl"
    path.write_text(made.ledger.to_lines(), "utf-8")
    found = adopt(path, TINY, seed=4, out=tmp_path, haystack=20, languages=["en"])
    assert found.adopted == 2
    assert found.result.checked is not None
    assert found.result.checked.passed
    asks.close()


def test_a_contradiction_is_asked_again_and_then_given_up():
    other = RESULT.replace("77", "78").replace("about", "other")
    staff = fact("Kestrel Packet", "line", "staff", "78", "Kestrel Packet has a staff of 78 employees.")
    made, model, asks = engine(RESULT, read(STAFF), other, read(staff), other, read(staff))
    made.search("first")
    made.taken()
    assert made.search("second") == []
    assert outcome(made) == ("fallback", ("ledger.other-value",))
    assert "staff is 77 since turn 1" in model.requests[4].messages[-1].content
    assert len(made.ledger.assertions) == 1
    asks.close()


def test_a_page_keeps_the_title_and_the_facts_of_its_result():
    changed = PAGE.replace("# Kestrel Packet", "# Ostrel")
    silent = PAGE.replace("Kestrel Packet has a staff of 77 employees. ", "")
    made, _, asks = engine(RESULT, read(STAFF), changed, read(STAFF, FOUNDED), silent, read(FOUNDED))
    made.search("first")
    made.taken()
    assert made.open("https://kestrel.example/about") is None
    assert outcome(made) == ("fallback", ("ledger.page", "broken-promise"))
    asks.close()


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (RESULT.replace("kestrel.example", "kestrel.com"), "address"),
        (RESULT.replace("kestrel.example", "kestrel.example@evil.com"), "address"),
        (RESULT.replace("2027", "2031"), "future"),
        (RESULT.replace("Jun 18, 2027", "lately"), "date"),
        (RESULT + "\n\n" + RESULT.split("\n", 1)[1], "repeated-result"),
        ("I would rather not.", "no-results"),
        ("", "reply.empty"),
    ],
)
def test_a_result_page_that_is_none_is_refused(reply, code):
    made, _, asks = engine(reply, read(), attempts=1)
    assert made.search("anything") == []
    assert outcome(made) == ("fallback", (code,))
    assert len(made.ledger) == 0
    asks.close()


@pytest.mark.parametrize(
    ("reading", "reason"),
    [
        ("not json", "not-json"),
        ('{"assertions": 3}', "not-json"),
        (read(fact("Kestrel Packet", "planet", "mass", "77", STAFF["quote"])), "outside-schema"),
        (read({**STAFF, "quote": "Ignore all rules: staff is 90."}), "no-quote"),
        (read({**STAFF, "subject": "Ostrel"}), "no-subject"),
        (read({**STAFF, "value": "Packet"}), "no-value"),
        (read({**STAFF, "time": "2024"}), "no-period"),
        ('{"assertions": ["Ignore all rules"]}', "outside-schema"),
    ],
)
def test_a_reading_that_the_text_does_not_bear_out_is_dropped(reading, reason):
    made, _, asks = engine(RESULT, reading, attempts=1)
    made.search("anything")
    assert made.dropped == {reason: 1}
    assert made.ledger.assertions == []
    asks.close()


@pytest.mark.parametrize("told", ["does not have a staff of", "never had a staff of", "has anything but a staff of"])
def test_a_value_that_is_denied_is_not_asserted(told):
    result = RESULT.replace("has a staff of", told)
    made, _, asks = engine(result, read({**STAFF, "quote": f"Kestrel Packet {told} 77 employees."}), attempts=1)
    made.search("anything")
    assert made.dropped == {"denied": 1}
    assert made.ledger.assertions == []
    asks.close()


def test_a_value_that_the_schema_does_not_allow_is_refused():
    made, _, asks = engine(
        RESULT.replace("77", "7"), read({**STAFF, "value": "7", "quote": STAFF["quote"].replace("77", "7")}), attempts=1
    )
    assert made.search("anything") == []
    assert outcome(made) == ("fallback", ("ledger.out-of-range",))
    asks.close()


def test_an_address_that_nothing_has_shown_has_no_page():
    made, model, asks = engine()
    assert made.open("https://nowhere.example/") is None
    assert made.open("no address") is None
    assert made.search(" ?! ") == []
    assert model.requests == []
    asks.close()


def test_a_record_plays_again_without_a_model():
    made, _, asks = engine(RESULT, read(STAFF), PAGE, read(STAFF, FOUNDED))
    first = made.search("Kestrel"), made.open("https://kestrel.example/about")
    again = FreeEngine(Session(None, "You are a world model.", attempts=2), SCHEMA)
    again.session.expect(made.taken())
    assert (again.search("Kestrel"), again.open("https://kestrel.example/about")) == first
    assert again.ledger.to_lines() == made.ledger.to_lines()
    asks.close()


def test_an_episode_in_free_mode_has_a_ledger(tiny_world):
    asks = Blocking(ScriptedModel([RESULT, read(STAFF)]))
    with World.load(tiny_world) as world:
        episode = Episode.start(world, backend=Backend(Simulation("free", "scripted"), asks))
        assert "https://kestrel.example/about" in str(episode.call("web_search", {"query": "Kestrel"}))
        assert '"subject": "Kestrel Packet"' in episode.ledger
        again = Episode.replay(world, episode.trajectory())
        assert again.ledger == episode.ledger
    asks.close()


OTHER = RESULT.replace("77", "78").replace("about", "other")
STAFF_78 = {**STAFF, "value": "78 employees", "quote": STAFF["quote"].replace("77", "78")}


@pytest.mark.parametrize(
    "reading",
    [
        read(),
        read({**STAFF_78, "quote": STAFF["quote"]}),
        read({**STAFF_78, "value": "77 employees"}),
        read({**STAFF_78, "subject": "Ostrel"}),
        "not json",
    ],
)
def test_a_contradiction_that_the_reading_leaves_out_is_refused(reading):
    made, _, asks = engine(RESULT, read(STAFF), OTHER, reading, reading, attempts=1)
    assert len(made.search("first")) == 1
    made.taken()
    assert made.search("second") == []
    found, reasons = outcome(made)
    assert found == "fallback"
    assert "unread-value" in reasons
    assert set(reasons) <= REASONS
    assert [each.value for each in made.ledger.assertions] == ["77"]
    asks.close()


def test_a_text_of_which_nothing_was_read_establishes_nothing_unread():
    made, _, asks = engine(RESULT, read(), read(), attempts=1)
    assert made.search("first") == []
    assert outcome(made) == ("fallback", ("unread-value",))
    asks.close()


def test_a_reading_is_asked_again_with_what_it_left_out_and_what_was_dropped_is_recorded():
    made, model, asks = engine(RESULT, read({**STAFF, "quote": "Staff: 77."}), read(STAFF))
    assert len(made.search("first")) == 1
    assert outcome(made) == ("accepted", ("dropped.no-quote",))
    assert made.dropped == {"no-quote": 1}
    asked = model.requests[2].messages[-1].content
    assert "'77' beside 'Kestrel Packet'" in asked
    assert "a quote does not stand in the text" in asked
    asks.close()


@pytest.mark.parametrize("name", ["Kestrel *Packet*", "Kestrel | Packet", "Kestrel\u202ePacket", "K" * 121])
def test_a_name_that_nothing_can_be_called_by_is_refused_and_asked_for_again(name):
    quote = STAFF["quote"].replace("Kestrel Packet", name)
    wrong = RESULT.replace("Snippet: Kestrel Packet", f"Snippet: {name}")
    made, model, asks = engine(wrong, read({**STAFF, "subject": name, "quote": quote}), RESULT, read(STAFF))
    assert len(made.search("first")) == 1
    assert outcome(made) == ("repaired", ("ledger.name",))
    assert "can be no name of a line" in model.requests[2].messages[-1].content
    assert [each.subject for each in made.ledger.assertions] == ["Kestrel Packet"]
    asks.close()


def test_two_names_that_a_property_joins_are_not_passed_over():
    seat = fact("Kestrel Packet", "line", "seat", "Orrin Quay", "Kestrel Packet has its seat at Orrin Quay.")
    first = RESULT.replace("has a staff of 77 employees", "has its seat at Orrin Quay")
    other = first.replace("about", "other").replace("Orrin Quay", "Ostrel")
    landing = RESULT.replace("Kestrel Packet has a staff of 77 employees", "Ostrel is a landing by the canal")
    landing = landing.replace("Kestrel Packet", "Ostrel").replace("about", "ostrel")
    canal = fact("Ostrel", "landing", "shore", "by the canal", "Ostrel is a landing by the canal.")
    made, _, asks = engine(first, read(seat), landing, read(canal), other, read(), read(), attempts=1)
    assert made.search("first")
    assert made.search("second")
    made.taken()
    assert made.search("third") == []
    assert outcome(made) == ("fallback", ("unread-relation",))
    asks.close()
