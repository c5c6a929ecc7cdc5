"""The audit's own parts: spans that lie, alike pages, names in text."""

from __future__ import annotations

import dataclasses

import pytest

from worldgen.audit.mentions import Resolver
from worldgen.audit.spans import check_spans
from worldgen.audit.variety import name_pattern, overlap, tokens, type_token_ratio
from worldgen.errors import InternalError
from worldgen.records import Link, Page, Statement

BODY = "The price of Zen is $399 today.\n"
GOOD = Statement("phone/1/price", 0, 31, 20, 24, "sound", "plain", "399")
PAGE = Page("https://a.example/x", "A", "news", "en", "Zen", "", "", BODY, "high", "sound", statements=(GOOD,))


def test_a_sound_page_passes() -> None:
    check_spans(PAGE)


@pytest.mark.parametrize(
    "change",
    [
        {"end": 40},
        {"value_start": 24},
        {"value_end": 23},
        {"start": 3},
        {"end": 32},
        {"claimed": ""},
        {"value_start": 19},
    ],
)
def test_a_wrong_span_is_found(change: dict[str, int]) -> None:
    with pytest.raises(InternalError):
        check_spans(dataclasses.replace(PAGE, statements=(GOOD._replace(**change),)))


@pytest.mark.parametrize("body", [BODY + "e\u0301\n", BODY + "\r\n", BODY + "\x00\n"])
def test_a_body_that_is_not_clean_is_found(body: str) -> None:
    with pytest.raises(InternalError):
        check_spans(dataclasses.replace(PAGE, body=body))


def test_a_link_that_is_not_in_the_body_is_found() -> None:
    with pytest.raises(InternalError):
        check_spans(dataclasses.replace(PAGE, links=(Link("https://b.example/y", "Y"),)))


def test_values_and_names_are_marked() -> None:
    assert tokens(PAGE, name_pattern(["Zen"])) == ["the", "price", "of", "\x01N", "is", "\x01V", "today"]


def page(body: str, url: str, **fields: str) -> Page:
    return Page(url, "A", fields.get("genre", "news"), "en", "", "", "", body, "high", "sound")


def test_pages_that_differ_in_names_only_overlap_wholly() -> None:
    text = "here we say of {} that nothing much has ever been said about it at all"
    pages = [page(text.format(name), name) for name in ("Zen", "Yot")]
    assert overlap(pages, ["Zen", "Yot"]) == {("news", "en"): 1.0}
    assert overlap(pages, [], n=6)[("news", "en")] < 1.0


def test_other_genres_do_not_count() -> None:
    text = "here we say that nothing much has ever been said about it at all"
    pages = [page(text, "a"), page(text, "b", genre="list")]
    assert set(overlap(pages).values()) == {0.0}


def test_type_token_ratio() -> None:
    assert type_token_ratio([page("a b a b", "x")]) == {("news", "en"): 0.5}


def test_the_longest_name_wins_and_parts_of_words_do_not_count() -> None:
    resolver = Resolver([("Zen", "phone/1"), ("Zen Max", "phone/2"), ("Zen", "phone/3")])
    found = resolver.find("A Zen Max, a Zen and a Zenith.")
    assert [mention.ids for mention in found] == [("phone/2",), ("phone/1", "phone/3")]
    assert resolver.ids("Zenith") == set()
