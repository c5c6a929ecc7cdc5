"""Typed tools say what plain SQL says, page by page, and take what their schemas take and nothing else."""

from __future__ import annotations

import json
import math
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from worldgen.schema import load_schema
from worldgen.tools import MalformedCall, SqlTool, Toolbox
from worldgen.tools.typed import SeenTable, TableReader, TableTool, seen_tables, table_tools
from worldgen.tools.typed.columns import SeenColumn

SCHEMAS = sorted((Path(__file__).parents[2] / "schemas").glob("*.yaml"))


def column(name: str, kind: str, **more: Any) -> SeenColumn:
    found = {"target": None, "categories": (), "description": name, "integral": kind in ("integer", "year")}
    return SeenColumn(**{"name": name, "kind": kind, **found, **more})


OPENED: list[sqlite3.Connection] = []


@pytest.fixture(scope="module", autouse=True)
def closing_databases():
    yield
    while OPENED:
        OPENED.pop().close()


def opened(tables: list[SeenTable], rows: dict[str, list[tuple]], aliases: list[tuple[str, str]] = ()) -> TableReader:
    """A reader of a database made by hand; the first column of a row is its id, the second its name."""
    connection = sqlite3.connect(":memory:")
    OPENED.append(connection)
    connection.execute("CREATE TABLE wg_entity (id PRIMARY KEY, type, name, name_zh)")
    connection.execute("CREATE TABLE wg_alias (entity, text)")
    connection.executemany("INSERT INTO wg_alias VALUES (?, ?)", aliases)
    for table in tables:
        columns = ["id", *(column.name for column in table.columns)]
        connection.execute(f'CREATE TABLE "{table.name}" ({", ".join(f"{c!r}" for c in columns)})'.replace("'", '"'))
        marks = ", ".join("?" * len(columns))
        connection.executemany(f'INSERT INTO "{table.name}" VALUES ({marks})', rows[table.name])
        named = [(row[0], table.name, str(row[1]), f"{row[1]}号") for row in rows[table.name]]
        connection.executemany("INSERT INTO wg_entity VALUES (?, ?, ?, ?)", named)
    return TableReader(connection, {table.name: table for table in tables})


def pages(tool: TableTool, **arguments: Any) -> list[dict[str, Any]]:
    """All pages of a list."""
    found, cursor = [], None
    while True:
        page = tool(**arguments, cursor=cursor)
        found += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            assert page["total"] == len(found)
            return found


def plain(row: dict[str, Any]) -> tuple:
    """A row as SQL has it."""
    return tuple(value["id"] if isinstance(value, dict) else value for value in row.values())


def seen_rows(world, table: str, rest: str = "", *values: object) -> list[tuple]:
    chosen = ", ".join(f't."{name}"' for name in ("id", *(c.name for c in world.tables.tables[table].columns)))
    return world._opened.connection.execute(f'SELECT {chosen} FROM "{table}" t {rest}', values).fetchall()


def lists(world) -> list[TableTool]:
    return [tool for tool in world.tools.values() if tool.action == "list"]


@pytest.mark.parametrize("limit", [1, 7, 100])
def test_the_pages_of_a_list_are_the_table(tiny_in_two_languages, limit):
    world = tiny_in_two_languages
    for tool in lists(world):
        if limit == 1 and tool.table.name == "call":
            continue
        assert [plain(row) for row in pages(tool, limit=limit)] == seen_rows(world, tool.table.name, "ORDER BY rowid")


def test_every_sort_puts_the_unknown_last_and_ties_in_the_order_of_the_table(tiny_in_two_languages):
    world = tiny_in_two_languages
    for tool in lists(world):
        for sort in tool.parameters["sort"].schema["enum"]:
            name, down = sort.removeprefix("-"), sort.startswith("-")
            order = f'ORDER BY t."{name}" IS NULL, t."{name}" {"DESC" if down else ""}, rowid'
            assert [plain(row) for row in pages(tool, sort=sort, limit=13)] == seen_rows(
                world, tool.table.name, order
            ), (tool.name, sort)


