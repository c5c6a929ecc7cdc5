import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.scoring import dates

FORMS = ("{y}-{m:02d}-{d:02d}", "{name} {d}, {y}", "{d} {name} {y}", "{d:02d} {name} {y}", "{name} {y}")
CASES = (str.upper, str.lower, str.title)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(1000, 9999) | st.integers(1900, 2040),
    st.integers(1, 12),
    st.integers(0, 32),
    st.sampled_from(FORMS),
    st.sampled_from(CASES),
)
def test_the_short_cut_reads_as_dateparser_does(year, month, day, form, case):
    text = case(form.format(y=year, m=month, d=day, name=dates._MONTH_NAMES[month - 1]))
    short = dates._plain(text)
    if short is not None:
        assert short == dates._ask(text, official=True)


def test_the_short_cut_is_taken():
    assert all(dates._plain(text) for text in ("2021-02-03", "May 2016", "3 May 2016", "December 20, 2000"))


@pytest.mark.parametrize("text", ["2021-02-30", "0999-01-01", "31 June 2020", "12 May 3, 2020", "Mai 2016", "2016"])
def test_the_short_cut_leaves_doubtful_texts(text):
    assert dates._plain(text) is None


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2020年5月3日", "2020-05-03"),
        ("Jun 18, 2029", "2029-06-18"),
        ("05/04/2021", "2021-05-04"),
        ("May 2016", "2016-05-01"),
    ],
)
def test_rewards_read_absolute_dates(text, iso):
    found = dates.read_date(text)
    assert found is not None
    assert found.strftime("%Y-%m-%d") == iso


@pytest.mark.parametrize("text", ["nan", "2016", "yesterday", "two days ago", "13", "Not disclosed", ""])
def test_rewards_read_no_date_that_depends_on_today(text):
    assert dates.read_date(text) is None


def test_no_date_is_looked_for_in_a_text_without_an_end(monkeypatch):
    monkeypatch.setattr(dates, "_parser", lambda **_: pytest.fail("dateparser was asked"))
    assert dates.parse_date("9" * 100_000) is None
    assert dates.read_date("9" * 100_000) is None
