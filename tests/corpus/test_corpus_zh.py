"""The Chinese grammar: every fact is stated, in Chinese alone, in sentences that are whole and seldom alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.audit.spans import check_spans
from worldgen.audit.variety import overlap
from worldgen.corpus import genres, site_name, statements_by_fact, write_corpus
from worldgen.corpus.grammar import FOLDER, SORTS, load_grammar
from worldgen.facts.generate import generate
from worldgen.facts.tables import Facts
from worldgen.language.units import currencies, units
from worldgen.records import Page
from worldgen.schema.loader import load_schema
from worldgen.seeds import stream

SCHEMAS = Path(__file__).parents[2] / "schemas"
WORLDS = [
    (name, seed)
    for name in ("smartphone-market", "county-football", "software-company", "municipal-election")
    for seed in (7, 11)
]
ALL_GENRES = ["encyclopedia", "list", "news", "organisation", "ranking", "review", "statistics", "thread"]
STATING = list(load_grammar("zh", "news").settings["stating"])
SLOTS = {
    "s": "甲", "ss": "甲的", "label": "重量", "value": "三", "base": "五", "delta": "二", "noun": "物", "nouns": "物",
    "a_noun": "物", "nouns_all": "物、件", "name": "甲", "names": "甲和乙", "scope": "某地市场", "region": "某地",
    "site": "某站", "class": "用户发帖", "date": "2029年1月2日", "part": "丙", "other": "乙",
    "more": "高", "fewer": "低", "handle": "路人",
}  # fmt: skip
FREE = ["filler", "filler_many", "close", "background", "lead", "lead_many", "lead_list", "lead_joined", "lead_table"]
_LATIN = re.compile(r"[A-Za-z]+")
_NEGATIONS = "不没无否未非"


@cache
def facts_of(name: str, seed: int) -> Facts:
    return generate(load_schema(SCHEMAS / f"{name}.yaml"), seed)


@cache
def pages_of(name: str, seed: int) -> tuple[Page, ...]:
    return tuple(write_corpus(facts_of(name, seed), ["zh"]))


def names_of(facts: Facts) -> list[str]:
    texts = [text for table in facts for text in table.names]
    texts += [text for table in facts for found in table.aliases.values() for text in found]
    texts += [text for table in facts for column in table.columns.values() for text in column.texts or []]
    found = [facts.scope.zh, *(text.zh for text in texts)]
    return found + [site_name(facts, site, "zh") for site in facts.schema.sites]


@pytest.mark.parametrize(("name", "seed"), WORLDS)
def test_every_fact_is_stated_in_chinese_with_its_span(name: str, seed: int) -> None:
    facts, pages = facts_of(name, seed), pages_of(name, seed)
    for page in pages:
        check_spans(page)
    by = statements_by_fact(pages)
    for table in facts:
        for attribute in table.stated():
            for row, value in enumerate(table.columns[attribute].canonicals()):
                found = by.get(table.fact(row, attribute), [])
                if value is not None:
                    assert any(s.label == "sound" and s.claimed == value for _, s in found), table.fact(row, attribute)


@pytest.mark.parametrize(("name", "seed"), WORLDS[::2])
def test_pages_of_a_genre_seldom_share_twelve_characters(name: str, seed: int) -> None:
    facts, pages = facts_of(name, seed), pages_of(name, seed)
    names = [*names_of(facts), *(page.title for page in pages if page.kind == "background")]
    for genre, share in overlap(pages, names).items():
        assert share < 0.15, genre


def test_all_eight_genres_vary_where_every_site_writes_chinese() -> None:
    schema = load_schema(SCHEMAS / "county-football.yaml")
    sites = [site.model_copy(update={"languages": ["en", "zh"]}) for site in schema.sites]
    facts = generate(schema.model_copy(update={"sites": sites}), 7)
    pages = write_corpus(facts, ["zh"])
    names = [*names_of(facts), *(page.title for page in pages if page.kind == "background")]
    found = overlap(pages, names)
    assert [genre for genre, _ in found] == ALL_GENRES
    assert {genre: share for genre, share in found.items() if share >= 0.15} == {}


@pytest.mark.parametrize(("name", "seed"), WORLDS)
def test_no_english_stands_in_a_chinese_page_but_names_and_units(name: str, seed: int) -> None:
    facts, pages = facts_of(name, seed), pages_of(name, seed)
    allowed = set(_LATIN.findall(" ".join(f"{unit.symbol} {unit.zh}" for unit in units().values())))
    allowed |= set(_LATIN.findall(" ".join(currencies()))) | {"Q"}
    allowed |= set(_LATIN.findall(" ".join(names_of(facts)))) | set(_LATIN.findall(chinese_in(name)))
    for page in pages:
        text = re.sub(r"\]\([^)]*\)", "]", f"{page.title}\n{page.body}")
        assert {word for word in _LATIN.findall(text) if len(word) > 1} <= allowed, page.url


def chinese_in(name: str) -> str:
    """All texts that a schema gives in Chinese."""

    def walk(node: object) -> Iterator[str]:
        if isinstance(node, dict):
            for key, value in node.items():
                yield from texts(value) if key == "zh" else walk(value)
        elif isinstance(node, list):
            for value in node:
                yield from walk(value)

    def texts(node: object) -> Iterator[str]:
        yield from (str(text) for text in (node if isinstance(node, list) else [node]))

    return " ".join(walk(yaml.safe_load((SCHEMAS / f"{name}.yaml").read_text("utf-8"))))


def test_chinese_pages_do_not_depend_on_the_english_ones() -> None:
    both = write_corpus(facts_of("software-company", 7), ["en", "zh"])
    assert tuple(page for page in both if page.language == "zh") == pages_of("software-company", 7)
    assert any(page.language == "en" for page in both)


def test_all_eight_genres_have_a_chinese_grammar_with_the_english_rules() -> None:
    assert genres("zh") == ALL_GENRES
    english = load_grammar("en", "news")
    for genre in ALL_GENRES:
        chinese = load_grammar("zh", genre)
        assert set(english.settings) <= set(chinese.settings)
        for rule in ("menu", "dateline", "title_joined", "title_table", "lead_joined", "lead_table", "close"):
            assert chinese.has(rule), rule


def test_every_type_of_value_has_many_frames() -> None:
    for genre in ALL_GENRES:
        grammar = load_grammar("zh", genre)
        for rule in ("number", "date", "year", "category", "ref", "name"):
            assert len(grammar.rules[rule]) >= 30, (genre, rule)
        for rule in ("yes", "no", "undisclosed"):
            assert len(grammar.rules[rule]) >= 12, (genre, rule)


def test_words_for_yes_no_and_undisclosed_say_so() -> None:
    shared = yaml.safe_load((FOLDER / "zh" / "_shared.yaml").read_text("utf-8"))
    for rule, negated in (("yes", False), ("no", True), ("undisclosed", True)):
        for pattern in shared["rules"][rule]:
            words = re.findall(r"\{=([^}]*)\}", pattern)
            assert len(words) == 1, pattern
            for word in words[0].split("|"):
                assert any(sign in word for sign in _NEGATIONS) == negated, (pattern, word)


@given(genre=st.sampled_from(ALL_GENRES), seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_every_rendered_sentence_is_whole(genre: str, seed: int) -> None:
    grammar = load_grammar("zh", genre)
    draw = iter(stream(seed, "sentences").raw(10_000).tolist()).__next__
    for rule in [*STATING, *(f"{name}/phrase" for name in STATING)] * 3:
        made = grammar.render(rule, SLOTS, draw, set())
        whole(made.text)
        assert "甲" in made.text, "the subject is named"
        assert 0 <= made.start < made.end <= len(made.text)
        if rule.partition("/")[0] in ("number", "date", "year", "category", "ref", "name"):
            assert made.text[made.start : made.end] == "三"
            assert "重量" in made.text
    for rule in [grammar.fitting(rule, sort) for rule in FREE for sort in ("", *SORTS)]:
        if grammar.has(rule):
            whole(grammar.text(rule, SLOTS, draw, set()))


def whole(text: str) -> None:
    """No stray English punctuation, no doubled or unbalanced Chinese one, no doubled 的."""
    assert not re.search(r"[,;:?!()]", text), text
    assert not re.search(r"[，、；：。][，、；：。]|的的|是是|为为|^[，。、]", text), text
    for left, right in ("“”", "（）"):
        assert text.count(left) == text.count(right), text
    assert not _LATIN.search(text), text
    assert text.endswith(("。", "？")), text
