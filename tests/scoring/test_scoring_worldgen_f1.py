import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from worldgen.scoring import AliasJudge, EvalSpec, ExactJudge, Table, score_widesearch, worldgen_f1

RULES = {
    "name": {"preprocess": ["norm_str"], "metric": ["exact_match"]},
    "year": {"preprocess": ["norm_str"], "metric": ["exact_match"]},
    "city": {"preprocess": ["norm_str"], "metric": ["exact_match"]},
    "price": {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.05},
    "opened": {"preprocess": ["norm_date"], "metric": ["date_near"]},
    "motto": {"preprocess": ["norm_str"], "metric": ["llm_judge"], "criterion": "Same meaning."},
    "site": {"preprocess": ["norm_str"], "metric": ["url_match"]},
}
SPEC = EvalSpec.parse({"unique_columns": ["name", "year"], "required": list(RULES), "eval_pipeline": RULES})
HEAD = ("Name", "Year", "City", "Price", "Opened", "Motto", "Site")
NAMES = ("Velm Oda", "Sarn", "Kio-Te", "Brax & Sons")
UNDISCLOSED = ("Not disclosed", "undisclosed", "未公开")
JUDGE = AliasJudge({"Velm": "Velm Oda", "Brax": "Brax & Sons", "Forwards": "Onward"})
NUMBERS = ("value", "key_f1", "cell_f1", "row_f1")


def gold_row(place):
    price = "Not disclosed" if place == 1 else f"{1000 + 37 * place}"
    return (
        NAMES[place % 4],
        f"{2020 + place // 4}",
        f"City {place}",
        price,
        f"2021-0{place + 1}-15",
        "Onward",
        f"https://s{place}.example/x",
    )


GOLD = Table(HEAD, tuple(gold_row(place) for place in range(8)))
WRONG = ("Nowhere", "7", "2030-01-01", "Backwards", "https://z.example", "", "N/A", "-", "nan", "未公开")


def render(rows, head=HEAD):
    lines = [" | ".join(head), " | ".join("---" for _ in head), *(" | ".join(row) for row in rows)]
    return "\n".join(f"| {line} |" for line in lines)


def score(rows, head=HEAD, judge=JUDGE):
    result = worldgen_f1(render(rows, head), GOLD, SPEC, judge=judge, undisclosed=UNDISCLOSED)
    return [getattr(result, name) for name in NUMBERS]


def no_higher(after, before):
    assert all(0.0 <= b <= a + 1e-12 for a, b in zip(before, after, strict=True)), (before, after)


@st.composite
def rows_near_gold(draw, *, least=0):
    rows = []
    for place in draw(st.lists(st.integers(0, 9), min_size=least, max_size=10)):
        row = list(gold_row(place % 8))
        if place > 7:
            row[0] = f"Invented {place}"
        if row[0] == "Velm Oda" and draw(st.booleans()):
            row[0] = "velm"
        for column in range(2, 7):
            if draw(st.integers(0, 3)) == 0:
                row[column] = draw(st.sampled_from(WRONG))
        rows.append(row)
    return rows


def test_the_gold_scores_one_and_nothing_scores_zero():
    assert score(GOLD.rows) == [1.0, 1.0, 1.0, 1.0]
    assert score([]) == [0.0, 0.0, 0.0, 0.0]
    assert worldgen_f1("no table", GOLD, SPEC, judge=JUDGE).value == 0.0


@settings(max_examples=50, deadline=None)
@given(rows_near_gold(least=1), st.data())
def test_repeating_never_raises(rows, data):
    for _ in range(data.draw(st.integers(1, 3))):
        repeat = list(data.draw(st.sampled_from(rows)))
        truth = next((list(row) for row in GOLD.rows if row[:2] == tuple(repeat[:2])), repeat)
        for column in range(2, 7):
            if data.draw(st.booleans()):
                repeat[column] = data.draw(st.sampled_from([truth[column], *WRONG]))
        repeat[0] = data.draw(st.sampled_from([repeat[0], f"**{repeat[0]}**", repeat[0].upper(), f" {repeat[0]}*"]))
        before = score(rows)
        rows = data.draw(st.permutations([*rows, repeat]))
        no_higher(score(rows), before)


