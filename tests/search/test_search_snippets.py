"""Snippets: how many facts a result page states is bounded whatever is asked, and nothing is cut in half."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.records import Page, Statement
from worldgen.search import excerpt, open_index, prepare, stated
from worldgen.search.engine import STRICT_CAP
from worldgen.search.snippets import Term, _folded, neutral

WORDS = (
    "phone",
    "maker",
    "Velta",
    "1,299",
    "price",
    "USD",
    "the",
    "Sorani",
    "[list](https://a.example/l)",
    "**bold**",
    "手机价格",
    "about",
    "2029",
    "\n\n",
    "| a | b |\n",
    "## Heading\n",
    "- item\n",
    "é",
    "İ",
)


def say(fact: int, start: int, end: int) -> Statement:
    return Statement(f"thing/{fact}/a", start, end, start, end, "sound", "plain", "")


def page(body: str, statements: list[Statement], number: int = 0, language: str = "en") -> Page:
    return Page(
        f"https://a.example/{number}",
        "a.example",
        "news",
        language,
        f"Page {number}",
        "",
        "",
        body,
        "low",
        "sound",
        statements=tuple(statements),
    )


@st.composite
def pages(draw: st.DrawFn) -> dict[str, Page]:
    made = []
    for number in range(draw(st.integers(1, 14))):
        body = " ".join(draw(st.lists(st.sampled_from(WORDS), max_size=60)))
        cuts = draw(st.lists(st.tuples(st.integers(0, len(body)), st.integers(0, 80)), max_size=8))
        statements = [say(i, start, min(start + size, len(body))) for i, (start, size) in enumerate(cuts)]
        made.append(page(body, statements, number, draw(st.sampled_from(["en", "zh"]))))
    return {p.url: p for p in made}


@settings(max_examples=80, deadline=None)
@given(pages(), st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join))
def test_withholding_is_kept_whatever_is_asked(made: dict[str, Page], query: str) -> None:
    engine = open_index(None, "", made)
    strict = [stated(hit.snippet, made[hit.url]) for hit in engine.search(query, withholding="strict")]
    light = [stated(hit.snippet, made[hit.url]) for hit in engine.search(query, withholding="light")]
    assert sum(strict) <= STRICT_CAP
    assert max(strict, default=0) <= 1
    assert max(light, default=0) <= 1


@settings(max_examples=150, deadline=None)
@given(pages(), st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.sampled_from([None, 0, 1]))
def test_an_excerpt_counts_what_its_spans_touch(made: dict[str, Page], words: list[str], facts: int | None) -> None:
    for one in made.values():
        cut = excerpt(prepare(one), [Term(word.lower(), 1.0) for word in words], facts=facts)
        touched = [s for s in one.statements if any(s.start < end and s.end > start for start, end in cut.spans)]
        assert cut.facts == len(touched)
        assert facts is None or cut.facts <= facts
        assert cut.text
        assert "\x01" not in cut.text
        assert "\n" not in cut.text
        if cut.spans:
            assert len(cut.text) <= 260
            assert stated(cut.text, one) <= cut.facts


@settings(max_examples=80, deadline=None)
@given(pages(), st.sampled_from([None, 0, 1]))
def test_numbers_and_words_stay_whole(made: dict[str, Page], facts: int | None) -> None:
    for one in made.values():
        for start, end in excerpt(prepare(one), [Term("price", 1.0)], facts=facts).spans:
            for at in (start, end):
                before, after = one.body[at - 1 : at], one.body[at : at + 1]
                assert not (before.isalnum() and after.isalnum() and (before.isascii() or after.isascii()))
                assert not (before == "," and after.isdigit())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(("Velta", "price", "maker", "other")), st.booleans()), max_size=6),
        min_size=4,
        max_size=10,
    ),
    st.sampled_from(["velta", "price maker", "velta price other"]),
)
def test_sentences_that_state_what_is_asked_are_rationed(plan: list[list[tuple[str, bool]]], query: str) -> None:
    made = {}
    for number, parts in enumerate(plan):
        told = [(f"It is the {word} number {i} of page {number}.", states) for i, (word, states) in enumerate(parts)]
        one = page(*sentences((FILLER, False), *told), number)
        made[one.url] = one
    hits = open_index(None, "", made).search(query)
    shown = [stated(hit.snippet, made[hit.url]) for hit in hits]
    assert sum(shown) <= STRICT_CAP
    assert max(shown, default=0) <= 1


def sentences(*parts: tuple[str, bool]) -> tuple[str, list[Statement]]:
    body, statements = "", []
    for text, states in parts:
        if states:
            statements.append(say(len(statements), len(body), len(body) + len(text)))
        body += text + " "
    return body, statements


FILLER = (
    "Readers of this site often ask how our tables are made, and the answer is that they are made slowly and by hand."
)


def test_strict_spends_its_facts_on_the_top_results() -> None:
    made = []
    for number in range(10):
        extra = ("Velta price " * (10 - number)).strip() + "."
        body, statements = sentences(
            (FILLER, False), (f"The Velta {number} has a price of {number + 1},299 USD. {extra}", True)
        )
        made.append(page(body, statements, number))
    corpus = {p.url: p for p in made}
    hits = open_index(None, "", corpus).search("Velta price")
    assert [stated(hit.snippet, corpus[hit.url]) for hit in hits] == [1, 1, 1] + [0] * 7
    free = open_index(None, "", corpus).search("Velta price", withholding="light")
    assert [stated(hit.snippet, corpus[hit.url]) for hit in free] == [1] * 10


def test_no_fact_is_spent_where_free_text_answers_as_well() -> None:
    body, statements = sentences(
        (FILLER, False),
        ("The Velta price is 900 USD.", True),
        ("Every Velta price is discussed here at some length.", False),
    )
    cut = excerpt(prepare(page(body, statements)), [Term("velta", 1.0), Term("price", 1.0)], facts=1)
    assert cut.facts == 0
    assert "discussed" in cut.text
    assert "900" not in cut.text


def test_a_row_of_many_facts_is_never_shown_under_withholding() -> None:
    row = "| Velta | 900 | 2029 |"
    body = f"{FILLER}\n\n{row}\n"
    at = body.index(row)
    table = page(body, [say(i, at, at + len(row)) for i in range(3)])
    terms = [Term("velta", 1.0)]
    assert excerpt(prepare(table), terms, facts=1).facts == 0
    assert excerpt(prepare(table), terms, facts=None).facts == 3


def test_a_page_that_only_states_shows_where_it_is() -> None:
    body, statements = sentences(("The Velta price is 900 USD.", True))
    one = page(body, statements, 4)
    cut = excerpt(prepare(one), [Term("velta", 1.0)], facts=0)
    assert cut.text == neutral(one) == "a.example · news · Page 4"
    assert (cut.spans, cut.facts, stated(cut.text, one)) == ((), 0, 0)


def test_markdown_is_shown_as_plain_text() -> None:
    body = "# Head\n\nThe **Velta** [makers' list](https://a.example/l) was `kept`.\n\n"
    body += "| Model | Price |\n|---|---|\n| X | 9 |\n- one\n"
    assert (
        excerpt(prepare(page(body, [])), [], facts=None).text
        == "The Velta makers' list was kept. Model Price X 9 · one ..."
    )


def test_the_asked_word_is_shown_and_the_length_kept() -> None:
    body = " ".join(f"word{i}" for i in range(400)) + " needle " + " ".join(f"word{i}" for i in range(400, 800))
    text = excerpt(prepare(page(body, [])), [Term("needle", 1.0)], facts=None).text
    assert "needle" in text
    assert 160 <= len(text) <= 220


@pytest.mark.parametrize("facts", [None, 0])
def test_a_giant_word_is_left_out_and_not_cut(facts: int | None) -> None:
    one = page("x" * 5_000, [], 1)
    assert excerpt(prepare(one), [Term("x", 1.0)], facts=facts).text == neutral(one)


def test_chinese_is_found_and_cut_between_characters() -> None:
    body = "这家公司成立很久了。" * 30 + "维尔塔手机的价格为3,299元。" + "其他内容在别处。" * 30
    text = excerpt(prepare(page(body, [], language="zh")), [Term("手机", 1.0)], facts=None).text
    assert "维尔塔手机" in text
    assert 70 <= len(text) <= 130


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("“Plain” – words…", "?plain? ? words?"),
        ("“Čapek” – café", "?capek? ? cafe"),
        ("Ωmega “x”", "ωmega “x”"),
        ("手机 – phone", "手机 – phone"),
        ("µm – ½", "µm ? ½"),
    ],
)
def test_folding_keeps_letters_and_their_places(text: str, folded: str) -> None:
    assert _folded(text) == folded
    assert len(folded) == len(text)