def test_every_filter_and_bound_agrees_with_sql_and_counts_equal_lists(tiny_in_two_languages):
    world = tiny_in_two_languages
    checked = 0
    for tool in lists(world):
        count = world.tools[f"{tool.table.name}_count"]
        for name, parameter in tool.parameters.items():
            if parameter.column is None:
                continue
            stored = parameter.column.name
            values = [
                v
                for (v,) in world.sql(f'SELECT DISTINCT "{stored}" FROM "{tool.table.name}" ORDER BY 1')
                if v is not None
            ]
            for value in [*values[:2], *values[len(values) // 2 :][:1], *values[-1:]]:
                given = bool(value) if parameter.column.kind == "boolean" else value
                if parameter.operator == "contains":
                    given = value = str(value)[1:4].upper()
                    at = 1 + [c.name for c in tool.table.columns].index(stored)
                    rows = seen_rows(world, tool.table.name, "ORDER BY rowid")
                    expected = [row for row in rows if value.casefold() in str(row[at]).casefold()]
                else:
                    expected = seen_rows(
                        world, tool.table.name, f'WHERE t."{stored}" {parameter.operator} ? ORDER BY rowid', value
                    )
                assert [plain(row) for row in pages(tool, **{name: given})] == expected, (tool.name, name, value)
                assert count(**{name: given}) == {"count": len(expected)}
                checked += 1
    assert checked > 100


def test_several_conditions_hold_together(tiny):
    found = pages(tiny.tools["ferry_list"], seats_min=60, seats_max=120, drive="diesel", sort="-seats", limit=3)
    rest = "WHERE seats BETWEEN 60 AND 120 AND drive = 'diesel' ORDER BY seats DESC, rowid"
    assert [plain(row) for row in found] == seen_rows(tiny, "ferry", rest)
    assert found


def test_traversals_lead_back_along_every_ref(tiny):
    walked = 0
    for tool in tiny.tools.values():
        if tool.action != "traverse":
            continue
        ref = tool.parameters["id"].column
        for id, name in tiny.sql(f'SELECT id, name FROM "{ref.target}"'):
            expected = seen_rows(tiny, tool.table.name, f'WHERE t."{ref.name}" = ? ORDER BY rowid', id)
            assert [plain(row) for row in pages(tool, id=name, limit=2)] == expected
            walked += len(expected)
    assert walked
    assert {"line_to_ferry", "landing_to_line", "line_to_line", "ferry_to_call", "landing_to_call"} <= set(tiny.tools)


def test_ranges_are_cut_at_both_ends(tiny):
    tool = tiny.tools["line_riders_range"]
    for id, name in tiny.sql("SELECT id, name FROM line"):
        whole = tiny.sql(f"SELECT period, riders FROM line_riders WHERE line = '{id}' ORDER BY period")
        assert [(p["period"], p["riders"]) for p in tool(id=name)["points"]] == whole
        part = tool(id=id, start="2024", end="2026")
        assert part["of"] == id
        assert [(p["period"], p["riders"]) for p in part["points"]] == [r for r in whole if "2024" <= r[0] <= "2026"]
    assert tool(id="line/0", start="2027", end="2023")["points"] == []
    with pytest.raises(MalformedCall, match="another form"):
        tool(id="line/0", start="2024-Q1")


def test_a_row_is_got_by_every_name_it_has(tiny_in_two_languages):
    world = tiny_in_two_languages
    for table in ("line", "ferry", "landing"):
        get = world.tools[f"{table}_get"]
        for id, name, chinese in world.sql(f"SELECT id, name, name_zh FROM {table}"):
            assert plain(get(id=id)) == seen_rows(world, table, "WHERE id = ?", id)[0]
            assert get(id=id) == get(id=name) == get(id=chinese)
    shared = 0
    for text, ambiguous in world.sql("SELECT text, max(ambiguous) FROM wg_alias GROUP BY text"):
        owners = world.sql(
            "SELECT DISTINCT e.id, e.type FROM wg_alias a JOIN wg_entity e ON e.id = a.entity WHERE a.text ="
            f" '{text.replace(chr(39), chr(39) * 2)}'"
        )
        for table in {kind for _, kind in owners}:
            ids = [id for id, kind in owners if kind == table]
            if len(ids) == 1:
                assert world.tools[f"{table}_get"](id=text)["id"] == ids[0]
            else:
                shared += ambiguous
                with pytest.raises(MalformedCall, match=f"{len(ids)} rows of {table} are called"):
                    world.tools[f"{table}_get"](id=text)


def test_undisclosed_values_are_null_and_meet_no_condition(tiny):
    hidden = tiny.sql("SELECT subject FROM wg_fact WHERE disclosed = 0 AND attribute = 'price'")
    assert hidden
    for (subject,) in hidden:
        assert tiny.tools["ferry_get"](id=subject)["price"] is None
    count = tiny.tools["ferry_count"]
    known = count()["count"] - len(hidden)
    assert count(price_min=-1)["count"] == count(price_max=10**12)["count"] == known


ODD = [
    "O'Brien",
    '"Quoted"',
    "100%",
    "under_score",
    "Ärger",
    "ÉCOLE",
    "ﬁn",
    "İzmir",
    "米",
    "a\0b",
    "  spaced ",
    "x--",
    "%",
    "_",
]


@pytest.fixture(scope="module")
def odd() -> TableReader:
    columns = (column("name", "name"), column("size", "integer"), column("big", "boolean"), column("share", "percent"))
    table = SeenTable("order", "entity", "order", columns)
    rows = [(f"order/{n}", name, n // 3, n % 2, None if n == 4 else n / 4) for n, name in enumerate(ODD)]
    return opened([table], {"order": rows}, [("order/1", "twice"), ("order/2", "twice"), ("order/3", "once")])


def test_odd_names_are_found_and_a_table_may_bear_a_word_of_sql(odd):
    tools = {tool.name: tool for tool in table_tools(odd)}
    for n, name in enumerate(ODD):
        assert tools["order_get"](id=name)["id"] == f"order/{n}"
        assert [row["id"] for row in tools["order_list"](name=name)["items"]] == [f"order/{n}"]
        assert f"order/{n}" in [row["id"] for row in tools["order_list"](name_contains=name.swapcase())["items"]] or (
            name == "İzmir"  # has no capital that folds back
        )
    assert tools["order_count"](name_contains="%") == {"count": 2}
    assert tools["order_count"](name_contains="_") == {"count": 2}
    assert tools["order_count"](name_contains="école") == {"count": 1}
    assert tools["order_get"](id="once")["id"] == "order/3"
    for said in ("twice", "nobody", "", "order/99", "line/0", "' OR 1=1 --", "\ud800"):
        with pytest.raises(MalformedCall, match="called"):
            tools["order_get"](id=said)
    assert tools["order_count"](name="\ud800") == {"count": 0}


VALUES = st.none() | st.integers(-3, 3) | st.floats(-2, 2).map(lambda x: round(x, 1))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3) | st.none(), VALUES, st.booleans() | st.none()), max_size=25),
    st.sampled_from(["", "a", "-a", "b", "-b", "c", "-c", "name"]),
    st.integers(1, 9),
    st.fixed_dictionaries({}, optional={"a_min": st.integers(0, 3), "b_max": st.integers(-3, 3), "c": st.booleans()}),
)
def test_any_table_is_paged_whole_and_once(rows, sort, limit, filters):
    columns = (column("name", "name"), column("a", "integer"), column("b", "decimal"), column("c", "boolean"))
    table = SeenTable("thing", "entity", "thing", columns)
    stored = [(f"thing/{n}", f"T{n}", a, b, None if c is None else int(c)) for n, (a, b, c) in enumerate(rows)]
    tools = {tool.name: tool for tool in table_tools(opened([table], {"thing": stored}))}

    def meets(row: tuple) -> bool:
        _, _, a, b, c = row
        return (
            ("a_min" not in filters or (a is not None and a >= filters["a_min"]))
            and ("b_max" not in filters or (b is not None and b <= filters["b_max"]))
            and ("c" not in filters or c == int(filters["c"]))
        )

    wanted = [row for row in stored if meets(row)]
    if sort:
        at = ["name", "a", "b", "c"].index(sort.removeprefix("-")) + 1
        known = sorted((r for r in wanted if r[at] is not None), key=lambda r: r[at], reverse=sort.startswith("-"))
        if sort.startswith("-"):  # reverse=True keeps ties in order
            known = sorted((r for r in wanted if r[at] is not None), key=lambda r: r[at], reverse=True)
        wanted = known + [r for r in wanted if r[at] is None]
        filters = {**filters, "sort": sort}
    found = pages(tools["thing_list"], limit=limit, **filters)
    assert [row["id"] for row in found] == [row[0] for row in wanted]
    filters.pop("sort", None)
    assert tools["thing_count"](**filters) == {"count": len(wanted)}


