import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from facts_schemas import MARKET, digest, market, schema

from worldgen.facts.generate import generate
from worldgen.facts.naming import names_of, scope_phrase
from worldgen.language import name_key


@pytest.fixture(scope="module")
def facts():
    return generate(schema(market()), 7)


def test_same_schema_and_seed_same_facts(facts):
    assert digest(generate(schema(market()), 7)) == digest(facts)
    assert digest(generate(schema(market()), 8)) != digest(facts)


def test_tables_and_columns_stand_in_the_order_of_the_schema(facts):
    assert list(facts.tables) == ["city", "maker", "phone", "partner", "maker_sales"]
    assert list(facts.tables["phone"].columns) == list(MARKET["phone"]["attributes"])
    assert facts.count() == sum(table.size * len(table.stated()) for table in facts)


def test_an_attribute_more_leaves_everything_else_as_it_was(facts):
    more = market()
    more["entities"]["maker"]["attributes"]["motto"] = {"type": "integer", "uniform": [1, 9]}
    more["entities"]["maker"]["attributes"]["label_name"] = {"name": "brand"}
    more["entities"]["depot"] = {
        "count": 9, "name": {"kind": "place"}, "attributes": {"city": {"ref": "city"}},
    }  # fmt: skip
    grown = generate(schema(more), 7)
    for name, table in facts.tables.items():
        for column, values in table.columns.items():
            assert np.array_equal(values.values, grown.tables[name].columns[column].values), (name, column)
        assert [n.en for n in table.names] == [n.en for n in grown.tables[name].names]


def test_bits_do_not_depend_on_the_processor(facts):
    from numpy._core import _multiarray_umath as core

    features = [name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name)]
    code = (
        "import sys; sys.path.insert(0, 'tests/facts')\n"
        "from facts_schemas import digest, market, schema\n"
        "from worldgen.facts.generate import generate\n"
        "print(digest(generate(schema(market()), 7)))"
    )
    environment = os.environ | {
        "NPY_DISABLE_CPU_FEATURES": " ".join(features),
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F",
        "PYTHONHASHSEED": "12345",
        "TZ": "Asia/Tokyo",
    }
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == digest(facts)


def test_names_are_unique_in_the_world(facts):
    for language in ("en", "zh"):
        names = [facts.scope.say(language)]
        for table in facts:
            names += [n.say(language) for n in table.names] if table.named else []
            names += [a.say(language) for others in table.aliases.values() for a in others]
            names += [t.say(language) for c in table.columns.values() for t in c.texts or ()]
        keys = [name_key(name) for name in names]
        assert len(set(keys)) == len(keys)


def test_a_sibling_keeps_clear_of_names(facts):
    taken = names_of(facts)
    sibling = generate(schema(market()), 7, avoid=taken)
    assert not taken & names_of(sibling)
    assert facts.scope.en.casefold() in taken


def test_scope_is_a_name_and_has_a_phrase(facts):
    assert scope_phrase(facts, "en") == f"the {facts.scope.en} market"


def test_template_names_are_built_of_their_parts(facts):
    phone, maker = facts.tables["phone"], facts.tables["maker"]
    row = 3
    brand = maker.columns["brand"].texts[phone.columns["maker"].values[row]]
    model = phone.columns["model"].texts[row]
    assert phone.names[row].en == f"{brand.en} {model.en}"
    assert phone.names[row].zh == f"{brand.zh}{model.zh}"


def test_like_template_names_are_numbered():
    document = market()
    document["entities"]["phone"]["name"] = {"template": {"en": "{maker.brand} {tier}", "zh": "{maker.brand}{tier}"}}
    names = [name.en for name in generate(schema(document), 7).tables["phone"].names]
    assert len(set(names)) == len(names)
    assert any(name.endswith("middle II") for name in names)
    zh = [name.zh for name in generate(schema(document), 7).tables["phone"].names]
    assert any("中端" in name for name in zh)


def test_aliases_come_at_their_rate_and_ambiguous_ones_in_pairs():
    document = market()
    document["entities"]["phone"]["ambiguous"] = 0.04
    document["entities"]["phone"]["aliases"] = 0.3
    facts = generate(schema(document), 7)
    # At most half of the makers: a name of one word has no shorter form.
    assert 4 <= len(facts.tables["maker"].aliases) <= 10
    aliases = [a.en for others in facts.tables["phone"].aliases.values() for a in others]
    shared = {a for a in aliases if aliases.count(a) == 2}
    assert len(shared) == 3
    assert len(aliases) == 45


