"""What a reading has passed over is found by plain code: values beside a name that no assertion gives."""

from pathlib import Path

import pytest

from worldgen.facts.reading import read_schema
from worldgen.search.world_model.ledger import Assertion, Ledger
from worldgen.search.world_model.uncovered import uncovered

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


def test_a_title_is_taken_for_a_name():
    text = "Kestrel Packet\nIt has a staff of 78."
    slots = Ledger(SCHEMA).slots
    assert [*uncovered(text, slots, {}, [], "Kestrel Packet")] == [("Kestrel Packet", "78")]
    assert [*uncovered(text, slots, {}, [])] == []
