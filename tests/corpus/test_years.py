"""Marks of the calendar: years keep their width, and the places of a settled page are where years stand."""

from __future__ import annotations

import re

import pytest

from worldgen.corpus.years import marked, marked_at, marked_title, marked_wording, settled, unmarked
from worldgen.records import Link, Page

YEAR = re.compile(r"\d{4}")


@pytest.mark.parametrize("text", ["2028", "998", "3 May 2028", "2028-05-03", "Q3 2028", "2028年第三季度", "2028/5/3"])
def test_a_year_is_marked_and_nothing_else(text):
    found = marked(text)
    assert len(found) == len(text)
    assert unmarked(found) == text
    assert re.sub("[\ue000-\ue009]+", "Y", found) == re.sub(r"\d{3,}", "Y", text)


def test_a_wording_has_years_near_the_present_alone():
    assert marked_wording("1000 copies", 2028) == "1000 copies"
    assert unmarked(marked_wording("in 2027", 2028)) == "in 2027" != marked_wording("in 2027", 2028)


def test_a_settled_page_is_plain_and_tells_its_years():
    title, link = f"The {marked('2028')} season", f"Home in {marked('1999')}"
    body = f"Since {marked('3 May 2028')}, 2028 people. [{link}](https://a.example/x)\n"
    page = settled(Page("u", "s", "news", "en", title, "", "", body, "low", "sound", links=(Link("u", link),)))
    whole = f"{page.title}\n{page.body}"
    assert [whole[place : place + 4] for place in page.years] == ["2028", "2028", "1999"]
    assert page.years[1] == whole.index("May ") + 4
    assert page.links[0].text == "Home in 1999"
    assert marked_title(page) == title
    assert marked_at(whole, page.years) == f"{title}\n{body}"
