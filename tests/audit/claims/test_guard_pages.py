"""What holds for every page and every text: the index's own words pass, changed values do not, nothing raises."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from worldgen.audit.claims import Licence, page_licence
from worldgen.records import Language, Page

from .conftest import Judged, codes

LANGUAGES: tuple[Language, ...] = ("en", "zh")
# The guard does not catch everything, which benchmarks.guards measures; what it caught it goes on catching.
SLOW = settings(
    derandomize=True, max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_index_s_own_pages_pass_sentence_by_sentence(
    judged: Callable[[Language], Judged], language: Language
) -> None:
    of = judged(language)
    for page in of.pages():
        verdict = of.guard.audit(page.body + "\n", of.licence(page))
        assert verdict.problems == (), page.url
        assert verdict.stated == {s.fact for s in page.statements}, page.url


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_index_s_own_snippets_pass(judged: Callable[[Language], Judged], language: Language) -> None:
    of = judged(language)
    for page in of.pages()[::3]:
        snippet = page.body[: 60 + len(page.title)].rpartition("\n")[0] or page.title
        licence = page_licence(of.lexicon, page, [s for s in page.statements if s.end <= len(snippet)], text=snippet)
        assert of.guard.audit(snippet + " ", licence).problems == (), page.url


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_without_one_of_its_facts_is_found_out(judged: Callable[[Language], Judged], language: Language) -> None:
    of = judged(language)
    left_out = 0
    for page in of.pages():
        licence = of.licence(page)
        spans = Counter((s.start, s.end) for s in page.statements)
        facts = Counter(s.fact for s in page.statements)
        for s in page.statements:
            sentence = page.body[s.start : s.end]
            alone = facts[s.fact] == 1 and spans[s.start, s.end] == 1 and page.body.count(sentence) == 1
            if not alone or "|" in sentence or "\n" in sentence:
                continue
            rest = page.body[: s.start] + page.body[s.end :]
            assert s.fact not in of.guard.audit(rest, licence).stated, (page.url, sentence)
            left_out += 1
    assert left_out > 20


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_category_is_caught_though_the_snippet_names_nothing(
    judged: Callable[[Language], Judged], language: Language
) -> None:
    of = judged(language)
    changed = 0
    for page in of.pages():
        for s in page.statements:
            subject, _, attribute = s.fact.partition("@")[0].rpartition("/")
            trait = of.lexicon.trait(subject, attribute)
            if trait is None or trait.kind != "category" or not s.claimed:
                continue
            sentence = page.body[s.start : s.end]
            licence = page_licence(of.lexicon, page, [s], text=sentence)
            other = next(words[0] for kind, words in trait.categories.items() if kind != s.claimed)
            lie = page.body[s.start : s.value_start] + other + page.body[s.value_end : s.end]
            assert of.guard.audit(lie, licence).problems, (page.url, lie)
            changed += 1
    assert changed > 5


def _prose(page: Page) -> list[tuple[int, int, int, int]]:
    return [
        (s.start, s.end, s.value_start, s.value_end)
        for s in page.statements
        if s.form == "plain"
        and s.label != "undisclosed"
        and page.body[s.start] not in "|-123456789"
        and re.search(r"\d", page.body[s.value_start : s.value_end])
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@SLOW
@given(data=st.data())
def test_a_changed_digit_is_caught(
    judged: Callable[[Language], Judged], language: Language, data: st.DataObject
) -> None:
    of = judged(language)
    page = data.draw(st.sampled_from([p for p in of.pages() if _prose(p)]))
    start, end, first, last = data.draw(st.sampled_from(_prose(page)))
    at = data.draw(st.sampled_from([i for i in range(first, last) if page.body[i].isdigit()]))
    digit = data.draw(st.sampled_from([d for d in "123456789" if d != page.body[at]]))
    licence = of.licence(page)
    changed = page.body[start:at] + digit + page.body[at + 1 : end]
    assert changed != page.body[start:end]
    assert of.guard.audit(changed, licence).problems, changed


@pytest.mark.parametrize("language", LANGUAGES)
@SLOW
@given(data=st.data())
def test_a_swapped_name_is_caught(
    judged: Callable[[Language], Judged], language: Language, data: st.DataObject
) -> None:
    of = judged(language)
    page = data.draw(st.sampled_from([p for p in of.pages() if _prose(p) and p.subject.startswith("ferry/")]))
    start, end, *_ = data.draw(st.sampled_from(_prose(page)))
    sentence = page.body[start:end]
    mine = [n for n in of.lexicon.names.find(sentence) if page.subject in n.ids]
    if not mine:
        return
    others = sorted(name for name, ids in _names(of).items() if page.subject not in ids)
    other = data.draw(st.sampled_from(others))
    changed = sentence[: mine[0].start] + other + sentence[mine[0].end :]
    assert of.guard.audit(changed, of.licence(page)).problems, changed


def _names(of: Judged) -> dict[str, frozenset[str]]:
    titles = [p.title for p in of.pages() if p.genre == "encyclopedia" and p.subject.startswith("ferry/")]
    return {title: of.lexicon.names.ids(title) for title in titles}


def _one(judged: Callable[[Language], Judged], language: Language = "en") -> tuple[Judged, Licence]:
    of = judged(language)
    page = next(p for p in of.pages() if p.genre == "encyclopedia" and p.statements)
    return of, of.licence(page)


@SLOW
@given(text=st.text(max_size=300))
def test_no_text_raises(judged: Callable[[Language], Judged], text: str) -> None:
    for language in LANGUAGES:
        of, licence = _one(judged, language)
        of.guard.audit(text, licence)


HOSTILE = [
    "[",
    "[a](",
    "| a | b |\n",
    "<a ",
    "&amp;",
    "\u202e",
    "1,",
    "9 ",
    "a.",
    "a-",
    "http://",
    "a\n",
    "\ud800",
    "\x00",
    "三百",
    "а",
    "* ",
    "```\n",
    "nine hundred and ",
    "three days before ",
    "best ",
    "A. ",
    "> ",
    "It weighs 199 g and costs $140. ",
]


@pytest.mark.parametrize("part", HOSTILE)
def test_a_hundred_kilobytes_take_no_quadratic_time(judged: Callable[[Language], Judged], part: str) -> None:
    of, licence = _one(judged)
    began = time.process_time()
    verdict = of.guard.audit(part * (100_000 // len(part)), licence)
    assert time.process_time() - began < 20  # what is quadratic takes minutes
    assert verdict.problems or part in ("> ", "* ", "| a | b |\n")


@pytest.mark.parametrize(
    "text",
    [
        "<!-- note -->",
        "<script>alert(1)</script>",
        "\u202eabc",
        "a\u200bb",
        "```\ncode\n```",
        "\u0430bc",
        "x\u0301y",
        "&#65;",
        "&lt;",
    ],
)
def test_markup_and_hidden_characters_are_refused(judged: Callable[[Language], Judged], text: str) -> None:
    of, licence = _one(judged)
    assert "markup" in codes(of.guard, text, licence)


def test_full_width_digits_are_read_as_digits(judged: Callable[[Language], Judged]) -> None:
    of, licence = _one(judged)
    assert codes(of.guard, "It carries ９９９９ people.", licence) == codes(
        of.guard, "It carries 9999 people.", licence
    )
