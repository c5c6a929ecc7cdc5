"""The proofs' own reader understands whatever the language can say: two tables of words, written apart, that agree."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.language import (
    ValueSpec,
    canonical,
    currencies,
    currency,
    other_forms,
    plain,
    relative_date,
    relative_year,
    styles,
    units,
)
from worldgen.proofs import parsing

FEW = settings(max_examples=50, deadline=None)
LANGUAGES = st.sampled_from(["en", "zh"])
UNITS = st.sampled_from([None, *sorted(units())])
DAYS = st.integers(dt.date(1870, 1, 1).toordinal(), dt.date(2060, 12, 31).toordinal())


def every_style(spec: ValueSpec, scaled: int, language: str) -> list[str]:
    return [plain(spec, scaled, style, language) for style in range(len(styles(spec.type, language)))]


@pytest.mark.parametrize("name", sorted(units()))
def test_every_unit_is_known_with_its_dimension_and_factor(name):
    unit = units()[name]
    known = parsing.unit_of(name)
    if unit.dimension == "count":
        assert known is None
        return
    assert known is not None, f"{name} is missing in proofs/wording.yaml"
    for other in unit.others:
        told = parsing.unit_of(other[0])
        assert told is not None
        assert told[0] == known[0]
        assert told[1] / known[1] == units()[other[0]].factor / unit.factor


@FEW
@given(UNITS, st.integers(0, 99_999_999), st.integers(0, 3), LANGUAGES)
def test_numbers_are_read_in_every_style(unit, scaled, decimals, language):
    spec = ValueSpec("decimal" if decimals else "integer", decimals, unit=unit)
    for said in every_style(spec, scaled, language):
        assert Fraction(canonical(spec, scaled)) in parsing.quantities(said, unit), said


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", sorted(units()))
def test_numbers_are_read_in_every_other_unit(name, language):
    told = 0
    for decimals, values in (
        (0, (1, 7, 24, 90, 365, 1500, 12_000, 1_250_000)),
        (1, (5, 12, 254, 6_700)),
        (2, (125, 3_050)),
    ):
        spec = ValueSpec("decimal" if decimals else "integer", decimals, unit=name)
        for scaled in values:
            for said in other_forms(spec, scaled, language):
                told += 1
                assert Fraction(canonical(spec, scaled)) in parsing.quantities(said, name), said
    assert told or not units()[name].others


@FEW
@given(UNITS, st.integers(0, 99_999_999), st.integers(0, 2), LANGUAGES)
def test_numbers_are_read_in_every_other_form(unit, scaled, decimals, language):
    spec = ValueSpec("decimal" if decimals else "integer", decimals, unit=unit)
    for said in other_forms(spec, scaled, language):
        assert Fraction(canonical(spec, scaled)) in parsing.quantities(said, unit), said


@FEW
@given(st.sampled_from(sorted(currencies())), st.integers(-(10**10), 10**10), st.sampled_from([0, 2]), LANGUAGES)
def test_money_is_read_in_every_style_and_form(code, scaled, decimals, language):
    spec = ValueSpec("money", decimals, currency=currency(code))
    for said in every_style(spec, scaled, language) + other_forms(spec, scaled, language):
        assert Fraction(canonical(spec, scaled)) in parsing.quantities(said, None), said


@FEW
@given(st.integers(-2_000, 200_000), st.integers(0, 2), LANGUAGES)
def test_percentages_are_read_in_every_style_and_form(scaled, decimals, language):
    spec = ValueSpec("percent", decimals)
    for said in every_style(spec, scaled, language) + other_forms(spec, scaled, language):
        assert Fraction(canonical(spec, scaled)) in parsing.percentages(said), said


@FEW
@given(DAYS, LANGUAGES)
def test_dates_and_years_are_read_in_every_style(day, language):
    date = dt.date.fromordinal(day)
    for said in every_style(ValueSpec("date"), day, language):
        assert parsing.dates(said) == [date], said
    for said in every_style(ValueSpec("year"), date.year, language):
        assert parsing.years(said) == [date.year], said


@FEW
@given(st.integers(2000, 2040), st.integers(0, 11), LANGUAGES)
def test_periods_are_read_in_every_style(year, month, language):
    for every, scaled in (("year", year), ("quarter", year * 4 + month // 3), ("month", year * 12 + month)):
        spec = ValueSpec(every)
        for said in every_style(spec, scaled, language):
            assert parsing.periods(said, every) == {canonical(spec, scaled)}, said


@FEW
@given(DAYS, st.one_of(st.integers(-60, 60), st.sampled_from([30, 31, 61, 365, 366, 730, 1461, 3652])), LANGUAGES)
def test_relative_dates_are_read(reference, gap, language):
    said = relative_date(reference + gap, reference, language)
    if said is None:
        return
    told = {parsing.shift(dt.date.fromordinal(reference), size, step) for size, step in parsing.gaps(said)}
    assert told == {dt.date.fromordinal(reference + gap)}, said


@FEW
@given(st.integers(1900, 2040), st.integers(-40, 40), LANGUAGES)
def test_relative_years_are_read(reference, gap, language):
    said = relative_year(reference + gap, reference, language)
    assert said is not None
    assert {reference + size for size, step in parsing.gaps(said) if step == "year"} == {reference + gap}, said


@pytest.mark.parametrize("months", range(-23, 24))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_relative_months_are_read(months, language):
    start = dt.date(2027, 6, 18)
    there = parsing.shift(start, months, "month")
    assert there is not None
    said = relative_date(there.toordinal(), start.toordinal(), language)
    assert said is not None
    assert there in {parsing.shift(start, size, step) for size, step in parsing.gaps(said)}, said


def test_what_is_no_value_is_not_read():
    assert parsing.quantities("no figure here", "m") == []
    assert parsing.dates("May 2027, or 31 Nothing 2027") == []
    assert parsing.gaps("the year of three lakes") == []
    assert parsing.percentages("a fifth") == []
