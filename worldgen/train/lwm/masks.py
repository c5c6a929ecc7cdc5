"""Information-theoretic loss masks: how much an observation tells that its action did not, and what is learned of it.

Most turns of an agent's day teach a world model little: confirmations, echoes, boilerplate. Each turn gets one of seven
categories by four measures, and each category a share of turns that is learned (arXiv 2606.24597). Conditions and
shares stand in ``masks.yaml``, with what of them is published and what is ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Category = Literal["retrieval", "expansion", "action", "transform", "boilerplate", "echo", "other"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
_IDEOGRAPH = "\u3400-\u9fff\uf900-\ufaff"
# Chinese has no spaces: a character stands for a word.
_WORD = re.compile(rf"[{_IDEOGRAPH}]|[^\W{_IDEOGRAPH}]+")


class Measures(NamedTuple):
    """How an observation relates to its action; shares from 0 to 1, the ratio from 0."""

    overlap: float
    novelty: float
    jaccard: float
    ratio: float


class _Bounds(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None

    def hold(self, value: float) -> bool:
        """Whether a value is within."""
        return (
            (self.at_least is None or value >= self.at_least)
            and (self.above is None or value > self.above)
            and (self.at_most is None or value <= self.at_most)
            and (self.below is None or value < self.below)
        )


class Rule(BaseModel):
    """The conditions of a category, and the share of its turns that is learned."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    keep: float = Field(ge=0, le=1)
    published: bool
    when: dict[Literal["overlap", "novelty", "jaccard", "ratio"], _Bounds]


@dataclass(frozen=True, slots=True)
class Mask:
    """What became of a turn: its category, and whether it is learned."""

    category: Category
    keep: bool


@cache
def rules() -> Mapping[Category, Rule]:
    """The categories in the order in which they are tried."""
    raw = yaml.safe_load((Path(__file__).parent / "masks.yaml").read_text("utf-8"))
    return TypeAdapter(dict[Category, Rule]).validate_python(raw)


def measures(action: str, observation: str) -> Measures:
    """The four measures of a turn.

    >>> measures("find a ferry", "A ferry with 90 seats")
    Measures(overlap=0.6666666666666666, novelty=0.6, jaccard=0.3333333333333333, ratio=1.75)
    """
    asked, seen = words(action), words(observation)
    both = len(asked & seen)
    return Measures(
        overlap=both / len(asked) if asked else 0.0,
        novelty=(len(seen) - both) / len(seen) if seen else 0.0,
        jaccard=both / len(asked | seen) if asked | seen else 0.0,
        ratio=len(observation) / max(1, len(action)),
    )


def category_of(action: str, observation: str) -> Category:
    """The category of a turn.

    Args:
        action: The call, without the heading of the turn.
        observation: What came back, without its heading.

    >>> category_of("ferry_get Manza", "Manza Bolande, diesel, 226 seats, launched in 1998")
    'retrieval'
    """
    found = measures(action, observation)._asdict()
    return next(name for name, rule in rules().items() if all(b.hold(found[m]) for m, b in rule.when.items()))


def words(text: str) -> frozenset[str]:
    """The lower-cased words of a text.

    >>> sorted(words("Ferries, ferries 渡船"))
    ['ferries', '渡', '船']
    """
    return frozenset(_WORD.findall(text.lower()))
