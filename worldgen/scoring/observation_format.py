"""The format of a predicted observation, checked by rule against the reference's: no judge is needed for it."""

from __future__ import annotations

import json
import re
from typing import Any

from worldgen.scoring.verifiers import ENTRY, contentless

_NUMBERED = re.compile(r"^\[(\d+)\] ", re.MULTILINE)
_FENCE = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)
_LONGEST_ERROR = 600
_TAG = re.compile(r"</?(?:think|predicted_observation|final_evaluation)\b", re.IGNORECASE)


def format_problem(prediction: str, reference: str) -> str:
    """What is wrong with the layout of a prediction; empty where nothing is.

    JSON must be JSON of the same kind with the same keys at its top, a result page a result page whose entries are
    numbered and whole, an error an error without content; nothing may be left of the protocol's tags.

    >>> format_problem('{"total": 3}', '{"total": 2, "items": []}')
    "lacks the key 'items'"
    >>> format_problem("Error: the page is gone.", "Error: no such page.")
    ''
    """
    prediction, reference = prediction.strip(), reference.strip()
    if not prediction:
        return "is empty"
    if _TAG.search(prediction):
        return "holds tags of the protocol"
    wanted = _json(reference)
    if isinstance(wanted, dict | list):
        return _json_problem(_json(prediction), wanted)
    if ENTRY.search(reference):
        return _entries_problem(prediction)
    if reference.lower().startswith("error"):
        found = contentless(prediction, max(_LONGEST_ERROR, 2 * len(reference)))
        return "" if found is True else str(found)
    if ENTRY.search(prediction):
        return "is a result page where there is none"
    return ""


def _json(text: str) -> Any:
    fenced = _FENCE.match(text)
    try:
        return json.loads(fenced.group(1) if fenced else text)
    except (ValueError, RecursionError):
        return None


def _json_problem(found: Any, wanted: dict[str, Any] | list[Any]) -> str:
    if type(found) is not type(wanted):
        return "is no JSON object" if isinstance(wanted, dict) else "is no JSON array"
    if isinstance(wanted, dict):
        for key in wanted:
            if key not in found:
                return f"lacks the key {key!r}"
        for key in found:
            if key not in wanted:
                return f"has the key {key!r:.60}, which there is not"
    return ""


def _entries_problem(prediction: str) -> str:
    whole, numbers = len(ENTRY.findall(prediction)), [int(n) for n in _NUMBERED.findall(prediction)]
    if not whole:
        return "is no result page"
    if whole != len(numbers):
        return "has results that lack a title, a snippet or a date"
    # Each query's results may be numbered from 1.
    if any(n not in (1, before + 1) for before, n in zip([0, *numbers], numbers, strict=False)):
        return "numbers its results out of order"
    return ""
