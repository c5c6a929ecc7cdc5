"""A player for measuring: it answers from what the prompt told it and from what was shown before, and knows no more.

`remembers` repeats what a call has brought, keeps a notebook, lists and writes the pages that the state of a test set
tells of, and knows errors; it does not know what a typed tool holds, and follows no instruction. As a behaviour of
`worldgen.llm.FakeServer` it shows what `worldgen fidelity` prints for a model that is neither good nor broken.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from worldgen.language import ValueSpec, plain, styles
from worldgen.search.world_model.turns import MARKER

RESULTS = 10
"""How many results a page of them has at most."""
_CALL = re.compile(r"\*\*Action:\*\*\n```json\n(?P<call>.*?)\n```", re.DOTALL)
_PAGE = re.compile(
    r"(?m)^- (?P<title>.+) \((?P<url>https?://\S+); (?P<site>.+); (?P<date>\d{4}-\d\d-\d\d|no date)\)$"
    r"(?P<stated>(?:\n  - .*)*)"
)
_WORD = re.compile(r"\w+")


class _Told(NamedTuple):
    """A page as the state tells of it."""

    title: str
    url: str
    site: str
    date: str
    stated: Sequence[str]


def remembers(request: Mapping[str, Any]) -> str:
    """Answer from the prompt and from the turns before."""
    *before, asked = request["messages"]
    call = _call(str(asked["content"]))
    if call is None:
        return f"{MARKER}\nError: there is no call to answer."
    name, arguments = call
    if name == "dict_memory":
        return f"{MARKER}\n{_noted(before, arguments)}"
    for one, other in pairwise(before):
        if one["role"] == "user" and other["role"] == "assistant" and _call(str(one["content"])) == call:
            return str(other["content"])
    pages = [
        _Told(found["title"], found["url"], found["site"], _day(found["date"]), found["stated"].split("\n  - ")[1:])
        for found in _PAGE.finditer(str(before[0]["content"]) if before else "")
    ]
    if name == "web_search":
        return f"{MARKER}\n{_found(pages, arguments)}"
    if name == "web_extractor":
        return f"{MARKER}\n{_opened(pages, str(arguments.get('url', '')))}"
    return f"{MARKER}\nError: {name} {json.dumps(arguments, ensure_ascii=False)}: nothing is known of it."


def _call(content: str) -> tuple[str, dict[str, Any]] | None:
    found = _CALL.search(content)
    try:
        call = json.loads(found["call"]) if found is not None else {}
        return str(call["name"]), dict(call["arguments"])
    except (ValueError, TypeError, KeyError):
        return None


def _day(date: str) -> str:
    if date == "no date":
        return "N/A"
    return plain(ValueSpec("date"), dt.date.fromisoformat(date).toordinal(), styles("date", "en").index("short"))


def _found(pages: Sequence[_Told], arguments: Mapping[str, Any]) -> str:
    """The pages whose title or sentences share words with a query, those that share most first."""
    queries = arguments.get("queries") or [arguments.get("query")]
    if queries == [None]:
        return "Error: a search needs a query; got none."
    said = " ".join(map(str, queries))
    words = set(_WORD.findall(said.casefold()))
    shared = {page: len(words & set(_WORD.findall(" ".join([page.title, *page.stated]).casefold()))) for page in
              (page._replace(stated=tuple(page.stated)) for page in pages)}  # fmt: skip
    ranked = sorted((page for page in shared if shared[page]), key=lambda page: (page.title != said, -shared[page]))
    entries = [
        f"[{number}] {page.url}\nTitle: {page.title}\nSnippet: What {page.site} has on it ...\nDate: {page.date}"
        for number, page in enumerate(ranked[:RESULTS], 1)
    ]
    return "\n\n".join(entries) or f'No results found for "{said}". Try other or fewer words.'


def _opened(pages: Sequence[_Told], url: str) -> str:
    page = next((page for page in pages if page.url == url), None)
    if page is None:
        return f"Error: {url} could not be reached."
    return "\n\n".join([f"# {page.title}", f"Site: {page.site} | Date: {page.date}", *page.stated])


def _noted(before: Sequence[Mapping[str, Any]], arguments: Mapping[str, Any]) -> str:
    """What the notebook answers, after the calls before."""
    notes: dict[str, Any] = {}
    for done, given in _written(before):
        notes = {**notes, **given} if done in ("add", "update") else {k: notes[k] for k in notes if k not in given}
    asked = [str(key) for key in arguments.get("key_list") or ()]
    operation = arguments.get("operation")
    if operation == "retrieve" and asked:
        missing = [key for key in asked if key not in notes]
        held = json.dumps({key: notes[key] for key in asked if key in notes}, ensure_ascii=False)
        return f"Key not found: {', '.join(missing)}" if missing else held
    if operation == "retrieve_all":
        return json.dumps(notes, ensure_ascii=False)
    keys = ", ".join([*(arguments.get("dict") or ()), *asked])
    said = {"add": "added items of [{}] to", "update": "updated items of [{}] in"}
    return f"Successfully {said.get(str(operation), 'removed items of [{}] from').format(keys)} memory."


def _written(before: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for message in before:
        name, arguments = _call(str(message["content"])) or ("", {})
        if name == "dict_memory" and arguments.get("operation") in ("add", "update", "remove"):
            yield str(arguments["operation"]), arguments.get("dict") or dict.fromkeys(arguments.get("key_list") or ())
