"""How amounts, dates, tables and lines may be worded: each honest text beside a lie that is one change away."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldgen.audit.claims import Guard, Licence
from worldgen.audit.claims.amounts import amounts
from worldgen.audit.claims.dates import days
from worldgen.audit.claims.silence import undisclosed_words
from worldgen.records import Language

from .conftest import Judged

EN = {
    # Rounding: a hedge, a direction, and what stands behind the number.
    "The overall length of Canuth Kidhan is a hair over 28 metres.": (
        "The overall length of Canuth Kidhan is a hair over 29 metres."
    ),
    "The overall length of Canuth Kidhan is just shy of 29 metres.": (
        "The overall length of Canuth Kidhan is just shy of 28 metres."
    ),
    "The overall length of Canuth Kidhan is 29 metres or so.": (
        "The overall length of Canuth Kidhan is 32 metres or so."
    ),
    "The purchase price of Canuth Kidhan is north of €1.7m.": "The purchase price of Canuth Kidhan is south of €1.7m.",
    # Other units, rounded as far as they tell.
    "The overall length of Canuth Kidhan is about 0.029 km.": "The overall length of Canuth Kidhan is about 0.034 km.",
    "The purchase price of Canuth Kidhan is €1.709m.": "The purchase price of Canuth Kidhan is €1.790m.",
    # Dates in any order.
    "The launch date of Canuth Kidhan is 11-Feb-2019.": "The launch date of Canuth Kidhan is 12-Feb-2019.",
    "Canuth Kidhan was launched on the eleventh of February 2019.": (
        "Canuth Kidhan was launched on the tenth of February 2019."
    ),
    "Canuth Kidhan was launched in February of 2019.": "Canuth Kidhan was launched in March of 2019.",
    "The launch date of Canuth Kidhan is Monday, 11 February 2019.": (
        "The launch date of Canuth Kidhan is Tuesday, 11 February 2019."
    ),
    # Lines of a name, a label and a value.
    "Canuth Kidhan / overall length / 28.7 m": "Canuth Kidhan / overall length / 27.8 m",
    "Item: Canuth Kidhan. Field: size of the crew. Entry: 5.": (
        "Item: Canuth Kidhan. Field: size of the crew. Entry: 6."
    ),
    "overall length (Canuth Kidhan) = 28.7 m": "overall length (Lirret) = 28.7 m",
    '"Canuth Kidhan": {"line": "Gadin Group"}': '"Gadin Group": {"line": "Canuth Kidhan"}',
    "Canuth Kidhan :: launch date :: 2019/02/11": "Canuth Kidhan :: launch date :: 2019/02/21",
    # What is counted says of what a number is; a pronoun counts nothing.
    "Under size of the crew one finds 5 for Canuth Kidhan.": "Under size of the crew one finds 4 for Canuth Kidhan.",
}
ZH = {
    "喀努特·奇旦号的全长是28米有余。": "喀努特·奇旦号的全长是29米有余。",
    "喀努特·奇旦号的全长是29米上下。": "喀努特·奇旦号的全长是32米上下。",
    "喀努特·奇旦号的全长不足29米。": "喀努特·奇旦号的全长不足28米。",
    "喀努特·奇旦号的下水日期是二〇一九年二月十一日。": "喀努特·奇旦号的下水日期是二〇一九年二月十二日。",
    "喀努特·奇旦号于2019年2月份下水。": "喀努特·奇旦号于2019年3月份下水。",
    "【喀努特·奇旦号】全长 28.7米": "【喀努特·奇旦号】全长 27.8米",
    "全长=28.7米／喀努特·奇旦号": "全长=28.7米／莉雷特号",
    "喀努特·奇旦号的全长，28.7米。": "喀努特·奇旦号的全长，28.9米。",
}
TABLES = {
    "| Entry | Field | Content |\n| --- | --- | --- |\n| Canuth Kidhan | overall length | 28.7 m |": (
        "| Entry | Field | Content |\n| --- | --- | --- |\n| Canuth Kidhan | overall length | 27.8 m |"
    ),
    "| Value | Property | Of |\n| --- | --- | --- |\n| 5 | size of the crew | Canuth Kidhan |": (
        "| Value | Property | Of |\n| --- | --- | --- |\n| 5 | size of the crew | Lirret |"
    ),
    "| No. | Ferry | Aspect | Figure | Unit |\n|---|---|---|---|---|\n| 1 | Canuth Kidhan | overall length | 28.7 | m |": (  # noqa: E501
        "| No. | Ferry | Aspect | Figure | Unit |\n|---|---|---|---|---|\n| 1 "
        "| Canuth Kidhan | overall length | 28.7 | km |"
    ),
    "| Subject | Particulars | Reading |\n|---|---|---|\n| Canuth Kidhan | line | Gadin Group |": (
        "| Subject | Particulars | Reading |\n|---|---|---|\n| Gadin Group | line | Canuth Kidhan |"
    ),
    "| Length | of |\n|---|---|\n| 28.7 m | Canuth Kidhan |": "| Length | of |\n|---|---|\n| 28.9 m | Canuth Kidhan |",
    "| Canuth Kidhan | Overall length: 28.7 m |": "| Canuth Kidhan | Overall length: 28.9 m |",
}
_NAME: dict[Language, str] = {"en": "Canuth Kidhan", "zh": "喀努特·奇旦号"}


def _licensed(judged: Callable[[Language], Judged], language: Language) -> tuple[Guard, Licence]:
    of = judged(language)
    subject = next(i for i in of.lexicon.names.ids(_NAME[language]) if of.lexicon.types[i] == "ferry")
    page = next(p for p in of.pages() if p.subject == subject and p.genre == "encyclopedia" and p.kind == "sound")
    return of.guard, of.licence(page)


@pytest.mark.parametrize(("honest", "lie"), [*EN.items(), *TABLES.items()])
def test_an_honest_wording_passes_and_its_lie_does_not(
    judged: Callable[[Language], Judged], honest: str, lie: str
) -> None:
    guard, licence = _licensed(judged, "en")
    assert guard.audit(honest, licence).problems == ()
    assert guard.audit(lie, licence).problems


@pytest.mark.parametrize(("honest", "lie"), ZH.items())
def test_an_honest_chinese_wording_passes_and_its_lie_does_not(
    judged: Callable[[Language], Judged], honest: str, lie: str
) -> None:
    guard, licence = _licensed(judged, "zh")
    assert guard.audit(honest, licence).problems == ()
    assert guard.audit(lie, licence).problems


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("the weight of b is something the record holds back", "en"),
        ("the weight of b awaits disclosure", "en"),
        ("no weight is publicly given for b", "en"),
        ("the weight of b stays out of public view", "en"),
        ("they won't say what b weighs", "en"),
        ("重量不在公开之列", "zh"),
        ("重量尚待公布", "zh"),
        ("对方不肯讲重量", "zh"),
    ],
)
def test_what_is_kept_quiet_is_read_in_any_words(text: str, language: str) -> None:
    assert undisclosed_words(text, language)
    assert not undisclosed_words({"en": "the weight of b is 206 grams", "zh": "重量是206克"}[language], language)


@pytest.mark.parametrize(
    ("text", "language", "value", "near"),
    [
        ("two and a half years", "en", 30, ""),
        ("half a million people", "en", 500_000, ""),
        ("$13.2m", "en", 13_200_000, ""),
        ("200 people or thereabouts", "en", 200, "about"),
        ("no fewer than 200", "en", 200, "over="),
        ("180多厘米", "zh", Fraction(18, 10), "over"),
        ("9000余万元", "zh", 90_000_000, "over"),
        ("率,7.0%", "zh", 7, ""),
        ("86,000台上下", "zh", 86_000, "about"),
    ],
)
def test_an_amount_is_read_with_how_it_is_rounded(text: str, language: str, value: Fraction, near: str) -> None:
    (amount,) = amounts(text, language)
    assert (amount.value, amount.near) == (value, near)


@pytest.mark.parametrize("text", ["Quick one: look.", "One finds it there.", "这一期", "One line on it."])
def test_one_that_counts_nothing_is_no_amount(text: str) -> None:
    assert amounts(text, "zh" if text[0] > "z" else "en") == []


@given(st.dates(min_value=dt.date(1900, 1, 1), max_value=dt.date(2099, 12, 31)))
def test_a_date_is_read_alike_in_every_order(date: dt.date) -> None:
    forms = ("%d-%b-%Y", "%d of %B %Y", "%B %d, %Y", "%Y/%m/%d", "%Y.%m.%d", "%Y %B %d", "%d %b. %Y")
    for form in forms:
        (day,) = days(date.strftime(form), "en")
        assert day.spans == ((date, date),)
    (day,) = days(date.strftime("公历%Y年%m月%d日"), "zh")
    assert day.spans == ((date, date),)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("2028's first quarter", "en"),
        ("Q1 of 2028", "en"),
        ("1Q 2028", "en"),
        ("January to March 2028", "en"),
        ("the three months to March 2028", "en"),
        ("quarter one of 2028", "en"),
        ("2028年首季", "zh"),
        ("二〇二八年第一季度", "zh"),
        ("2028年1至3月", "zh"),
        ("2028年Q1", "zh"),
    ],
)
def test_a_quarter_is_read_in_any_words(text: str, language: str) -> None:
    (day,) = days(text, language)
    ((first, last),) = day.spans
    assert (first.isoformat(), last.isoformat()) == ("2028-01-01", "2028-03-31")