@settings(max_examples=50, deadline=None)
@given(rows_near_gold(), st.data())
def test_order_changes_nothing(rows, data):
    order = data.draw(st.permutations(range(7)))
    shuffled = [[row[place] for place in order] for row in data.draw(st.permutations(rows))]
    assert score(shuffled, [HEAD[place] for place in order]) == pytest.approx(score(rows), abs=1e-12)


DECORATIONS = (
    lambda cell: f"**{cell}**",
    lambda cell: f"  {cell}   ",
    lambda cell: f"*{cell}*",
    lambda cell: f"`{cell}`",
    str.upper,
    str.lower,
    str.title,
    lambda cell: cell.replace("-", "\\-").replace("&", "\\&"),
    lambda cell: cell.replace(" ", "  "),
    lambda cell: cell + "\u200b",
    lambda cell: cell.replace("-", "\u2011"),
)


@settings(max_examples=60, deadline=None)
@given(rows_near_gold(), st.data())
def test_decoration_never_raises(rows, data):
    dressed = [[data.draw(st.sampled_from(DECORATIONS))(cell) for cell in row] for row in rows]
    no_higher(score(dressed), score(rows))


@settings(max_examples=50, deadline=None)
@given(rows_near_gold(), st.data())
def test_padding_never_raises(rows, data):
    extra = data.draw(
        st.lists(st.sampled_from(["Notes", "", "City", "**Price**", "Source", "Name"]), min_size=1, max_size=3)
    )
    filler = [[*row, *(data.draw(st.sampled_from([*WRONG, *row])) for _ in extra)] for row in rows]
    blank = [
        [data.draw(st.sampled_from(["", "-", "N/A"])) for _ in (*HEAD, *extra)]
        for _ in range(data.draw(st.integers(0, 2)))
    ]
    no_higher(score([*filler, *blank], [*HEAD, *extra]), score(rows))


@settings(max_examples=50, deadline=None)
@given(rows_near_gold(), st.data())
def test_a_wrong_row_never_raises(rows, data):
    cells = data.draw(st.sampled_from(GOLD.rows))
    key = data.draw(st.sampled_from(["Invented", "", "Velm Oda or Sarn", "Sarn, Kio-Te", "N/A", "Sarn 2020"]))
    wrong = [key, *(data.draw(st.sampled_from([cell, *WRONG])) for cell in cells[1:])]
    assume(key not in NAMES)
    place = data.draw(st.integers(0, len(rows)))
    no_higher(score([*rows[:place], wrong, *rows[place:]]), score(rows))


def test_what_games_the_official_score_does_not_game_this():
    spec = EvalSpec.parse(
        {
            "unique_columns": ["name"],
            "required": ["name", "city"],
            "eval_pipeline": {n: RULES[n] for n in ("name", "city")},
        }
    )
    gold = Table(("Name", "City"), (("A", "x"), ("B", "y"), ("C", "z")))
    rows = [(f"A{'*' * stars}", "x") for stars in range(9)]
    text = "```markdown\n" + render(rows, ("Name", "City")) + "\n```"
    assert score_widesearch(text, gold, spec, judge=ExactJudge()).f1_by_item > 1.0
    assert worldgen_f1(text, gold, spec, judge=ExactJudge()).value == pytest.approx(2 / 12)


def test_contradicting_rows_do_not_hedge():
    honest, other = list(GOLD.rows[0]), list(GOLD.rows[0])
    other[2] = "Elsewhere"
    assert score([honest, other])[2] < score([honest])[2]
    assert score([honest, other])[3] == 0.0


@pytest.mark.parametrize(
    ("cell", "right"),
    [
        ("not DISCLOSED", True),
        ("Undisclosed", True),
        ("**未公开**", True),
        ("", False),
        ("N/A", False),
        ("-", False),
        ("NULL", False),
        ("1037", False),
        ("unknown", False),
    ],
)
def test_not_disclosed_needs_its_words(cell, right):
    row = list(GOLD.rows[1])
    row[3] = cell
    assert (score([row]) == score([GOLD.rows[1]])) is right


