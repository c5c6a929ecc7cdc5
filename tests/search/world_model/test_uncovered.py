"""What a reading has passed over is found by plain code: values beside a name that no assertion gives."""

from pathlib import Path

import pytest

from worldgen.facts.reading import read_schema
from worldgen.search.world_model.ledger import Assertion, Ledger
from worldgen.search.world_model.uncovered import uncovered, unjoined

SCHEMA = read_schema(Path(__file__).parents[2] / "data" / "river-ferries.yaml")
NAMES = {"line": {"kestrelpacket": "Kestrel Packet"}, "landing": {"ostrel": "Ostrel"}}
HELD = [
    Assertion("Kestrel Packet", "line", "staff", "77"),
    Assertion("Kestrel Packet", "line", "founded", "1964"),
    Assertion("Ostrel", "landing", "shore", "lake"),
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Kestrel Packet has 77 employees.", []),
        ("Kestrel Packet, founded in 1964, has seventy-seven employees.", []),
        ("Ostrel is a landing on the lake.", []),
        ("Kestrel Packet has 78 employees.", ["78"]),
        ("KESTREL PACKET has seventy-eight employees.", ["seventy-eight"]),
        ("Kestrel Packet has 77 employees. It had 78 before.", ["78"]),
        ("# Kestrel Packet\n\n- Staff: 78", ["78"]),
        ("# Kestrel Packet\n\n| Staff | Founded |\n|---|---|\n| 78 | 1964 |", ["78"]),
        ("Ostrel has a staff of 77.", ["77"]),
        ("Ostrel lies on the river.", ["on the river"]),
        ("克斯特雷尔。Kestrel Packet有78名员工。", ["78"]),
        ("The harbour feast drew 2,000 guests.", []),
        ("Kestrel Packet is one of the lines; see https://kestrel.example/78.", []),
    ],
)
def test_values_beside_a_name_are_covered_or_told(text, found):
    told = [words for _, words in uncovered(text, Ledger(SCHEMA).slots, NAMES, HELD)]
    assert told == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("At present Mossel Packet has a staff of 90.", [("Mossel Packet", "90")]),
        ("Mossel Packet has 90 employees.", [("Mossel Packet", "90")]),
        ("The small Mossel was opened as a landing: year opened 1931.", [("Mossel", "1931")]),
        ("Mossel has 90 employees.", []),
        ("The small Mossel Packet drew 2,000 guests.", []),
        ("The staff came to 90 in all.", []),
        ("Kestrel Packet has a staff of 77.", []),
    ],
)
def test_a_value_beside_a_name_of_which_nothing_is_known_is_told_where_its_property_is_named(text, found):
    assert [*uncovered(text, Ledger(SCHEMA).slots, NAMES, HELD)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Kestrel Packet sails from Ostrel.", [("Kestrel Packet", "Ostrel")]),
        ("Ostrel is home to KESTREL PACKET.", [("Ostrel", "Kestrel Packet")]),
        ("Kestrel Packet has its seat at Orrin Quay.", []),
        ("Kestrel Packet sails from its own quay. Ostrel is another.", []),
        ("Ostrel and Orrin Quay are landings.", []),
        ("Kestrel Packet, Ostrel and Orrin Quay are well known.", []),
        ("Kestrel Packet: see [Ostrel](https://landing.example/ostrel).", []),
    ],
)
def test_two_names_whose_kinds_a_property_joins_are_joined_or_told(text, found):
    names = {"line": NAMES["line"], "landing": {**NAMES["landing"], "orrinquay": "Orrin Quay"}}
    held = [*HELD, Assertion("Kestrel Packet", "line", "seat", "Orrin Quay")]
    assert [*unjoined(text, Ledger(SCHEMA).slots, names, held)] == found


def test_a_title_is_taken_for_a_name():
    text = "Kestrel Packet\nIt has a staff of 78."
    slots = Ledger(SCHEMA).slots
    assert [*uncovered(text, slots, {}, [], "Kestrel Packet")] == [("Kestrel Packet", "78")]
    assert [*uncovered(text, slots, {}, [])] == []
