"""One agent's session with the tools: every call and what came back, and nothing that was not shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from worldgen.tools import Toolbox

_RESULT = re.compile(r"^\[\d+\] (\S+)$", re.MULTILINE)
_LINK = re.compile(r"\]\((https?://[^\s)]+)\)")
_DATED = re.compile(r"^\[\d+\] (\S+)\nTitle: (.*)\nSnippet: (.*)\nDate: (.*)$", re.MULTILINE)


class Call(NamedTuple):
    """A tool call: its name, its arguments and the text that came back."""

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

    Attributes:
        question: The question asked; its words may be used in queries.
        urls: URLs shown so far, in order, by results and by links.
    """

    tools: Toolbox
    question: str
    calls: list[Call] = field(default_factory=list)
    urls: dict[str, None] = field(default_factory=dict)
    queries: int = 0
    opens: int = 0

    def search(self, query: str) -> list[Entry]:
        """Search, and read the entries from the text that came back."""
        text = self._call("web_search", {"query": query})
        self.queries += 1
        self.urls.update(dict.fromkeys(_RESULT.findall(text)))
        return [Entry(*found) for found in _DATED.findall(text)]

    def open(self, url: str) -> str:
        """Open a URL; the text that came back."""
        text = self._call("web_extractor", {"url": url})
        self.opens += 1
        self.urls.update(dict.fromkeys(_LINK.findall(text)))
        return text

    def shown(self, text: str) -> bool:
        """Whether a string stands in the question or in anything shown so far."""
        return text in self.question or any(text in call.observation for call in self.calls)

    def pages(self) -> dict[str, str]:
        """URL → text of the pages opened."""
        return {str(c.arguments["url"]): c.observation for c in self.calls if c.tool == "web_extractor"}

    def _call(self, tool: str, arguments: dict[str, object]) -> str:
        text = self.tools.call(tool, arguments)
        self.calls.append(Call(tool, arguments, text))
        return text
