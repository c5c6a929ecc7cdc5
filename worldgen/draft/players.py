"""A drafting model that is none: plain code that drafts a settlement on Mars, for tests and for trying things out.

It is a behaviour of `worldgen.llm.FakeServer`. Whatever the premise, it writes the same design, from a data file, with
a few mistakes; it mends a mistake where it is told of it, and never else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from worldgen.draft.asking import PROMPTS

_ENTITY = re.compile(r"kind of thing: `(\w+)`")
_AGAIN = PROMPTS.text("again").split("\n", 1)[0]


def drafts(request: Mapping[str, Any]) -> str:
    """Write the piece that is asked for, at first with mistakes; of any other request, what a fake says by itself."""
    form = (request.get("response_format") or {}).get("json_schema") or {}
    kind = form.get("name")
    messages = [str(message["content"]) for message in request["messages"]]
    data = _data()
    if kind == "frame":
        piece, sound = "frame", data["frame"]
    elif kind == "rules":
        piece, sound = "rules", data["rules"]
    elif kind == "details":
        found = _ENTITY.search(messages[1])
        piece = found[1] if found else ""
        sound = data["details"][piece]
    else:
        return "I draft worlds, and nothing else."
    told = [text for text in messages if text.startswith(_AGAIN)]
    answer = deepcopy(sound)
    for slip in data["slips"]:
        if slip["piece"] == piece and not any(slip["word"] in text for text in told):
            _put(answer, slip["path"], slip["value"])
    return json.dumps(_kept(answer, form["schema"]), ensure_ascii=False)


def _put(answer: Any, path: list[Any], value: Any) -> None:
    for key in path[:-1]:
        answer = answer[key]
    answer[path[-1]] = value


def _kept(value: Any, shape: Mapping[str, Any]) -> Any:
    """A value without the languages that are not asked for."""
    if isinstance(value, list):
        return [_kept(each, shape["items"]) for each in value]
    if not isinstance(value, dict):
        return value
    for branch in shape.get("anyOf", ()):
        if branch["properties"]["kind"].get("const") == value["kind"]:
            return _kept(value, branch)
    return {key: _kept(each, shape["properties"][key]) for key, each in value.items() if key in shape["properties"]}


@cache
def _data() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "data" / "player.yaml").read_text("utf-8"))
    return found
