"""The SQL tool answers analysts and gives attackers nothing: no write, no file, no task, no hidden column, no hang."""

from __future__ import annotations

import json
import resource
import shutil
import sqlite3
from time import monotonic

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.tools import MalformedCall, SqlTool
from worldgen.tools import sql as module
from worldgen.tools.typed import SeenTable

SECRET = "sigil-of-the-hidden-column"


@pytest.fixture(scope="session")
def database(tiny_world, tmp_path_factory):
    """A copy of the tiny world's database, one column of which is hidden and marked."""
    path = tmp_path_factory.mktemp("sql") / "world.db"
    shutil.copy(tiny_world / "world.db", path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE ferry SET drive = ?", (SECRET,))
    connection.execute("UPDATE wg_task SET question = ?", (SECRET,))
    connection.commit()
    connection.close()
    return path


@pytest.fixture(scope="session")
def tool(database, tiny) -> SqlTool:
    tables = dict(tiny.tables.tables)
    ferry = tables["ferry"]
    tables["ferry"] = SeenTable(
        ferry.name, ferry.shape, ferry.label, tuple(column for column in ferry.columns if column.name != "drive")
    )
    return SqlTool(database, tables)


CHAIN = ", ".join(f"x{n} AS (SELECT 1 AS a FROM x{n - 1}, x{n - 1})" for n in range(1, 30))
QUOTED = ", ".join(f"'x{n}' AS (SELECT 1 AS a FROM [x{n - 1}], \"X{n - 1}\")" for n in range(1, 30))

LOOKS = [  # what must not be seen
    "SELECT drive FROM ferry",
    "SELECT drive FROM main.ferry",
    "SELECT ferry.drive FROM main.ferry",
    "SELECT * FROM main.ferry",
    'SELECT "drive" FROM "main"."ferry"',
    "SELECT [drive] FROM [main].[ferry]",
    "SELECT `drive` FROM `main`.`FERRY`",
    "SELECT DRIVE FROM MAIN.FERRY",
    "SELECT f.drive FROM temp.ferry f",
    "WITH ferry AS (SELECT drive FROM main.ferry) SELECT * FROM ferry",
    "WITH ferry AS (SELECT * FROM main.ferry) SELECT drive FROM ferry",
    "WITH line AS (SELECT drive FROM main.ferry) SELECT * FROM line",
    "WITH wg_task AS (SELECT question FROM main.wg_task) SELECT * FROM wg_task",
    "WITH RECURSIVE ferry(x) AS (SELECT drive FROM main.ferry UNION SELECT x FROM ferry) SELECT * FROM ferry",
    "SELECT * FROM (SELECT drive FROM main.ferry) AS ferry",
    "SELECT * FROM (SELECT drive FROM main.ferry) ferry, line",
    "SELECT (SELECT drive FROM main.ferry LIMIT 1)",
    "SELECT name FROM ferry ORDER BY (SELECT drive FROM main.ferry WHERE id = ferry.id)",
    "SELECT count(*) FROM main.ferry WHERE drive LIKE 's%'",
    "SELECT count(*) FROM main.ferry GROUP BY drive",
    "SELECT max(drive) OVER () FROM main.ferry",
    "SELECT id FROM ferry NATURAL JOIN main.ferry AS f WHERE f.drive > ''",
    "SELECT id FROM ferry JOIN main.ferry AS f USING (drive)",
    "SELECT rowid FROM main.ferry",
    "SELECT * FROM wg_task",
    "SELECT question FROM main.wg_task",
    "SELECT question FROM temp.wg_task",
    'SELECT question FROM "wg_task"',
    "SELECT question FROM [WG_TASK]",
    "SELECT count(*) FROM wg_task",
    "SELECT count(*) FROM WG_TASK",
    "SELECT 1 FROM Wg_Task",
    "SELECT 1 FROM main.Wg_Page LIMIT 1",
    "SELECT EXISTS (SELECT 1 FROM WG_EVIDENCE)",
    "SELECT * FROM wg_fact",
    "SELECT value FROM wg_fact WHERE attribute = 'drive'",
    "SELECT body FROM wg_page",
    "SELECT * FROM wg_statement JOIN ferry",
    "SELECT text FROM wg_alias",
    "SELECT name FROM wg_entity",
    "SELECT * FROM sqlite_master",
    "SELECT sql FROM main.sqlite_master",
    "SELECT count(*) FROM SQLITE_MASTER",
    "SELECT sql FROM sqlite_schema",
    "SELECT sql FROM sqlite_temp_master",
    "SELECT sql FROM temp.sqlite_temp_schema",
    "SELECT * FROM sqlite_sequence",
    "SELECT * FROM sqlite_stat1",
    "SELECT * FROM pragma_table_info('ferry')",
    "SELECT count(*) FROM pragma_table_info('ferry')",
    "SELECT count(*) FROM PRAGMA_table_list",
    "SELECT * FROM pragma_database_list",
    "SELECT file FROM pragma_database_list",
    "SELECT * FROM pragma_function_list",
    "SELECT * FROM dbstat",
    "SELECT count(*) FROM dbstat",
    "SELECT * FROM sqlite_dbpage",
    "SELECT * FROM json_each('[1, 2]')",
    "SELECT * FROM json_tree('{\"a\": 1}')",
    "SELECT count(*) FROM json_each('[1]')",
    "SELECT * FROM generate_series(1, 1000000000)",
    "SELECT load_extension('x')",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('/tmp/x', 'x')",
    "SELECT fts3_tokenizer('simple')",
    "SELECT edit('x')",
    "SELECT random()",
    "SELECT hex(randomblob(10))",
    "SELECT current_timestamp",
    "SELECT date('NOW')",
]
WRITES = [
    "INSERT INTO line (id) VALUES ('x')",
    "UPDATE line SET name = 'x'",
    "DELETE FROM line",
    "REPLACE INTO main.line (id) VALUES ('x')",
    "WITH a AS (SELECT 1) DELETE FROM line",
    "WITH a AS (SELECT 1) INSERT INTO main.line (id) SELECT 'x'",
    "WITH a AS (SELECT 1) UPDATE main.line SET name = 'x' RETURNING *",
    "DROP TABLE line",
    "DROP VIEW line",
    "ALTER TABLE line ADD COLUMN x",
    "CREATE TABLE x (a)",
    "CREATE TEMP TABLE x AS SELECT 1",
    "CREATE TEMP VIEW x AS SELECT drive FROM main.ferry",
    "CREATE VIRTUAL TABLE x USING fts5(a)",
    "CREATE TRIGGER t INSTEAD OF INSERT ON line BEGIN SELECT 1; END",
    "ATTACH '/etc/passwd' AS x",
    "ATTACH ':memory:' AS x",
    "DETACH temp",
    "VACUUM",
    "VACUUM INTO '/tmp/stolen.db'",
    "PRAGMA writable_schema = 1",
    "PRAGMA database_list",
    "PRAGMA temp_store_directory = '/'",
    "EXPLAIN SELECT * FROM line",
    "EXPLAIN QUERY PLAN SELECT * FROM line",
    "BEGIN",
    "COMMIT",
    "SAVEPOINT x",
    "REINDEX",
    "ANALYZE",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE line",
    "SELECT 1 -- x\n; DELETE FROM line",
    "/* SELECT */ DELETE FROM line",
    "-- SELECT\nDELETE FROM line",
    "SELECT 1\x00; DELETE FROM line",
    "\x00",
    "",
    "   ",
    ";",
    "--",
    "/*",
    "'",
    "SELECT",
    "SELECT ?",
    "SELECT :a",
    "SELECT '\ud800'",
    "SELECT * FROM nothing",
    "SELECT nothing(1)",
    "SELECT year('x')",
    "SELECT " + "1+" * 9_000 + "1",
    "SELECT " + "(" * 9_000 + "1" + ")" * 9_000,
    "SELECT " + ", ".join("1" for _ in range(300)),
    "SELECT 1 " + "UNION ALL SELECT 1 " * 100,
    "SELECT '" + "x" * 1_000_000 + "'",
    "SELECT 1" + " " * 1_000_000,
]
BOMBS = [
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c",
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c",
    "WITH RECURSIVE c(n) AS (SELECT 'x' UNION ALL SELECT n || n FROM c) SELECT max(length(n)) FROM c",
    "WITH RECURSIVE c(n) AS (SELECT zeroblob(49000) UNION ALL SELECT n FROM c) SELECT n FROM c ORDER BY n",
    f"WITH x0 AS (SELECT 1 AS a), {CHAIN} SELECT count(*) FROM x29",
    f"WITH x0 AS (SELECT 1 AS a), {QUOTED} SELECT count(*) FROM x29",
    "SELECT zeroblob(2000000000)",
    "SELECT hex(zeroblob(90000))",
    "SELECT printf('%*d', 2000000000, 1)",
    "SELECT printf('%.*c', 99000, 'x') FROM ferry a, ferry b",
    "SELECT replace(printf('%.*c', 90000, 'x'), 'x', 'xxxxxxxxxxxx')",
    "SELECT group_concat(a.name || b.name || c.name) FROM ferry a, ferry b, ferry c, ferry d",
    "SELECT count(*) FROM ferry a, ferry b, ferry c, ferry d, ferry e, ferry f",
    "SELECT count(*) FROM " + ", ".join(f"ferry t{n}" for n in range(64)),
    "SELECT * FROM ferry a, ferry b, ferry c ORDER BY a.name || b.name || c.name DESC",
    "SELECT printf('%.*c', 49000, 'x') || a.id FROM ferry a, ferry b, ferry c, ferry d ORDER BY 1 DESC LIMIT 1",
    "SELECT DISTINCT a.name || b.name || c.name || d.name FROM ferry a, ferry b, ferry c, ferry d",
    "SELECT group_concat(a.name) OVER (ORDER BY a.id ROWS UNBOUNDED PRECEDING) FROM ferry a, ferry b, ferry c",
    "SELECT count(*) FROM ferry a, ferry b, ferry c WHERE printf('%.*c', 49000, 'a') LIKE '%a_a_a_a_a%b'",
    "SELECT printf('%.*c', 49000, 'a') LIKE '" + "%a" * 200 + "b'",
    "SELECT printf('%.*c', 49000, 'a') GLOB '" + "*a" * 45 + "b'",
    "WITH t(a, b) AS (SELECT printf('%.*c', 49000, 'a'), printf('%.*c', 24000, 'a') || 'b') SELECT "
    + "+".join(["instr(a, b)"] * 700)
    + " FROM t",
    "WITH t(a, b) AS (SELECT printf('%.*c', 49000, 'a'), '"
    + "a_" * 49
    + "b') SELECT "
    + "+".join(["(a LIKE b)"] * 700)
    + " FROM t",
    "WITH t(a) AS (SELECT printf('%.*c', 49000, 'a')) SELECT replace(a, 'a', a) FROM t",
    "SELECT * FROM ferry a, ferry b",
]


@pytest.mark.parametrize("query", LOOKS + WRITES, ids=lambda query: query[:60].encode("ascii", "replace").decode())
def test_an_attack_is_told_off_and_gets_nothing(tool, database, query):
    before = database.read_bytes()
    with pytest.raises(MalformedCall) as caught:
        tool.call({"query": query})
    assert caught.value.expected or "refused" in caught.value.message
    assert SECRET not in caught.value.advice()
    assert len(caught.value.advice()) < 400
    assert database.read_bytes() == before


@pytest.mark.parametrize("query", BOMBS, ids=lambda query: query[:60])
def test_a_bomb_is_stopped_in_time_and_memory(tool, query):
    start, most = monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        reply = tool.call({"query": query})
    except MalformedCall:
        reply = ""
    assert len(reply) < 2 * module.MAX_RESULT
    assert monotonic() - start < 5 * module.SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - most < 200_000  # KiB


def test_there_are_sixty_attacks_and_more():
    assert len(set(LOOKS + WRITES + BOMBS)) >= 60


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ("SELECT count(*) FROM ferry", None),
        ("SELECT line, count(*), avg(seats) FROM ferry GROUP BY line HAVING count(*) > 2 ORDER BY 2 DESC, 1", None),
        ("SELECT f.name, l.name FROM ferry f JOIN line l ON l.id = f.line ORDER BY f.id", None),
        ("SELECT name, rank() OVER (PARTITION BY line ORDER BY seats DESC, id) FROM ferry ORDER BY id", None),
        ("WITH big AS (SELECT * FROM ferry WHERE seats > 90) SELECT line, count(*) FROM big GROUP BY 1", None),
        ("WITH a AS (SELECT 1 AS n), b AS (SELECT n FROM a) SELECT count(*) FROM a, b", None),
        ("SELECT count(*) FROM ferry WHERE year(launched) >= 2010", None),
        ("SELECT name FROM ferry WHERE name LIKE '%a%' UNION SELECT name FROM line ORDER BY 1", None),
        ("(SELECT 1)", "SELECT 1"),
        ("VALUES (1, 'a'), (2, 'b')", None),
        ("SELECT 1; -- done", "SELECT 1"),
        ("SELECT id FROM main.line ORDER BY id", None),
        ("SELECT temp.line.name FROM temp.line ORDER BY id", "SELECT name FROM line ORDER BY id"),
        (
            "SELECT instr(name, 'a'), instr(name, ''), instr(x'0102', x'02'), instr(seats, 1) FROM ferry ORDER BY id",
            None,
        ),
        (
            "SELECT replace(name, 'a', 'ee'), replace(name, '', 'x'), replace(NULL, 'a', 'b') FROM ferry ORDER BY id",
            None,
        ),
        ("SELECT replace(seats, 1, 'one'), replace(length, '.', ',') FROM ferry ORDER BY id", None),
        ("SELECT period, sum(riders) FROM line_riders GROUP BY period ORDER BY period", None),
        ("SELECT CASE WHEN price IS NULL THEN 'unknown' ELSE 'known' END, count(*) FROM ferry GROUP BY 1", None),
        ("SELECT 'it''s; a \"text\"', 1.5, NULL", None),
        (
            "WITH RECURSIVE up(id, n) AS (SELECT id, 0 FROM line UNION SELECT line.parent, n + 1 FROM line JOIN up"
            " ON line.id = up.id WHERE n < 5) SELECT max(n) FROM up",
            None,
        ),
    ],
)
def test_ordinary_questions_are_answered_as_sqlite_answers_them(tool, tiny, query, plain):
    try:
        answered = json.loads(tool.call({"query": query}))
    except MalformedCall:
        assert query.startswith("(")  # SQLite takes no bracket before a SELECT
        return
    assert [tuple(row) for row in answered["rows"]] == tiny.sql(plain or query)
    assert len(answered["columns"]) == len(answered["rows"][0])


