"""Every shipped schema has a page and a plot, and they are those that the gallery makes."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from worldgen.errors import CallerError
from worldgen.facts.generate import generate
from worldgen.gallery import SEED, choose, draw, make
from worldgen.gallery.intended import Ties
from worldgen.gallery.panels import PANELS
from worldgen.schema import Schema, load_schema, shipped, tables

WORLDS = Path(__file__).parents[1] / "docs" / "worlds"
EXAMPLE = "smartphone-market"
MOST_BYTES = 60_000
each_schema = pytest.mark.parametrize("name", shipped())


@cache
def schema(name: str) -> Schema:
    return load_schema(name)


def page(name: str) -> str:
    return (WORLDS / f"{name}.md").read_text("utf-8")


def told_tables(text: str) -> dict[str, set[str]]:
    section = text.split("\n## Tables\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| [\d,]+ \| (.*) \|$", section, re.MULTILINE)
    return {table: {re.match(r"`(\w+)`", column)[1] for column in columns.split(", ")} for table, columns in rows}


def test_the_gallery_shows_the_shipped_schemas_and_nothing_else():
    names = {path.name for path in WORLDS.iterdir()}
    assert names == {"README.md", *(f"{name}.{kind}" for name in shipped() for kind in ("md", "png"))}
    linked = re.findall(r"\]\(([\w-]+)\.md\)", (WORLDS / "README.md").read_text("utf-8"))
    assert linked == list(shipped())


@each_schema
def test_a_page_tells_the_tables_of_its_schema(name):
    stored = {
        table: {
            column
            for column, field in fields.items()
            if column != "id"
            and not column.endswith("_zh")
            and (field.attribute is None or not field.attribute.hidden or column in keys(name, table))
        }
        for table, fields in tables(schema(name)).items()
    }
    assert told_tables(page(name)) == stored, f"run python -m worldgen.gallery docs/worlds {name}"


def keys(name: str, table: str) -> list[str]:
    entity = schema(name).entities.get(table)
    return (entity.key or []) if entity is not None else []


@each_schema
def test_a_page_has_all_its_parts(name):
    text = page(name)
    headings = re.findall(r"^## (.*)$", text.split("\n````markdown\n")[0], re.MULTILINE)
    assert headings == ["Tables", "Distributions and correlations", "A question", "A page"]
    assert f"]({name}.png)" in text
    for check in schema(name).checks.values():
        assert f"\n- {check.why.strip()}\n" in text
    assert not re.search(r"(?<![\w./])/(tmp|home|work|root|Users)/", text)


@each_schema
def test_a_plot_is_small_and_undated(name):
    data = (WORLDS / f"{name}.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n")
    assert len(data) <= MOST_BYTES
    assert not any(chunk in data for chunk in (b"tEXt", b"iTXt", b"tIME"))


def test_the_example_is_what_the_generator_writes_now(tmp_path):
    written = list(make(tmp_path, [EXAMPLE]))
    assert [path.name for path in written] == [f"{EXAMPLE}.png", f"{EXAMPLE}.md", "README.md"]
    assert written[1].read_text("utf-8") == page(EXAMPLE), f"run python -m worldgen.gallery docs/worlds {EXAMPLE}"


def test_the_same_facts_are_drawn_alike(tmp_path):
    panels = choose(generate(schema(EXAMPLE), SEED))
    for name in ("one.png", "other.png"):
        draw(panels, tmp_path / name)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "other.png").read_bytes()


@each_schema
def test_the_panels_are_full_and_intended(name):
    facts = generate(schema(name), SEED)
    panels, ties = choose(facts), Ties(facts.schema)
    assert 4 <= len(panels.histograms) <= 6
    assert panels.scatters
    assert panels.bars is not None
    assert (panels.course is not None) == bool(facts.schema.series)
    shown = len(panels.histograms) + len(panels.scatters) + (panels.course is not None) + 1
    assert shown == PANELS
    for pair in panels.scatters:
        assert pair.x.table == pair.y.table
        assert ties.tied(pair.x.table, pair.x.name, pair.y.name)
        assert 0.2 < abs(pair.correlation) < 0.95
    assert all(np.unique(one.known).size >= 7 for one in panels.histograms)


def test_ties_follow_expressions_and_nothing_else():
    ties = Ties(schema(EXAMPLE))
    assert ties.tied("phone", "battery", "weight")
    assert not ties.tied("city", "population", "name")


def test_an_unknown_schema_is_told(tmp_path):
    with pytest.raises(CallerError, match="did you mean 'smartphone-market'"):
        next(make(tmp_path, ["smartphone-markt"]))
