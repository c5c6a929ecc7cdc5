"""The store: what is refused, what reads back as it was written."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import networkx as nx
import pytest

from worldgen.errors import CallerError, WorldFormatError
from worldgen.records import Page
from worldgen.schema import load_schema
from worldgen.store import FORMAT_VERSION, build_key, canary_of, read_manifest, read_only
from worldgen.store.artefacts import page_record, read_corpus_file
from worldgen.store.connection import select, table_digests
from worldgen.store.graph import build_graph
from worldgen.store.reader import FactView, PageView, read_tasks


@pytest.fixture(scope="module")
def connection(tiny_world):
    opened = read_only(tiny_world / "world.db")
    yield opened
    opened.close()


def changed_manifest(world: Path, place: Path, **changes: object) -> Path:
    place.mkdir()
    fields = json.loads((world / "manifest.json").read_text("utf-8")) | changes
    (place / "manifest.json").write_text(json.dumps({k: v for k, v in fields.items() if v is not None}), "utf-8")
    return place


def test_a_folder_without_manifest_is_no_world(tmp_path):
    for place, words in ((tmp_path, "no world here"), (tmp_path / "nowhere", "no such world")):
        with pytest.raises(WorldFormatError, match=words) as caught:
            read_manifest(place)
        assert caught.value.code == "world.not-found"


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": 1}', '"a world"'])
def test_a_damaged_manifest_is_said_to_be(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(WorldFormatError) as caught:
        read_manifest(tmp_path)
    assert caught.value.code == "world.damaged-manifest"


def test_a_manifest_with_a_wrong_field_names_it(tiny_world, tmp_path):
    with pytest.raises(WorldFormatError, match="counts"):
        read_manifest(changed_manifest(tiny_world, tmp_path / "a", counts=["many"]))
    with pytest.raises(WorldFormatError, match="extra"):
        read_manifest(changed_manifest(tiny_world, tmp_path / "b", extra=1))


def test_a_newer_world_says_which_version_reads_it(tiny_world, tmp_path):
    place = changed_manifest(tiny_world, tmp_path / "new", format=FORMAT_VERSION + 1, worldgen="9.1.0", novelty="x")
    with pytest.raises(WorldFormatError) as caught:
        read_manifest(place)
    assert caught.value.code == "world.newer-format"
    assert "9.1.0" in str(caught.value.fix)


def test_the_build_key_knows_each_part_of_the_input():
    schema = load_schema(str(Path(__file__).parents[1] / "data" / "river-ferries.yaml"))
    keys = [
        build_key(schema, 1, ["en"], 100),
        build_key(schema, 2, ["en"], 100),
        build_key(schema, 1, ["en", "zh"], 100),
        build_key(schema, 1, ["en"], 101),
        build_key(load_schema("smartphone-market"), 1, ["en"], 100),
    ]
    assert len(set(keys)) == len(keys)
    assert keys[0] == build_key(schema, 1, ["en"], 100)
    assert len({canary_of(key) for key in keys}) == len(keys)
    assert canary_of(keys[0]).startswith("worldgen-canary-")


def test_a_missing_or_broken_database_is_said_to_be(tmp_path):
    with pytest.raises(WorldFormatError, match="no database"):
        read_only(tmp_path / "world.db")
    (tmp_path / "world.db").write_bytes(b"not a database at all, but long enough to be taken for one" * 20)
    with pytest.raises(WorldFormatError, match="cannot be read"):
        read_only(tmp_path / "world.db")


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM ferry",
        "UPDATE ferry SET seats = 0",
        "INSERT INTO ferry (id) VALUES ('x')",
        "CREATE TABLE t (a)",
        "CREATE TEMP TABLE t (a)",
        "DROP TABLE ferry",
        "ATTACH DATABASE ':memory:' AS other",
        "PRAGMA writable_schema = ON",
        "PRAGMA table_info(ferry)",
        "VACUUM",
        "BEGIN",
        "SELECT load_extension('x')",
        "SELECT 1; SELECT 2",
        "SELEC 1",
        "SELECT nothing FROM ferry",
    ],
)
def test_nothing_but_one_select_is_run(connection, sql):
    with pytest.raises(CallerError) as caught:
        select(connection, sql)
    assert caught.value.code == "sql.refused"
    assert select(connection, "SELECT count(*) FROM ferry")[1] == [(48,)]


def test_select_gives_columns_and_rows_and_knows_years(connection):
    columns, rows = select(connection, "SELECT id, year(launched) AS since FROM ferry ORDER BY id LIMIT 2")
    assert columns == ["id", "since"]
    assert all(1996 <= since <= 2024 for _, since in rows)


def test_select_is_bound_in_time_and_rows(connection):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(CallerError, match="stopped after"):
        select(connection, endless, seconds=0.05)
    with pytest.raises(CallerError) as caught:
        select(connection, "SELECT id FROM ferry", limit=47)
    assert caught.value.code == "sql.too-many-rows"
    assert len(select(connection, "SELECT id FROM ferry", limit=48)[1]) == 48


def test_digests_read_back_are_those_the_writer_took(tiny_world, connection):
    recorded = read_manifest(tiny_world).tables
    plain = sqlite3.connect(tiny_world / "world.db")
    try:
        assert table_digests(plain) == recorded
    finally:
        plain.close()
    assert set(recorded) >= {"ferry", "line", "line_riders", "call", "wg_fact", "wg_page", "wg_evidence"}


def test_a_changed_cell_changes_its_tables_digest_alone(tiny_world, tmp_path):
    shutil.copy(tiny_world / "world.db", tmp_path / "world.db")
    changed = sqlite3.connect(tmp_path / "world.db")
    before = table_digests(changed)
    changed.execute("UPDATE landing SET depth = depth + 0.1 WHERE id = 'landing/3'")
    after = table_digests(changed)
    changed.close()
    assert {name for name in before if before[name] != after[name]} == {"landing"}


def test_the_graph_reads_back_from_graphml(tiny_world, connection):
    graph = build_graph(connection)
    read = nx.read_graphml(tiny_world / "graph.graphml", force_multigraph=True)
    assert set(read.nodes) == set(graph.nodes) == {i for (i,) in connection.execute("SELECT id FROM wg_entity")}
    edges = [(source, target, data["type"]) for source, target, data in read.edges(data=True)]
    assert sorted(edges) == sorted(graph.edges(keys=True))
    assert len({key for _, _, key in read.edges(keys=True)}) == len(edges)
    assert {node: dict(data) for node, data in read.nodes(data=True)} == {n: dict(d) for n, d in graph.nodes(data=True)}
    assert read.graph["canary"] == read_manifest(tiny_world).canary


def test_the_graph_holds_refs_as_edges_and_series_at_their_entity(connection):
    graph = build_graph(connection)
    for ferry, line in connection.execute("SELECT id, line FROM ferry"):
        assert graph.has_edge(ferry, line, key="line")
    for line, period, riders in connection.execute("SELECT line, period, riders FROM line_riders"):
        assert graph.nodes[line][f"riders@{period}"] == str(riders)
    for call, ferry, landing in connection.execute("SELECT id, ferry, landing FROM call"):
        assert graph.has_edge(call, ferry, key="ferry")
        assert graph.has_edge(call, landing, key="landing")
    for (ferry,) in connection.execute("SELECT subject FROM wg_fact WHERE disclosed = 0 AND attribute = 'price'"):
        assert "price" not in graph.nodes[ferry]


def test_facts_by_id(connection):
    facts = FactView(connection)
    fact = facts["ferry/0/seats"]
    assert (fact.subject, fact.attribute, fact.time, fact.disclosed) == ("ferry/0", "seats", "", True)
    assert fact.value == str(connection.execute("SELECT seats FROM ferry WHERE id = 'ferry/0'").fetchone()[0])
    assert len(facts) == len(list(facts)) == len({fact.id for fact in facts.values()})
    assert "ferry/0/seats" in facts
    with pytest.raises(KeyError):
        facts["ferry/0/colour"]


def test_pages_by_url_one_by_one_and_in_one_pass(connection):
    pages = PageView(connection, haystack=False, cached=3)
    listed = list(pages.values())
    assert [page.url for page in listed] == list(pages) == sorted(pages)
    assert len(pages) == len(listed)
    assert all(pages[page.url] == page for page in listed)
    assert not any(page.kind == "haystack" for page in listed)
    with pytest.raises(KeyError):
        pages["https://nowhere.example/"]


def test_pages_of_the_haystack_are_pages_where_they_are_asked_for(tiny_world, connection):
    everything, own = PageView(connection), PageView(connection, haystack=False)
    straw = sorted(set(everything) - set(own))
    assert len(straw) == len(everything) - len(own) == read_manifest(tiny_world).haystack
    assert everything[straw[0]].kind == "haystack"
    assert everything[straw[0]].statements == ()
    with pytest.raises(KeyError):
        own[straw[0]]


def test_the_corpus_file_holds_the_pages(tiny_world, connection):
    canary = read_manifest(tiny_world).canary
    records = list(read_corpus_file(tiny_world / "corpus.jsonl"))
    pages: list[Page] = list(PageView(connection, haystack=False).values())
    assert records == [json.loads(json.dumps(page_record(page, canary))) for page in pages]


def test_tasks_read_back_with_their_evidence(tiny_world, connection):
    tasks = read_tasks(connection)
    assert len(tasks) == read_manifest(tiny_world).counts["tasks"] > 0
    lines = [json.loads(line) for line in (tiny_world / "tasks" / "widesearch.jsonl").read_text("utf-8").splitlines()]
    assert [task.instance_id for task in tasks] == [line["instance_id"] for line in lines]
    assert (
        sum(len(task.evidence) for task in tasks)
        == connection.execute("SELECT count(*) FROM wg_evidence").fetchone()[0]
    )
    for task in tasks:
        assert {e.column for e in task.evidence} <= set(task.columns)
        assert all(len(row) == len(task.columns) for row in task.rows)
