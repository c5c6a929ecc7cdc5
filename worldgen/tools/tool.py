"""What a tool is, and how the arguments of a call are read: an agent's mistakes become strings it can act on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, Protocol, cast

from worldgen.errors import CallerError
from worldgen.search.wording import encodable

MAX_ARGUMENTS = 100_000
MAX_DEPTH = 50
_ECHO = 200


class MalformedCall(CallerError):
    """A call whose name or arguments the tool cannot take; its message is meant for the agent."""

    def __init__(self, message: str, *, expected: str | None = None, got: str | None = None) -> None:
        super().__init__("tools.malformed-call", message, expected=expected, got=got)

    def advice(self) -> str:
        """The message without the error code, which says nothing to an agent.

        >>> MalformedCall("missing argument 'url'", expected="a string").advice()
        "missing argument 'url'; expected a string."
        """
        parts = [self.message]
        if self.expected is not None:
            parts.append(f"expected {self.expected}")
        if self.got is not None:
            parts.append(f"got {self.got}")
        return "; ".join(parts) + "."

    def __reduce__(self) -> tuple[object, ...]:
        return (_again, (self.message, self.expected, self.got))


def _again(message: str, expected: str | None, got: str | None) -> MalformedCall:
    return MalformedCall(message, expected=expected, got=got)


class Tool(Protocol):
    """One thing an agent can call."""

    name: str

    def call(self, arguments: Mapping[str, Any]) -> str:
        """Act, and say what the agent is to read.

        Raises:
            MalformedCall: The arguments are not what the tool takes.
        """

    def spec(self) -> dict[str, Any]:
        """The tool as an OpenAI function schema."""


def read_spec(name: str) -> dict[str, Any]:
    """The function schema of a built-in tool, a copy of its own."""
    return deepcopy(_spec(name))


@cache
def _spec(name: str) -> dict[str, Any]:
    path = Path(__file__).parent / "specs" / f"{name}.json"
    return cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))


def read_arguments(arguments: object) -> dict[str, Any]:
    """The arguments of a call as a mapping, from one or from its JSON text; nothing at all is no arguments.

    Raises:
        MalformedCall: They are neither, or too long.
    """
    if arguments is None:
        return {}
    if isinstance(arguments, str):
        if len(arguments) > MAX_ARGUMENTS:
            raise MalformedCall("the arguments are too long", expected=f"{MAX_ARGUMENTS} characters at most")
        try:
            arguments = json.loads(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError) as error:
            raise MalformedCall("the arguments are not valid JSON", expected="a JSON object") from error
    if not isinstance(arguments, Mapping) or not all(isinstance(key, str) for key in arguments):
        raise MalformedCall("the arguments are not an object", expected="a JSON object", got=kind_of(arguments))
    given: dict[str, Any] = sendable(dict(arguments))
    if len(canonical(given)) > MAX_ARGUMENTS:
        raise MalformedCall("the arguments are too long", expected=f"{MAX_ARGUMENTS} characters at most")
    return given


def sendable(value: Any, depth: int = 0) -> Any:
    r"""A JSON value as every interface can send it: no half characters, and not too deep.

    Raises:
        MalformedCall: It is nested deeper than `MAX_DEPTH`.

    >>> sendable({"a": ["\ud800"]})
    {'a': ['?']}
    """
    if depth > MAX_DEPTH:
        raise MalformedCall("the arguments are nested too deep", expected=f"{MAX_DEPTH} levels at most")
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, Mapping):
        return {sendable(key): sendable(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [sendable(inner, depth + 1) for inner in value]
    return value


def canonical(arguments: Mapping[str, Any]) -> str:
    """The arguments as JSON text of one form, so that calls can be told apart.

    Raises:
        MalformedCall: JSON cannot hold them.

    >>> canonical({"b": 1, "a": [True]})
    '{"a": [true], "b": 1}'
    """
    try:
        return json.dumps(arguments, sort_keys=True)
    except (ValueError, TypeError, RecursionError) as error:
        raise MalformedCall("the arguments are not valid JSON", expected="a JSON object") from error


def only(arguments: Mapping[str, Any], *allowed: str) -> None:
    """Raise `MalformedCall` where an argument is given that the tool does not have."""
    unknown = sorted(set(arguments) - set(allowed))
    if unknown:
        raise MalformedCall(
            f"unknown argument {', '.join(echo(name) for name in unknown[:5])}", expected=" or ".join(allowed)
        )


def text(arguments: Mapping[str, Any], name: str) -> str:
    """An argument that must be there and be a string."""
    if name not in arguments:
        raise MalformedCall(f"missing argument {name!r}", expected="a string")
    value = arguments[name]
    if not isinstance(value, str):
        raise MalformedCall(f"argument {name!r} has the wrong type", expected="a string", got=kind_of(value))
    return value


def kind_of(value: object) -> str:
    """What JSON calls the kind of a value.

    >>> kind_of([1]), kind_of(True), kind_of(None)
    ('an array', 'a boolean', 'null')
    """
    if value is None:
        return "null"
    kinds: list[tuple[type | tuple[type, ...], str]] = [
        (bool, "a boolean"),
        ((int, float), "a number"),
        (str, "a string"),
        ((list, tuple), "an array"),
        (Mapping, "an object"),
    ]
    return next((name for kind, name in kinds if isinstance(value, kind)), type(value).__name__)


def echo(said: str) -> str:
    """What an agent said, on one line and not too long, to be quoted back to it."""
    line = " ".join(said.split())
    line = "".join(char if char.isprintable() else "\ufffd" for char in line)
    return line if len(line) <= _ECHO else line[:_ECHO] + "..."
