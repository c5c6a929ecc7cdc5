"""The fields of a hot route's request, from its JSON body or its query string, each checked as it is taken."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl

from worldgen.errors import did_you_mean
from worldgen.serve.http.errors import RequestError
from worldgen.serve.http.visit import Visit
from worldgen.tools.tool import echo, kind_of


class Fields:
    """What a request says.

    Args:
        given: Its fields by name.
        typed: Whether values have JSON's types; those of a query string are all text.
    """

    def __init__(self, given: dict[str, Any], *, typed: bool = True) -> None:
        self._given = given
        self._typed = typed

    @classmethod
    def of(cls, visit: Visit, allowed: Iterable[str], *, also: str | None = None, strict: bool = True) -> Fields:
        """The fields of a request.

        Args:
            visit: The request: of a GET the query string is read, else the body.
            allowed: Names of fields.
            also: Another name for the first of them, if it has one.
            strict: Whether others are errors.

        Raises:
            RequestError: The body is no JSON object, a field is unknown or given twice.
        """
        names = list(allowed)
        if visit.method == "GET":
            pairs = parse_qsl(visit.query.decode("latin-1"), keep_blank_values=True)
            given: dict[str, Any] = {names[0] if name == also else name: value for name, value in pairs}
            if len(given) < len(pairs):
                raise RequestError("serve.twice", "a parameter is given twice")
        else:
            given = read_json(visit.body)
            if also in given:
                given.setdefault(names[0], given.pop(also))
        for name in given if strict else ():
            if name not in names:
                raise RequestError(
                    "serve.unknown-field",
                    f"unknown field {echo(name)!r}",
                    expected=" or ".join(names),
                    fix=did_you_mean(name, names),
                )
        return cls(given, typed=visit.method != "GET")

    def any(self, name: str) -> Any:
        """A field as it came; None where it is not given."""
        return self._given.get(name)

    def text(self, name: str, most: int) -> str:
        """A field that must be there and be text of so many characters."""
        value = self._given.get(name)
        if value is None:
            raise RequestError("serve.missing-field", f"the field {name!r} is missing", expected="a string")
        return checked_text(name, value, most)

    def optional(self, name: str, most: int) -> str | None:
        """A field that may be missing or null."""
        return None if self._given.get(name) is None else self.text(name, most)

    def number(self, name: str, default: int, most: int) -> int:
        """A whole number from 1."""
        value = self._given.get(name)
        if value is None:
            return default
        if not self._typed and value.isascii() and value.isdigit() and len(value) < 10:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
            got = echo(str(value)) if isinstance(value, str) else kind_of(value)
            raise RequestError("serve.wrong-field", f"{name!r} is wrong", expected=f"1 to {most}", got=got)
        return value

    def texts(self, name: str, count: int, most: int) -> list[str]:
        """A field that must be a list of so many texts at most."""
        value = self._given.get(name)
        if not isinstance(value, list) or not 1 <= len(value) <= count:
            got = f"{len(value)} of them" if isinstance(value, list) else kind_of(value)
            raise RequestError("serve.wrong-field", f"{name!r} is wrong", expected=f"1 to {count} strings", got=got)
        return [checked_text(name, each, most) for each in value]


def checked_text(name: str, value: object, most: int) -> str:
    """A text of so many characters at most; `RequestError` for anything else."""
    if not isinstance(value, str):
        raise RequestError("serve.wrong-field", f"{name!r} is wrong", expected="a string", got=kind_of(value))
    if len(value) > most:
        raise RequestError("serve.too-long", f"{name!r} is too long", expected=f"{most} characters at most")
    return value


def read_json(body: bytes) -> dict[str, Any]:
    """A body's JSON object; none at all is an empty one.

    Raises:
        RequestError: It is something else.
    """
    try:
        value = json.loads(body) if body else {}
    except (ValueError, RecursionError):
        raise RequestError("serve.not-json", "the body is not valid JSON", expected="a JSON object") from None
    if not isinstance(value, dict):
        raise RequestError("serve.not-json", "the body is no object", expected="a JSON object", got=kind_of(value))
    return value
