"""Tools with a fault: another name, replies in parts, fewer results a page, queries or fields left out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from worldgen.seeds import Stream
from worldgen.tools.tool import MalformedCall, Tool, echo, kind_of
from worldgen.tools.typed import TableTool
from worldgen.tools.web_search import WebSearch, read_queries, show_results

_PAGE = {"type": "integer", "minimum": 1, "description": "Which page of the results, from 1."}
_NOTE = re.compile(r"\n\n\[Page \d[^\]\n]*\]\Z")
_PART = {"type": "integer", "minimum": 1, "description": "Which part of a long page, from 1."}


class _Wrapper:
    """A tool around another; what it does not say is as with that one."""

    def __init__(self, tool: Tool, note: Callable[[], None]) -> None:
        self._tool = tool
        self._note = note
        self.name = tool.name

    def spec(self) -> dict[str, Any]:
        """See `Tool.spec`."""
        return self._tool.spec()

    def call(self, arguments: Mapping[str, Any]) -> str:
        """See `Tool.call`."""
        return self._tool.call(arguments)


class Renamed(_Wrapper):
    """A tool under another name."""

    def __init__(self, tool: Tool, name: str, note: Callable[[], None]) -> None:
        super().__init__(tool, note)
        self.name = name

    def spec(self) -> dict[str, Any]:
        """See `Tool.spec`."""
        spec = self._tool.spec()
        spec["function"]["name"] = self.name
        return spec

    def call(self, arguments: Mapping[str, Any]) -> str:
        """See `Tool.call`."""
        self._note()
        return self._tool.call(arguments)


class HostilePages(_Wrapper):
    """A page tool that notes each time it shows a hostile page, remembered or not."""

    def __init__(self, tool: Tool, is_hostile: Callable[[str], bool], note: Callable[[], None]) -> None:
        super().__init__(tool, note)
        self._is_hostile = is_hostile

    def call(self, arguments: Mapping[str, Any]) -> str:
        """See `Tool.call`."""
        text = self._tool.call(arguments)
        if not text.startswith("Error:") and self._is_hostile(str(arguments.get("url"))):
            self._note()
        return text


class InParts(_Wrapper):
    """A page tool whose long replies come in parts, cut between lines."""

    def __init__(self, tool: Tool, words: int, note: Callable[[], None]) -> None:
        super().__init__(tool, note)
        self._words = words

    def spec(self) -> dict[str, Any]:
        """See `Tool.spec`."""
        return _with_argument(self._tool.spec(), "part", _PART)

    def call(self, arguments: Mapping[str, Any]) -> str:
        """See `Tool.call`."""
        part, rest = _number(arguments, "part")
        text = self._tool.call(rest)
        parts = _cut(text, self._words)
        if len(parts) == 1 and part == 1:
            return text
        if part > len(parts):
            raise MalformedCall("there is no such part", expected=f"1 to {len(parts)}", got=_digits(part))
        self._note()
        more = f" Call again with part={part + 1} for the next." if part < len(parts) else ""
        return f"{parts[part - 1]}\n\n[Part {part} of {len(parts)}.{more}]"


class SmallPages(_Wrapper):
    """A search tool that shows its results a few at a time."""

    def __init__(self, tool: WebSearch, results: int, note: Callable[[], None]) -> None:
        super().__init__(tool, note)
        self._search = tool
        self._results = results

    def spec(self) -> dict[str, Any]:
        """See `Tool.spec`."""
        return _with_argument(self._tool.spec(), "page", _PAGE)

    def call(self, arguments: Mapping[str, Any]) -> str:
        """See `Tool.call`."""
        page, rest = _number(arguments, "page")
        queries = read_queries(rest)
        found = [self._search.search(query) for query in queries]
        pages = max(1, *(-(-len(hits) // self._results) for hits in found))
        if page > pages:
            raise MalformedCall("there is no such page of results", expected=f"1 to {pages}", got=_digits(page))
        if pages == 1:
            return show_results(queries, found)
        self._note()
        start = (page - 1) * self._results
        slices = [(query, hits[start : start + self._results]) for query, hits in zip(queries, found, strict=True)]
        slices = [(query, hits) for query, hits in slices if hits or page == 1]
        shown = show_results(
            [query for query, _ in slices],
            [hits for _, hits in slices],
            first=start + 1,
            headings=len(queries) > 1,
        )
        more = f" Call again with page={page + 1} for more." if page < pages else ""
        return f"{shown}\n\n[Page {page} of {pages}.{more}]"


class PartialBatches(_Wrapper):
    """A search tool that leaves some of several queries unanswered; asked again, a query left out is answered."""

    def __init__(self, tool: Tool, rate: float, draw: Callable[..., Stream], note: Callable[[], None]) -> None:
        super().__init__(tool, note)
        self._rate = rate
        self._draw = draw
        self._met: set[str] = set()

    def call(self, arguments: Mapping[str, Any]) -> str:
        """See `Tool.call`."""
        more = {name: value for name, value in arguments.items() if name not in ("query", "queries")}
        queries = read_queries({name: value for name, value in arguments.items() if name not in more})
        dropped = self._dropped(queries)
        if not dropped:
            return self._tool.call(arguments)
        self._note()
        answered = [query for query in queries if query not in dropped]
        told = "\n".join(f'Error: no answer to "{echo(query)}". Try again.' for query in queries if query in dropped)
        heading = f"Results for: {echo(answered[0])}\n\n" if len(answered) == 1 else ""
        shown = heading + self._tool.call({"queries": answered, **more})
        # A note of further pages stays last, where it is looked for.
        note = _NOTE.search(shown)
        at = len(shown) if note is None else note.start()
        return f"{shown[:at]}\n\n{told}{shown[at:]}"

    def _dropped(self, queries: list[str]) -> set[str]:
        fresh = set(queries) - self._met
        self._met |= fresh
        dropped = {query for query in fresh if self._draw("query", query).chance(self._rate)}
        return dropped - {queries[0]} if dropped >= set(queries) else dropped


class FieldMissing(_Wrapper):
    """A tool whose lists lack a field: of results, or of rows that can be got one by one."""

    def __init__(
        self, tool: Tool, field: str, rate: float, draw: Callable[..., Stream], note: Callable[[], None]
    ) -> None:
        super().__init__(tool, note)
        self._field = field
        self._rate = rate
        self._draw = draw

    def call(self, arguments: Mapping[str, Any]) -> str:
        """See `Tool.call`."""
        text = self._tool.call(arguments)
        dice = self._draw(self._tool.name, json.dumps(dict(arguments), sort_keys=True, default=str))
        if not dice.chance(self._rate):
            return text
        shown = self._without(text)
        if shown != text:
            self._note()
        return shown

    def _without(self, text: str) -> str:
        if self.name == "web_search" and self._field in ("date", "snippet"):
            # None of the texts of a result holds a line break.
            return re.sub(rf"(?m)^{self._field.capitalize()}: .*\n?", "", text)
        if not _lists_entities(self._tool):
            return text
        listing = json.loads(text)
        for item in listing["items"]:
            item.pop(self._field, None)
        return json.dumps(listing, ensure_ascii=False)


def _lists_entities(tool: Tool) -> bool:
    while isinstance(tool, _Wrapper):
        tool = tool._tool
    return isinstance(tool, TableTool) and tool.table.shape == "entity" and tool.action in ("list", "traverse")


def _with_argument(spec: dict[str, Any], name: str, schema: dict[str, Any]) -> dict[str, Any]:
    spec["function"]["parameters"]["properties"][name] = dict(schema)
    return spec


def _number(arguments: Mapping[str, Any], name: str) -> tuple[int, dict[str, Any]]:
    """An argument that is a number from 1, 1 where it is not given, and the other arguments."""
    value = arguments.get(name)
    if value is None:
        value = 1
    if not isinstance(value, int) or isinstance(value, bool):
        raise MalformedCall(f"argument {name!r} has the wrong type", expected="a number from 1", got=kind_of(value))
    if value < 1:
        raise MalformedCall(f"argument {name!r} is too small", expected="a number from 1", got=_digits(value))
    return value, {key: said for key, said in arguments.items() if key != name}


def _digits(number: int) -> str:
    return str(number) if abs(number) < 10**18 else "a number of many digits"


def _cut(text: str, words: int) -> list[str]:
    """A text in parts of so many words at most, a single longer line alone; cut between lines, not in a sentence."""
    parts: list[str] = []
    lines: list[str] = []
    count = 0
    for line in text.split("\n"):
        size = _size(line)
        if lines and count + size > words:
            parts.append("\n".join(lines))
            lines, count = [], 0
        lines.append(line)
        count += size
    return [*parts, "\n".join(lines)]


def _size(line: str) -> int:
    """Words of a line; two Chinese characters count as one."""
    chinese = sum("\u3400" <= char <= "\u9fff" for char in line)
    return len(line.split()) + chinese // 2