def test_ambiguous_people_share_a_short_form():
    document = market(series={}, relations={})
    document["entities"] = {"person": {"count": 300, "name": {"kind": "person"}, "ambiguous": 0.1}}
    table = generate(schema(document), 7).tables["person"]
    assert len(table.aliases) == 30
    shared = [a.en for others in table.aliases.values() for a in others]
    assert all(shared.count(name) == 2 for name in shared)


def test_undisclosed_values_stay_in_the_column(facts):
    weight = facts.tables["phone"].columns["weight"]
    assert (~weight.given).sum() == 15
    row = int(np.flatnonzero(~weight.given)[0])
    assert weight.canonical(row) is None
    assert weight.values[row] > 100


def test_released_after_the_maker_was_founded(facts):
    phone, maker = facts.tables["phone"], facts.tables["maker"]
    founded = maker.columns["founded"].values[phone.columns["maker"].values]
    years = [int(text[:4]) for text in phone.columns["released"].canonicals()]
    assert (np.array(years) > founded).all()


def test_aggregates_are_exact(facts):
    phone, maker = facts.tables["phone"], facts.tables["maker"]
    refs, prices = phone.columns["maker"].values, phone.columns["price"].values
    for row in range(maker.size):
        mine = prices[refs == row]
        assert maker.columns["phones"].values[row] == len(mine)
        assert maker.columns["mean_price"].given[row] == (len(mine) > 0)
        if len(mine):
            assert abs(maker.columns["mean_price"].values[row] - mine.mean() * 100) <= 0.5 + 1e-6


def test_expressions_drive_values(facts):
    columns = facts.tables["phone"].columns
    grade, ram = columns["grade"].values, columns["ram"].values
    assert (columns["fast"].values == ((ram > 6) & (columns["tier"].values != 0))).all()
    expected = 90 * grade + 12.5 * ram**0.8
    ratio = columns["price"].values / expected
    assert ratio.mean() == pytest.approx(1, abs=0.06)
    assert 0.08 < ratio.std() < 0.22
    assert (columns["price"].values % 10 == 0).all()


def test_series_grow_with_the_season(facts):
    table = facts.tables["maker_sales"]
    assert table.size == 20 * 8
    assert table.columns["period"].canonical(0) == "2027-Q3"
    assert table.fact(9, "sales") == "maker/1/sales@2027-Q4"
    values = table.columns["sales"].values.reshape(20, 8)
    assert (values[:, 1] / values[:, 0] > 1.05).mean() > 0.8


@pytest.mark.parametrize(("monotone", "sign"), [("increasing", 1), ("decreasing", -1)])
def test_monotone_series(monotone, sign):
    document = market()
    document["series"]["sales"] |= {"monotone": monotone, "season": None}
    values = generate(schema(document), 7).tables["maker_sales"].columns["sales"].values.reshape(20, 8)
    assert (np.diff(values, axis=1) * sign >= 0).all()
    assert (np.diff(values, axis=1) != 0).mean() > 0.9


def test_symmetric_relations_hold_both_directions(facts):
    table = facts.tables["partner"]
    one, other = table.columns["one"].values.tolist(), table.columns["other"].values.tolist()
    rows = {pair: row for row, pair in enumerate(zip(one, other, strict=True))}
    assert len(rows) == table.size
    for (a, b), row in rows.items():
        assert a != b
        mirror = rows[b, a]
        for name in ("since", "until"):
            assert table.columns[name].values[row] == table.columns[name].values[mirror]
    assert (table.columns["since"].values <= table.columns["until"].values).all()


@pytest.mark.parametrize("counts", [{"maker": 0, "phone": 0}, {"phone": 0}, {"city": 1, "maker": 1, "phone": 1}])
def test_tiny_and_empty_tables(counts):
    document = market()
    for name, count in counts.items():
        document["entities"][name]["count"] = count
    facts = generate(schema(document), 7)
    for name, count in counts.items():
        assert facts.tables[name].size == count
        assert len(facts.tables[name].names) == count
    assert facts.tables["partner"].size == 0 or "maker" not in counts
