"""What is told of a world's names: collisions by strategy, words apart, what was asked and what was not."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen import World
from worldgen.disjoint import Called, ask, disjointness, names_in
from worldgen.disjoint.gazetteer import Gazetteer
from worldgen.disjoint.names import dated_tables, open_addresses
from worldgen.errors import CallerError
from worldgen.facts.reading import read_schema

TINY = Path(__file__).parents[1] / "data" / "river-ferries.yaml"


@pytest.fixture
def altered(tiny_world_in_two_languages, tmp_path):
    """Copies the small world, runs SQL on it, gives it another strategy, and opens it."""
    opened = []

    def make(*statements, strategy="long_tail"):
        path = tmp_path / f"altered-{len(opened)}"
        shutil.copytree(tiny_world_in_two_languages, path, ignore=shutil.ignore_patterns("index*"))
        connection = sqlite3.connect(path / "world.db")
        for statement in statements:
            assert connection.execute(statement).rowcount == 1, statement
        connection.commit()
        connection.close()
        schema = json.loads((path / "schema.json").read_text("utf-8"))
        (path / "schema.json").write_text(json.dumps({**schema, "strategy": strategy}), "utf-8")
        opened.append(World.load(path))
        return opened[-1]

    yield make
    for world in opened:
        world.close()


def test_a_planted_real_name_is_found_in_either_language(altered, made, only):
    only(made("towns", ("place", "Köln"), ("place", "莱茵河"), ("place", "Nowhere Else")))
    world = altered(
        "UPDATE wg_entity SET name = 'Koln' WHERE id = 'landing/3'",
        "UPDATE wg_entity SET name_zh = '莱茵河' WHERE id = 'landing/4'",
    )
    found = disjointness(world)
    assert not found.passed
    assert [(m.name.text, m.name.owner, m.name.language, m.gazetteer, m.kind, m.real) for m in found.collisions] == [
        ("Koln", "landing/3", "en", "towns", "place", "Köln"),
        ("莱茵河", "landing/4", "zh", "towns", "place", "莱茵河"),
    ]
    assert [(a.gazetteer, a.package, a.version, a.names) for a in found.asked] == [("towns", "towns-package", "1.0", 3)]


def test_a_name_in_two_gazetteers_is_told_twice(altered, made, only):
    only(made("towns", ("place", "Porto")), made("words", ("word", "porto")))
    world = altered("UPDATE wg_entity SET name = 'Porto' WHERE id = 'landing/0'")
    assert [match.gazetteer for match in disjointness(world).collisions] == ["towns", "words"]


@pytest.mark.parametrize(
    ("strategy", "roles"),
    [
        ("grounded", {"entity", "alias"}),
        ("long_tail", {"entity", "alias"}),
        ("private", {"entity", "alias", "author", "setting"}),
        ("time_shifted", {"entity", "alias"}),
    ],
)
def test_each_strategy_has_names_that_must_be_invented(altered, made, only, strategy, roles):
    world = altered(strategy=strategy)
    names = names_in(world)
    assert {name.role for name in names} == {"entity", "alias", "author", "setting"}
    only(made("all", *(("word", name.text) for name in names)))
    found = disjointness(world)
    assert {match.name.role for match in found.collisions} == roles
    assert {match.name for match in (*found.collisions, *found.allowed, *found.partial)} >= set(names)
    assert {match.name.role for match in found.allowed}.isdisjoint(roles) or strategy == "time_shifted"


def test_in_a_time_shifted_world_what_has_no_date_may_be_real(altered, made, only):
    schema = read_schema(TINY)
    world = altered(strategy="time_shifted")
    only(made("all", *(("word", name.text) for name in names_in(world) if name.role == "entity")))
    found = disjointness(world)
    assert {match.name.table for match in found.collisions} <= dated_tables(schema)
    assert {match.name.table for match in found.allowed}.isdisjoint(dated_tables(schema))


def test_a_real_word_in_a_name_is_told_apart(made):
    names = [
        Called("Kesma Schmidt", "en", "entity", "person/0", "person"),
        Called("Schmidt Bridge", "en", "entity", "bridge/0", "bridge"),
        Called("克斯玛·施密特", "zh", "entity", "person/0", "person"),
        Called("Dorvane Street", "en", "entity", "street/0", "street"),
    ]
    people = made("people", ("person", "Schmidt"), ("person", "施密特"), ("person", "Street"), ("word", "bridge"))
    found = ask(names, [people], own=frozenset({"street", "bridge"}))
    assert found.whole == ()
    assert [(m.name.text, m.real) for m in found.partial] == [
        ("Kesma Schmidt", "Schmidt"),
        ("Schmidt Bridge", "Schmidt"),
        ("克斯玛·施密特", "施密特"),
    ]


def test_an_abbreviation_is_no_collision(made):
    names = [Called("KIT", "en", "alias", "school/0", "school"), Called("KIT", "en", "entity", "tool/0", "tool")]
    found = ask(names, [made("schools", ("organisation", "K.I.T."))])
    assert [match.name.role for match in found.partial] == ["alias"]
    assert [match.name.role for match in found.whole] == ["entity"]


WORDS = st.sampled_from(["kesmar", "dorvane", "sahl", "ollan", "vik"])
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


@settings(max_examples=60)
@given(names=st.lists(NAMES, max_size=8), real=st.lists(NAMES, max_size=8))
def test_a_name_collides_where_a_list_has_it_and_nowhere_else(names, real):
    listed = _Listed(real)
    found = ask([Called(name.title(), "en", "entity", str(row)) for row, name in enumerate(names)], [listed])
    assert sorted(match.name.owner for match in found.whole) == sorted(
        str(row) for row, name in enumerate(names) if name in real
    )
    assert {match.name.text.lower() for match in found.partial} == {
        name for name in names if any(word in real and word != name for word in name.split() if len(word) > 3)
    }


class _Listed(Gazetteer):
    name = "listed"
    package = "listed"
    holds = ("word",)

    def __init__(self, real):
        self._real = real

    def version(self):
        return "1"

    def names(self):
        yield from (("word", name) for name in self._real)


def test_what_is_not_installed_is_told_with_the_command_that_installs_it(altered, made, only):
    only(made("here", ("word", "abc")), made("gone", version=None))
    found = disjointness(altered())
    assert [asked.gazetteer for asked in found.asked] == ["here"]
    assert [(n.gazetteer, n.package, n.install) for n in found.not_asked] == [
        ("gone", "gone-package", "pip install 'worldgen[gazetteers]'")
    ]
    with pytest.raises(CallerError, match=r"gone-package.*not installed.*pip install"):
        disjointness(altered(), ["gone"])


def test_only_those_asked_for_are_asked(altered, made, only):
    only(made("here", ("word", "abc")), made("there", ("word", "abc")), made("gone", version=None))
    found = disjointness(altered(), ["there", "there"])
    assert [asked.gazetteer for asked in found.asked] == ["there"]
    assert found.not_asked == ()


def test_a_package_that_reads_otherwise_is_named(altered, made, only, monkeypatch):
    broken = made("broken")
    monkeypatch.setattr(type(broken), "names", lambda self: iter([{}["rows"]]))
    only(broken)
    with pytest.raises(CallerError, match=r"broken-package 1\.0 cannot be read"):
        disjointness(altered())


def test_addresses_that_somebody_could_register(altered, made, only):
    only(made("none"))
    assert open_addresses(altered()) == []
    page = "SELECT min(url) FROM wg_page"
    world = altered(
        f"UPDATE wg_page SET body = body || ' Write to desk@ferries.co.uk or see https://ferry.com/x, "
        f"desk@line.example and https://a.test/b.' WHERE url = ({page})"
    )
    assert open_addresses(world) == ["ferries.co.uk", "ferry.com"]
    found = disjointness(world)
    assert found.collisions == ()
    assert not found.passed


def test_coined_attributes_are_parts(made, only, tmp_path):
    from worldgen.pipeline import build_world

    built = build_world("smartphone-market", seed=3, haystack=0, proofs=False, languages=["en"], out=tmp_path)
    with World.load(built.path) as world:
        parts = [name for name in names_in(world) if name.role == "part"]
        only(made("brands", ("organisation", parts[0].text)))
        assert {name.table for name in parts} >= {"maker", "phone"}
        assert {name.language for name in parts} == {"en", "zh"}
        assert disjointness(world).collisions[0].name.role == "part"