def test_a_cursor_is_of_one_list_and_one_place(tiny):
    tool = tiny.tools["ferry_list"]
    cursor = tool(limit=5, sort="seats")["next_cursor"]
    assert tool(limit=9, sort="seats", cursor=cursor)["items"][0] == pages(tool, sort="seats")[5]
    start, digest = cursor.split("-")
    forged = [
        "", "x", "-", "5", "5-", f"6-{digest}", f"-5-{digest}", f"05-{digest}",
        f" 5-{digest}", f"٥-{digest}", f"²-{digest}",
        f"{start}-{digest}0", cursor.upper() + "é", "9" * 400, f"{10**20}-{digest}", "米", "\0", "\ud800", "W10",
        cursor + "\n",
    ]  # fmt: skip
    for said in forged:
        with pytest.raises(MalformedCall, match="cursor does not belong"):
            tool(sort="seats", cursor=said)
    for other in ({}, {"sort": "-seats"}, {"sort": "seats", "seats_min": 1}):
        with pytest.raises(MalformedCall, match="cursor does not belong"):
            tool(cursor=cursor, **other)
    with pytest.raises(MalformedCall, match="cursor does not belong"):
        tiny.tools["line_list"](cursor=cursor)


def test_columns_that_are_called_as_arguments_are_told_apart():
    names = ["name", "sort", "limit", "cursor", "price", "price_min", "price_max", "sort_", "self", "given"]
    kinds = ["name", *["integer"] * (len(names) - 1)]
    table = SeenTable("thing", "entity", "thing", tuple(map(column, names, kinds)))
    rows = [(f"thing/{n}", f"T{n}", *(n * 10 + k for k in range(1, len(names)))) for n in range(5)]
    tools = {tool.name: tool for tool in table_tools(opened([table], {"thing": rows}))}
    parameters = tools["thing_list"].parameters
    for name in names:
        own = [p for p, parameter in parameters.items() if parameter.column and parameter.column.name == name]
        assert len(own) == (2 if name == "name" else 3)
        for argument in own:
            parameter = parameters[argument]
            if parameter.operator == "=" and name != "name":
                value = 20 + names.index(name)
                assert [row["id"] for row in tools["thing_list"](**{argument: value})["items"]] == ["thing/2"]
                assert json.loads(tools["thing_count"].call({argument: value})) == {"count": 1}
    assert len(tools["thing_list"](limit=2, sort="-price")["items"]) == 2


