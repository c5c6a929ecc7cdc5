"""Reads the one Markdown table that counts for a reward: strict about what a table is, fair about how it is dressed.

A table is a header line, a line of dashes, and rows. It is looked for in the fenced blocks first, then in the text;
only the first one counts. Nothing is inferred from cells, they stay text.
"""

from __future__ import annotations

import re

from worldgen.scoring.table import Table

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_RULE_MARKS = frozenset("|-: \t\r")
_RULE_CELL = re.compile(r":?-+:?\Z")
_PIPE = re.compile(r"(?<!\\)((?:\\\\)*)\|")


def read_markdown_table(response: str) -> Table | None:
    """The first Markdown table of a response, of a fenced block before one in the text; None where there is none.

    Short rows are filled with empty cells, cells beyond the header are dropped, as Markdown renders them.
    """
    if "|" not in response:
        return None
    fences = [match[2] for match in _FENCE.finditer(response)]
    for block in (*fences, response):
        table = _first_table(block.replace("\r\n", "\n").split("\n"))
        if table is not None:
            return table
    return None


def _first_table(lines: list[str]) -> Table | None:
    for place in range(1, len(lines)):
        if "|" in lines[place - 1] and _RULE_MARKS.issuperset(lines[place]):
            header, rule = _cells(lines[place - 1]), _cells(lines[place])
            if len(rule) == len(header) and all(map(_RULE_CELL.match, rule)):
                return Table(tuple(header), _rows(lines[place + 1 :], len(header)))
    return None


def _rows(lines: list[str], width: int) -> tuple[tuple[str, ...], ...]:
    rows = []
    for line in lines:
        if "|" not in line:
            break
        cells = _cells(line)[:width]
        rows.append(tuple(cells + [""] * (width - len(cells))))
    return tuple(rows)


def _cells(line: str) -> list[str]:
    line = line.strip()
    cells = line.split("|") if "\\" not in line else _PIPE.sub(r"\1\n", line).split("\n")
    if len(cells) > 1 and not cells[0].strip():
        del cells[0]
    if len(cells) > 1 and not cells[-1].strip():
        del cells[-1]
    return [cell.strip() for cell in cells]
