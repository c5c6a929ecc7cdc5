"""Tables, columns and order of a schema; the shipped schemas; the reference."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import worldgen.schema
from worldgen.errors import SchemaError
from worldgen.schema import (
    SchemaErrors,
    attribute_order,
    describe,
    entity_attributes,
    load_schema,
    parse_schema,
    resolve,
    shipped,
    sql_columns,
    tables,
    used_languages,
)
from worldgen.schema.layout import PathError
from worldgen.schema.periods import ordinal
from worldgen.schema.queries import empty_database
from worldgen.schema.reference import json_schema, markdown
from worldgen.schema.strict import read_yaml

SMALL = (Path(__file__).parent / "small.yaml").read_text(encoding="utf-8")
ROOT = Path(__file__).parents[2]


def test_columns_of_every_kind_of_table():
    columns = sql_columns(parse_schema(SMALL))
    assert list(columns) == ["maker", "phone", "shop", "offer", "maker_shipments"]
    assert columns["maker"] == {
        "id": "TEXT", "name": "TEXT", "name_zh": "TEXT", "founded": "INTEGER", "size": "INTEGER", "tier": "TEXT",
        "models": "INTEGER",
    }  # fmt: skip
    assert columns["phone"] == {
        "id": "TEXT", "name": "TEXT", "name_zh": "TEXT", "series": "TEXT", "series_zh": "TEXT", "released": "TEXT",
        "price": "INTEGER", "rank_by_price": "INTEGER", "maker": "TEXT",
    }  # fmt: skip
    assert columns["offer"] == {"id": "TEXT", "phone": "TEXT", "shop": "TEXT", "since": "TEXT"}
    assert columns["maker_shipments"] == {"id": "TEXT", "maker": "TEXT", "period": "TEXT", "shipments": "INTEGER"}


@pytest.mark.parametrize(
    ("cardinality", "entity", "column", "target", "distinct"),
    [
        ("one_to_many", "phone", "maker", "maker", False),
        ("many_to_one", "maker", "phone", "phone", False),
        ("one_to_one", "maker", "phone", "phone", True),
    ],
)
def test_a_relation_becomes_a_ref_on_its_many_side(cardinality, entity, column, target, distinct):
    text = SMALL.replace("one_to_many", cardinality).replace(", by: maker, how: count", ", by: maker, how: count")
    schema = read_yaml(text).value
    model = worldgen.schema.Schema.model_validate_json(json.dumps(schema), strict=True)
    attribute = entity_attributes(model, entity)[column]
    assert (attribute.ref, attribute.distinct, attribute.kind) == (target, distinct, "ref")
    assert attribute.label["en"] == ["maker", "manufacturer", "producer"]
    assert attribute.degree is not None
    assert tables(model)[entity][column].origin == ("relations", "makes")


def test_roles_name_the_columns():
    text = SMALL.replace("    from: phone\n    to: shop", "    from: shop\n    to: shop\n    roles: [old, new]")
    text = text.replace('"{phone} at {shop}"', '"{old} then {new}"').replace("        after: phone.released\n", "")
    schema = parse_schema(text)
    assert list(sql_columns(schema)["offer"]) == ["id", "old", "new", "since"]
    assert tables(schema)["offer"]["new"].target == "shop"


def test_paths_lead_through_refs():
    layout = tables(parse_schema(SMALL))
    assert resolve(layout, "offer", "phone.maker.founded") == [
        ("offer", "phone"), ("phone", "maker"), ("maker", "founded"),
    ]  # fmt: skip
    for path, word in [("phone.price.x", "price"), ("phone.x", "x"), ("", ""), ("phone.", "")]:
        with pytest.raises(PathError) as caught:
            resolve(layout, "offer", path)
        assert caught.value.word == word


def test_everything_comes_after_what_it_needs():
    schema = parse_schema(SMALL)
    order = attribute_order(schema)
    place = {step: index for index, step in enumerate(order)}
    assert len(place) == len(order) == sum(len(columns) for columns in sql_columns(schema).values())
    for before, after in [
        (("maker", "size"), ("phone", "price")),
        (("phone", "maker"), ("phone", "price")),
        (("phone", "price"), ("phone", "rank_by_price")),
        (("phone", "maker"), ("maker", "models")),
        (("maker", "founded"), ("phone", "released")),
        (("maker", "size"), ("maker_shipments", "shipments")),
        (("maker", "name"), ("phone", "name")),
    ]:
        assert place[before] < place[after]


def test_order_refuses_a_cycle():
    schema = worldgen.schema.Schema.model_validate_json(
        json.dumps(read_yaml(SMALL.replace("maker.size * 0.01", "rank_by_price")).value), strict=True
    )
    with pytest.raises(SchemaError) as caught:
        attribute_order(schema)
    assert caught.value.code == "schema.cycle"
    assert "phone.price" in caught.value.message


def test_the_tables_can_be_made_and_asked():
    connection = empty_database(sql_columns(parse_schema(SMALL)))
    connection.execute("INSERT INTO phone (id, released) VALUES ('phone/0', '2028-03-01')")
    assert connection.execute("SELECT year(released), year(NULL) FROM phone").fetchone() == (2028, None)
    connection.close()


@pytest.mark.parametrize(
    "condition",
    [
        "p.released < '2029-01-31'",
        "p.released > date('now')",
        "p.price BETWEEN 10 AND 20 AND p.maker = m.id",
        "m.tier IN ('low', 'high')",
        "m.tier NOT IN ('low')",
        "p.price > (SELECT AVG(price) FROM phone)",
        "p.id = 'phone/0' OR p.maker LIKE 'maker/%'",
        "m.name = p.series || ' x'",
        "m.size * 2 - 1 >= 100 AND -1 < m.size",
        "CAST(substr(p.released, 1, 4) AS INTEGER) <= m.founded",
        "EXISTS (SELECT 1 FROM offer o WHERE o.phone = p.id AND o.since < p.released)",
        "p.id IN (SELECT phone FROM offer GROUP BY phone HAVING COUNT(*) > 3)",
        "m.id IN (SELECT s.maker FROM maker_shipments s WHERE s.period = '2028-Q1' AND s.shipments < 0)",
        "julianday(p.released) - julianday('2029-01-01') > 30",
        "ABS(p.price - m.size) > 0.5",
        "MAX(p.price, m.size) > 3",
    ],
)
def test_sound_conditions_are_left_alone(condition):
    old = "year(p.released) < m.founded"
    assert SMALL.count(old) == 1
    parse_schema(SMALL.replace(old, condition))


def test_names_given_by_a_subquery_are_not_mistaken_for_columns():
    old = "SELECT p.id FROM phone p JOIN maker m ON m.id = p.maker WHERE year(p.released) < m.founded"
    new = "SELECT 1 FROM (SELECT SUM(price) AS released FROM phone) WHERE released <> 1000"
    assert SMALL.count(old) == 1
    parse_schema(SMALL.replace(old, new))


def test_languages_are_those_of_questions_and_sites():
    schema = parse_schema(SMALL)
    assert used_languages(schema) == ("en",)
    site = schema.sites[0].model_copy(update={"languages": ["zh"]})
    assert used_languages(schema.model_copy(update={"sites": [site]})) == ("en", "zh")


def test_strict_yaml_converts_nothing_silently():
    text = "on: off-peak\na: 12:30\nb: 010\nc: 0x1f\nd: 2029-01-31\ne: '12'\nf: 1_000\ng: ~\nno: [1e3, -0.5, .5, +1]\n"
    assert read_yaml(text).value == {
        "on": "off-peak", "a": "12:30", "b": "010", "c": "0x1f", "d": "2029-01-31", "e": "12", "f": 1000, "g": None,
        "no": [1000.0, -0.5, ".5", "+1"],
    }  # fmt: skip


def test_a_year_may_be_written_bare():
    text = SMALL.replace("every: quarter", "every: year").replace("from: 2028-Q1", "from: 2028")
    text = text.replace("to: 2029-Q3", "to: 2030").replace("    season: [0.9, 0.95, 1.0, 1.2]\n", "")
    assert parse_schema(text).series["shipments"].start == "2028"


def test_periods_are_counted():
    assert ordinal("2029-Q1", "quarter") - ordinal("2028-Q4", "quarter") == 1
    assert ordinal("2029-01", "month") - ordinal("2028-12", "month") == 1
    for text, every in [("2028-Q5", "quarter"), ("2028-13", "month"), ("28", "year"), ("2028", "month")]:
        with pytest.raises(ValueError, match=text):
            ordinal(text, every)


def test_the_shipped_schemas_are_listed():
    found = shipped()
    assert list(found) == sorted(found)
    assert {"smartphone-market"} <= set(found)
    rows = describe()
    assert [row.name for row in rows] == list(found)
    assert all(row.rows > 0 and row.tables >= 5 and row.title for row in rows)
    assert load_schema("smartphone-market") == load_schema(found["smartphone-market"])


def test_the_committed_json_schema_is_the_one_that_the_models_give():
    assert (ROOT / "docs" / "schema.json").read_text(encoding="utf-8") == json_schema(), (
        "run python -m worldgen.schema.reference > docs/schema.json"
    )


def test_every_key_is_explained():
    assert "|  |\n" not in markdown()


def test_the_public_names_exist():
    for name in worldgen.schema.__all__:
        assert getattr(worldgen.schema, name) is not None
    assert issubclass(SchemaErrors, SchemaError)