@pytest.mark.parametrize("action", ["list", "count"])
def test_names_of_tools_are_unique_and_short(action):
    def table(name: str, *refs: str) -> SeenTable:
        columns = (column("name", "name"), *(column(f"r{n}", "ref", target=ref) for n, ref in enumerate(refs)))
        return SeenTable(name, "entity", name, columns)

    long = "a" * 40
    made = [table("x"), table(f"y_{action}", "x"), table("x_to_y"), table(long, long, long)]
    tools = table_tools(opened(made, {t.name: [] for t in made}))
    names = [tool.name for tool in tools]
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= 64
    Toolbox(None, extra=tools)
    assert [t.name for t in table_tools(opened(made, {t.name: [] for t in made}))] == names


@pytest.fixture(scope="module", params=SCHEMAS, ids=lambda path: path.stem)
def shipped(request):
    schema = load_schema(request.param)
    tables = seen_tables(schema, ["en", "zh"])
    return schema, table_tools(opened(list(tables.values()), {name: [] for name in tables}))


def test_the_specs_of_shipped_schemas_are_json_schemas(shipped):
    schema, tools = shipped
    for tool in tools:
        function = tool.spec()["function"]
        Draft202012Validator.check_schema(function["parameters"])
        json.dumps(function)
        assert function["name"] == tool.name
        assert function["description"]
        assert all(parameter.get("description") for parameter in function["parameters"]["properties"].values())
    seen = {tool.table.name for tool in tools}
    assert set(schema.entities) <= seen