@pytest.mark.parametrize(
    ("column", "cell", "right"),
    [
        (3, "$1,000.00", True),
        (3, "about 1,040 EUR", True),
        (3, "1,000 [1](https://a.example)", True),
        (3, "1100", False),
        (3, "7 or 1000", False),
        (3, "not disclosed", False),
        (4, "15 January 2021", True),
        (4, "2021年1月20日", True),
        (4, "2021", False),
        (4, "2021-06-01", False),
        (5, "FORWARDS", True),
        (5, "On", False),
        (6, "[site](https://S0.example/other)", True),
        (6, "https://s0.example https://s1.example", False),
        (6, "none given", False),
        (2, "[City 0](https://a.example)", True),
        (2, "City 0 or City 1", False),
    ],
)
def test_cells_agree_by_their_columns_rule(column, cell, right):
    row = list(GOLD.rows[0])
    row[column] = cell
    assert (score([row])[3] > 0) is right


def test_an_empty_gold_cell_is_neither_owed_nor_earned():
    gold = Table(HEAD, (("A", "1", "", "5", "2021-01-01", "x", "https://a.example"),))
    for city in ("", "Anything"):
        rows = [("A", "1", city, "5", "2021-01-01", "x", "https://a.example")]
        assert worldgen_f1(render(rows), gold, SPEC, judge=JUDGE).value == 1.0


def test_keys_and_cells_are_reported_apart():
    rows = [(*row[:2], "", "", "", "", "") for row in GOLD.rows]
    value, key_f1, cell_f1, row_f1 = score(rows)
    assert (key_f1, cell_f1, row_f1) == (1.0, 0.0, 0.0)
    assert value == pytest.approx(1 / 6)


def test_a_judge_that_fails_leaves_it_unscored():
    class Broken(ExactJudge):
        def align_keys(self, column, values, reference):
            raise ConnectionError("down")

    result = worldgen_f1(render(GOLD.rows), GOLD, SPEC, judge=Broken())
    assert (result.value, result.cell_f1) == (None, None)


@settings(max_examples=80, deadline=None)
@given(st.text("|-:\n` \\*ab1,\"'#", max_size=120))
def test_any_text_scores_within_bounds(text):
    result = worldgen_f1(text, GOLD, SPEC, judge=JUDGE)
    assert result.value is not None
    assert 0.0 <= result.value <= 1.0
    official = score_widesearch(text, GOLD, SPEC, judge=JUDGE)
    assert official.scored


@pytest.mark.parametrize("at", range(7))
def test_a_column_given_twice_counts_for_neither(at):
    hedged = [[*row[:at], row[2], *row[at:]] for row in [(*row[:2], "Nowhere", *row[3:]) for row in GOLD.rows]]
    for row, true in zip(hedged, GOLD.rows, strict=True):
        row[at] = true[2]
    before = score([(*row[:2], "Nowhere", *row[3:]) for row in GOLD.rows])
    no_higher(score(hedged, [*HEAD[:at], "city", *HEAD[at:]]), before)


def test_headings_with_full_width_signs_are_found():
    spec = EvalSpec.parse(
        {
            "unique_columns": ["手机"],
            "required": ["手机", "定价（usd）"],
            "eval_pipeline": {
                "手机": {"preprocess": ["norm_str"], "metric": ["exact_match"]},
                "定价（usd）": {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.0},
            },
        }
    )
    gold = Table(("手机", "定价（USD）"), (("甲", "100"),))
    for heading in ("定价（USD）", "定价(USD)", " 定价（ usd ）"):
        answer = f"```markdown\n| 手机 | {heading} |\n| --- | --- |\n| 甲 | 100 |\n```"
        assert worldgen_f1(answer, gold, spec, judge=ExactJudge()).value == 1.0
