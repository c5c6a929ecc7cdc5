"""One agent's session with the tools: every call and what came back, and nothing that was not shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from worldgen.tools.perturbation.plan import MAX_IN_A_ROW

_RESULT = re.compile(r"^\[\d+\] (\S+)$", re.MULTILINE)
_LINK = re.compile(r"\]\((https?://[^\s)]+)\)")
ENTRY = re.compile(
    r"^\[\d+\] (\S+)\nTitle: (.*)(?:\nSnippet: (?P<snippet>.*))?(?:\nDate: (?P<date>.*))?$", re.MULTILINE
)
"""A result as it is shown, which a fault may have cut off; whole ones alone are `worldgen.scoring.verifiers.ENTRY`."""
_REFUSED = re.compile(r"Error: (?:429|5\d\d) ")
# One more than any plan of faults may refuse the same call in a row.
_TRIES = MAX_IN_A_ROW + 1
_MORE = re.compile(r"\n\n\[(?:Page|Part) (\d+) of (\d+)\.[^\]\n]*\]\Z")


class Tools(Protocol):
    """What a session needs of a toolbox."""

    def specs(self) -> list[dict[str, Any]]:
        """The function schemas of what may be called."""

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """Call a tool; the text that came back."""


class Call(NamedTuple):
    """A tool call: its name as of a world without faults, its arguments and the text that came back."""

    tool: str
    arguments: dict[str, object]
    observation: str


class Entry(NamedTuple):
    """A search result as read from its text; ``date`` as it stands there."""

    url: str
    title: str
    snippet: str
    date: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A table: headings and rows of cells, an unknown cell being empty."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """The table as a question asks for it: Markdown in a fence."""
        lines = [" | ".join(self.columns), " | ".join("---" for _ in self.columns)]
        lines += [" | ".join(cell.replace("|", "\\|") for cell in row) for row in self.rows]
        return "```markdown\n" + "\n".join(f"| {line} |" for line in lines) + "\n```"


@dataclass(slots=True)
class Session:
    """A toolbox with a memory of what it has shown.

    It does what any agent must where a service is unsteady: knows tools by what they take, tries again when told to,
    and asks for the next page or part.

    Attributes:
        question: The question asked; its words may be used in queries.
        urls: URLs shown so far, in order, by results and by links.
    """

    tools: Tools
    question: str
    calls: list[Call] = field(default_factory=list)
    urls: dict[str, None] = field(default_factory=dict)
    read: dict[str, str] = field(default_factory=dict)
    queries: int = 0
    opens: int = 0
    _names: dict[str, str] = field(default_factory=dict)

    def search(self, query: str) -> list[Entry]:
        """Search, and read the entries from the text that came back."""
        text = "\n\n".join(self._all("web_search", {"query": query}, "page"))
        self.queries += 1
        self.urls.update(dict.fromkeys(_RESULT.findall(text)))
        return [Entry(m[1], m[2], m["snippet"] or "", m["date"] or "") for m in ENTRY.finditer(text)]

    def batch(self, queries: Sequence[str]) -> str:
        """Search for several things in one call; the text that came back, all its pages."""
        text = "\n\n".join(self._all("web_search", {"queries": list(queries)}, "page"))
        self.queries += len(queries)
        self.urls.update(dict.fromkeys(_RESULT.findall(text)))
        return text

    def open(self, url: str) -> str:
        """Open a URL; the text that came back."""
        text = "\n".join(self._all("web_extractor", {"url": url}, "part"))
        self.read[url] = text
        self.opens += 1
        self.urls.update(dict.fromkeys(_LINK.findall(text)))
        return text

    def shown(self, text: str) -> bool:
        """Whether a string stands in the question or in anything shown so far."""
        return text in self.question or any(text in call.observation for call in self.calls)

    def pages(self) -> dict[str, str]:
        """URL → text of the pages opened."""
        return dict(self.read)

    def _all(self, tool: str, arguments: dict[str, object], which: str) -> list[str]:
        """What a call brings, page by page or part by part, without the notes that say so."""
        found = [self._call(tool, arguments)]
        while (more := _MORE.search(found[-1])) is not None:
            found[-1] = found[-1][: more.start()]
            number, last = int(more[1]), int(more[2])
            if number >= last:
                break
            found.append(self._call(tool, {**arguments, which: number + 1}))
        return found

    def _call(self, tool: str, arguments: dict[str, object]) -> str:
        text = ""
        for _ in range(_TRIES):
            text = self.tools.call(self._name(tool), arguments)
            self.calls.append(Call(tool, arguments, text))
            if not _REFUSED.match(text):
                break
        return text

    def _name(self, tool: str) -> str:
        """The name that a tool has here, found by what it takes."""
        if not self._names:
            for spec in self.tools.specs():
                takes = spec["function"]["parameters"]["properties"]
                usual = "web_search" if "queries" in takes else "web_extractor" if "url" in takes else ""
                self._names[usual] = spec["function"]["name"]
        return self._names[tool]
