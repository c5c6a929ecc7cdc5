"""The notebook tool: keys and values for one session, with the replies that the published search prompt lists."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from worldgen.tools.tool import MalformedCall, echo, kind_of, only, read_spec

MAX_KEYS = 1_000
MAX_CHARACTERS = 200_000


class DictMemory:
    """A notebook that lasts as long as the object."""

    name = "dict_memory"

    def __init__(self) -> None:
        self._notes: dict[str, str] = {}
        self._operations: dict[str, Callable[[Mapping[str, Any]], str]] = {
            "add": self._add,
            "update": self._update,
            "retrieve": self._retrieve,
            "retrieve_all": self._retrieve_all,
            "remove": self._remove,
            "remove_all": self._remove_all,
        }

    def spec(self) -> dict[str, Any]:
        """See `Tool.spec`."""
        return read_spec(self.name)

    def notes(self) -> dict[str, Any]:
        """What is written down now; a copy."""
        return {key: json.loads(value) for key, value in self._notes.items()}

    def call(self, arguments: Mapping[str, Any]) -> str:
        """See `Tool.call`."""
        operation = arguments.get("operation")
        if not isinstance(operation, str) or operation not in self._operations:
            raise MalformedCall(
                "argument 'operation' is missing or unknown",
                expected=" or ".join(self._operations),
                got=echo(operation) if isinstance(operation, str) else kind_of(operation),
            )
        rest = {name: value for name, value in arguments.items() if name != "operation" and value is not None}
        return self._operations[operation](rest)

    def _add(self, arguments: Mapping[str, Any]) -> str:
        items = _items(arguments)
        taken = [key for key in items if key in self._notes]
        if taken:
            return f"Error: {_keys(taken)} already in memory; use update to change them."
        self._write(items)
        return f"Successfully added items of {_keys(items)} to memory."

    def _update(self, arguments: Mapping[str, Any]) -> str:
        items = _items(arguments)
        missing = [key for key in items if key not in self._notes]
        if missing:
            return f"Error: Key not found: {_keys(missing)}; use add for new keys."
        self._write(items)
        return f"Successfully updated items of {_keys(items)} in memory."

    def _retrieve(self, arguments: Mapping[str, Any]) -> str:
        keys = _key_list(arguments)
        lines = [_shown({key: self._notes[key] for key in keys if key in self._notes})]
        lines += [f"Key not found: {echo(key)}" for key in keys if key not in self._notes]
        return "\n".join(line for line in lines if line != "{}")

    def _retrieve_all(self, arguments: Mapping[str, Any]) -> str:
        only(arguments)
        return _shown(self._notes)

    def _remove(self, arguments: Mapping[str, Any]) -> str:
        keys = _key_list(arguments)
        missing = [key for key in keys if key not in self._notes]
        if missing:
            return f"Error: Key not found: {_keys(missing)}; nothing was removed."
        for key in keys:
            self._notes.pop(key, None)
        return f"Successfully removed items of {_keys(keys)} from memory."

    def _remove_all(self, arguments: Mapping[str, Any]) -> str:
        only(arguments)
        self._notes.clear()
        return "Successfully cleared all memory."

    def _write(self, items: Mapping[str, str]) -> None:
        notes = {**self._notes, **items}
        if len(notes) > MAX_KEYS or sum(len(key) + len(value) for key, value in notes.items()) > MAX_CHARACTERS:
            raise MalformedCall("memory is full", expected=f"{MAX_KEYS} keys and {MAX_CHARACTERS} characters at most")
        self._notes = notes


def _items(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Keys and values to write, each value as JSON text, so that a caller's later change of it is none of ours."""
    only(arguments, "dict")
    items = arguments.get("dict")
    if not isinstance(items, Mapping) or not items or not all(isinstance(key, str) for key in items):
        raise MalformedCall("argument 'dict' is missing or wrong", expected="keys and values", got=kind_of(items))
    if len(items) > MAX_KEYS:
        raise MalformedCall("memory is full", expected=f"{MAX_KEYS} keys at most", got=str(len(items)))
    try:
        return {key: json.dumps(value, ensure_ascii=False) for key, value in items.items()}
    except (TypeError, ValueError, RecursionError) as error:
        raise MalformedCall("a value cannot be kept", expected="JSON values") from error


def _key_list(arguments: Mapping[str, Any]) -> list[str]:
    only(arguments, "key_list")
    keys = arguments.get("key_list")
    if isinstance(keys, str):
        keys = [keys]
    if not isinstance(keys, (list, tuple)) or not keys or not all(isinstance(key, str) for key in keys):
        raise MalformedCall("argument 'key_list' is missing or wrong", expected="an array of keys", got=kind_of(keys))
    return list(dict.fromkeys(keys))


def _keys(keys: Mapping[str, str] | list[str]) -> str:
    return "[" + ", ".join(echo(key) for key in keys) + "]"


def _shown(notes: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {value}" for key, value in notes.items()) + "}"
