"""What a model is told of the sentences that it rewrites, and what is read out of its reply."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from worldgen.llm.model import Message, Reply, Request, Sampling, Shape
from worldgen.llm.prompts import LANGUAGES, Prompts
from worldgen.prose.passages import Passage
from worldgen.records import Page
from worldgen.search.world_model.prompt import in_fence
from worldgen.search.world_model.turns import defused

PROMPTS = Prompts(Path(__file__).parent / "prompts")
MOST = 12
"""Sentences of one request."""
_LONGEST = 100_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """A passage as a model is told of it.

    Attributes:
        passage: The passage.
        names: The names in it, as they are written there.
        labels: Wordings of the property that it states, the one that it uses first.
        periods: Of values over time: their periods, as `2027` or `2027-Q1`.
    """

    passage: Passage
    names: tuple[str, ...]
    labels: tuple[str, ...]
    periods: tuple[str, ...] = ()

    def told(self, number: int) -> str:
        """Its lines in a request."""
        lines = {"keep": (*self.names, *self.passage.values), "property": self.labels, "period": self.periods}
        told = [f"   {what}: {' | '.join(words)}" for what, words in lines.items() if words]
        return "\n".join([f"{number}. {self.passage.text}", *told])


def request(page: Page, wanted: Sequence[Wanted], sampling: Sampling) -> Request:
    """The request for some sentences of a page."""
    told = PROMPTS.fill(
        "page",
        count=str(len(wanted)),
        language=LANGUAGES[page.language],
        title=defused(page.title),
        genre=page.genre,
        **in_fence("\n".join(each.told(number) for number, each in enumerate(wanted, 1))),
    )
    many = len(wanted)
    sentence = {"type": "string", "minLength": 1, "maxLength": 800}
    listed = {"type": "array", "items": sentence, "minItems": many, "maxItems": many}
    shape = {
        "type": "object",
        "properties": {"sentences": listed},
        "required": ["sentences"],
        "additionalProperties": False,
    }
    messages = (Message("system", PROMPTS.text("system").strip()), Message("user", told))
    return Request(messages, sampling, Shape("json_schema", shape, "sentences"))


def read(reply: Reply, many: int) -> list[str] | None:
    """The sentences of a reply; None where it does not hold as many as were asked for."""
    try:
        found = json.loads(reply.text[:_LONGEST])["sentences"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if not isinstance(found, list) or len(found) != many or not all(isinstance(each, str) for each in found):
        return None
    return found
