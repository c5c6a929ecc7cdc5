"""Values said in every style read back exactly; other forms are exact or absent."""

from __future__ import annotations

import calendar
import re
from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.errors import CallerError
from worldgen.language import (
    Currency,
    ValueSpec,
    article,
    canonical,
    cell,
    cell_column,
    choose_label,
    choose_labels,
    convert,
    currency,
    in_other_unit,
    in_other_unit_column,
    join_list,
    number_words,
    ordinal,
    other_forms,
    plain,
    plain_column,
    plural,
    relative_date,
    relative_year,
    styles,
    unit,
    units,
    with_article,
)
from worldgen.language.values import ValueType
from worldgen.seeds import stream

FEW = settings(max_examples=60, deadline=None)
LANGUAGES = st.sampled_from(["en", "zh"])
CROWN = Currency("KRN", "", "crown", "crowns", "克朗")
MONTHS = [calendar.month_name[month] for month in range(1, 13)]
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "万": 10**4, "亿": 10**8}


def first_number(text: str) -> Fraction:
    found = re.search(r"-?[^\d\s-]?\d[\d,]*(\.\d+)?", text)
    assert found is not None, text
    return Fraction(re.sub(r"[^\d.-]", "", found[0]))


def read_date(text: str) -> date:
    short = {name[:3]: i for i, name in enumerate(MONTHS, 1)}
    if worded := re.fullmatch(r"(\d+) ([A-Z][a-z]+) (\d{4})", text):
        return date(int(worded[3]), short[worded[2][:3]], int(worded[1]))
    if worded := re.fullmatch(r"([A-Z][a-z]+) (\d+), (\d{4})", text):
        return date(int(worded[3]), short[worded[1][:3]], int(worded[2]))
    year, month, day = (int(part) for part in re.findall(r"\d+", text))
    return date(year, month, day)


@FEW
@given(
    scaled=st.integers(-(10**12), 10**12),
    decimals=st.integers(0, 4),
    used=st.sampled_from([None, *sorted(units())]),
    language=LANGUAGES,
    data=st.data(),
)
def test_numbers_read_back(scaled: int, decimals: int, used: str | None, language: str, data: st.DataObject) -> None:
    spec = ValueSpec("decimal", decimals=decimals, unit=used)
    style = data.draw(st.integers(0, len(styles("decimal", language)) - 1))
    text = plain(spec, scaled, style, language)
    assert first_number(text) == Fraction(scaled, 10**decimals)
    assert Fraction(cell(spec, scaled, language)) == Fraction(scaled, 10**decimals)
    if used is not None:
        told = unit(used)
        assert text.endswith((told.zh, told.symbol) if language == "zh" else (told.many, told.one, told.symbol))


@FEW
@given(
    scaled=st.integers(-(10**9), 10**9),
    decimals=st.sampled_from([0, 2]),
    kind=st.sampled_from([CROWN, currency("USD"), currency("CNY")]),
    language=LANGUAGES,
    data=st.data(),
)
def test_money_reads_back(scaled: int, decimals: int, kind: Currency, language: str, data: st.DataObject) -> None:
    spec = ValueSpec("money", decimals=decimals, currency=kind)
    style = data.draw(st.integers(0, len(styles("money", language)) - 1))
    text = plain(spec, scaled, style, language)
    assert first_number(text) == Fraction(scaled, 10**decimals)
    assert any(word and word in text for word in (kind.code, kind.symbol, kind.one, kind.many, kind.zh))
    assert not re.search(r"[$€¥]-", text)


@FEW
@given(scaled=st.integers(-(10**6), 10**6), decimals=st.integers(0, 3), language=LANGUAGES, data=st.data())
def test_percents_read_back(scaled: int, decimals: int, language: str, data: st.DataObject) -> None:
    style = data.draw(st.integers(0, len(styles("percent", language)) - 1))
    text = plain(ValueSpec("percent", decimals=decimals), scaled, style, language)
    number = first_number(text.replace("负百分之", "-"))
    assert number == Fraction(scaled, 10**decimals)


