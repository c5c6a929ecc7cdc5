"""The sets of wordings: each has as many as the first for each use, in no words of an earlier one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from string import Formatter
from typing import Any

import pytest
import yaml

from benchmarks.guards.values import SETS, WORDINGS

# What is no sentence: names of units, numerals, months, and forms of numbers, dates and lines.
LISTS = ("wrong_units", "points", "small", "tens", "months", "dates", "month_years", "quarters", "money", "percents",
         "scales", "scaled_money", "hidden", "list", "table", "smuggled")  # fmt: skip
FUNCTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
    a an the this that these those it its of in on at by for from to with as into over under and or but while than then
    so is are was were be been being has have had do does did will would not no there here
""",
    )
)
FUNCTION_SIGNS = "的了是在为之其和与及而就着这那"
RUN = 4


def data(source: str) -> dict[str, Any]:
    return dict(yaml.safe_load((WORDINGS / f"{source}.yaml").read_text("utf-8")))


def entries(tree: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Each list of wordings with its place."""
    for key, value in tree.items():
        if key in LISTS:
            continue
        if isinstance(value, dict):
            yield from entries(value, (*path, str(key)))
        else:
            yield (*path, str(key)), value


def words(template: str, language: str) -> list[str]:
    """Its words (in Chinese its signs) without slots and function words."""
    bare = re.sub(r"\{\w*\}", " ", template.lower())
    if language == "zh":
        return [sign for sign in re.findall(r"[\u4e00-\u9fff]", bare) if sign not in FUNCTION_SIGNS]
    return [word for word in re.findall(r"[a-z']+", bare) if word not in FUNCTION_WORDS and word != "'s"]


def runs(template: str, language: str) -> set[tuple[str, ...]]:
    found = words(template, language)
    return {tuple(found[start : start + RUN]) for start in range(len(found) - RUN + 1)}


def plain(template: str) -> str:
    """Without capitals, spaces and, where it has words beside its slots, punctuation."""
    worded = re.search(r"\w", re.sub(r"\{\w*\}", "", template))
    return re.sub(r"[^\w{}]+" if worded else r"\s+", " ", template).lower().strip()


def templates(source: str, language: str) -> list[str]:
    return [template for _, many in entries(data(source)[language]) for template in many]


def test_a_run_of_four_words_is_found_across_slots_and_function_words() -> None:
    assert runs("There is room for {value} of files", "en") == set()
    assert runs("Room for {value} big red old files", "en") & runs("any room, {label} big red old", "en")
    assert runs("{subject}从未公布过{label}", "zh") & runs("从未公布{label}", "zh")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_set_shares_its_words_with_an_earlier_one(language: str) -> None:
    taken: dict[tuple[str, ...], str] = {}
    for source in SETS:
        own = templates(source, language)
        for template in own:
            shared = runs(template, language) & set(taken)
            assert not shared, (source, template, [taken[run] for run in shared])
        taken |= {run: template for template in own for run in runs(template, language)}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_wording_stands_in_two_sets(language: str) -> None:
    many = Counter(template for source in SETS for template in {plain(one) for one in templates(source, language)})
    assert [template for template, sets in many.items() if sets > 1] == []


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("source", SETS[1:])
def test_each_use_has_as_many_wordings_as_in_the_first_set(source: str, language: str) -> None:
    own = dict(entries(data(source)[language]))
    for place, many in entries(data("first")[language]):
        assert len(own.get(place, [])) >= len(many), place
        assert len(set(own[place])) == len(own[place]), place


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("source", SETS[1:])
def test_all_sets_have_the_same_lists_and_slots(source: str, language: str) -> None:
    first, other = data("first")[language], data(source)[language]
    assert set(first) == set(other)
    assert set(first["wrong_units"]) <= set(other["wrong_units"])
    for place, many in entries(other):
        if place[0] == "lies":
            continue
        for template in many:
            slots = {name for _, name, _, _ in Formatter().parse(template) if name}
            assert slots <= {"subject", "owner", "label", "value", "when", "noun", "time", "first", "second"}, template
