"""The text of a query before SQLite sees it: what SQLite would work on without end while it only reads it."""

from __future__ import annotations

import re
from collections import Counter

from worldgen.tools.tool import MalformedCall

_ONE = "one SELECT over the tables"
_MAX_NODES = 300_000
_MAX_COLUMNS = 400  # tokens of a list of columns, commas included
_TOKEN = re.compile(
    r"""(?P<space>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<text>'(?:[^']|'')*')
    |(?P<name>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[^\W\d][\w$]*)
    |(?P<sign>\d[\w.]*|.)""",
    re.VERBOSE | re.DOTALL,
)


def refuse_odd(query: str) -> None:
    """Refuse what is no SELECT, what asks for the present, and common table expressions that multiply.

    SQLite copies a common table expression wherever it is named, before it looks at the clock: twenty of them, each
    naming the one before twice, are a million copies.

    Raises:
        MalformedCall: It is such a query.

    >>> refuse_odd("WITH a AS (SELECT 1) SELECT * FROM a")
    """
    if "\0" in query:
        raise MalformedCall("the query holds a character that is no text", expected=_ONE)
    matches = [match for match in _TOKEN.finditer(query) if match.lastgroup != "space"]
    tokens = [_folded(match) for match in matches]
    first = next((token for token in tokens if token != "("), "")
    if first not in ("select", "with", "values"):
        raise MalformedCall("the query is no SELECT", expected=_ONE)
    if any(match.lastgroup == "text" and match.group().casefold() == "'now'" for match in matches):
        raise MalformedCall("there is no 'now' here", expected="a date written out")
    if _copies(tokens) * len(tokens) > _MAX_NODES:
        raise MalformedCall("the query names its common table expressions too often", expected="a simpler query")


def _folded(match: re.Match[str]) -> str:
    """A token as SQLite compares it; SQLite takes a text for a name where only a name can stand."""
    token = match.group().casefold()
    if match.lastgroup not in ("name", "text") or token[0] not in "\"'`[":
        return token
    name = token[1:-1].replace(token[0] * 2, token[0])
    return name if name.isalnum() else f"\0{name}"


def _copies(tokens: list[str]) -> int:
    """How often any common table expression can be copied at most: the mentions of all of them, multiplied."""
    begins = [_begins_expression(tokens, at) for at in range(len(tokens))]
    named = {name for name, begin in zip(tokens, begins, strict=True) if begin}
    mentions = Counter(
        name for at, name in enumerate(tokens) if name in named and not begins[at] and tokens[at + 1 : at + 2] != ["."]
    )
    copies = 1
    for number in mentions.values():
        copies *= number
    return copies


def _begins_expression(tokens: list[str], at: int) -> bool:
    """Whether ``name [(columns)] AS [[NOT] MATERIALIZED] (`` stands there."""
    after = at + 1
    if tokens[after : after + 1] == ["("]:
        columns = tokens[after : after + _MAX_COLUMNS]
        if ")" not in columns:
            return False
        after += columns.index(")") + 1
    if tokens[after : after + 1] != ["as"]:
        return False
    after += 1
    while tokens[after : after + 1] in (["not"], ["materialized"]):
        after += 1
    return tokens[after : after + 1] == ["("]