@FEW
@given(day=st.dates(date(1000, 1, 1), date(9000, 1, 1)), language=LANGUAGES, data=st.data())
def test_dates_read_back(day: date, language: str, data: st.DataObject) -> None:
    style = data.draw(st.integers(0, len(styles("date", language)) - 1))
    assert read_date(plain(ValueSpec("date"), day.toordinal(), style, language)) == day
    assert canonical(ValueSpec("date"), day.toordinal()) == day.isoformat()


@FEW
@given(year=st.integers(1800, 2100), part=st.integers(0, 11), language=LANGUAGES, data=st.data())
def test_months_and_quarters_read_back(year: int, part: int, language: str, data: st.DataObject) -> None:
    text = plain(
        ValueSpec("month"), year * 12 + part, data.draw(st.integers(0, len(styles("month", language)) - 1)), language
    )
    assert str(year) in text
    rest = text.replace(str(year), "")
    spelled = MONTHS[part][:3] in rest
    assert spelled or int(re.sub(r"\D", "", rest)) == part + 1
    quarter = part // 3
    text = plain(
        ValueSpec("quarter"),
        year * 4 + quarter,
        data.draw(st.integers(0, len(styles("quarter", language)) - 1)),
        language,
    )
    names = (str(quarter + 1), ["first", "second", "third", "fourth"][quarter], "一二三四"[quarter])
    assert any(name in text.replace(str(year), "") for name in names)
    assert str(year) in text


@pytest.mark.parametrize(
    ("spec", "scaled", "english", "chinese"),
    [
        (ValueSpec("integer"), 12400, "12,400", "12400"),
        (ValueSpec("integer", unit="persons"), 1, "1 person", "1人"),
        (ValueSpec("decimal", decimals=1, unit="in"), 67, "6.7 inches", "6.7英寸"),
        (ValueSpec("integer", unit="mAh"), 5000, "5,000 mAh", "5000毫安时"),
        (ValueSpec("money", currency=currency("USD")), 1299, "$1,299", "1299美元"),
        (ValueSpec("money", currency=CROWN), 1299, "1,299 crowns", "1299克朗"),
        (ValueSpec("money", currency=CROWN), 1, "1 crown", "1克朗"),
        (ValueSpec("percent", decimals=1), 125, "12.5%", "12.5%"),
        (ValueSpec("year"), 2027, "2027", "2027年"),
        (ValueSpec("date"), date(2029, 6, 18).toordinal(), "18 June 2029", "2029年6月18日"),
        (ValueSpec("quarter"), 2029 * 4 + 2, "Q3 2029", "2029年第三季度"),
        (ValueSpec("time"), 525, "08:45", "08:45"),
        (ValueSpec("boolean"), 1, "yes", "是"),
        (ValueSpec("category", labels=(("steel", "钢"), ("oak", "橡木"))), 1, "oak", "橡木"),
    ],
)
def test_usual_style(spec: ValueSpec, scaled: int, english: str, chinese: str) -> None:
    assert plain(spec, scaled) == english
    assert plain(spec, scaled, 0, "zh") == chinese
    assert plain_column(spec, [scaled, scaled], 0, "zh") == [chinese, chinese]
    assert cell_column(spec, [scaled]) == [cell(spec, scaled)]


