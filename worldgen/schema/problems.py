"""Where things stand in a schema file, and how everything wrong with one is told at once.

An author who fixes a file wants every problem in one reading, each with its line. `Lines` remembers the line of every
node, `Report` collects problems against it, `SchemaErrors` carries them to the author.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from worldgen.errors import SchemaError, WorldgenError, did_you_mean

Path = tuple[str | int, ...]
_SHOWN = 30


class SchemaErrors(SchemaError):
    """One or more problems of one schema; its own fields are those of the first.

    Attributes:
        problems: All of them, in the order of their lines.
    """

    def __init__(self, problems: Iterable[SchemaError]) -> None:
        self.problems = sorted(problems, key=lambda problem: problem.line or 0)
        first = self.problems[0]
        super().__init__(
            first.code,
            first.message,
            path=first.path,
            line=first.line,
            expected=first.expected,
            got=first.got,
            fix=first.fix,
        )

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:_SHOWN]]
        if len(self.problems) > _SHOWN:
            lines.append(f"… and {len(self.problems) - _SHOWN} problems more")
        return "\n".join(lines)


class Lines:
    """The line of every node of a file, by its path from the root.

    Args:
        lines: Path to line, counted from 1.

    >>> Lines({(): 1, ("entities",): 4}).at(("entities", "maker"))
    4
    """

    def __init__(self, lines: Mapping[Path, int] | None = None) -> None:
        self._lines = dict(lines or {})

    def at(self, path: Path) -> int | None:
        """The line of the node, or of the closest node around it."""
        for end in range(len(path), -1, -1):
            line = self._lines.get(path[:end])
            if line is not None:
                return line
        return None


class Report:
    """Collects what is wrong with one schema.

    Args:
        file: Name of the file, for the messages.
        lines: Where its nodes stand.
    """

    def __init__(self, file: str | None = None, lines: Lines | None = None) -> None:
        self.file = file
        self.lines = lines or Lines()
        self.problems: list[SchemaError] = []

    def add(
        self,
        code: str,
        message: str,
        at: Path,
        *,
        line: int | None = None,
        expected: str | None = None,
        got: str | None = None,
        fix: str | None = None,
    ) -> None:
        """Note a problem of the node at a path; its line is looked up unless it is given."""
        where = ".".join(str(part) for part in at)
        text = f"{where}: {message}" if where else message
        line = line if line is not None else self.lines.at(at)
        self.problems.append(
            SchemaError(f"schema.{code}", text, path=self.file, line=line, expected=expected, got=got, fix=fix)
        )

    def note(self, error: WorldgenError, at: Path) -> None:
        """Note what a later stage raised about the node at a path."""
        line = self.lines.at(at)
        self.problems.append(
            SchemaError(
                error.code,
                error.message,
                path=self.file,
                line=line,
                expected=error.expected,
                got=error.got,
                fix=error.fix,
            )
        )

    def unknown(self, what: str, word: str, known: Iterable[str], at: Path) -> None:
        """Note a reference to something that is not there."""
        names = list(known)
        listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "") if names else f"no {what} is defined"
        code = f"unknown-{what.replace(' ', '-')}"
        self.add(code, f"unknown {what}", at, expected=listed, got=repr(word), fix=did_you_mean(word, names))

    def raise_if_any(self) -> None:
        """Raise `SchemaErrors` if a problem was noted."""
        if self.problems:
            raise SchemaErrors(self.problems)
