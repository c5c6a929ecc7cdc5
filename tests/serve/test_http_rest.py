"""Typed REST and SQL of a real server, against the tables themselves."""

import re

import pytest

from worldgen import World


@pytest.fixture(scope="module")
def world(tiny_world):
    with World.load(tiny_world) as opened:
        yield opened


def test_lists_are_filtered_sorted_and_paged(open_server, world):
    get = open_server.nobody.get
    wanted = world.sql("SELECT id, seats FROM ferry WHERE seats >= 100 ORDER BY seats DESC, rowid")
    found, cursor = [], None
    while True:
        more = {} if cursor is None else {"cursor": cursor}
        page = get("/api/ferry", params={"seats_min": 100, "sort": "-seats", "limit": 7, **more}).json()
        assert page["total"] == len(wanted)
        found += [(item["id"], item["seats"]) for item in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == wanted
    assert get("/api/ferry/count", params={"seats_min": 100}).json() == {"count": len(wanted)}


def test_a_row_and_what_hangs_on_it(open_server, world):
    get = open_server.nobody.get
    row = get("/api/line/1").json()
    assert row["id"] == "line/1"
    ferries = get("/api/line/1/ferry", params={"limit": 100}).json()
    assert [item["id"] for item in ferries["items"]] == [
        id for (id,) in world.sql("SELECT id FROM ferry WHERE line = 'line/1' ORDER BY rowid")
    ]
    points = get("/api/line/1/line_riders", params={"start": "2024", "end": "2025"}).json()["points"]
    assert [point["period"] for point in points] == ["2024", "2025"]


def test_the_openapi_file_lists_every_typed_tool_and_every_path_answers(open_server, world):
    spec = open_server.nobody.get("/api/openapi.json").json()
    operations = {entry["get"]["operationId"] for entry in spec["paths"].values()}
    assert operations == set(world.tools)
    for path in spec["paths"]:
        assert open_server.nobody.get(path.replace("{ordinal}", "0")).status_code == 200, path


def test_the_general_openapi_file_lists_every_route(open_server):
    spec = open_server.nobody.get("/openapi.json").json()
    assert {"/search", "/open", "/batch_search", "/retrieve", "/tools", "/call", "/episodes", "/sql"} <= set(
        spec["paths"]
    )
    named = set(re.findall(r"#/components/schemas/(\w+)", str(spec)))
    assert named <= set(spec["components"]["schemas"])


def test_sql_sees_the_tables_and_only_them(open_server, world):
    post = open_server.nobody.post
    reply = post("/sql", json={"query": "SELECT count(*) FROM ferry"}).json()
    assert reply["rows"] == [[len(world.sql("SELECT id FROM ferry"))]]
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    for refused in (
        endless,
        "PRAGMA table_list",
        "ATTACH 'x' AS y",
        "SELECT load_extension('x')",
        "SELECT 1; SELECT 2",
    ):
        assert post("/sql", json={"query": refused}).status_code == 400, refused


@pytest.mark.parametrize("path", ["/api/ferry", "/api/ferry/0", "/api/openapi.json"])
def test_what_no_open_profile_has_is_closed(guarded_server, path):
    reply = guarded_server.agent.get(f"/w/river-ferries-1{path}")
    assert reply.status_code == 403
    assert reply.json()["error"]["code"] == "serve.closed-profile"
    assert guarded_server.agent.post("/w/river-ferries-1/sql", json={"query": "SELECT 1"}).status_code == 403
