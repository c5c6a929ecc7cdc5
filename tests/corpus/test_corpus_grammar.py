"""Grammars: the pattern language, what is marked as the value, the shipped files."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.corpus import grammar as grammars
from worldgen.corpus.grammar import SORTS, Grammar, genres, languages, load_grammar
from worldgen.corpus.patterns import Compiler
from worldgen.errors import CallerError, InternalError
from worldgen.seeds import stream

GENRES = ("encyclopedia", "list", "news", "organisation", "ranking", "review", "statistics", "thread")


def compiled(**rules: list[str]) -> Grammar:
    compiler = Compiler(rules, "test")
    found = {name: tuple(compiler.alternatives(name)) for name in rules}
    return Grammar("en", "test", found, {}, (("  ", " "), (" .", ".")))


def all_texts(grammar: Grammar, rule: str, **slots: str) -> set[str]:
    draw = iter(stream(5, rule).below(10_000, 2**30).tolist()).__next__
    return {grammar.render(rule, slots, draw, set()).text for _ in range(400)}


def test_choices_nest_and_may_be_empty() -> None:
    assert all_texts(compiled(a=["x [a|b [c|d]|] ."]), "a") == {"X a.", "X b c.", "X b d.", "X."}


def test_a_rule_is_inlined_and_spliced() -> None:
    grammar = compiled(a=["<b>", "three"], b=["one", "two"], c=["<b> more"])
    assert len(grammar.rules["a"]) == 3
    assert all_texts(grammar, "c") == {"One more", "Two more"}


def test_the_value_is_where_the_marks_are() -> None:
    grammar = compiled(a=["it [is|was] {value}, so {s}"])
    made = grammar.render("a", {"value": "12 mm", "s": "he"}, lambda: 5, set())
    assert made.text[made.start : made.end] == "12 mm"


def test_two_marks_span_what_lies_between() -> None:
    grammar = compiled(a=["first {base}, then {delta} more."])
    made = grammar.render("a", {"base": "10", "delta": "3"}, lambda: 0, set())
    assert made.text[made.start : made.end] == "10, then 3"


def test_words_of_the_grammar_can_be_the_value() -> None:
    made = compiled(a=["it says {=yes|yes}."]).render("a", {}, lambda: 0, set())
    assert (made.text, made.text[made.start : made.end]) == ("It says yes.", "yes")


def test_agreement() -> None:
    grammar = compiled(a=["they {#is|are}"])
    texts = [grammar.render("a", {}, lambda: 0, set(), many=many).text for many in (False, True)]
    assert texts == ["They is", "They are"]


def test_alternatives_are_not_repeated_while_others_are_left() -> None:
    grammar, used = compiled(a=["one", "two", "three"]), set[int]()
    assert {grammar.render("a", {}, lambda: 0, used).text for _ in range(3)} == {"One", "Two", "Three"}


@pytest.mark.parametrize("text", ["[a|b", "a]", "<no_such_rule>", "{", "a < b"])
def test_broken_patterns_are_told(text: str) -> None:
    with pytest.raises(InternalError):
        compiled(a=[text])


def test_a_rule_that_refers_to_itself_is_told() -> None:
    with pytest.raises(InternalError, match="refers to itself"):
        compiled(a=["x <b>"], b=["y <a>"])


@given(st.lists(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=4), min_size=1, max_size=5))
@settings(max_examples=50, deadline=None)
def test_every_rendering_is_one_of_the_expansions(choices: list[list[str]]) -> None:
    pattern = "-".join("[" + "|".join(words) + "]" for words in choices)
    for text in all_texts(compiled(a=[pattern]), "a"):
        words = (text[:1].lower() + text[1:]).split("-")
        assert all(word in choice for word, choice in zip(words, choices, strict=True))


def test_an_unknown_language_or_genre_is_told() -> None:
    with pytest.raises(CallerError):
        load_grammar("xx", "news")
    with pytest.raises(CallerError):
        load_grammar("en", "sonnet")


def test_english_has_every_genre() -> None:
    assert "en" in languages()
    assert genres("en") == sorted(GENRES)


@pytest.mark.parametrize("genre", GENRES)
@pytest.mark.parametrize("rule", ["number", "date", "category", "ref"])
def test_thirty_frames_for_a_kind_of_value(genre: str, rule: str) -> None:
    grammar = load_grammar("en", genre)
    assert len(grammar.rules[rule]) >= 26
    for suffix in ("", "/many", "/loose", "/phrase", "/loose/phrase"):
        assert len(grammar.rules[rule + suffix]) >= (5 if "loose" in suffix else 8)


def test_lines_for_one_sort_are_kept_from_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "xx").mkdir()
    lines = ["all", "(person) who", "(body, thing) what", "(body) us"]
    (tmp_path / "xx" / "_shared.yaml").write_text(yaml.safe_dump({"rules": {"a": lines, "b": ["any"]}}))
    (tmp_path / "xx" / "news.yaml").write_text("rules: {}\n")
    monkeypatch.setattr(grammars, "FOLDER", tmp_path)
    grammar = load_grammar("xx", "news")
    said = {sort: all_texts(grammar, grammar.fitting("a", sort)) for sort in ("", *SORTS)}
    assert said == {"": {"All"}, "person": {"All", "Who"}, "body": {"All", "What", "Us"}, "thing": {"All", "What"}}
    assert grammar.fitting("b", "person") == "b"


def test_a_sort_that_does_not_exist_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "yy").mkdir()
    (tmp_path / "yy" / "_shared.yaml").write_text("rules: {a: [(animal) it]}\n")
    (tmp_path / "yy" / "news.yaml").write_text("rules: {}\n")
    monkeypatch.setattr(grammars, "FOLDER", tmp_path)
    with pytest.raises(InternalError, match="animal"):
        load_grammar("yy", "news")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("genre", GENRES)
def test_every_sort_has_lines_of_every_rule(language: str, genre: str) -> None:
    grammar = load_grammar(language, genre)
    for rule, alternatives in grammar.rules.items():
        assert alternatives, rule
