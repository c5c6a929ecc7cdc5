"""The calendar of an epoch: every date moves, nothing else does, and the proofs of a build hold of what comes out."""

from __future__ import annotations

import re
import shutil
import sqlite3
from dataclasses import replace

import pytest

from tests.reskin.moved import write_moved
from worldgen.errors import CallerError
from worldgen.proofs.check import FILE_PROOFS, prove
from worldgen.proofs.files import Files
from worldgen.reskin import Skin, reskin
from worldgen.reskin.calendar import Calendar
from worldgen.reskin.questions import Literals, exchanged
from worldgen.reskin.reading import read_calendar
from worldgen.world import World

TIMES = {"date", "year"}
HOLDING = [name for name in FILE_PROOFS if name.startswith(("statements.", "questions.", "integrity.names"))]
FILES_ALONE = {"questions.layout"}
"""What compares the database with files that are not written again."""


@pytest.fixture(scope="module")
def reading(world):
    return read_calendar(world.path)


@pytest.fixture(scope="module")
def moved(world, tmp_path_factory):
    folder = write_moved(world, Skin.of(world, 3), tmp_path_factory.mktemp("moved") / "world")
    return Files(folder)


@pytest.mark.parametrize("name", [name for name in HOLDING if name not in FILES_ALONE])
def test_the_proofs_hold_of_a_moved_world(moved, name):
    found = prove(name, moved)
    assert found.passed, found.detail


def test_every_date_and_year_moves_and_no_other_value_does(world):
    other = reskin(world, 3)
    assert other.skin.calendar.years
    seen = set()
    for built, told in zip(world.facts.values(), other.facts.values(), strict=True):
        if built.value is None or built.type == "name":
            continue
        assert (built.value != told.value) == (built.type in TIMES), built.id
        seen.add(built.type)
    assert seen & TIMES
    assert seen - TIMES


def test_dates_keep_their_distances_and_years_their_numbers(world, reading):
    calendar = Skin.of(world, 3).calendar
    assert calendar.years % 4 == 0
    for page in world.pages.values():
        dated, body = calendar.page(page)
        before, after = re.findall(r"\d+", page.body), re.findall(r"\d+", dated.body)
        assert len(before) == len(after)
        gaps = {int(new) - int(old) for old, new in zip(before, after, strict=True) if old != new}
        assert gaps <= {calendar.years}
        assert body.place(len(page.body)) == len(dated.body)
    assert len(reading.moves) > 1
    assert {
        len({(day.replace(year=day.year + step) - day).days for day in reading.dates}) for step in reading.moves
    } == {1}


def test_epochs_that_follow_one_another_have_different_calendars(world):
    told = [Skin.of(world, epoch).calendar.years for epoch in range(1, 5)]
    assert len(set(told)) == len(told)


def test_snippets_and_dates_of_hits_are_those_of_the_moved_page(world):
    other = reskin(world, 3)
    years = 0
    for task in other.tasks:
        for query in task.plan["queries"]:
            for built, hit in zip(world.search(other.skin.query(query)), other.search(query), strict=True):
                page = other.open(hit.url)
                assert (hit.title, hit.date) == (page.title, page.date)
                numbers = set(re.findall(r"\d{4}", hit.snippet))
                assert numbers <= set(re.findall(r"\d{4}", page.title + page.body))
                years += re.findall(r"\d{4}", built.snippet) != re.findall(r"\d{4}", hit.snippet)
    assert years


def test_a_query_in_the_years_of_the_epoch_finds_the_built_ones(world, reading):
    calendar = Skin.of(world, 3).calendar
    year = max(reading.years)
    assert calendar.query(calendar.text(f"opened in {year}")) == f"opened in {year}"
    assert calendar.text(f"opened in {year}") == f"opened in {year + calendar.years}"


def test_a_number_that_may_be_a_year_or_none_is_found(world, reading):
    task = next(task for task in world.tasks if task.query.get("where") is None or task.query["where"])
    assert not Literals.of(task, reading).unclear
    assert Literals.of(replace(task, question=task.question + " 1234"), reading).unclear == {1234}
    both = replace(reading, named=frozenset({reading.present.year}))
    assert reading.present.year in Literals.of(task, both).unclear


def test_sentences_that_show_how_something_is_written_stay():
    assert exchanged("Before 2001. Quarters are written like 2001-Q3.", {"2001": "2009"}) == (
        "Before 2009. Quarters are written like 2001-Q3."
    )


def test_a_world_that_does_not_tell_where_its_years_stand_keeps_its_calendar(world, tmp_path):
    folder = tmp_path / "older"
    shutil.copytree(world.path, folder)
    with sqlite3.connect(folder / "world.db") as database:
        database.execute("DROP TABLE wg_years")
    with World.load(folder) as older:
        calendar = Calendar.of(folder, "older", 1, 3)
        assert (calendar.years, calendar.stays) == (0, "no page tells where its years stand")
        assert not any(page.years for page in older.pages.values())
        page = next(iter(older.pages.values()))
        assert calendar.page(page).page == page


def test_the_command_for_mcp_serves_an_epoch(world):
    from worldgen.cli.serving_mcp import Options, _tools

    options = Options(world.path, "search", world.tasks[0].instance_id, 0, None, "strict", epoch=3)
    assert _tools(world, options).question == reskin(world, 3).tasks[0].question
    with pytest.raises(CallerError, match="whole number from 1"):
        _tools(world, replace(options, task=None, epoch=-1))