@pytest.mark.parametrize(
    ("spec", "scaled", "english", "chinese"),
    [
        (ValueSpec("integer", unit="mAh"), 5000, "5 Ah", "5安时"),
        (ValueSpec("integer"), 12400, "12.4 thousand", "1.24万"),
        (ValueSpec("integer", unit="persons"), 1250000, "1.25 million people", "125万人"),
        (ValueSpec("money", currency=currency("EUR")), 1250000, "€1.25 million", "125万欧元"),
        (ValueSpec("decimal", decimals=2, unit="kg"), 24, "240 grams", "240克"),
        (ValueSpec("integer", unit="minutes"), 135, "2 hours 15 minutes", "2小时15分钟"),
        (ValueSpec("integer", unit="months"), 31, "2 years 7 months", "2年7个月"),
        (ValueSpec("percent", decimals=1), 125, "1 in 8", "8分之1"),
        (ValueSpec("quarter"), 2029 * 4 + 2, "July to September 2029", "2029年7月至9月"),
        (ValueSpec("time"), 1245, "8:45 p.m.", "晚上8点45分"),
        (ValueSpec("integer"), 731, None, None),
        (ValueSpec("integer", unit="persons"), 1234567, None, None),
        (ValueSpec("year"), 2029, None, None),
    ],
)
def test_other_form(spec: ValueSpec, scaled: int, english: str | None, chinese: str | None) -> None:
    assert in_other_unit(spec, scaled) == english
    assert in_other_unit(spec, scaled, "zh") == chinese
    assert in_other_unit_column(spec, [scaled]) == [english]


@FEW
@given(
    scaled=st.integers(1, 10**8).map(lambda n: n if n % 3 else n - n % 100 or 100),
    decimals=st.integers(0, 2),
    used=st.sampled_from(sorted(name for name, u in units().items() if u.others and u.dimension != "count")),
    language=LANGUAGES,
)
def test_converted_units_mean_the_same(scaled: int, decimals: int, used: str, language: str) -> None:
    spec = ValueSpec("decimal", decimals=decimals, unit=used)
    forms = other_forms(spec, scaled, language)
    value = Fraction(scaled, 10**decimals)
    names = [used, *(name for name, _ in unit(used).others), unit(used).compound]
    known = {
        word: name
        for name in names
        if name
        for word in ((unit(name).zh,) if language == "zh" else (unit(name).one, unit(name).many, unit(name).symbol))
    }
    for form in forms:
        parts = re.findall(r"([\d,.]+) ?(\D+?)(?= \d|\d|$)", form)
        pieces = [(Fraction(number.replace(",", "")), known[word]) for number, word in parts if word in known]
        assert len(pieces) == len(parts) > 0, form
        assert sum(convert(number, name, used) for number, name in pieces) == value


@FEW
@given(st.integers(0, 10**11), st.integers(0, 2), LANGUAGES)
def test_thousands_and_millions_mean_the_same(scaled: int, decimals: int, language: str) -> None:
    for form in other_forms(ValueSpec("decimal", decimals=decimals, unit="persons"), scaled, language):
        found = re.fullmatch(r"([\d.]+) ?(thousand|million|billion|万|亿) ?(people|人)", form)
        assert found is not None
        assert Fraction(found[1]) * SCALES[found[2]] == Fraction(scaled, 10**decimals)


