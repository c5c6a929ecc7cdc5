import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.errors import SchemaError
from worldgen.schema import elementary
from worldgen.schema.expressions import evaluate, kind_of, parse

COLUMNS = {
    "a": np.array([1.0, 2.0, 3.0]),
    "maker.size": np.array([10.0, 0.0, 40.0]),
    "tier": np.array(["low", "high", "low"]),
    "day": np.array([0.0, 364.0, 365.0]),
}


def value(text: str) -> list[object]:
    result = evaluate(parse(text), COLUMNS.__getitem__)
    return np.broadcast_to(result, 3).tolist()


@settings(max_examples=100, deadline=None)
@given(st.floats(min_value=1e-300, max_value=1e300))
def test_log_agrees_with_math(x):
    assert math.isclose(float(elementary.log(x)), math.log(x), rel_tol=1e-15, abs_tol=1e-16)


@settings(max_examples=100, deadline=None)
@given(st.floats(min_value=-700, max_value=700))
def test_exp_agrees_with_math(x):
    assert math.isclose(float(elementary.exp(x)), math.exp(x), rel_tol=1e-15)


@settings(max_examples=100, deadline=None)
@given(st.floats(min_value=1e-6, max_value=1e9), st.floats(min_value=-8, max_value=8))
def test_power_agrees_with_math(x, y):
    assert math.isclose(float(elementary.power(x, y)), x**y, rel_tol=1e-12)


def test_elementary_edges():
    assert elementary.exp([-1000.0, 1000.0]).tolist() == [0.0, math.inf]
    assert elementary.log([0.0, math.inf]).tolist() == [-math.inf, math.inf]
    assert np.isnan(elementary.log(-1.0))
    assert np.isnan(elementary.exp(math.nan))
    assert elementary.power([-2.0, 0.0, 0.0, 4.0], [3.0, 0.8, 0.0, 0.5]).tolist() == [-8.0, 0.0, 1.0, 2.0]
    assert np.isnan(elementary.power(-2.0, 0.5))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + 2*maker.size", [21.0, 2.0, 83.0]),
        ("-a ** 2", [-1.0, -4.0, -9.0]),
        ("min(a, 2) + max(a, 2, 0)", [3.0, 4.0, 5.0]),
        ("if_(tier == 'low', a, 0)", [1.0, 0.0, 3.0]),
        ("if_(tier in ('low', 'mid'), 'x', 'y')", ["x", "y", "x"]),
        ("1 < a <= 3 and not tier == 'low'", [False, True, False]),
        ("year(day)", [1970.0, 1970.0, 1971.0]),
        ("day - date('1970-01-02')", [-1.0, 363.0, 364.0]),
        ("floor(sqrt(maker.size)) + abs(-1)", [4.0, 1.0, 7.0]),
        ("7", [7.0, 7.0, 7.0]),
    ],
)
def test_expressions_evaluate(text, expected):
    assert value(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "a +", "__import__('os')", "a.b()", "a[0]", "lambda: 1", "min(a)", "if_(a, 1)", "f'{a}'", "a := 1",
        "a if 1 else 2",
        "sqr(a)", "True", "a // 2", "a % 2", "x" * 2000, "1 if a", "date('x')", "date(a)", "a in tier", "a is 1",
        "(" * 300,
        "\x00", "max(a, key=1)", "(1, 2)",
    ],
)  # fmt: skip
def test_what_the_language_does_not_allow_is_an_error(text):
    with pytest.raises(SchemaError) as caught:
        parse(text, "phone.price")
    assert caught.value.code == "schema.expression"
    assert "phone.price" in str(caught.value)
    assert caught.value.expected
    assert caught.value.got is not None


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_any_text_parses_or_is_a_schema_error(text):
    try:
        parse(text)
    except SchemaError:
        return


def test_a_misspelt_function_gets_a_hint():
    with pytest.raises(SchemaError, match="did you mean 'sqrt'"):
        parse("sqr(a)")


@pytest.mark.parametrize(
    ("text", "kind"),
    [("a + 1", "number"), ("day + 3", "date"), ("day - day", "number"), ("year(day) > a", "boolean"),
     ("if_(a > 1, 'x', 'y')", "text"), ("min(day, date('2020-01-01'))", "date"), ("not a", "boolean")],
)  # fmt: skip
def test_kinds(text, kind):
    kinds = {"a": "number", "day": "date", "tier": "text"}
    assert kind_of(parse(text), kinds.__getitem__) == kind


MIXED = ["2029 - day", "day > a", "year(a)", "tier + 1", "tier == 3", "if_(a, day, 1)", "day + day"]


@pytest.mark.parametrize("text", MIXED)
def test_mixed_kinds_are_errors(text):
    kinds = {"a": "number", "day": "date", "tier": "text"}
    with pytest.raises(SchemaError):
        kind_of(parse(text), kinds.__getitem__)


def test_texts_and_numbers_do_not_compare():
    with pytest.raises(SchemaError):
        value("tier == 3")
    with pytest.raises(SchemaError):
        value("tier + 3")
