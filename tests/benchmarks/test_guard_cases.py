"""The lies and the honest texts that guards are measured with: by seed, spread, labelled rightly, in both wordings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest

from benchmarks.guards.cases import Case, make_cases
from benchmarks.guards.drafts import FAMILIES
from benchmarks.guards.lies import MAKERS
from benchmarks.guards.material import Known
from benchmarks.guards.measure import Share, judge_all, shares, tables
from benchmarks.guards.values import SETS
from worldgen.pipeline import build_world

EACH = 128
ZH = dict(zip("零一二两三四五六七八九", (0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
EN = {
    word: number
    for number, word in [
        *enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 1),
        *enumerate(["eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"], 11),
        (18, "eighteen"),
        (19, "nineteen"),
        *zip(range(20, 60, 10), ["twenty", "thirty", "forty", "fifty"], strict=True),
        *zip(range(60, 100, 10), ["sixty", "seventy", "eighty", "ninety"], strict=True),
    ]
}
# What a figure in another unit is multiplied by to get the value in its own.
FACTORS = {
    "cm": "100 0.1", "m": "1000 0.01", "km": "0.001", "in": "0.393701", "g": "1000", "mAh": "1000", "GB": "1000 0.001",
    "W": "1000", "months": "12", "years": "0.0833333", "minutes": "60", "hours": "24 0.0166667", "days": "7",
    "m2": "10000", "km2": "0.01",
}  # fmt: skip
SCALES = {"thousand": 1_000, "k": 1_000, "million": 10**6, "billion": 10**9, "万": 10**4, "千万": 10**7, "亿": 10**8}
HIDDEN = (
    "public|disclos|wraps|released|published|公开|公布|披露"
    "|won't say|withheld|holds back|confidential|closed doors|secret|put out|不肯说|保密|不对外|没有透露|未透露"
    "|private|revealed|no announced|kept back|been shared|unstated|not been told|秘而不宣|示人|只字未提|外人|捂着"
    "|[Nn]ot shared|lock and key|left unsaid|outsiders|内部信息|没有往外讲|没向外界"
)
YES = (
    "yes|can |does|trade|won|是|能|了|已|comes with|still texts|got in|made it onto|voted onto|no steps|可|买得到"
    "|sends messages|satellite works|on board|was elected|gained a place|roll straight|is provided|made it into"
)
NO = r"\bno\b|not\b|lacks|without|missed|missing|n't|bar the way|否|不|没|未"
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    out = tmp_path_factory.mktemp("worlds")
    for schema in ("smartphone-market", "county-football"):
        build_world(schema, seed=7, out=out / schema, languages=["en", "zh"], haystack=0, proofs=False)
    return [path.parent for path in sorted(out.rglob("manifest.json"))]


@pytest.fixture(scope="module", params=SETS)
def source(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def cases(worlds: list[Path], source: str) -> list[Case]:
    return make_cases(worlds, seed=7, each=EACH, wordings=source)


def figures(text: str) -> list[Decimal]:
    """Every number in the text, however written."""
    found = []
    for number, scale in re.findall(r"(\d[\d,]*(?:\.\d+)?) ?(thousand|k\b|million|billion|千万|万|亿)?", text):
        found.append(Decimal(number.replace(",", "")) * SCALES.get(scale, 1))
    for word in re.findall(r"[a-z]+(?:-[a-z]+)?", text.lower()):
        parts = [EN.get(part) for part in word.split("-")]
        if None not in parts:
            found.append(Decimal(sum(part or 0 for part in parts)))
    for word in re.findall(r"[零一二两三四五六七八九十]+", text):
        tens, ten, ones = word.rpartition("十")
        if all(len(part) <= 1 for part in (tens, ones)):
            found.append(Decimal((ZH.get(tens, 1) * 10 if ten else 0) + ZH.get(ones, 0)))
    return found


def arabic(date: re.Match[str]) -> str:
    """A year and month in Chinese numerals, in digits."""
    year, month = date.group().rstrip("月").split("年")
    return f"{''.join(str('〇一二三四五六七八九'.index(digit)) for digit in year)}年{figures(month)[0]}月"


def holds(text: str, known: Known, slack: str = "0.03") -> bool:
    """Whether the value stands in the text in some correct form: a reading of its own, nothing of the writer's."""
    kind, value = known.spec.type, known.value
    if not value:
        return bool(re.search(HIDDEN, text))
    if kind == "date":
        year, month, _ = value.split("-")
        text = re.sub("[〇一二三四五六七八九]{4}年[一二三四五六七八九十]+月", arabic, text)
        if "年" in text or re.search(rf"{year}[-/.]0?{int(month)}\b", text):
            return bool(re.search(rf"{year}(年|-|/|\.)0?{int(month)}(月|-|/|\.)", text))
        return year in text and MONTHS[int(month) - 1] in text.lower()
    if kind == "year":
        return value in text
    if kind in ("integer", "decimal", "money", "percent"):
        wanted, factors = Decimal(value), [Decimal(f) for f in ("1 " + FACTORS.get(known.spec.unit, "")).split()]
        return any(abs(n * f - wanted) <= Decimal(slack) * abs(wanted) for n in figures(text) for f in factors)
    if kind == "category":
        return any(form.lower() in text.lower() for form in dict(known.spec.values)[value])
    if kind == "boolean":
        return bool(re.search(NO if value == "no" else YES, text, re.IGNORECASE))
    return known.shown in text or known.shown.lower() in text.lower()


