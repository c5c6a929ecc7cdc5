"""What two worlds say in the same words: bounds, symmetry, and that names, values and dates do not count."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldgen.audit.overlap import Overlap, Share, between, runs
from worldgen.records import Page, Statement

ROOT = Path(__file__).parents[2]
TINY, SMALL = ROOT / "tests" / "data" / "river-ferries.yaml", ROOT / "docs" / "small-schema.yaml"
OWN = ["Zenmar", "Yotluk", "Vorbin"]
OTHER = ["Kesplan", "Dutwemo", "Halgrit"]
LEFT, RIGHT = "abcdefgh", "stuvwxyz"


def page(body: str, *, language: str = "en", title: str = "", author: str = "") -> Page:
    return Page("https://a.example/x", "A", "news", language, title, "", author, body, "high", "sound")


def words(letters: str = LEFT):
    return st.lists(st.text(letters, min_size=2, max_size=3), min_size=9, max_size=40).map(" ".join)


def only(first: list[Page], second: list[Page], names=(), other_names=()) -> Overlap:
    (found,) = between(runs(first, names), runs(second, other_names))
    return found


@given(st.lists(words(), min_size=1, max_size=4))
def test_a_world_shares_all_with_itself(bodies):
    pages = [page(body) for body in bodies]
    assert only(pages, pages) == Overlap("en", Share(1.0, 1.0), Share(1.0, 1.0))


@given(words(LEFT), words(RIGHT))
def test_worlds_without_a_word_in_common_share_nothing(one, other):
    assert only([page(one)], [page(other)]) == Overlap("en", Share(0.0, 0.0), Share(0.0, 0.0))


@given(words("ab"), words("ab"))
def test_exchanging_the_worlds_exchanges_the_shares_and_judges_the_same(one, other):
    found, turned = only([page(one)], [page(other)]), only([page(other)], [page(one)])
    assert (found.there, found.back, found.judged) == (turned.back, turned.there, turned.judged)
    assert all(0.0 <= share <= 1.0 for share in (*dataclasses.astuple(found.there), found.judged))


@given(st.lists(st.sampled_from([*OWN, "the", "crew", "of", "left", "early"]), min_size=9, max_size=40))
def test_other_names_change_nothing(said):
    renamed = dict(zip(OWN, OTHER, strict=True))
    pages = [page(" ".join(said))]
    again = [page(" ".join(renamed.get(word, word) for word in said))]
    assert runs(pages, OWN) == runs(again, OTHER)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It was on 3 March 2026 that", "It was on 2031-11-28 that"),
        ("It was on May 17th, 2026 that", "It was on the 5 that"),
        ("It was on Sept. 9 that", "It was on 12,400.5 that"),
    ],
)
def test_numbers_and_dates_do_not_count(one, other):
    rest = "so many of the old crew left early"
    pages = [[page(f"{told.replace(' the ', ' ')} {rest}")] for told in (one, other)]
    assert only(*pages).judged == 1.0


def test_a_month_away_from_a_number_is_a_word():
    (found,) = runs([page("you may ask the old crew to leave early")], []).values()
    assert [run for run in found if "may" in run]


def test_chinese_dates_and_lengths():
    one = page("该船于2026年3月5日在北岸下水并由三人驾驶", language="zh")
    other = page("该船于2031年在北岸下水并由三人驾驶", language="zh")
    assert only([one], [other]).judged == 1.0
    assert {len(run) for run in runs([one], [])["zh"]} == {12}
    assert {len(run) for run in runs([page("one two three four five six seven eight nine")], [])["en"]} == {8}


def test_the_words_of_a_value_do_not_count():
    def told(value: str) -> Page:
        body = f"Here the price of it is {value} as far as we know today."
        start = body.index(value)
        end = start + len(value)
        spans = Statement("phone/1/price", 0, len(body), start, end, "sound", "plain", "1")
        return dataclasses.replace(page(body), statements=(spans,))

    assert only([told("about four hundred euros")], [told("free")]).judged == 1.0
    assert only([page(told("very cheap").body)], [told("free")]).judged < 1.0


def test_who_signs_is_a_name_and_a_name_inside_a_word_is_none():
    signed = "This was all of it for today, said {} to us"
    assert only([page(signed.format("Ola Nim"), author="Ola Nim")], [page(signed.format("Zed"), author="Zed")]).judged
    assert runs([page("early birds came to see the old ship sail")], ["ear"]) == runs(
        [page("early birds came to see the old ship sail")], []
    )


def test_titles_count_and_no_run_crosses_from_title_to_body_or_page():
    title = "all that you need to know of ships"
    (found,) = runs([page("one two three four", title=title), page("five six seven eight")], []).values()
    assert found == {tuple(title.split()): 1}


def test_what_recurs_weighs_by_occurrence():
    menu = "start here and read on or ask our desk"
    news = "nothing else was ever said of the old ship"
    share = only([page(menu)] * 3 + [page(news)], [page(menu)]).there
    assert share.distinct == pytest.approx(0.5)
    assert share.occurrences == pytest.approx(0.75)


def test_languages_are_compared_apart_and_nothing_of_nothing_is_shared():
    assert between(runs([page("one")], []), runs([page("一", language="zh")], [])) == []
    assert only([page("one")], [page("one")]).judged == 0.0


def test_small_worlds_stay_under_their_ceilings(tiny_world_in_two_languages, tmp_path):
    from worldgen.pipeline import build_world
    from worldgen.world import World

    def built(schema: Path, seed: int) -> Path:
        return build_world(schema, seed=seed, languages=["en", "zh"], haystack=0, proofs=False, out=tmp_path).path

    paths = [tiny_world_in_two_languages, built(TINY, 2), built(SMALL, 1)]
    read = []
    for path in paths:
        with World.load(path) as world:
            read.append(runs(world.pages.values(), world.names()))
    first, sibling, stranger = read
    same = {found.language: found.judged for found in between(first, sibling)}
    other = {found.language: found.judged for found in between(first, stranger)}
    # Worlds this small hold little of what can be said, so most lie far below the aims of 0.2 and 0.05.
    assert 0.0 < same["en"] < 0.1
    assert 0.0 < same["zh"] < 0.04
    assert 0.0 < other["en"] < 0.06
    assert 0.0 < other["zh"] < 0.03
    assert same["en"] > other["en"]
