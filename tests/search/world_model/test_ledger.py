"""A ledger finds what contradicts what, in whatever order it is told, and comes back from disk as it was."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.errors import CallerError
from worldgen.facts.reading import read_schema
from worldgen.schema.model import Attribute
from worldgen.search.world_model.ledger import Assertion, Ledger, Shown, read_ledger
from worldgen.search.world_model.slots import Slot, Unread, read_value, slots

TINY = Path(__file__).parents[2] / "data" / "river-ferries.yaml"
SCHEMA = read_schema(TINY)
SLOTS = slots(SCHEMA)


def says(subject, entity, attribute, value, time="", turn=1) -> Assertion:
    return Assertion(subject, entity, attribute, value, time, "https://a.example/p", turn, "…")


HELD = [
    says("Kestrel Packet", "line", "staff", "77"),
    says("Kestrel Packet", "line", "licence", "4321"),
    says("Kestrel Packet", "line", "seat", "Orrin Quay"),
    says("Kestrel Packet", "line", "riders", "5000", "2024"),
    Shown("https://a.example/p", "Kestrel", "2028-01-02", "a.example", 1),
]


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (says("kestrel-packet", "line", "staff", "78"), "ledger.other-value"),
        (says("Ostrel", "line", "staff", "3"), "ledger.out-of-range"),
        (says("Ostrel", "line", "staff", "many"), "ledger.no-value"),
        (says("Ostrel", "line", "licence", "4321"), "ledger.shared-value"),
        (says("Orrin Quay", "ferry", "drive", "diesel"), "ledger.other-kind"),
        (says("Ostrel", "ferry", "line", "Orrin Quay"), "ledger.other-kind"),
        (says("Kestrel Packet", "line", "seat", "Mossel"), "ledger.other-value"),
        (says("Kestrel Packet", "line", "riders", "5100", "2024"), "ledger.other-value"),
        (says("Kestrel Packet", "line", "riders", "5100", "2031"), "ledger.period"),
        (says("Kestrel Packet", "line", "colour", "red"), "ledger.unknown"),
        (says("Ostrel", "planet", "mass", "1"), "ledger.unknown"),
        (Shown("https://a.example/p", "Ostrel"), "ledger.page"),
        (Shown("https://a.example/p", "Kestrel", "2028-01-03"), "ledger.page"),
    ],
)
def test_a_contradiction_has_its_code(entry, code):
    assert [found.code for found in Ledger(SCHEMA, HELD).against(entry)] == [code]


@pytest.mark.parametrize(
    "entry",
    [
        says("KESTREL PACKET", "line", "staff", "77", turn=5),
        says("Kestrel Packet", "line", "seat", "orrin quay"),
        says("Kestrel Packet", "line", "riders", "5100", "2025"),
        says("Ostrel", "line", "licence", "4322"),
        Shown("https://a.example/p", "Kestrel", "", ""),
        Shown("https://a.example/q", "Ostrel"),
    ],
)
def test_what_fits_is_no_contradiction(entry):
    assert Ledger(SCHEMA, HELD).against(entry) == ()


ENTRIES = st.one_of(
    st.builds(
        Assertion,
        subject=st.sampled_from(["Kestrel", "kestrel", "Ostrel", "Orrin"]),
        entity=st.sampled_from(["line", "ferry", "landing"]),
        attribute=st.sampled_from(["staff", "licence", "seat", "line", "drive", "riders"]),
        value=st.sampled_from(["77", "4321", "4322", "Orrin", "Kestrel", "diesel"]),
        time=st.sampled_from(["", "2024", "2025"]),
        turn=st.integers(0, 9),
    ),
    st.builds(
        Shown,
        url=st.sampled_from(["https://a.example/", "https://b.example/"]),
        title=st.sampled_from(["A", "B"]),
        date=st.sampled_from(["", "2028-01-01", "2028-01-02"]),
    ),
)


def found(ledger: Ledger) -> list[tuple]:
    return sorted((each.code, sorted([repr(each.entry), repr(each.held)])) for each in ledger.contradictions())


@settings(max_examples=150, deadline=None)
@given(st.data(), st.lists(ENTRIES, max_size=7))
def test_any_order_finds_the_same_contradictions(data, entries):
    shuffled = data.draw(st.permutations(entries))
    assert found(Ledger(SCHEMA, entries)) == found(Ledger(SCHEMA, shuffled))


@settings(max_examples=80, deadline=None)
@given(st.lists(ENTRIES, max_size=7))
def test_a_ledger_comes_back_from_its_lines(entries):
    ledger = Ledger(SCHEMA, entries)
    again = read_ledger(ledger.to_lines(), SCHEMA)
    assert list(again) == list(ledger)
    assert again.to_lines() == ledger.to_lines()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "it cannot be read"),
        ("[]", "it cannot be read"),
        ('{"kind": "tale"}', "its kind is none of ledger, assertion, shown"),
        ('{"kind": "assertion", "subject": "A", "entity": "line", "attribute": "staff"}', "it has no 'value'"),
        ('{"kind": "shown", "url": "https://a.example/", "title": 3}', "'title' has the wrong type"),
        ('{"kind": "shown", "url": "https://a.example/", "title": "A", "by": "B"}', "an entry has no 'by'"),
        ('{"kind": "shown", "url": "", "title": ""}', "it is about nothing"),
    ],
)
def test_a_line_that_is_none_is_named_with_what_is_wrong(tmp_path, line, why):
    path = tmp_path / "ledger.jsonl"
    path.write_text(Ledger(SCHEMA, HELD).to_lines() + line + "\n", "utf-8")
    with pytest.raises(CallerError, match=rf"ledger\.jsonl:{len(HELD) + 2}: this is no line of a ledger: {why}; exp"):
        read_ledger(path, SCHEMA)


def test_a_ledger_of_another_world_is_refused():
    with pytest.raises(CallerError, match="another world"):
        read_ledger('{"kind": "ledger", "world": "moon"}', SCHEMA)


def test_the_text_is_bounded_and_begins_with_what_is_asked_about():
    ledger = Ledger(SCHEMA, [says(f"Line {n}", "line", "staff", str(100 + n)) for n in range(400)])
    text = ledger.text("who works at Line 17 ?", 600)
    assert len(text) <= 600
    assert text.startswith("Line 17 ")
    assert ledger.text("", 0) == ""


@pytest.mark.parametrize(
    ("slot", "words", "quote", "value"),
    [
        (("ferry", "length"), "24 m", "It is 24 m long.", "24.0"),
        (("ferry", "length"), "2400 cm", "It is 2400 cm long.", "24.0"),
        (("ferry", "length"), "24", "It is 24 metres long.", "24.0"),
        (("ferry", "price"), "EUR 1.2 million", "It cost EUR 1.2 million.", "1200000"),
        (("ferry", "launched"), "June 18, 2001", "Launched on June 18, 2001.", "2001-06-18"),
        (("ferry", "drive"), "battery-driven", "It is battery-driven.", "electric"),
        (("line", "seat"), "Orrin Quay", "Its seat is Orrin Quay.", "Orrin Quay"),
        (("line", "founded"), "1964", "Founded in 1964.", "1964"),
    ],
)
def test_words_are_read_as_values(slot, words, quote, value):
    assert read_value(SLOTS[slot], words, quote) == value


@pytest.mark.parametrize(("first", "wanted"), [(870, "890"), (1200, "no-value"), (None, "no-value")])
def test_a_year_of_three_digits_is_one_where_the_schema_reaches_back_so_far(first, wanted):
    node = {"type": "year", "normal": {"mean": 1190, "sd": 130}, **({} if first is None else {"min": first})}
    slot = Slot("town", "first_recorded", Attribute.model_validate(node))
    read = read_value(slot, "890", "Its name first appears in 890.")
    assert (read.code if isinstance(read, Unread) else read) == wanted


@pytest.mark.parametrize(
    ("slot", "words", "quote", "code"),
    [
        (("ferry", "length"), "24 kg", "It is 24 kg long.", "wrong-unit"),
        (("ferry", "price"), "USD 1.2 million", "It cost USD 1.2 million.", "wrong-unit"),
        (("ferry", "length"), "500 m", "It is 500 m long.", "out-of-range"),
        (("ferry", "length"), "long", "It is long.", "no-value"),
        (("ferry", "length"), "25 m", "It is 24 m long.", "no-value"),
        (("ferry", "launched"), "2001", "Launched in 2001.", "no-value"),
        (("ferry", "launched"), "June 18, 1961", "Launched on June 18, 1961.", "out-of-range"),
        (("ferry", "drive"), "steam", "It runs on steam.", "out-of-range"),
    ],
)
def test_words_that_are_no_value_are_told_apart(slot, words, quote, code):
    read = read_value(SLOTS[slot], words, quote)
    assert isinstance(read, Unread)
    assert read.code == code
