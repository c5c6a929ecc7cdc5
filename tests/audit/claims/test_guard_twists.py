"""True values told as something else: a lie of each kind, beside an honest sentence one change away."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from worldgen.records import Language

from .conftest import Judged
from .test_guard_rules import licensed

PAIRS: list[tuple[Language, str, str]] = [
    (
        "en",
        "The purchase price of Canuth Kidhan is €1.709 million.",
        "The purchase price of Canuth Kidhan is €1.709 million a year.",
    ),
    (
        "en",
        "The purchase price of Canuth Kidhan is €1.709 million.",
        "The purchase price of Canuth Kidhan is €1.709 million each month.",
    ),
    (
        "en",
        "The purchase price of Canuth Kidhan is €1.709 million.",
        "The yearly purchase price of Canuth Kidhan is €1.709 million.",
    ),
    ("en", "Canuth Kidhan has a crew of 5 people.", "Canuth Kidhan has a crew of 5 ferries."),
    ("en", "The line of Canuth Kidhan is Gadin Group.", "Canuth Kidhan is the line of Gadin Group."),
    (
        "en",
        "Canuth Kidhan was launched on 11 February 2019, and its line is Gadin Group.",
        "Canuth Kidhan was launched on 11 February 2019 by Gadin Group.",
    ),
    ("zh", "喀努特·奇旦号的额定载客为154人次。", "喀努特·奇旦号的额定载客为每年154人次。"),
]


@pytest.mark.parametrize(("language", "honest", "lie"), PAIRS)
def test_a_true_value_told_as_something_else_is_caught(
    judged: Callable[[Language], Judged], language: Language, honest: str, lie: str
) -> None:
    guard, licence = licensed(judged, language)
    assert guard.audit(honest, licence).problems == ()
    assert {problem.code for problem in guard.audit(lie, licence).problems} & {"wrong-value", "wrong-subject"}
