"""Finds the table in an answer as the official scorer does: the first ``markdown`` fence or the first run of pipes."""

from __future__ import annotations

from worldgen.scoring.table import Table, TableError, assemble, tokenise

_FENCE, _FENCE_END = "```markdown", "```"
_LEAST_PIPES = 4
_RULE_MARKS = frozenset("|- :")


def read_answer(response: str) -> Table | None:
    """The table of a response, columns that have no name left out; None where there is none.

    Raises:
        TableError: There is one, but it cannot be read (a ragged row, an open quote, nothing in it).
    """
    block = _block(response)
    if block is None:
        return None
    lines = block.strip().split("\n")
    lines[0] = lines[0].replace(" ", "").lower()
    kept = [line for line in (line.strip() for line in lines) if "|" in line and not _RULE_MARKS.issuperset(line)]
    if '"' in block or "\r" in block:
        records = tokenise("\n".join("|".join([cell.strip() for cell in line.split("|")]) for line in kept), "|")
    else:
        records = [[cell.strip() for cell in line.split("|")] for line in kept]
    if not records:
        raise TableError("scoring.empty-table", "the answer's table is empty")
    return _named_only(assemble(records))


def _block(response: str) -> str | None:
    start = response.find(_FENCE)
    if start >= 0:
        end = response.find(_FENCE_END, start + len(_FENCE))
        if end >= 0:
            return response[start + len(_FENCE) : end]
    if response.count("|") < _LEAST_PIPES:
        return None
    lines = response[response.index("|") :].split("\n")
    length = next((place for place, line in enumerate(lines) if not line.startswith("|")), len(lines))
    return "\n".join(lines[:length])


def _named_only(table: Table) -> Table:
    kept = [place for place, name in enumerate(table.columns) if not name.startswith("Unnamed")]
    if len(kept) == len(table.columns):
        return table
    names = tuple(table.columns[place] for place in kept)
    if kept and kept == list(range(kept[0], kept[-1] + 1)):
        first, last = kept[0], kept[-1] + 1
        return Table(names, tuple(row[first:last] for row in table.rows))
    return Table(names, tuple(tuple(row[place] for place in kept) for row in table.rows))