def select(cases: Sequence[Case], label: str) -> list[Case]:
    return [case for case in cases if case.label == label]


def test_the_same_seed_makes_the_same_cases_and_another_seed_others(
    worlds: list[Path], cases: list[Case], source: str
) -> None:
    few = make_cases(worlds, seed=7, each=12, wordings=source)
    assert [case.text for case in few[:12]] == [case.text for case in cases[:12]]
    assert few[12:] == select(cases, "honest")[:12]
    assert [case.text for case in make_cases(worlds, seed=8, each=12, wordings=source)] != [case.text for case in few]


def test_kinds_families_and_languages_are_spread(cases: list[Case]) -> None:
    lies, honest = select(cases, "lie"), select(cases, "honest")
    kinds, families = Counter(case.kind for case in lies), Counter(case.family for case in honest)
    assert set(kinds) == set(MAKERS)
    assert max(kinds.values()) - min(kinds.values()) <= 1
    assert set(families) == set(FAMILIES)
    assert max(families.values()) - min(families.values()) <= 1
    for some in (lies, honest):
        assert len(some) == EACH
        assert 0.3 * EACH <= sum(case.language == "zh" for case in some) <= 0.5 * EACH
        assert {case.shape for case in some} == {"snippet", "page"}


def test_a_lie_is_one_change_away_from_its_honest_text(cases: list[Case]) -> None:
    for case in select(cases, "lie"):
        assert case.text != case.twin, case.kind
        assert case.kind
        # A change, not another text: the subjects or the rest of the sentences stay.
        assert set(case.twin.split()) & set(case.text.split()) or set(case.twin) & set(case.text), case.text


def test_an_honest_text_is_labelled_so_and_is_not_the_indexs_own(cases: list[Case]) -> None:
    for case in select(cases, "honest"):
        assert not case.kind
        assert not case.twin
        assert case.text.strip() != case.index_text.strip()
        assert case.text.strip() != case.page.body.strip()


def test_every_honest_text_holds_each_value_that_it_tells(cases: list[Case]) -> None:
    for case in cases:
        for known in case.told:
            text = case.twin or case.text
            slack = {"rounding": "0.03", "other_units": "0.005"}.get(case.family, "0")
            assert holds(text, known, slack), (known.fact, known.value, text)


def test_what_is_told_is_among_the_statements(cases: list[Case]) -> None:
    for case in cases:
        licensed = {statement.fact for statement in case.statements}
        assert {known.fact for known in case.told} <= licensed
        assert all(statement in case.page.statements for statement in case.statements)


EXACT = ("digit", "magnitude", "number_words", "month", "year", "other_referent", "category", "revealed", "boolean")


def test_a_changed_value_is_no_longer_found_where_the_honest_text_has_it(cases: list[Case]) -> None:
    changed = [case for case in select(cases, "lie") if case.kind in EXACT]
    gone = [case for case in changed if not all(holds(case.text, known, "0.001") for known in case.told)]
    # The old value may stand elsewhere in the text by chance.
    assert len(gone) >= 0.9 * len(changed), [case.text for case in changed if case not in gone]
    assert {case.kind for case in gone} == set(EXACT)


def test_leaks_tell_a_fact_that_no_statement_gives(cases: list[Case]) -> None:
    for case in select(cases, "lie"):
        if case.kind in ("leak", "other_page", "superlative", "comparison", "count", "future", "order_added"):
            assert len(case.text) > len(case.twin)
        if case.kind in ("in_table", "in_link", "in_comment"):
            assert case.text.startswith(case.twin)


def test_the_measure_counts_what_a_judge_says(cases: list[Case]) -> None:
    knowing = judge_all(cases, lambda case: ["lie"] if case.label == "lie" else [])
    assert shares(knowing, "lie", lambda case: "all") == {"all": Share(EACH, EACH)}
    assert shares(knowing, "honest", lambda case: "all") == {"all": Share(0, EACH)}
    assert not any(one.wrong for one in knowing)
    blind = judge_all(cases, lambda case: [])
    assert sum(one.wrong for one in blind) == EACH
    assert f"| all | 0 of {EACH} |" in tables(blind)


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"), [(0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (5, 10, 0.237, 0.763)]
)
def test_wilsons_interval_is_that_of_the_tables(hits: int, of: int, low: float, high: float) -> None:
    assert Share(hits, of).interval == pytest.approx((low, high), abs=5e-4)