@FEW
@given(st.dates(date(1990, 1, 1), date(2060, 1, 1)), st.integers(-900, 900))
def test_relative_dates_read_back(day: date, gap: int) -> None:
    reference = day.toordinal() + gap
    phrase = relative_date(day.toordinal(), reference, "en")
    if phrase is None:
        assert abs(gap) > 13
        return
    if found := re.fullmatch(r"(\S+) (day|week|month|year)s? (earlier|later)", phrase):
        size = next(n for n in range(1, 60) if number_words(n, "en") == found[1])
        size *= -1 if found[3] == "earlier" else 1
        if found[2] in ("day", "week"):
            assert -gap == size * (7 if found[2] == "week" else 1)
        else:
            at = date.fromordinal(reference)
            months = at.year * 12 + at.month - 1 + size * (12 if found[2] == "year" else 1)
            assert day == date(months // 12, months % 12 + 1, at.day)
    else:
        assert (phrase, gap) in {("the day before", 1), ("the day after", -1), ("on the same day", 0)}


def test_relative_phrases() -> None:
    at = date(2029, 6, 18).toordinal()
    assert relative_date(at + 14, at, "en") == "two weeks later"
    assert relative_date(at - 3, at, "zh") == "三天前"
    assert relative_date(at - 14, at, "zh") == "两周前"
    assert relative_date(date(2028, 6, 18).toordinal(), at, "en") == "one year earlier"
    assert relative_date(date(2029, 3, 18).toordinal(), at, "zh") == "三个月前"
    assert relative_date(at - 100, at, "en") is None
    assert relative_date(date(2029, 3, 31).toordinal(), date(2029, 5, 31).toordinal(), "en") is None
    assert relative_year(2027, 2029, "en") == "two years earlier"
    assert relative_year(2027, 2029, "zh") == "两年前"
    assert relative_year(2029, 2029, "zh") == "同年"


def test_small_words() -> None:
    assert [number_words(n, "en") for n in (0, 7, 42, 300, 9999)] == [
        "zero",
        "seven",
        "forty-two",
        "three hundred",
        "nine thousand nine hundred and ninety-nine",
    ]
    assert [number_words(n, "zh") for n in (0, 7, 10, 15, 20, 105, 2300)] == [
        "零", "七", "十", "十五", "二十", "一百零五", "二千三百",
    ]  # fmt: skip
    assert number_words(2, "zh", counting=True) == "两"
    assert [ordinal(n, "en") for n in (1, 12, 13, 21, 112)] == ["first", "twelfth", "13th", "21st", "112th"]
    assert [plural(w) for w in ("phone", "battery", "box", "bus", "woman", "day")] == [
        "phones", "batteries", "boxes", "buses", "women", "days",
    ]  # fmt: skip
    assert [article(w) for w in ("88-page book", "180-seat hall", "11 km road", "110 km", "European", "RFID tag")] == [
        "an", "a", "an", "a", "a", "an",
    ]  # fmt: skip
    assert with_article("honest year") == "an honest year"
    assert join_list([], "en") == ""
    assert join_list(["A", "B", "C"], "zh", last="或") == "A、B或C"


@FEW
@given(st.integers(0, 9999))
def test_chinese_numbers_read_back(n: int) -> None:
    total, digit = 0, 0
    for c in number_words(n, "zh"):
        if c in "零一二三四五六七八九":
            digit = "零一二三四五六七八九".index(c)
        else:
            total += (digit or 1) * {"十": 10, "百": 100, "千": 1000}[c]
            digit = 0
    assert total + digit == n


def test_labels_differ_from_the_one_to_avoid() -> None:
    rng = stream(7, "labels")
    assert {choose_label(["a", "b", "c"], rng, avoid="b") for _ in range(40)} == {"a", "c"}
    assert choose_label(["only"], rng, avoid="only") == "only"
    drawn = choose_labels(["a", "b", "c"], rng, 7)
    assert len(drawn) == 7
    assert set(drawn[:3]) == set(drawn[3:6]) == {"a", "b", "c"}
    with pytest.raises(CallerError, match="label"):
        choose_label([], rng)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("number", {}),
        ("money", {}),
        ("category", {}),
        ("integer", {"unit": "parsnips"}),
        ("decimal", {"decimals": 12}),
    ],
)
def test_a_wrong_spec_is_refused(kind: ValueType, fields: dict[str, object]) -> None:
    with pytest.raises(CallerError):
        ValueSpec(kind, **fields)  # type: ignore[arg-type]


def test_wrong_calls_are_refused() -> None:
    with pytest.raises(CallerError, match="style"):
        plain(ValueSpec("integer"), 1, 9)
    with pytest.raises(CallerError, match="language"):
        plain(ValueSpec("integer"), 1, 0, "fr")
    with pytest.raises(CallerError, match="no label"):
        cell(ValueSpec("boolean"), 2)
    with pytest.raises(CallerError, match="convert"):
        convert(Fraction(1), "kg", "km")
    with pytest.raises(CallerError, match="currency"):
        currency("XXX")


def test_every_unit_converts_to_its_others_and_back() -> None:
    for name, told in units().items():
        assert told.one or name == "count"
        for other, _ in told.others:
            assert convert(convert(Fraction(7), name, other), other, name) == 7
        if told.compound:
            assert convert(Fraction(1), told.compound, name).denominator == 1
