"""Writes a world whose calendar has moved into a folder of its own, so that the project's proofs can be run on it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

from worldgen.reskin import Skin
from worldgen.reskin.calendar import Calendar
from worldgen.schema import from_canonical
from worldgen.schema.layout import tables
from worldgen.store import rows
from worldgen.world import World

TIMES = ("date", "year", "period")


def write_moved(world: World, skin: Skin, folder: Path) -> Path:
    """Write the built world in the epoch's calendar and under the built names."""
    calendar = skin.calendar
    shutil.copytree(world.path, folder, ignore=shutil.ignore_patterns("index"))
    schema = from_canonical((world.path / "schema.json").read_text("utf-8"))
    told = _schema(json.loads((world.path / "schema.json").read_text("utf-8")), calendar, worded=False)
    told["as_of"] = calendar.value(told["as_of"])
    (folder / "schema.json").write_text(json.dumps(told, ensure_ascii=False), "utf-8")
    pages = [skin.dated(page) for page in world.pages.values()]
    with sqlite3.connect(folder / "world.db") as database:
        for name, fields in tables(schema).items():
            for column, field in fields.items():
                if field.kind in TIMES:
                    found = database.execute(f'SELECT rowid, "{column}" FROM "{name}" WHERE "{column}" IS NOT NULL')
                    moved = [(calendar.value(str(value)), row) for row, value in found.fetchall()]
                    database.executemany(f'UPDATE "{name}" SET "{column}" = ? WHERE rowid = ?', moved)
        database.create_function("moved", 1, lambda fact: _id(fact, calendar))
        facts = [(fact.value, fact.time, fact.id) for fact in map(calendar.fact, world.facts.values())]
        database.executemany("UPDATE wg_fact SET value = ?, time = ? WHERE id = ?", facts)
        heads = [(d.page.title, d.page.date, d.page.body, d.page.url) for d in pages]
        database.executemany("UPDATE wg_page SET title = ?, date = ?, body = ? WHERE url = ?", heads)
        database.execute("DELETE FROM wg_statement")
        said = list(rows.statement_rows([dated.page for dated in pages]))
        database.executemany("INSERT INTO wg_statement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", said)
        database.execute("DELETE FROM wg_link WHERE url IN (SELECT url FROM wg_page WHERE kind <> 'haystack')")
        database.execute("UPDATE wg_link SET id = id + 10000000")
        links = list(rows.link_rows([dated.page for dated in pages]))
        database.executemany("INSERT INTO wg_link VALUES (?, ?, ?, ?)", links)
        _tasks(database, world, skin)
        for table, column in (("wg_fact", "id"), ("wg_statement", "fact"), ("wg_evidence", "fact")):
            database.execute(f"UPDATE {table} SET {column} = moved({column}) WHERE {column} LIKE '%@%'")
    return folder


def _id(fact: str, calendar: Calendar) -> str:
    """The id of a fact of a series is made of its period."""
    name, _, time = fact.partition("@")
    return f"{name}@{calendar.value(time)}"


def _tasks(database: sqlite3.Connection, world: World, skin: Skin) -> None:
    tasks = [skin.calendar.task(task) for task in world.tasks]
    database.execute("DELETE FROM wg_task")
    database.executemany("INSERT INTO wg_task VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", list(rows.task_rows(tasks)))
    places = {url: skin.dated(world.pages[url]).body for task in tasks for url in {e.url for e in task.evidence}}
    evidence = [
        (number, instance, row, column, fact, url, places[url].place(start), places[url].place(end))
        for number, instance, row, column, fact, url, start, end in rows.evidence_rows(tasks)
    ]
    database.execute("DELETE FROM wg_evidence")
    database.executemany("INSERT INTO wg_evidence VALUES (?, ?, ?, ?, ?, ?, ?, ?)", evidence)


def _schema(value: Any, calendar: Calendar, *, worded: bool) -> Any:
    """The schema with its wordings, and the days from which something is known, moved."""
    if isinstance(value, str):
        return calendar.wording(value) if worded else value
    if isinstance(value, dict):
        if isinstance(value.get("known"), str):
            value = {**value, "known": calendar.value(value["known"])}
        return {key: _schema(inner, calendar, worded=worded or key in ("en", "zh")) for key, inner in value.items()}
    return [_schema(inner, calendar, worded=worded) for inner in value] if isinstance(value, list) else value
