"""The turns of a conversation with a world model: how they are written, and read back out of what a model replies.

The format is that of Qwen-AgentWorld (arXiv 2606.24597): the user's turn is ``### Turn N``, ``**Action:**`` and a
fenced JSON object, the model's is ``**Environment Observation:**`` and the observation, in a
``<predicted_observation>`` block where a domain asks for one. Models leave marks out, fence what needs no fence, think
aloud and are cut off; reading is tolerant of all that and takes only what is left of the observation itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from worldgen.errors import ServiceError
from worldgen.llm.thinking import split_thinking

MARKER = "**Environment Observation:**"
_MARKER = re.compile(r"\**\s*environment observation\s*:?\s*\**\s*:?", re.IGNORECASE)
_OPEN = re.compile(r"<predicted_observation>", re.IGNORECASE)
_CLOSE = re.compile(r"</predicted_observation>", re.IGNORECASE)
_FENCE = re.compile(r"(`{3,}|~{3,})[\w+-]*[ \t]*\n(.*?)(?:\n[ \t]*\1[ \t]*)?", re.DOTALL)
_ACTION = re.compile(r"(?m)^\s*(?:### Turn \d+\s*$|\*\*Action:\*\*)")
_URL = re.compile(
    r"^[ \t>*-]*\[?\(?(\d{1,3})[\])][:.]?[ \t]*(?:url:?[ \t]*)?<?(https?://[^\s<>]+)>?[ \t]*$", re.IGNORECASE
)
_FIELD = re.compile(r"^[ \t>*-]*\**(url|title|snippet|date)\**[ \t]*[:：]\**[ \t]*(.*)$", re.IGNORECASE)
_MOST = 400_000


class MalformedReply(ServiceError):
    """A reply that holds no observation; codes ``reply.empty``, ``reply.too-long``."""


class Entry(NamedTuple):
    """One result of a result page as it is shown; parts that are missing are empty."""

    url: str
    title: str
    snippet: str
    date: str


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
    body = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False, indent=2)
    return f"### Turn {turn}\n**Action:**\n```json\n{body}\n```"


def observation_text(observation: str) -> str:
    """The model's turn: an observation."""
    return f"{MARKER}\n{observation}"


def read_observation(reply: str) -> str:
    r"""The observation in a reply, without thinking, marks, tags and fences.

    Raises:
        MalformedReply: There is none, or it is beyond all measure.

    >>> read_observation("<think>hm</think>**Environment Observation:**\\n```\\nNo results.\\n```")
    'No results.'
    >>> read_observation("<predicted_observation>first</predicted_observation> <predicted_observation>last")
    'last'
    """
    if len(reply) > _MOST:
        raise MalformedReply("reply.too-long", "the reply is beyond all measure; be brief", got=str(len(reply)))
    text = split_thinking(reply)[1]
    opened = list(_OPEN.finditer(text))
    if opened:
        text = _CLOSE.split(text[opened[-1].end() :])[0]
    text = _CLOSE.sub("", text).strip()
    # A model that goes on to play the agent as well has ended its own turn there.
    following = _ACTION.search(text)
    if following is not None and following.start() > 0:
        text = text[: following.start()]
    text = _unfenced(_unmarked(_unfenced(text.strip())))
    if not text:
        raise MalformedReply("reply.empty", "the reply holds no observation; write it after the mark", expected=MARKER)
    return text


def _unmarked(text: str) -> str:
    """What follows the last mark that stands at the beginning of a line."""
    for line in reversed(list(re.finditer(r"(?m)^", text))):
        match = _MARKER.match(text, line.start())
        if match is not None:
            return text[match.end() :].strip()
    return text


def _unfenced(text: str) -> str:
    """The text inside a fence that encloses all of it."""
    match = _FENCE.fullmatch(text)
    return text if match is None else match[2].strip()


def read_results(text: str) -> list[Entry]:
    r"""The results of a result page, whatever numbers they bear; lines that belong to none are passed over.

    >>> read_results("[1] https://a.example/p\\nTitle: A page\\nSnippet: Some\\nwords ...\\nDate: N/A")
    [Entry(url='https://a.example/p', title='A page', snippet='Some words ...', date='N/A')]
    """
    found: list[dict[str, list[str]]] = []
    field = ""
    for line in text.splitlines():
        numbered = _URL.match(line)
        named = _FIELD.match(line)
        if numbered is not None:
            found.append({"url": [numbered[2]]})
            field = ""
        elif named is not None:
            field = named[1].lower()
            if field == "url" and (not found or "title" in found[-1]):
                found.append({})
            if found:
                found[-1].setdefault(field, []).append(named[2].strip())
        elif not line.strip():
            field = ""
        elif field and found:
            found[-1][field].append(line.strip())
    return [Entry(*(" ".join(parts.get(name, [])).strip() for name in Entry._fields)) for parts in found]
