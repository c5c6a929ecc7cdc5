"""Shapes: settled beforehand or not, a rendered text is tidy, and its value is where it is said to be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.corpus.grammar import Grammar, genres, languages, load_grammar
from worldgen.corpus.patterns import Compiler
from worldgen.corpus.shapes import tidied
from worldgen.seeds import stream

TIDY = (("  ", " "), (" ,", ","), (" .", "."), ("s's ", "s' "), ("the the ", "the "))
SLOTS = {"s": "the Vales", "ss": "the Vales'", "label": "the weight", "value": "12 mm"}

OTHERS = ("name", "names", "nouns", "nouns_all", "noun", "a_noun", "region", "scope", "part", "class", "site", "date")


def rendered(texts: list[str], draws: int = 200, seed: int = 1) -> list[str]:
    """Renderings of a rule, the values in them in brackets."""
    rules = {"a": texts}
    grammar = Grammar("en", "test", {"a": tuple(Compiler(rules, "test").alternatives("a"))}, {}, TIDY)
    draw = iter(stream(seed, "shapes").below(draws * 40, 2**30).tolist()).__next__
    found = [grammar.render("a", SLOTS, draw, set()) for _ in range(draws)]
    return [f"{made.text[: made.start]}[{made.text[made.start : made.end]}]{made.text[made.end :]}" for made in found]


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("the {s} weighs {value} .", "The Vales weighs [12 mm]."),
        ("{s}'s weight is {value}", "The Vales' weight is [12 mm]"),
        (" [ |] {value} is it [ |] ", "[12 mm] is it"),
        ("of {s} the {label} is {value}", "Of the Vales the weight is [12 mm]"),
        ("{value} [|] , no more", "[12 mm], no more"),
        ("[|now] {value} [|]", {"[12 mm]", "Now [12 mm]"}),
    ],
)
def test_what_slots_bring_about_is_tidied(pattern: str, wanted: str | set[str]) -> None:
    assert set(rendered([pattern])) == (wanted if isinstance(wanted, set) else {wanted})


_TEXT = st.sampled_from(["", " ", "the ", " the", "cats", ",", " .", "s", "{s}", "{ss} ", "{label}", "'s ", "a  b"])
_PIECE = st.one_of(_TEXT, st.lists(_TEXT, min_size=1, max_size=4).map(lambda texts: "[" + "|".join(texts) + "]"))


@given(st.lists(_PIECE, max_size=6), st.lists(_PIECE, max_size=6))
@settings(max_examples=50, deadline=None)
def test_any_pattern_comes_out_tidy(before: list[str], after: list[str]) -> None:
    for text in rendered(["".join(before) + "{value}" + "".join(after)], 30):
        head, _, rest = text.partition("[")
        value, _, tail = rest.partition("]")
        assert value == "12 mm"
        for part in (head.lstrip(), tail.rstrip()):
            assert tidied(part, TIDY) == part
        assert text.strip() == text


@pytest.mark.parametrize("language", languages())
def test_shipped_grammars_come_out_tidy(language: str) -> None:
    slots = dict.fromkeys(OTHERS, "X")
    slots |= SLOTS | {"a_label": "a weight", "period": "May", "base": "3", "delta": "4", "other": "Y"}
    slots |= {"more": "more", "fewer": "fewer", "handle": "Z"}
    draw = iter(stream(3, "tidy").below(200_000, 2**30).tolist()).__next__
    for genre in genres(language):
        grammar = load_grammar(language, genre)
        for rule in sorted(grammar.rules):
            if not grammar.rules[rule]:
                continue
            for _ in range(3):
                made = grammar.render(rule, slots, draw, set())
                for part in (made.text[: max(made.start, 0)], made.text[max(made.end, 0) :]):
                    assert tidied(part, grammar.tidy) == part, (genre, rule)