def test_a_star_shows_what_may_be_seen(tool):
    columns, rows = tool.query("SELECT * FROM ferry")
    assert "drive" not in columns
    assert columns[:2] == ["id", "name"]
    assert len(rows) == 48


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("x'00ff'", "X'00FF'"),
        ("9e999", "inf"),
        ("-9e999", "-inf"),
        ("CAST(x'ff' AS TEXT)", "\ufffd"),
        ("char(0)", "\0"),
        ("9223372036854775807", 9223372036854775807),
        ("NULL", None),
        ("'米'", "米"),
    ],
)
def test_what_json_cannot_hold_is_readable(tool, expression, said):
    def no_constant(name):
        raise AssertionError(name)

    assert json.loads(tool.call({"query": f"SELECT {expression}"}), parse_constant=no_constant)["rows"] == [[said]]


def test_too_many_rows_and_too_much_text_are_told(tool):
    with pytest.raises(MalformedCall, match="more than 1,000 rows"):
        tool.query("SELECT 1 FROM ferry a, ferry b")
    with pytest.raises(MalformedCall, match="too much text"):
        tool.query("SELECT printf('%.*c', 49000, 'x') FROM ferry")


@pytest.mark.parametrize(
    "arguments", [{}, {"query": 1}, {"query": None}, {"sql": "SELECT 1"}, {"query": "SELECT 1", "self": 1}]
)
def test_odd_arguments_are_malformed(tool, arguments):
    with pytest.raises(MalformedCall):
        tool.call(arguments)


