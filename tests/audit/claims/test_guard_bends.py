"""True values that a word beside them bends, each beside an honest sentence that differs in that alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import pytest
import yaml

from worldgen.records import Language

from .conftest import Judged, codes
from .test_guard_rules import licensed

PAIRS: dict[Language, dict[str, tuple[str, str]]] = {
    "en": {
        "before a name": ("It is operated by Gadin Group.", "It is operated near Gadin Group."),
        "a rival of a name": ("It is operated by Gadin Group.", "It is operated by a rival of Gadin Group."),
        "a preposition without a label": ("It sails for Gadin Group.", "It sails without Gadin Group."),
        "another verb": ("Canuth Kidhan sails for Gadin Group.", "Gadin Group reviewed Canuth Kidhan."),
        "what is only meant": ("Gadin Group operates it.", "Gadin Group wanted to operate it."),
        "behind a name": ("It is operated by Gadin Group.", "It is operated by Gadin Group and others."),
        "a clause that tells nothing": (
            "It is operated by Gadin Group.",
            "It is operated by Gadin Group, who left the market.",
        ),
        "by what is operated": ("Gadin Group operates it.", "Gadin Group is operated by it."),
        "less": ("It is 28.7 m long.", "It is 28.7 m less long."),
        "a head": ("Its overall length is 28.7 m.", "Its overall length is 28.7 m per person."),
        "another measure": (
            "Canuth Kidhan measures 28.7 m in length.",
            "The box of Canuth Kidhan measures 28.7 m in length.",
        ),
        "the other one": ("Canuth Kidhan is 28.7 m long.", "The other Canuth Kidhan is 28.7 m long."),
        "once": ("Canuth Kidhan had a crew of 5 people.", "Canuth Kidhan once had a crew of 5 people."),
        "a category in part": ("It runs on diesel.", "It runs on mostly diesel."),
        "so do others": ("It runs on diesel.", "It runs on diesel, and so does every vessel."),
    },
    "zh": {
        "a rival": ("它由嘉汀集团运营。", "它由嘉汀集团的对手运营。"),
        "another verb": ("它由嘉汀集团运营。", "嘉汀集团评测了它。"),
        "less": ("它总长28.7米。", "它总长少了28.7米。"),
        "the box": ("喀努特·奇旦号总长28.7米。", "喀努特·奇旦号的包装盒总长28.7米。"),
    },
}  # fmt: skip
CASES = [(language, *pair) for language, pairs in PAIRS.items() for pair in pairs.values()]
IDS = [f"{language}: {kind}" for language, pairs in PAIRS.items() for kind in pairs]


@pytest.mark.parametrize(("language", "honest", "lie"), CASES, ids=IDS)
def test_a_word_beside_a_value_can_bend_it(
    judged: Callable[[Language], Judged], language: Language, honest: str, lie: str
) -> None:
    guard, licence = licensed(judged, language)
    assert guard.audit(honest, licence).problems == ()
    assert codes(guard, lie, licence)


def _lists(node: Any) -> Iterator[list[str]]:
    if isinstance(node, list):
        yield node
    else:
        for inner in node.values():
            yield from _lists(inner)


def test_each_word_stands_once_in_its_list_and_in_lower_case() -> None:
    text = (files("worldgen.audit.claims") / "data" / "bends.yaml").read_text("utf-8")
    for words in _lists(yaml.load(text, yaml.BaseLoader)):
        assert len(words) == len(set(words)), sorted(word for word in words if words.count(word) > 1)
        assert all(word == word.lower().strip() and word for word in words)
