"""Reading SQL just far enough to check it: words, names of tables, operands of comparisons.

SQLite compares anything with anything: a date with a year, a text with a number, always in vain. `comparisons` finds
the comparisons of a statement whose two sides can be typed, so that those can be refused. What cannot be typed for
certain is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from worldgen.schema.layout import Field, Fields

TokenKind = Literal["word", "quoted", "string", "number", "operator", "other"]
_TOKEN = re.compile(
    r"""(?P<space>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<string>[xX]?'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\])
    |(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
    |(?P<word>[^\W\d]\w*)
    |(?P<operator><=|>=|<>|!=|==|\|\||<<|>>|->>|->|[=<>])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_COMPARE = frozenset({"=", "==", "<>", "!=", "<", "<=", ">", ">="})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "||", "<<", ">>", "&", "|", "~", "->", "->>"})
_KEYWORDS = frozenset(
    """
    all and as asc between by case cross desc distinct else end except exists from full group having in inner
    intersect is join left like limit natural not null offset on or order outer right select set then union using
    values when where with update insert delete into glob collate
    """.split()  # noqa: SIM905 - a list of fifty quoted words is hard to read
)
_NUMBERS = frozenset({"count", "sum", "avg", "total", "abs", "round", "length", "julianday", "unixepoch", "instr"})
_TEXTS = frozenset({"substr", "substring", "upper", "lower", "trim", "replace", "strftime", "printf", "group_concat"})


@dataclass(frozen=True, slots=True)
class Token:
    """A word of SQL."""

    kind: TokenKind
    text: str

    @property
    def low(self) -> str:
        """The word in lower case; empty for what is not a bare word."""
        return self.text.lower() if self.kind == "word" else ""

    @property
    def name(self) -> str:
        """The identifier, without its quotes; empty for what is none."""
        if self.kind == "quoted":
            return self.text[1:-1]
        return self.text if self.kind == "word" and self.low not in _KEYWORDS else ""


@dataclass(frozen=True, slots=True)
class Operand:
    """One side of a comparison.

    Attributes:
        kind: A field's kind, `number` or `text` for what a literal or function gives.
        text: As written.
        field: The column, if it is one.
        literal: The value of a text literal.
    """

    kind: str
    text: str
    field: Field | None = None
    literal: str | None = None


def tokens(sql: str) -> list[Token]:
    """The words of a statement, without spaces and comments."""
    found = []
    for match in _TOKEN.finditer(sql):
        kind = match.lastgroup or "other"
        if kind != "space":
            found.append(Token(kind, match.group()))  # type: ignore[arg-type]
    return found


def statements(words: list[Token]) -> int:
    """How many statements there are."""
    count, fresh = 0, True
    for word in words:
        if word.text == ";":
            fresh = True
        elif fresh:
            count, fresh = count + 1, False
    return count