WORDS = """SELECT FROM WITH RECURSIVE AS ( ) , * . ; main temp ferry drive wg_task question UNION ALL WHERE 1 = 'x' " [
] ` /* */ -- x0 x1 NOT MATERIALIZED count(*) JOIN ON sqlite_master EXPLAIN PRAGMA IN EXISTS NULL"""


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*WORDS.split(), "\n"]), max_size=14))
def test_no_query_raises_anything_else_or_sees_the_secret(tool, words):
    try:
        reply = tool.call({"query": "SELECT " + " ".join(words)})
    except MalformedCall as mistake:
        reply = mistake.advice()
    assert SECRET not in reply


def test_the_tables_stand_in_the_description(tool):
    description = tool.spec()["function"]["description"]
    assert "line_riders(id, line, period, riders)" in description
    assert "drive" not in description
    assert "wg_" not in description


def test_times_are_told_and_the_present_is_not(tool):
    told = "SELECT date('2029-02-27', '+2 days'), strftime('%Y', '2029-06-01'), julianday('2029-01-01') > 0"
    present = "SELECT date(), time(), datetime('no' || 'w'), julianday('n' || 'ow'), unixepoch(), strftime('%s')"
    assert json.loads(tool.call({"query": told}))["rows"] == [["2029-03-01", "2029", 1]]
    assert json.loads(tool.call({"query": present}))["rows"] == [[None] * 6]
    with pytest.raises(MalformedCall):
        tool.call({"query": "SELECT sqlite_version()"})
