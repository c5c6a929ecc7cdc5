"""Values told of a thing of another kind than has them, each beside an honest sentence that differs in that alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from worldgen.records import Language

from .conftest import Judged, codes
from .test_guard_rules import licensed

PAIRS: dict[Language, dict[str, tuple[str, str]]] = {
    "en": {
        "the label of a name": (
            "The overall length of Canuth Kidhan is 28.7 m.",
            "The overall length of Gadin Group is 28.7 m.",
        ),
        "the label behind a name": (
            "Canuth Kidhan's overall length is 28.7 m.",
            "Zundoketh's overall length is 28.7 m.",
        ),
        "whose it says it is": (
            "The overall length of Gadin Group's ferry is 28.7 m.",
            "The overall length of Gadin Group is 28.7 m.",
        ),
        "a verb": ("Canuth Kidhan runs on diesel.", "Gadin Group runs on diesel."),
        "another kind by name": (
            "The vessel Canuth Kidhan has a crew of 5 people.",
            "The vessel Gadin Group has a crew of 5 people.",
        ),
        "another kind by an article": (
            "Canuth Kidhan is a vessel that is 28.7 m long.",
            "Gadin Group is a vessel that is 28.7 m long.",
        ),
        "another kind, with the value set in": (
            "Canuth Kidhan – overall length 28.7 m – is a ferry.",
            "Zundoketh – overall length 28.7 m – is a ferry.",
        ),
        "a clause about a name": (
            "Canuth Kidhan, whose overall length is 28.7 m, sails for Gadin Group.",
            "Canuth Kidhan sails for Gadin Group, whose overall length is 28.7 m.",
        ),
        "a second clause": (
            "Canuth Kidhan's line is Gadin Group, and it has an overall length of 28.7 m.",
            "Canuth Kidhan's line is Gadin Group, and Gadin Group has an overall length of 28.7 m.",
        ),
        "a line of marks": ("Canuth Kidhan / overall length / 28.7 m", "Gadin Group / overall length / 28.7 m"),
        "a row of a table": (
            "| Name | Overall length |\n| --- | --- |\n| Canuth Kidhan | 28.7 m |",
            "| Name | Overall length |\n| --- | --- |\n| Gadin Group | 28.7 m |",
        ),
    },
    "zh": {
        "the label behind a name": ("喀努特·奇旦号的总长是28.7米。", "嘉汀集团的总长是28.7米。"),
        "a value of a list": ("喀努特·奇旦号的动力是柴油。", "尊多克忒的动力是柴油。"),
        "a line of marks": ("喀努特·奇旦号｜总长｜28.7米", "嘉汀集团｜总长｜28.7米"),
        "another kind by name": ("渡轮喀努特·奇旦号总长28.7米。", "渡轮嘉汀集团总长28.7米。"),
    },
}
CASES = [(language, *pair) for language, pairs in PAIRS.items() for pair in pairs.values()]
IDS = [f"{language}: {kind}" for language, pairs in PAIRS.items() for kind in pairs]


@pytest.mark.parametrize(("language", "honest", "lie"), CASES, ids=IDS)
def test_a_value_is_told_of_what_has_it_alone(
    judged: Callable[[Language], Judged], language: Language, honest: str, lie: str
) -> None:
    guard, licence = licensed(judged, language)
    assert guard.audit(honest, licence).problems == ()
    assert codes(guard, lie, licence)


@pytest.mark.parametrize(
    "text",
    [
        "Canuth Kidhan sails for Gadin Group. It is 28.7 m long.",
        "Gadin Group operates it, and its overall length is 28.7 m.",
        "The line of this vessel is Gadin Group; the overall length is 28.7 m.",
        "Line: Gadin Group. Overall length: 28.7 m.",
    ],
)
def test_whoever_is_meant_by_a_pronoun_or_a_noun_has_the_value(judged: Callable[[Language], Judged], text: str) -> None:
    guard, licence = licensed(judged, "en")
    assert guard.audit(text, licence).problems == ()
