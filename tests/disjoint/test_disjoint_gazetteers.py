"""The built-in gazetteers read their packages, the table of real names holds all of them, and worlds hit on none."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError

import pytest

from worldgen.disjoint import Called, ask, gazetteer_names, gazetteer_of, gazetteers
from worldgen.disjoint.derive import words_of, written
from worldgen.disjoint.gazetteer import all_gazetteers, folder_of
from worldgen.disjoint.names import own_words
from worldgen.errors import CallerError
from worldgen.facts.generate import generate
from worldgen.facts.naming import names_of
from worldgen.facts.reading import read_schema
from worldgen.language import known
from worldgen.language.known import bit_places, sources
from worldgen.schema import shipped

EXPECTED = {
    "airports": {"Heathrow Airport", "Nairobi"},
    "banks": {"BNP Paribas Fortis"},
    "chinese": {"马德里", "爱因斯坦"},
    "companies": {"ABN AMRO"},
    "countries": {"Kenya", "肯尼亚", "Bavaria"},
    "dictionary": {"abandon"},
    "drugs": {"ibuprofen"},
    "faker": {"Schmidt", "Nairobi"},
    "makers": {"Cisco Systems, Inc"},
    "places": {"Nairobi", "Goteborg", "马德里"},
    "surnames": {"SMITH"},
}


def test_all_gazetteers_are_told() -> None:
    assert gazetteer_names() == sorted(EXPECTED)
    assert [each.name for each in all_gazetteers()] == gazetteer_names()
    with pytest.raises(CallerError, match="did you mean 'places'"):
        gazetteer_of("place")


@pytest.fixture(scope="module")
def listed() -> dict[str, set[str]]:
    """The names of each gazetteer, read once."""
    return {each.name: {name for _, name in each.names()} for each in all_gazetteers()}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_gazetteer_reads_its_package(name: str, listed: dict[str, set[str]]) -> None:
    gazetteer = gazetteer_of(name)
    assert gazetteer.version() is not None
    assert EXPECTED[name] <= listed[name] | {text.title() for text in listed[name]}
    assert {kind for kind, _ in gazetteer.names()} == set(gazetteer.holds)


def test_the_table_holds_every_name_that_it_was_made_from(listed: dict[str, set[str]]) -> None:
    same = [source for source in sources() if gazetteer_of(source.gazetteer).version() == source.version]
    assert len(same) >= 3, "derive the table again: python -m worldgen.disjoint.derive"
    for source in same:
        names = sorted(listed[source.gazetteer])
        assert len(names) == source.names
        words = sorted({word for name in names[::37] for word in words_of(name)})
        assert [word for word, told in zip(words, known(words), strict=True) if not told] == []


def test_the_shipped_worlds_hit_on_no_real_name() -> None:
    called, own = [], set()
    for name, path in shipped().items():
        schema = read_schema(path)
        own |= own_words(schema)
        called += [Called(text, "en", "entity", name) for text in sorted(names_of(generate(schema, 7)))]
    found = ask(called, all_gazetteers(), own=frozenset(own))
    assert len(called) > 5_000
    real = {match.name.text for match in found.whole if len(match.name.text) > 4}  # shorter ones are abbreviations
    assert real == set()


def test_a_filter_holds_what_is_written_into_it() -> None:
    words = [f"word{n}" for n in range(70_000)]
    data = written(words)
    bits = len(data) * 8
    for places in bit_places(words, bits=bits, count=10):
        assert all(data[place >> 3] >> (place & 7) & 1 for place in places.tolist())


def test_a_package_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr("worldgen.disjoint.gazetteer.version", gone)
    assert [each.name for each in all_gazetteers() if each.version() is not None] == []
    with pytest.raises(CallerError, match="no_such_package_here"):
        folder_of("no_such_package_here")


def test_gazetteers_can_be_registered_once() -> None:
    places = gazetteers.get("places")
    with pytest.raises(CallerError, match="registered already"):
        gazetteers.register("places")(gazetteers.get("dictionary"))
    assert gazetteers.get("places") is places
    assert "worldgen.disjoint.gazetteers.places" in sys.modules