class Reader:
    """Types the operands of one statement.

    Args:
        words: The statement.
        layout: The tables.
    """

    def __init__(self, words: list[Token], layout: Mapping[str, Fields]) -> None:
        self.words = words
        self.layout = {table.lower(): fields for table, fields in layout.items()}
        self.names = dict[str, set[str]]()
        self.closed = True
        self._read_names()

    def _read_names(self) -> None:
        """Which name stands for which table; `closed` unless a subquery or CTE supplies names of its own."""
        for i, word in enumerate(self.words):
            if word.low not in ("from", "join", "update", "into") and not (word.text == "," and self._in_from(i)):
                continue
            table = self._at(i + 1).name.lower()
            if table not in self.layout:
                self.closed = self.closed and word.text == ","
                continue
            alias = self._at(i + 3) if self._at(i + 2).low == "as" else self._at(i + 2)
            known = alias.name.lower() if alias.low not in ("set",) else ""
            self.names.setdefault(known or table, set()).add(table)

    def _in_from(self, position: int) -> bool:
        depth = 0
        for word in reversed(self.words[:position]):
            depth += (word.text == ")") - (word.text == "(")
            if depth < 0 or (depth == 0 and word.low in ("select", "where", "on", "set", "by", "having", "with")):
                return False
            if depth == 0 and word.low == "from":
                return True
        return False

    def _at(self, position: int) -> Token:
        return self.words[position] if 0 <= position < len(self.words) else Token("other", "")

    def columns(self, qualifier: str, column: str) -> list[Field]:
        """The columns that a name may mean."""
        column = column.lower()
        if qualifier:
            held = self.names.get(qualifier.lower(), set())
        else:
            held = {table for group in self.names.values() for table in group}
        return [self.layout[table][column] for table in sorted(held) if column in self.layout[table]]

    def comparisons(self) -> Iterator[tuple[Operand, Operand, str]]:
        """The comparisons whose two sides can be typed, as (left, right, as written)."""
        for i, word in enumerate(self.words):
            if word.text in _COMPARE:
                yield from self._pairs(self._before(i), [self._after(i + 1)[0]], word.text)
            elif word.low == "between":
                left, end = self._after(i + 1)
                right = self._after(end + 1)[0] if self._at(end).low == "and" else None
                before = i - 1 if self._at(i - 1).low == "not" else i
                yield from self._pairs(self._before(before), [left, right], "BETWEEN")
            elif word.low == "in" and self._at(i + 1).text == "(" and self._at(i + 2).low not in ("select", "with"):
                before = i - 1 if self._at(i - 1).low == "not" else i
                yield from self._pairs(self._before(before), list(self._members(i + 2)), "IN")

    def _pairs(
        self, left: Operand | None, rights: list[Operand | None], how: str
    ) -> Iterator[tuple[Operand, Operand, str]]:
        for right in rights:
            if left is not None and right is not None:
                yield left, right, f"{left.text} {how} {right.text}"

    def _members(self, position: int) -> Iterator[Operand | None]:
        while position < len(self.words):
            operand, position = self._after(position)
            yield operand
            if self._at(position).text != ",":
                return
            position += 1

    def _after(self, start: int) -> tuple[Operand | None, int]:
        """The operand that begins at a position, and where it ends; None where it cannot be typed."""
        operand, end = self._primary(start)
        sign = self._at(end).text
        if sign in _ARITHMETIC:
            kind = "text" if sign == "||" else "number"
            return Operand(kind, f"{self._at(start).text} {sign} …"), self._past(end)
        return operand, end

    def _past(self, position: int) -> int:
        """The end of an arithmetic expression: the next word at this depth that is no part of one."""
        while self._at(position).text in _ARITHMETIC:
            position = self._primary(position + 1)[1]
        return position

    def _primary(self, start: int) -> tuple[Operand | None, int]:
        word, following = self._at(start), self._at(start + 1)
        if word.kind == "string":
            value = word.text[1:-1].replace("''", "'")
            return (None if word.text[0] in "xX" else Operand("text", word.text, literal=value)), start + 1
        if word.kind == "number":
            return Operand("number", word.text), start + 1
        if word.text == "-" and following.kind == "number":
            return Operand("number", f"-{following.text}"), start + 2
        if not word.name or word.low in ("true", "false", "cast"):
            return None, start + 1
        if following.text == "(":
            return self._function(start)
        if following.text == ".":
            column = self._at(start + 2)
            return self._column(word.name, column.name, f"{word.text}.{column.text}"), start + 3
        return self._column("", word.name, word.text), start + 1

    def _column(self, qualifier: str, column: str, text: str) -> Operand | None:
        if not qualifier and not self.closed:
            return None
        fields = self.columns(qualifier, column)
        if not fields or any((f.kind, f.target) != (fields[0].kind, fields[0].target) for f in fields):
            return None
        return Operand(fields[0].kind, text, fields[0] if len(fields) == 1 else None)

    def _function(self, start: int) -> tuple[Operand | None, int]:
        name, end = self._at(start).low, self._closing(start + 1)
        text = f"{self._at(start).text}(…)"
        if name == "year":
            return Operand("year", text), end
        if name in _NUMBERS or name in _TEXTS:
            return Operand("number" if name in _NUMBERS else "text", text), end
        if name in ("min", "max"):
            inner, stop = self._after(start + 2)
            if inner is not None and stop == end - 1:
                return Operand(inner.kind, f"{name}({inner.text})", inner.field), end
        return None, end

    def _closing(self, opening: int) -> int:
        depth = 0
        for position in range(opening, len(self.words)):
            depth += (self.words[position].text == "(") - (self.words[position].text == ")")
            if depth == 0:
                return position + 1
        return len(self.words)

    def _before(self, end: int) -> Operand | None:
        """The operand that ends just before a position."""
        start = end - 1
        if self._at(start).text == ")":
            depth = 0
            while start >= 0:
                depth += (self.words[start].text == ")") - (self.words[start].text == "(")
                if depth == 0:
                    break
                start -= 1
            start -= 1
            if not self._at(start).name:
                return None
        elif self._at(start - 1).text == ".":
            start -= 2
        before = self._at(start - 1)
        operand, stop = self._primary(start)
        if operand is None or stop != end:
            return None
        if before.text in _ARITHMETIC:
            return Operand("text" if before.text == "||" else "number", f"… {before.text} {operand.text}")
        return operand

    def dates_of_year(self) -> Iterator[Operand]:
        """What `year(…)` is asked of, where that can be typed."""
        for i, word in enumerate(self.words):
            if word.low == "year" and self._at(i + 1).text == "(":
                operand, end = self._after(i + 2)
                if operand is not None and self._at(end).text == ")":
                    yield operand
