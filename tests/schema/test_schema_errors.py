"""Every kind of mistake in a schema: one problem, its code, its line, and how to mend it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import get_args

import pytest

from worldgen.errors import CallerError, SchemaError
from worldgen.schema import SchemaErrors, Vocabulary, check_schema, load_schema, parse_schema
from worldgen.schema.loader import MAX_BYTES
from worldgen.schema.model import AttributeType
from worldgen.schema.sources import MAKES, SOURCES, sources_of

SMALL = (Path(__file__).parent / "small.yaml").read_text(encoding="utf-8")
OFFER = "cardinality: many_to_many"
SIZE = "lognormal: {median: 900, sigma: 1.1}"
CHECK = "sql: SELECT p.id FROM phone p JOIN maker m ON m.id = p.maker WHERE year(p.released) < m.founded"


def problems(text: str, vocabulary: Vocabulary | None = None) -> list[SchemaError]:
    with pytest.raises(SchemaErrors) as caught:
        parse_schema(text, file="small.yaml", vocabulary=vocabulary)
    return caught.value.problems


def changed(old: str, new: str, at: str | None = None) -> tuple[str, int]:
    """The small schema with one passage replaced, and the line where `at` (by default the new text) begins."""
    assert SMALL.count(old) == 1, f"{old!r} occurs {SMALL.count(old)} times"
    text = SMALL.replace(old, new)
    start = SMALL.index(old) if at is None else text.index(at)
    return text, text.count("\n", 0, start) + 1


def test_the_small_schema_is_sound():
    assert parse_schema(SMALL).world == "small-market"


SYNTAX = [
    ("duplicate-key", "count: 3\n", "count: 3\n    count: 4\n", "count: 4\n    name: {kind: company}\nrel"),
    ("yaml-implicit", "hidden: true", "hidden: yes", None),
    ("yaml-implicit", "hidden: true", "hidden: True", None),
    ("yaml-alias", "count: 3\n", "count: &rows 3\n", None),
    ("yaml-alias", "count: 3\n", "count: *rows\n", None),
    ("yaml-tag", "count: 3\n", "count: !!int 3\n", None),
    ("yaml-tag", "count: 3\n", "count: !!python/name:os.system x\n", None),
    ("yaml-number", "count: 3\n", "count: 1e999\n", None),
    ("yaml-depth", "premise: Two", f"premise: {'[' * 60}{']' * 60}\nx: Two", None),
    ("yaml-key", "count: 3\n", "count: 3\n    ? [a]\n    : b\n", "? [a]"),
    ("yaml-tab", "    count: 3\n", "\tcount: 3\n", None),
    ("yaml-documents", "tasks:\n", "---\ntasks:\n", None),
    ("yaml-syntax", "title: {en: A small market}", "title: {en: A small market", "strategy"),
]

NODES = [
    ("unknown-key", "    attributes:\n      series:", "    atributes:\n      series:", None),
    ("unknown-key", 'expr: "180', 'expresion: "180', None),
    ("unknown-key", "world: small-market", "wrold: small-market", None),
    ("missing-key", "strategy: time_shifted\n", "", "world:"),
    ("missing-key", "    cardinality: one_to_many\n", "", "makes:"),
    ("unknown-word", "strategy: time_shifted", "strategy: time_shift", None),
    ("unknown-word", "type: money", "type: mony", None),
    ("unknown-word", "title: {en: A", "title: {fr: A", None),
    ("wrong-type", "count: 12", 'count: "12"', None),
    ("wrong-type", "count: 12", "count: 12:30", None),
    ("wrong-type", "count: 12", "count: 12.5", None),
    ("wrong-type", "hidden: true", "hidden: 1", None),
    ("wrong-type", "as_of: 2029-11-30", "as_of: 2029-13-30", None),
    ("wrong-type", "uniform: [1984, 2024]", "uniform: [1984, soon]", None),
    ("wrong-type", "uniform: [1984, 2024]", "uniform: 1984", None),
    ("wrong-type", "    name: {kind: company}\n    attributes", "    name: company\n    attributes", "name: company"),
    ("out-of-range", "sigma: 1.1", "sigma: -1", None),
    ("out-of-range", "genres: [news]", "genres: []", None),
    ("bad-name", "world: small-market", "world: Small Market", None),
    ("bad-name", "      size:", "      Size!:", None),
    ("bad-name", "host: news", "host: news.example", None),
    ("contradiction", SIZE, f"{SIZE}\n        expr: '1'", "size:"),
    ("wrong-kind", SIZE, "values: {low: 1, high: 2}", "size:"),
    ("wrong-kind", SIZE, "ref: shop", "size:"),
    ("contradiction", "how: count}", "how: sum}", None),
    ("contradiction", "name: {template", "name: {kind: company, template", None),
    ("contradiction", "after: maker.founded", "after: maker.founded\n        aggregates: [sum]", "released:"),
    ("contradiction", "rank: {of: price}", "rank: {of: price}\n        aggregates: [mean]", "rank_by_price:"),
]

LINKS = [
    ("unknown-entity", "    from: maker\n", "    from: makr\n", None),
    ("unknown-entity", "of: maker\n", "of: makers\n", None),
    (
        "unknown-entity",
        "series: {name: product_series,",
        "other: {ref: fone, hidden: true}\n      series: {name: x,",
        None,
    ),
    ("duplicate-table", "  offer:\n", "  shop:\n", "shop:\n    from"),
    ("reserved-name", "  offer:\n", "  wg_offer:\n", None),
    ("reserved-name", "  offer:\n", "  group:\n", None),
    ("reserved-name", "      size:\n", "      order:\n", None),
    ("reserved-name", "      size:\n", "      id:\n", None),
    ("reserved-name", "      size:\n", "      name_zh:\n", None),
    ("clash", "      rank_by_price:\n", "      series_zh:\n", None),
    ("clash", "series: {name: product_series,", "maker: {ref: maker, hidden: true}\n      series: {name: x,", "makes:"),
    ("clash", "      since:\n", "      shop:\n", "offer:\n    from"),
    ("clash", "    from: phone\n    to: shop\n", "    from: shop\n    to: shop\n", "offer:\n    from"),
    ("misplaced-key", "degree: {zipf: 1.1}", "degree: {zipf: 1.1}\n    symmetric: true", "makes:"),
    ("misplaced-key", OFFER, f"{OFFER}\n    acyclic: true", "offer:\n    from"),
    ("unknown-attribute", OFFER, f"{OFFER}\n    valid: {{from: sinse}}", "valid"),
    ("unknown-attribute", "count: 3\n", "count: 3\n    key: [town]\n", "key"),
    ("missing-key", "    count: 3\n", "", "shop:\n    label"),
    ("no-process", SIZE, "process: true", None),
    ("unknown-entity", "tasks:\n", "processes: [{use: x, fills: {match: game}}]\ntasks:\n", None),
]

ORDER = [
    ("unknown-attribute", "maker.size * 0.01", "maker.sizes * 0.01", None),
    ("unknown-attribute", "maker.size * 0.01", "price.size * 0.01", None),
    ("expression", "maker.size * 0.01", "maker.size * open(1)", None),
    ("expression", "maker.size * 0.01", "released * 2", None),
    ("wrong-kind", 'expr: "180 + maker.size * 0.01"', 'expr: "released"', None),
    ("expression", "maker.size * 0.01", "maker.size *", None),
    ("cycle", "maker.size * 0.01", "rank_by_price", "price:\n        type"),
    ("cycle", "degree: {zipf: 1.1}", "degree: {weight: models}", "models:\n        type"),
    ("unknown-attribute", "rank: {of: price}", "rank: {of: prise}", None),
    ("wrong-kind", "rank: {of: price}", "rank: {of: maker}", None),
    ("unknown-table", "table: phone,", "table: phones,", None),
    ("wrong-kind", "by: maker, how: count}", "by: released, how: count}", None),
    ("wrong-kind", "by: maker, how: count}", "by: maker, how: sum, of: released}", None),
    ("undisclosed", "how: count}", "how: sum, of: price}", None),
    ("wrong-kind", "after: maker.founded", "after: maker.size", None),
    ("unknown-attribute", "after: maker.founded", "after: maker.fonded", None),
    ("unknown-attribute", 'template: {en: "{maker} {series}"}', 'template: {en: "{makers} {series}"}', None),
    ("unknown-attribute", "initial: size * 40", "initial: sise * 40", None),
    ("unknown-category", SIZE, "depends: {on: tier, map: {low: 1, hihg: 2, high: 3}}", None),
    ("missing-key", SIZE, "depends: {on: tier, map: {low: 1}}", None),
    ("wrong-kind", SIZE, "depends: {on: founded, map: {low: 1}}", None),
    ("wrong-kind", SIZE, "share: {weight: tier}", None),
]

RANGES = [
    ("impossible-range", "uniform: [1984, 2024]", "uniform: [2024, 1984]", None),
    ("impossible-range", "uniform: [1984, 2024]", "uniform: [1984, 20240]", None),
    ("impossible-range", "uniform: [1984, 2024]", "uniform: [1984, 2024]\n        min: 2030", "uniform: [1984"),
    ("impossible-range", "from: 2028-Q1", "from: 0000-Q1", None),
    ("out-of-range", "as_of: 2029-11-30", "as_of: 0999-12-31", None),
    ("out-of-range", "as_of: 2029-11-30", "as_of: 9001-01-01", None),
    ("wrong-kind", "uniform: [1984, 2024]", "uniform: [1984-01-01, 2024-01-01]", None),
    ("wrong-kind", "uniform: [2027-01-01, 2029-10-31]", "uniform: [2027, 2029]", None),
    ("impossible-range", "uniform: [2027-01-01, 2029-10-31]", "uniform: [2029-01-01, 2027-10-31]", None),
    ("impossible-range", SIZE, f"{SIZE}\n        min: 5\n        max: 4", "min: 5"),
    ("impossible-range", SIZE, "pareto: {min: 5, alpha: 1}\n        max: 4", "pareto"),
    ("impossible-range", SIZE, "empirical: {1: 0, 2: 0}", None),
    ("impossible-range", SIZE, "empirical: [1, 9]\n        max: 4", "empirical"),
    ("impossible-range", "after: maker.founded", "after: 2030-01-01", None),
    ("impossible-range", "after: maker.founded", "before: 2020-01-01", None),
    ("impossible-range", "after: maker.founded", "after: 2029-01-01\n        before: 2028-01-01", "after: 2029"),
    ("wrong-kind", "after: maker.founded", "after: 2028", None),
    ("wrong-kind", "uniform: [1984, 2024]", "uniform: [1984, 2024]\n        after: 1980-01-01", "after: 1980"),
    ("misplaced-key", SIZE, f"{SIZE}\n        after: 1990", "after: 1990"),
    ("misplaced-key", SIZE, f"{SIZE}\n        noise: 0.2", "noise: 0.2"),
    ("misplaced-key", SIZE, f"{SIZE}\n        acyclic: true", "acyclic"),
    ("misplaced-key", SIZE, f"{SIZE}\n        decimals: 2", "decimals"),
    ("misplaced-key", SIZE, f"{SIZE}\n        currency: USD", "currency"),
    ("missing-key", "        currency: USD\n", "", "price:\n        type"),
    ("misplaced-key", "after: maker.founded", "min: 3\n        after: maker.founded", None),
    ("impossible-range", "round: 10\n        label: {en: [price,", "round: 0.5\n        label: {en: [price,", None),
    ("wrong-kind", "uniform: [1984, 2024]", "share: {weight: size}", None),
    ("contradiction", "degree: {zipf: 1.1}", "degree: {zipf: 1.1, even: true}", None),
    ("misplaced-key", "degree: {zipf: 1.1}", "degree: {even: true, mean: 2}", None),
    ("impossible-range", "degree: {mean: 1.5}", "degree: {mean: 15}", None),
    ("impossible-range", "degree: {mean: 1.5}", "degree: {mean: 2.5, max: 2}", None),
    ("impossible-range", "values: {low: 2, high: {weight: 1,", "values: {low: 0, high: {weight: 0,", None),
    ("impossible-range", "values: {low: 2,", "unique: true\n        values: {low: 2,", "unique: true\n        values"),
    (
        "impossible-range",
        "series: {name:",
        "town: {ref: shop, distinct: true, hidden: true}\n      series: {name:",
        None,
    ),
    ("wrong-kind", "from: 2028-Q1", "from: 2028", None),
    ("impossible-range", "to: 2029-Q3", "to: 2027-Q3", "from: 2028-Q1"),
    ("out-of-range", "season: [0.9, 0.95, 1.0, 1.2]", "season: [0.9, 1.1]", None),
    ("contradiction", "season: [", "monotone: increasing\n    season: [", "season: ["),
]

KNOWN = [
    ("unknown-attribute", SIZE, f"{SIZE}\n        known: foundet", "known"),
    ("unknown-attribute", OFFER, f"{OFFER}\n    known: phone.relesed", "known"),
    ("unknown-attribute", "degree: {zipf: 1.1}", "degree: {zipf: 1.1}\n    known: founded", "known"),
    ("wrong-kind", SIZE, f"{SIZE}\n        known: tier", "known"),
    ("wrong-kind", SIZE, f"{SIZE}\n        known: 2029", "known"),
    ("wrong-kind", "count: 3\n", "count: 3\n    known: 2029-02-30\n", "known"),
    ("out-of-range", "count: 3\n", "count: 3\n    known: 2029-12-01\n", "known"),
    ("contradiction", "unique: true, hidden: true}", "unique: true, hidden: true, changes: true}", "series: {name"),
    ("wrong-type", SIZE, f"{SIZE}\n        changes: 1", "changes"),
]

LONG = "w" * 81
TEXTS = [
    ("blank-text", "[employees, headcount, workforce]", "[employees, headcount, ' ']", None),
    ("blank-text", "[shop/shops, store/stores]", "[shop/shops, store/stores, '']", None),
    ("blank-text", "title: {en: A small market}", "title: {en: ' '}", None),
    ("blank-text", "name: {en: Daily news}", "name: {en: ''}", None),
    ("blank-text", "premise: Two makers sell phones.", "premise: ' '", None),
    ("long-text", "premise: Two makers", f"premise: Two {'w' * 1000} makers", None),
    ("long-text", "[employees, headcount, workforce]", f"[employees, headcount, {LONG}]", None),
    ("long-text", "[shop/shops, store/stores]", f"[shop/shops, {LONG}/{LONG}]", None),
    ("long-text", '"{phone} at {shop}"', f'"{{phone}} at {{shop}} {LONG}"', None),
    ("long-text", SIZE, SIZE + "\n        say: {en: '{name} has {value} " + "w" * 400 + "'}", "say"),
    ("long-text", "    phone: {columns:", f"    phone: {{reasons: {{en: {'w' * 401}}}, columns:", None),
    ("control-character", "[employees, headcount, workforce]", '[employees, headcount, "work\\nforce"]', None),
    ("control-character", "[employees, headcount, workforce]", '[employees, headcount, "work\\u200bforce"]', None),
    ("control-character", "name: {en: Daily news}", 'name: {en: "Daily\\tnews"}', None),
    ("control-character", "title: {en: A small market}", 'title: {en: "A small\\u202e market"}', None),
    ("control-character", "premise: Two makers", 'premise: "Two\\u0007 makers"\nnoise: {}\n#', None),
    ("text-syntax", "[employees, headcount, workforce]", "[employees, 'head|count', workforce]", None),
    ("text-syntax", "[employees, headcount, workforce]", "[employees, head/count, workforce]", None),
    ("text-syntax", "[employees, headcount, workforce]", "[employees, '{value} heads', workforce]", None),
    ("text-syntax", "[high, premium]", "[high, '*premium*']", None),
    ("text-syntax", "values: {low: 2,", "values: {very_low: 2,", None),
    ("text-syntax", "[shop/shops, store/stores]", "[shop/shops, 'store [big]/stores']", None),
    ("text-syntax", "[maker, manufacturer, producer]", "[maker, manufacturer, maker/producer]", None),
    ("text-syntax", "[shipments, phones shipped,", "[shipments, 'phones #shipped',", None),
    ("text-syntax", "title: {en: A small market}", "title: {en: A small <b>market}", None),
    ("text-syntax", '"the {name} market"', '"the {{name}} market"', None),
    ("text-syntax", '{en: "{maker} {series}"}', '{en: "{maker} `{series}`"}', None),
    ("text-syntax", '"{phone} at {shop}"', '"{phone} at {shop} }"', None),
    ("text-syntax", "name: {en: Daily news}", "name: {en: Daily_news}", None),
    ("text-syntax", SIZE, SIZE + "\n        say: {en: '{name} has {value} > 3'}", "say"),
    ("text-syntax", "    phone: {columns:", "    phone: {reasons: {en: 'I [really] ask.'}, columns:", None),
    ("text-syntax", "currency: USD", "currency: 'U|D'", None),
]

WORDS = [
    ("label-count", "[employees, headcount, workforce]", "[employees, headcount]", None),
    ("label-repeated", "[employees, headcount, workforce]", "[employees, headcount, workforce, headcount]", None),
    ("label-shared", "[employees, headcount, workforce]", "[founding year, headcount, workforce]", None),
    ("label-shared", "[shipments, phones shipped,", "[models, phones shipped,", None),
    ("label-count", "[shop/shops, store/stores]", "shop/shops", None),
    ("label-form", "[shop/shops, store/stores]", "[shop, store/stores]", None),
    ("label-count", "label: {en: [maker, manufacturer, producer]}", "label: {en: [maker, producer]}", None),
    ("missing-text", "title: {en: A small market}", "title: {zh: 小市场}", None),
    ("missing-placeholder", '"the {name} market"', '"the market"', None),
    ("unknown-placeholder", '"the {name} market"', '"the {name} {place} market"', None),
    ("missing-placeholder", '"{phone} at {shop}"', '"{phone} somewhere"', None),
    ("unknown-attribute", '"{phone} at {shop}"', '"{phone} at {shop} {town}"', None),
    ("missing-key", '    phrase: {en: "{phone} at {shop}"}\n', "", "offer:\n    from"),
    ("unknown-placeholder", SIZE, SIZE + "\n        say: {en: '{name} has {valeu} {value}'}", "say"),
    ("missing-placeholder", SIZE, SIZE + "\n        say: {en: '{name} is big'}", "say"),
    ("label-shared", "en: [high, premium]", "en: [high, low]", None),
    ("unknown-placeholder", '"{scope} encyclopedia"', '"{scop} encyclopedia"', None),
    ("duplicate-host", "host: news,", "host: encyclopedia,", None),
    ("unknown-table", "host: news,", "host: news, about: [fone],", None),
    ("uncovered", "trust: high", "trust: medium", "sites:"),
    ("unknown-table", "    phone: {columns:", "    fone: {columns:", None),
    ("unknown-attribute", "columns: [price, maker.founded,", "columns: [price, maker.fonded,", None),
    ("unknown-attribute", "columns: [price, maker.founded,", "columns: [price, price.founded,", None),
    ("hidden", "where: [released]", "where: [series]", None),
]

QUERIES = [
    ("sql-unknown-column", "m.founded\n", "m.fonded\n", None),
    ("sql-unknown-table", "FROM phone p JOIN", "FROM fone p JOIN", None),
    ("sql-syntax", "SELECT p.id FROM", "SELECT p.id FORM", None),
    ("sql-statements", "< m.founded\n", "< m.founded; SELECT 1\n", None),
    ("sql-statements", CHECK, "sql: '-- nothing'", None),
    ("sql-verb", CHECK, "sql: DELETE FROM phone", None),
    ("sql-verb", CHECK, "sql: WITH x AS (SELECT 1) DELETE FROM phone", None),
    ("sql-verb", "breaks: UPDATE maker SET founded = 2031 WHERE id = 'maker/0'", "breaks: SELECT 1 FROM maker", None),
    ("sql-verb", CHECK, "sql: PRAGMA user_version", None),
    ("sql-kinds", "year(p.released) < m.founded", "p.released < m.founded", None),
    ("sql-kinds", "year(p.released) < m.founded", "p.released < 2029", None),
    ("sql-kinds", "year(p.released) < m.founded", "p.released < '2029'", None),
    ("sql-kinds", "year(p.released) < m.founded", "released BETWEEN 2027 AND 2029", None),
    ("sql-kinds", "year(p.released) < m.founded", "m.size = '12'", None),
    ("sql-kinds", "year(p.released) < m.founded", "m.size + 1 > p.released", None),
    ("sql-kinds", "year(p.released) < m.founded", "year(m.founded) = 2020", None),
    ("sql-kinds", "year(p.released) < m.founded", "m.tier = 'hihg'", None),
    ("sql-kinds", "year(p.released) < m.founded", "m.tier IN ('low', 'hihg')", None),
    ("sql-kinds", "m.id = p.maker", "m.id = p.id", None),
    ("sql-unknown-column", "year(p.released) < m.founded", 'm.tier = "nigh"', None),
]


@pytest.mark.parametrize(
    ("code", "old", "new", "at"), [*SYNTAX, *NODES, *LINKS, *ORDER, *RANGES, *KNOWN, *TEXTS, *WORDS, *QUERIES]
)
def test_one_mistake_is_one_problem_at_its_line(code, old, new, at):
    text, line = changed(old, new, at)
    if code == "undisclosed":
        text = text.replace("currency: USD", "currency: USD\n        undisclosed: 0.05")
    found = problems(text)
    assert [(problem.code, problem.line) for problem in found] == [(f"schema.{code}", line)], str(found[0])
    assert found[0].path == "small.yaml"


def test_nothing_is_known_since_a_day_that_is_not_disclosed():
    text = SMALL.replace("available from]}", "available from]}\n        undisclosed: 0.05\n    known: since")
    assert [problem.code for problem in problems(text)] == ["schema.undisclosed"]


@pytest.mark.parametrize(
    ("old", "new", "fix"),
    [
        ("    attributes:\n      series:", "    atributes:\n      series:", "did you mean 'attributes'?"),
        ("strategy: time_shifted", "strategy: time_shift", "did you mean 'time_shifted'?"),
        ("maker.size * 0.01", "maker.sise * 0.01", "did you mean 'size'?"),
        ("FROM phone p JOIN", "FROM fone p JOIN", "did you mean 'phone'?"),
        ("p.released) < m.founded", "p.released) < m.fonded", "did you mean 'founded'?"),
        ("year(p.released) < m.founded", "m.tier = 'hihg'", "did you mean 'high'?"),
        ("year(p.released) < m.founded", "p.released < m.founded", "a date is not a year: use year(…)"),
        ("of: maker\n", "of: makers\n", "did you mean 'maker'?"),
    ],
)
def test_a_misspelt_word_is_answered_with_the_right_one(old, new, fix):
    assert problems(changed(old, new)[0])[0].fix == fix


def test_all_problems_are_told_in_the_order_of_their_lines():
    text = SMALL.replace("count: 4", "cont: 4").replace("count: 12", "count: twelve").replace("[news]", "[blog]")
    found = problems(text)
    assert [problem.code for problem in found] == ["schema.unknown-key", "schema.wrong-type", "schema.unknown-word"]
    with pytest.raises(SchemaErrors) as caught:
        parse_schema(text)
    assert len(str(caught.value).splitlines()) == 3
    assert caught.value.code == found[0].code
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


VOCABULARY = Vocabulary(
    units=frozenset({"persons", "kg"}),
    cultures=frozenset({"veltic", "oshani"}),
    kinds=frozenset({"region", "company", "product_series"}),
    processes=frozenset({"election"}),
)


@pytest.mark.parametrize(
    ("what", "old", "new", "wrong", "right"),
    [
        ("unit", SIZE, f"{SIZE}\n        unit: persns", "persns", "persons"),
        ("unit", "initial: size * 40", "unit: persns\n    initial: size * 40", "persns", "persons"),
        ("culture", "cultures: veltic", "cultures: veltik", "veltik", "veltic"),
        ("culture", "cultures: veltic", "cultures:\n  - veltic\n  - oshany", "oshany", "oshani"),
        ("culture", "scope: {kind: region,", "scope: {kind: region, culture: oshany,", "oshany", "oshani"),
        (
            "culture",
            "count: 4\n    name: {kind: company",
            "count: 4\n    name: {kind: company, culture: oshany",
            "oshany",
            "oshani",
        ),
        ("culture", "{name: product_series,", "{name: product_series, culture: oshany,", "oshany", "oshani"),
        ("name-kind", "scope: {kind: region,", "scope: {kind: regoin,", "regoin", "region"),
        ("name-kind", "count: 3\n    name: {kind: company}", "count: 3\n    name: {kind: compny}", "compny", "company"),
        ("name-kind", "{name: product_series,", "{name: product_serie,", "product_serie,", "product_series"),
        ("process", "tasks:\n", "processes:\n  - {use: elections, fills: {}}\ntasks:\n", "elections", "election"),
    ],
)
def test_borrowed_words_are_checked_where_they_are_known(what, old, new, wrong, right):
    assert SMALL.count(old) == 1
    text = SMALL.replace(old, new)
    line = text.count("\n", 0, text.index(wrong)) + 1
    assert parse_schema(text).world == "small-market"
    assert parse_schema(SMALL, vocabulary=VOCABULARY) == parse_schema(SMALL)
    found = problems(text, VOCABULARY)
    wanted = (f"schema.unknown-{what}", line, f"did you mean {right!r}?")
    assert [(p.code, p.line, p.fix) for p in found] == [wanted]


def test_a_second_language_needs_its_words():
    found = problems(SMALL.replace("genres: [news]", "genres: [news], languages: [en, zh]"))
    codes = {problem.code for problem in found}
    assert codes == {"schema.label-count", "schema.missing-text"}


def test_a_language_of_the_questions_needs_articles():
    found = problems(SMALL.replace("genres: [encyclopedia, list]", "genres: [list]"))
    assert {problem.code for problem in found} == {"schema.uncovered"}
    assert any("`phone` in en" in problem.message for problem in found)
    assert not any("`offer`" in problem.message for problem in found)


def test_a_schema_made_in_python_is_checked_too():
    schema = parse_schema(SMALL)
    entity = schema.entities["maker"].model_copy(update={"count": None})
    broken = schema.model_copy(update={"entities": {**schema.entities, "maker": entity}})
    with pytest.raises(SchemaErrors) as caught:
        check_schema(broken)
    assert caught.value.code == "schema.missing-key"
    assert caught.value.line is None


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        (b"", "schema.empty", 1),
        (b"# nothing but this\n", "schema.empty", 1),
        (b"- a\n- b\n", "schema.wrong-type", 1),
        (b"just words", "schema.wrong-type", 1),
        (b"\xef\xbb\xbfworld: x", "schema.encoding", 1),
        (b"world: x\ntitle: \xff\xfe", "schema.encoding", 2),
        (b"world: a\x00b", "schema.yaml-syntax", 1),
        (b"world: x\n\ttitle: y", "schema.yaml-tab", 2),
    ],
)
def test_a_file_that_is_no_schema(tmp_path, content, code, line):
    path = tmp_path / "x.yaml"
    path.write_bytes(content)
    with pytest.raises(SchemaErrors) as caught:
        load_schema(path)
    assert (caught.value.code, caught.value.line, len(caught.value.problems)) == (code, line, 1)


def test_a_file_that_cannot_be_read(tmp_path):
    folder = tmp_path / "folder.yaml"
    folder.mkdir()
    other = tmp_path / "schema.txt"
    other.write_text(SMALL, encoding="utf-8")
    large = tmp_path / "large.yaml"
    large.write_bytes(b"#" * (MAX_BYTES + 1))
    for source in (folder, other, large, tmp_path / "missing.yaml", str(tmp_path / "x\0.yaml"), "a" * 5000 + ".yaml"):
        with pytest.raises(CallerError) as caught:
            load_schema(source)
        assert caught.value.code == "schema.file"
        assert len(str(caught.value).splitlines()) == 1


def test_an_unknown_name_lists_the_shipped_ones():
    with pytest.raises(CallerError) as caught:
        load_schema("smartphone-markt")
    assert caught.value.code == "schema.unknown"
    assert caught.value.fix == "did you mean 'smartphone-market'?"
    assert "smartphone-market" in str(caught.value.expected)


SOURCE_OF = {
    "uniform": "[1, 9]",
    "normal": "{mean: 5, sd: 1}",
    "lognormal": "{median: 5, sigma: 1}",
    "pareto": "{min: 1, alpha: 2}",
    "zipf": "{max: 9}",
    "empirical": "{0: 7, 1: 3}",
    "values": "{low: 2, high: 1}",
    "expr": "founded",
    "depends": "{on: tier, map: {low: 1, high: 2}}",
    "rank": "{of: founded}",
    "share": "{weight: founded}",
    "aggregate": "{table: phone, by: maker, how: count}",
    "name": "brand",
    "ref": "shop",
}


@pytest.mark.parametrize("kind", get_args(AttributeType))
@pytest.mark.parametrize("source", [each for each in SOURCES if each != "process"])
def test_a_source_that_does_not_make_the_type_is_told_with_those_that_do(source, kind):
    text = SMALL.replace(SIZE, f"{source}: {SOURCE_OF[source]}").replace("type: integer", f"type: {kind}", 1)
    assert f"type: {kind}" in text
    try:
        parse_schema(text, file="small.yaml")
        found = []
    except SchemaErrors as error:
        told = f": `{source}` makes no {kind}"
        found = [problem for problem in error.problems if problem.message.endswith(told)]
    if source in sources_of(kind):
        assert found == []
        return
    (problem,) = found
    assert problem.code == "schema.wrong-kind"
    assert all(f"`{each}`" in (problem.fix or "") for each in sources_of(kind))


def test_every_type_has_a_source_and_every_source_a_type():
    assert {*SOURCE_OF, "process"} == set(SOURCES)
    assert {kind for source in SOURCES for kind in MAKES[source]} == set(get_args(AttributeType))


def test_a_boolean_with_values_is_told_how_to_draw_one():
    (problem,) = problems(SMALL.replace(SIZE, "values: {low: 2, high: 1}").replace("type: integer", "type: boolean", 1))
    assert "such as `empirical: {0: 7, 1: 3}`" in str(problem)
