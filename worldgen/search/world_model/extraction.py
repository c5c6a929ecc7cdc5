"""What a text asserts, as a model reads it out in structured form, and as far as the text bears that out.

Nothing outside the schema can come back, and nothing that comes back is believed: the quote must stand in the text, its
words must give a value of the property and not deny it, the thing must be named. What fails is dropped, and counted by
its reason.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldgen.audit.claims.words import phrases
from worldgen.facts.given import is_chinese
from worldgen.language import name_key
from worldgen.llm.model import Message, Shape
from worldgen.search.world_model.ledger import Assertion
from worldgen.search.world_model.prompt import fill, in_fence
from worldgen.search.world_model.slots import Slot, Unread, read_value

Slots = Mapping[tuple[str, str], Slot]
_MOST = 200
_LONGEST = 600
_FIELDS = ("entity", "subject", "attribute", "value", "time", "quote")


@dataclass(frozen=True, slots=True)
class Extracted:
    """What came of one reading.

    Attributes:
        assertions: What the text bears out.
        refused: (assertion as read, what would be right) where a value has the wrong unit or lies out of range.
        dropped: Reason → how many were dropped: ``not-json``, ``outside-schema``, ``no-quote``, ``no-subject``,
            ``no-value``, ``no-period``, ``denied``.
    """

    assertions: tuple[Assertion, ...]
    refused: tuple[tuple[str, Unread], ...]
    dropped: Counter[str]


def extraction_shape(slots: Slots) -> Shape:
    """What a reading must look like: kinds, properties and periods are those of the schema, each with its own."""
    kinds: dict[str, list[Slot]] = {}
    for slot in slots.values():
        kinds.setdefault(slot.entity, []).append(slot)
    items = [
        _item(entity, [slot.attribute for slot in found if slot.periods == periods], periods)
        for entity, found in kinds.items()
        for periods in dict.fromkeys(slot.periods for slot in found)
    ]
    listed = {"type": "array", "maxItems": _MOST, "items": {"anyOf": items}}
    return Shape("json_schema", _object({"assertions": listed}), name="assertions")


def _item(entity: str, attributes: list[str], periods: tuple[str, ...]) -> dict[str, Any]:
    words = {"type": "string", "maxLength": _LONGEST}
    return _object(
        {
            "entity": {"type": "string", "enum": [entity]},
            "subject": words,
            "attribute": {"type": "string", "enum": attributes},
            "value": words,
            "time": {"type": "string", "enum": list(periods) or [""]},
            "quote": words,
        }
    )


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def extraction_messages(slots: Slots, text: str) -> tuple[Message, ...]:
    """What a model is asked."""
    kinds: dict[str, list[str]] = {}
    for slot in slots.values():
        kinds.setdefault(slot.entity, []).append(slot.attribute)
    told = "\n".join(f"- {entity}: {', '.join(attributes)}" for entity, attributes in kinds.items())
    return (Message("user", fill("extraction", kinds=told, **in_fence(text))),)


def read_extraction(reply: str, text: str, slots: Slots, *, turn: int, url: str = "") -> Extracted:
    """What of a reading the text bears out.

    Args:
        reply: What the model said.
        text: What it has read.
        slots: What may be asserted.
        turn: Of the session.
        url: Of the page.
    """
    dropped: Counter[str] = Counter()
    kept: dict[Assertion, None] = {}
    refused: list[tuple[str, Unread]] = []
    try:
        listed = json.loads(reply)["assertions"]
        rows = list(listed)[:_MOST] if isinstance(listed, list) else None
    except (ValueError, TypeError, KeyError, RecursionError):
        rows = None
    if rows is None:
        return Extracted((), (), Counter({"not-json": 1}))
    for row in rows:
        found = _asserted(row, text, slots)
        if isinstance(found, str):
            dropped[found] += 1
        elif isinstance(found, tuple):
            refused.append(found)
        else:
            kept[Assertion(**found, url=url, turn=turn)] = None
    return Extracted(tuple(kept), tuple(refused), dropped)


def _asserted(row: object, text: str, slots: Slots) -> dict[str, str] | tuple[str, Unread] | str:
    """The fields of an assertion; why it is no value that the schema allows; or why it is dropped."""
    if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in _FIELDS):
        return "outside-schema"
    said = {name: " ".join(str(row[name]).split()) for name in _FIELDS}
    slot = slots.get((said["entity"], said["attribute"]))
    if slot is None:
        return "outside-schema"
    quote = said["quote"]
    if not quote or quote not in " ".join(text.split()):
        return "no-quote"
    if not name_key(said["subject"]) or name_key(said["subject"]) not in name_key(" ".join(text.split())):
        return "no-subject"
    if said["time"] not in (slot.periods or ("",)) or (said["time"][:4] not in text):
        return "no-period"
    if slot.kind != "boolean" and _denies(quote, said["subject"], said["value"]):
        return "denied"
    value = read_value(slot, said["value"], quote)
    if isinstance(value, Unread):
        about = f"{said['subject']}, {said['attribute']}: {said['value']}"
        return "no-value" if value.code == "no-value" else (about, value)
    return {**said, "value": value}


def _denies(quote: str, *names: str) -> bool:
    """Whether a quote has, besides names, a word that denies what it tells."""
    for name in names:
        quote = quote.replace(name, " ")
    return phrases("denial", "zh" if is_chinese(quote) else "en").search(quote.lower()) is not None
