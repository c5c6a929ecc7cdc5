"""The built-in gazetteers read their packages, the table of real names holds what they hold, and worlds hit on none."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import get_args

import pytest

from worldgen.disjoint import Called, Gazetteer, ask, gazetteer_names, gazetteer_of, gazetteers
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
from worldgen.schema.model import Strategy

EXPECTED = {
    "airports": {"Heathrow Airport", "Nairobi"},
    "banks": {"BNP Paribas Fortis"},
    "chinese": {"马德里", "爱因斯坦"},
    "companies": {"ABN AMRO"},
    "countries": {"Kenya", "肯尼亚", "Bayern"},
    "dictionary": {"abandon"},
    "drugs": {"ibuprofen"},
    "faker": {"Schmidt", "伟"},
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
def shipped_names() -> tuple[list[Called], frozenset[str]]:
    """The names of the shipped schemas' worlds of seed 7, and the words that the schemas say themselves."""
    called, own = [], set()
    for name, path in shipped().items():
        schema = read_schema(path)
        own |= own_words(schema)
        called += [Called(text, "en", "entity", name) for text in sorted(names_of(generate(schema, 7)))]
    return called, frozenset(own)


def _read(gazetteer: Gazetteer) -> Gazetteer:
    """The gazetteer with its names in memory, as reading some takes seconds."""
    held = list(gazetteer.names())
    gazetteer.names = lambda: iter(held)  # type: ignore[method-assign]
    return gazetteer


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_gazetteer_reads_its_package_and_the_shipped_worlds_hit_on_none_of_it(
    name: str, shipped_names: tuple[list[Called], frozenset[str]]
) -> None:
    gazetteer = _read(gazetteer_of(name))
    names = {text for _, text in gazetteer.names()}
    assert EXPECTED[name] <= names
    assert {kind for kind, _ in gazetteer.names()} == set(gazetteer.holds)

    called, own = shipped_names
    assert len(called) > 5_000
    found = ask(called, [gazetteer], own=own)
    assert [(asked.gazetteer, asked.names) for asked in found.asked] == [(name, len(names))]
    # Names come in lower case here, which hides the abbreviations among them: those have four letters at most.
    assert [match for match in found.whole if len(match.name.text) > 4 or not match.name.text.isascii()] == []
    assert found.partial == ()

    source = {source.gazetteer: source for source in sources()}[name]
    if gazetteer.version() == source.version:
        assert len(names) == source.names
        words = sorted({word for text in sorted(names)[::11] for word in words_of(text)})
        assert [word for word, told in zip(words, known(words), strict=True) if not told] == []


def test_the_table_was_made_from_what_is_installed() -> None:
    same = [source for source in sources() if gazetteer_of(source.gazetteer).version() == source.version]
    assert len(same) >= 3, "most lists have changed since; derive the table again: python -m worldgen.disjoint.derive"


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


def test_the_page_about_disjointness_lists_every_gazetteer() -> None:
    page = (Path(__file__).parents[2] / "docs" / "disjointness.md").read_text("utf-8")
    rows = [line.split()[:2] for line in page.split("Gazetteers asked\n")[1].split("\n\n")[0].splitlines()[1:]]
    assert rows == [[each.name, each.package] for each in all_gazetteers()]
    assert all(f"| `{strategy}` |" in page for strategy in get_args(Strategy))