def hidden_of(schema) -> list[tuple[str, str]]:
    nodes = [*schema.entities.items(), *schema.relations.items()]
    return [(kind, name) for kind, node in nodes for name, attribute in node.attributes.items() if attribute.hidden]


def test_hidden_attributes_of_shipped_schemas_appear_nowhere(shipped):
    schema, tools = shipped
    for kind, name in hidden_of(schema):
        for tool in tools:
            if tool.table.name == kind:
                assert name not in {column.name for column in tool.table.columns}
                properties = tool.spec()["function"]["parameters"]["properties"]
                assert not {name, f"{name}_min", f"{name}_max"} & set(properties)
                assert name not in properties.get("sort", {}).get("enum", [])
        described = SqlTool(Path("none"), {t.table.name: t.table for t in tools}).spec()["function"]["description"]
        columns = described.partition(f"{kind}(")[2].partition(")")[0].split(", ")
        assert name not in columns


def test_some_shipped_schema_has_hidden_attributes():
    assert any(hidden_of(load_schema(path)) for path in SCHEMAS)


def test_units_and_categories_stand_in_the_specs(tiny):
    ferry = tiny.tools["ferry_list"].spec()["function"]["parameters"]["properties"]
    assert "EUR" in ferry["price_min"]["description"]
    assert ferry["drive"]["enum"] == ["diesel", "electric", "hybrid"]
    assert ferry["launched_max"]["pattern"]
    assert "name_zh" not in ferry
    assert "passengers" in tiny.tools["line_riders_range"].spec()["function"]["description"]
    assert set(tiny.tools["call_list"](limit=1)["items"][0]) == {"id", "ferry", "landing", "fare", "since", "until"}


def test_rows_without_names_are_listed_and_led_to(tiny):
    assert "call_get" not in tiny.tools
    call = tiny.tools["call_list"](limit=1)["items"][0]
    assert call["ferry"]["name"]
    assert call in pages(tiny.tools["ferry_to_call"], id=call["ferry"]["name"])


ANY = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("x" * 501)
    | st.sampled_from([10**400, -(10**5000), 2**53, 2**53 + 1, 1.0, 0, 101, "2020-01-01", "2020-1-1", "2024", [], {}])
)  # fmt: skip


FITTING = {
    "integer": st.integers(1, 100),
    "number": st.floats(-9, 9),
    "boolean": st.booleans(),
    "string": st.text(max_size=5),
}


def fits(schema: dict[str, Any], said: dict[str, Any]) -> bool:
    if any(isinstance(value, float) and not math.isfinite(value) for value in said.values()):
        return False
    try:
        return Draft202012Validator(schema).is_valid(said)
    except ValueError:  # it cannot print a number of 5,000 digits
        return False


