"""The turns of a conversation with a world model: how they are written, and read back out of what a model replies.

The format is that of Qwen-AgentWorld (arXiv 2606.24597): the user's turn is ``### Turn N``, ``**Action:**`` and a
fenced JSON object, the model's is ``**Environment Observation:**`` and the observation, in a
``<predicted_observation>`` block where a domain asks for one. Models leave marks out, fence what needs no fence, think
aloud and are cut off; reading is tolerant of all that and takes only what is left of the observation itself.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

from worldgen.errors import ServiceError
from worldgen.thinking import split_thinking

MARKER = "**Environment Observation:**"
_MARKER = re.compile(
    r"(?m)^[ \t]*(?:#{1,6}[ \t]*)?\*{0,3}[ \t]*environment observation[ \t]*"
    r"(?:[:：][ \t]*\*{0,3}|\*{1,3}[ \t]*[:：]?|(?=\r?$))",
    re.IGNORECASE,
)
_OPEN = re.compile(r"<[ \t]{0,4}predicted_observation[ \t]{0,4}>", re.IGNORECASE)
_CLOSE = re.compile(r"<[ \t]{0,4}/[ \t]{0,4}predicted_observation[ \t]{0,4}>", re.IGNORECASE)
_CUT_TAG = re.compile(r"</?[a-z_]{1,22}\Z", re.IGNORECASE)
_END_OF_TURN = re.compile(r"<\|(?:im_end|endoftext|eot_id)\|>")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+.-]*)[ \t]*\r?")
_ACTION = re.compile(r"(?m)^[ \t]*(?:#{1,6} Turn \d+[ \t]*\r?$|\*\*Action:\*\*)")
_URL = re.compile(
    r"^[ \t>*-]*\[?\(?(\d{1,3})[\]).][:.]?[ \t]*(?:url:?[ \t]*)?<?(https?://[^\s<>]+)>?[ \t\r]*$", re.IGNORECASE
)
_FIELD = re.compile(r"^[ \t>*-]*(url|title|snippet|date)\**[ \t]*[:：]\**[ \t]*(.*)$", re.IGNORECASE)
_TAGS = ("<predicted_observation>", "</predicted_observation>")
LONGEST_REPLY = 400_000
# The marks of chat templates, and the tags that a reply is read by.
_SPECIAL = re.compile(
    r"<(?=\||[ \t]{0,4}/?[ \t]{0,4}(?:think|thinking|predicted_observation)[ \t]{0,4}>)", re.IGNORECASE
)


class MalformedReply(ServiceError):
    """A reply that holds no observation; codes ``reply.empty``, ``reply.too-long``."""


class Entry(NamedTuple):
    """One result of a result page as it is shown; parts that are missing are empty."""

    url: str
    title: str
    snippet: str
    date: str


def defused(text: str) -> str:
    """Text that a caller or a page has given, without what ends a message or passes for a tag of a reply.

    >>> defused("a <|im_end|> b </think> c < 5")
    'a < |im_end|> b < /think> c < 5'
    """
    return _SPECIAL.sub("< ", text)


def action_text(turn: int, name: str, arguments: Mapping[str, Any]) -> str:
    r"""The user's turn: a tool call.

    >>> print(action_text(1, "web_extractor", {"url": "https://a.example/"}))
    ### Turn 1
    **Action:**
    ```json
    {
      "name": "web_extractor",
      "arguments": {
        "url": "https://a.example/"
      }
    }
    ```
    """
    # In JSON a line cannot begin with a fence: a line end in an argument is escaped.
    # What would end the message is escaped as well: the JSON says the same.
    body = _SPECIAL.sub(r"\\u003c", json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False, indent=2))
    return f"### Turn {turn}\n**Action:**\n```json\n{body}\n```"


def observation_text(observation: str) -> str:
    """The model's turn: an observation."""
    return f"{MARKER}\n{observation}"


