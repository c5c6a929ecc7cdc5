"""A table as text: header and cells, read the way a delimited file is read.

Both scores start here. `tokenise` follows the rules of the reader that the official scorer uses (quotes, blank lines,
ragged rows, nameless and repeated columns), because a quote or a missing pipe decides there whether an answer counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from worldgen.errors import CallerError
from worldgen.scoring.column import infer_column

_BLANK_LINE = re.compile(r"[ \t]*(?:\r\n|\n|\r|\Z)")
_LINE_END = re.compile(r"\r\n|\n|\r")
_NAMELESS = "Unnamed: {}"


class TableError(CallerError):
    """A text that cannot be read as a table; ``line`` counts records from 1."""


@dataclass(frozen=True)
class Table:
    """Columns as headed and rows of cells, all text; every row has as many cells as there are columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @cached_property
    def typed(self) -> tuple[tuple[str, ...], ...]:
        """The cells column by column, as printed after type inference."""
        cells = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return tuple(infer_column(column) for column in cells)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The column names, normalised as in an evaluation spec."""
        return tuple(normal_name(column) for column in self.columns)


def normal_name(name: str) -> str:
    """A column name as the benchmark writes it in a spec: stripped, lower case, no spaces.

    >>> normal_name(" Listed On")
    'listedon'
    """
    return name.strip().lower().replace(" ", "")


def table_of(rows: Sequence[Mapping[str, object]]) -> Table:
    """A table from records; columns in order of first appearance, ``None`` and absent values are empty cells."""
    columns: dict[str, None] = {}
    for row in rows:
        columns.update(dict.fromkeys(str(name) for name in row))
    cells = [{str(name): "" if value is None else str(value).strip() for name, value in row.items()} for row in rows]
    return Table(tuple(columns), tuple(tuple(row.get(name, "") for name in columns) for row in cells))


def read_delimited(text: str, delimiter: str = ",") -> Table:
    """Read a delimited text with a header line.

    Args:
        text: The file's content; a byte-order mark is dropped.
        delimiter: One character.

    Raises:
        TableError: Nothing to read, an open quote, or a row longer than the one before it.
    """
    records = tokenise(text.removeprefix("\ufeff"), delimiter)
    if not records:
        raise TableError("scoring.empty-table", "the text holds no table")
    return assemble(records)


def assemble(records: list[list[str]]) -> Table:
    """A table from tokenised records, header first; nameless and repeated columns get the names a reader gives them.

    A first row longer than the header shifts the header to the right: its leading cells are row labels. Later rows
    may be shorter (gaps) but not longer than the row before.
    """
    header, body = records[0], records[1:]
    if not body:
        return Table(_headings(header), ())
    width = max(len(header), len(body[0]))
    labels = width - len(header)
    rows = []
    for number, record in enumerate(body, 2):
        if len(record) > width:
            raise TableError(
                "scoring.ragged-row",
                "a row has more cells than the row before it",
                line=number,
                expected=f"at most {width}",
                got=str(len(record)),
            )
        rows.append(
            tuple(record[labels:] + [""] * (width - len(record)) if labels <= len(record) else [""] * len(header))
        )
    return Table(_headings(header), tuple(rows))


def _headings(cells: list[str]) -> tuple[str, ...]:
    names = [cell or _NAMELESS.format(place) for place, cell in enumerate(cells)]
    if len(set(names)) == len(names):
        return tuple(names)
    seen: dict[str, int] = {}
    named_first = sorted(range(len(cells)), key=lambda place: (not cells[place], place))
    for place in named_first:
        name = plain = names[place]
        count = seen.get(name, 0)
        while count > 0:
            seen[plain] = count + 1
            name = f"{plain}.{count}"
            count = count + 1 if name in names else seen.get(name, 0)
        names[place] = name
        seen[name] = count + 1
    return tuple(names)


def tokenise(text: str, delimiter: str) -> list[list[str]]:
    """Split a text into records of cells; blank lines are skipped, quotes protect delimiters and line ends."""
    if '"' not in text and "\r" not in text:
        return [line.split(delimiter) for line in text.split("\n") if line.strip(" \t")]
    records: list[list[str]] = []
    at, end = 0, len(text)
    while at < end:
        blank = _BLANK_LINE.match(text, at)
        if blank:
            at = blank.end()
            continue
        at = _record(text, at, delimiter, records)
    return records


def _record(text: str, at: int, delimiter: str, records: list[list[str]]) -> int:
    cells: list[str] = []
    while True:
        quoted = ""
        if text.startswith('"', at):
            quoted, at = _quoted(text, at + 1, len(records) + 1)
        stop = _LINE_END.search(text, at)
        line_end = stop.start() if stop else len(text)
        cut = text.find(delimiter, at, line_end)
        cells.append(quoted + text[at : cut if cut >= 0 else line_end])
        if cut < 0:
            records.append(cells)
            return stop.end() if stop else len(text)
        at = cut + 1


def _quoted(text: str, at: int, line: int) -> tuple[str, int]:
    parts = []
    while True:
        close = text.find('"', at)
        if close < 0:
            raise TableError("scoring.open-quote", "a quoted cell is never closed", line=line)
        parts.append(text[at:close])
        if not text.startswith('"', close + 1):
            return "".join(parts), close + 1
        parts.append('"')
        at = close + 2