def outcome(tool: TableTool, arguments: dict[str, Any]) -> MalformedCall | None:
    try:
        tool(**arguments)
    except MalformedCall as mistake:
        return mistake
    return None


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_call_is_taken_exactly_where_its_schema_takes_it(tiny, data):
    tool = tiny.tools[data.draw(st.sampled_from(list(tiny.tools)))]
    schema = tool.spec()["function"]["parameters"]
    names = data.draw(st.lists(st.sampled_from([*schema["properties"], "other"]), max_size=4, unique=True))
    names = list(dict.fromkeys([*schema.get("required", [])[: data.draw(st.integers(0, 1))], *names]))
    own = {name: schema["properties"].get(name, {}) for name in names}
    kinds = {n: st.sampled_from(s["enum"]) if "enum" in s else FITTING.get(s.get("type"), ANY) for n, s in own.items()}
    arguments = {name: data.draw(kind | ANY) for name, kind in kinds.items()}
    # null means that an argument is not given, as where tools are called by models.
    said = {name: v for name, v in arguments.items() if v is not None or name == "other"}
    mistake = outcome(tool, arguments)
    if mistake is not None:
        # What is not there is no matter of the schema.
        assume("called" not in mistake.message and "cursor" not in mistake.message)
        assert mistake.expected or mistake.got
    assert (mistake is None) == fits(schema, said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"seats_min": True}, "expected integer; got a boolean"),
        ({"seats_min": "9"}, "expected integer; got a string"),
        ({"seats_min": 1.5}, "expected integer; got a number"),
        ({"length_min": math.nan}, "out of range"),
        ({"length_min": math.inf}, "out of range"),
        ({"length_min": 10**400}, "out of range"),
        ({"length_min": 10**5000}, "out of range"),
        ({"limit": 0}, "expected 1 to 100; got 0"),
        ({"limit": 101}, "got 101"),
        ({"drive": "steam"}, "expected diesel or electric or hybrid; got steam"),
        ({"launched_min": "2020"}, "YYYY-MM-DD"),
        ({"sort": "nothing"}, "no such value"),
        ({"sort": "line"}, "no such value"),
        ({"name": "x" * 501}, "500 characters at most; got 501"),
        ({"self": 1}, "unknown argument self"),
        ({"line": "Nobody"}, "no line is called 'Nobody'"),
    ],
)
def test_a_wrong_argument_is_explained(tiny, arguments, said):
    with pytest.raises(MalformedCall) as caught:
        tiny.tools["ferry_list"](**arguments)
    assert said in caught.value.advice()


def test_a_whole_number_may_be_written_with_a_point(tiny):
    assert tiny.tools["ferry_list"](limit=2.0, seats_min=60.0) == tiny.tools["ferry_list"](limit=2, seats_min=60)


def test_tools_are_the_same_in_python_and_in_a_toolbox(tiny):
    box = tiny.toolbox("api")
    assert box.names() == list(tiny.tools)
    called = tiny.tools["ferry_list"](price_min=300, sort="-price", limit=3)
    assert json.loads(box.call("ferry_list", {"price_min": 300, "sort": "-price", "limit": 3})) == called


def test_fifty_thousand_rows_are_paged_to_the_end():
    table = SeenTable("thing", "entity", "thing", (column("name", "name"), column("size", "integer")))
    rows = [(f"thing/{n}", f"Thing {n}", n * 7919 % 50_000 if n % 100 else None) for n in range(50_000)]
    tools = {tool.name: tool for tool in table_tools(opened([table], {"thing": rows}))}
    found = pages(tools["thing_list"], limit=100)
    assert [row["id"] for row in found] == [row[0] for row in rows]
    half = pages(tools["thing_list"], sort="size", size_min=49_000, limit=100)
    assert [row["size"] for row in half] == sorted(r[2] for r in rows if r[2] is not None and r[2] >= 49_000)
    assert tools["thing_count"](name_contains="THING 4999")["count"] == 11