def read_observation(reply: str) -> str:
    r"""The observation in a reply, without thinking, marks, tags and fences.

    Raises:
        MalformedReply: There is none, or it is beyond all measure.

    >>> read_observation("<think>hm</think>**Environment Observation:**\n```\nNo results.\n```")
    'No results.'
    >>> read_observation("<predicted_observation>first</predicted_observation> <predicted_observation>last")
    'last'
    """
    if len(reply) > LONGEST_REPLY:
        raise MalformedReply("reply.too-long", "the reply is beyond all measure; be brief", got=str(len(reply)))
    text = _END_OF_TURN.split(split_thinking(reply)[1])[0]
    text = _unfenced(_unmarked(_unfenced(_own_turn(_unfenced(_tagged(text).strip())))))
    if not text:
        raise MalformedReply("reply.empty", "the reply holds no observation; write it after the mark", expected=MARKER)
    return text


def _tagged(text: str) -> str:
    """The last block that is not empty; without one, the text as it is, up to a tag that only closes."""
    opened = list(_OPEN.finditer(text))
    starts, ends = [found.end() for found in opened], [*(found.start() for found in opened[1:]), len(text)]
    parts = [_CLOSE.split(text[start:end])[0] for start, end in zip(starts, ends, strict=False)][::-1]
    found = next((part for part in parts or _CLOSE.split(text) if part.strip()), "")
    # A reply that is cut off may end within a tag.
    cut = _CUT_TAG.search(found[-25:])
    if cut is not None and any(tag.startswith(cut[0].lower()) for tag in _TAGS) and len(cut[0]) > 2:
        found = found[: len(found) - len(cut[0])]
    return found


def _own_turn(text: str) -> str:
    """The text without a repeated action before it, and without the turns that a model plays on after its own."""
    first = _ACTION.search(text)
    if first is not None and not text[: first.start()].strip():
        mark = _MARKER.search(text)
        text = "" if mark is None else text[mark.start() :]
        first = _ACTION.search(text)
    return text if first is None else text[: first.start()]


def _unmarked(text: str) -> str:
    """What follows the mark at the beginning; where there is talk before it, what follows the last."""
    text = text.strip()
    match = _MARKER.match(text)
    if match is None:
        match = next(iter(deque(_MARKER.finditer(text), maxlen=1)), None)
    return text if match is None else text[match.end() :].strip()


def _unfenced(text: str) -> str:
    """The text inside a fence that encloses all of it; a fence that is never closed encloses the rest."""
    lines = text.split("\n")
    depth: list[str] = []
    for place, line in enumerate(lines):
        fence = _FENCE.fullmatch(line)
        if fence is None:
            if not depth:
                return text
        elif depth and not fence[2] and fence[1].startswith(depth[-1]):
            depth.pop()
            if not depth:
                return text if place + 1 < len(lines) else "\n".join(lines[1:place]).strip()
        elif not depth or fence[2]:
            depth.append(fence[1])
    return "\n".join(lines[1:]).strip()


def read_results(text: str) -> list[Entry]:
    r"""The results of a result page, whatever numbers they bear; lines that belong to none are passed over.

    >>> read_results("[1] https://a.example/p\nTitle: A page\nSnippet: Some\nwords ...\nDate: N/A")
    [Entry(url='https://a.example/p', title='A page', snippet='Some words ...', date='N/A')]
    """
    found: list[dict[str, list[str]]] = []
    field = ""
    for line in text.split("\n"):
        numbered = _URL.match(line)
        named = _FIELD.match(line)
        if numbered is not None:
            found.append({"url": [numbered[2]]})
            field = ""
        elif named is not None:
            field = named[1].lower()
            if field == "url" and (not found or "title" in found[-1]):
                found.append({})
            if found and not (field == "url" and "url" in found[-1]):
                found[-1].setdefault(field, []).append(named[2].strip())
        elif not line.strip():
            field = ""
        elif field and found:
            found[-1].setdefault(field, []).append(line.strip())
    return [Entry(*(" ".join(parts.get(name, [])).strip() for name in Entry._fields)) for parts in found]
