"""Every error worldgen raises on purpose, in one tree, told apart by who must act.

    WorldgenError
    ├── SchemaError        the schema's author: a key, a type, a range, a cycle
    ├── CallerError        whoever called: a missing file, a wrong option, a malformed answer
    │   ├── UnknownPage        the URL is no page of this world; also a KeyError
    │   └── WorldFormatError   the world at that path cannot be read by this version
    ├── GenerationError    the schema's author: the rules are sound but could not be satisfied
    │   ├── CheckBroken        a check of the schema finds rows that break it
    │   └── ProofError         nobody yet: a world was built and a proof failed on it; exit code 1
    ├── ServiceError       a service outside: a full disk, a model that does not answer
    └── InternalError      us: an invariant of worldgen's own was broken

Each carries a stable ``code`` and what was expected, what came, and how to mend it. The command line prints
``str(error)`` without a traceback and exits with ``exit_code``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import get_close_matches

_TYPES: dict[type, str] = {str: "a string", int: "a whole number", float: "a number", os.PathLike: "a path"}


class WorldgenError(Exception):
    """The root of the tree.

    Args:
        code: Stable identifier, ``area.what`` in kebab case, e.g. ``schema.unknown-key``.
        message: One sentence that says what is wrong.
        path: File the error is about, if any.
        line: Line in that file, counted from 1.
        expected: What would have been right.
        got: What was found instead.
        fix: What the reader can do about it.
    """

    exit_code = 2

    def __init__(
        self,
        code: str,
        message: str,
        *,
        path: object = None,
        line: int | None = None,
        expected: str | None = None,
        got: str | None = None,
        fix: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.path = None if path is None else str(path)
        self.line = line
        self.expected = expected
        self.got = got
        self.fix = fix

    def __str__(self) -> str:
        where = ""
        if self.path is not None:
            where = f"{self.path}:{self.line}: " if self.line is not None else f"{self.path}: "
        text = f"{where}{self.message}"
        if self.expected is not None:
            text += f"; expected {self.expected}"
        if self.got is not None:
            text += f"; got {self.got}"
        if self.fix is not None:
            text += f" ({self.fix})"
        # Half a character that a caller gave must not break whoever shows the message.
        return f"{text} [{self.code}]".encode("utf-8", "backslashreplace").decode()

    def __reduce__(self) -> tuple[object, ...]:
        """Survive pickling, so that an error raised in a worker process keeps its fields."""
        return (_rebuild, (type(self), self.__dict__.copy()))


def _rebuild(kind: type[WorldgenError], fields: dict[str, object]) -> WorldgenError:
    error = kind.__new__(kind)
    Exception.__init__(error, fields["message"])
    error.__dict__.update(fields)
    return error


class SchemaError(WorldgenError):
    """The schema says something that the schema language does not allow."""


class CallerError(WorldgenError):
    """The call itself was wrong."""


class UnknownPage(CallerError, KeyError):
    """A world has no page at that URL."""

    def __init__(self, url: str) -> None:
        super().__init__(
            "page.unknown", "no page of this world has that URL", got=url, fix="take URLs from search results"
        )


class WorldFormatError(CallerError):
    """What lies at a path is not a world that this version can read."""


class GenerationError(WorldgenError):
    """A valid schema whose rules the generator could not satisfy."""


class CheckBroken(GenerationError):
    """The rows that were generated break a check of the schema.

    Attributes:
        check: Its name.
    """

    def __init__(self, check: str, message: str, *, expected: str, got: str) -> None:
        super().__init__(
            "facts.check-broken",
            message,
            expected=expected,
            got=got,
            fix="change the attributes' distributions or bounds so that the rule always holds",
        )
        self.check = check


class ProofError(GenerationError):
    """A world was built, and a proof failed on it."""

    exit_code = 1


class ServiceError(WorldgenError):
    """Something outside the process failed: disk, network, a model."""


class InternalError(WorldgenError):
    """An invariant of worldgen itself was broken; please report it."""

    exit_code = 70


def expect(value: object, kind: type, what: str) -> None:
    """Raise `CallerError` where an argument is not of its type; a boolean is no number, a whole number is one.

    >>> expect("ferries", str, "query")
    >>> expect(3, float, "seconds")
    """
    fits = isinstance(value, int | float if kind is float else kind)
    if not fits or (kind in (int, float) and isinstance(value, bool)):
        got = f"{value!r:.60}, of type {type(value).__name__}"
        expected = _TYPES.get(kind, f"a {kind.__name__}")
        raise CallerError("call.wrong-type", f"{what} is of the wrong type", expected=expected, got=got)


def expect_path(value: object, what: str) -> None:
    """Raise `CallerError` where an argument is no path.

    >>> expect_path("worlds", "path")
    """
    expect(value, str if isinstance(value, str) else os.PathLike, what)


def did_you_mean(word: str, valid: Iterable[str]) -> str | None:
    """The fix line for a misspelt word, or None where nothing is close.

    >>> did_you_mean("atributes", ["attributes", "name"])
    "did you mean 'attributes'?"
    """
    close = get_close_matches(word, list(valid), n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else None
