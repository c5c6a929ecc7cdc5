"""A file of JSON lines that a run appends to, so that whatever ends it costs only what was under way."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from worldgen.errors import CallerError, ServiceError


class Journal:
    """Records by key, of which the latest counts; kept in a file.

    A last line that a kill has torn is cut off as the file is opened.

    Args:
        path: The file; made where it is not there.
        misfit: Says what is wrong with a record that nobody but the run should have written; empty where nothing is.

    Raises:
        CallerError: A line is damaged or was altered; names it.
    """

    def __init__(self, path: Path, misfit: Callable[[Mapping[str, Any]], str] = lambda record: "") -> None:
        self.path = path
        self._lock = Lock()
        self._records: dict[str, dict[str, Any]] = {}
        try:
            whole = path.read_bytes() if path.exists() else b""
            kept = whole[: whole.rfind(b"\n") + 1]
            if len(kept) < len(whole):
                os.truncate(path, len(kept))
        except OSError as error:
            raise ServiceError("fidelity.journal", f"cannot be read: {error.strerror}", path=path) from error
        for number, line in enumerate(kept.split(b"\n"), 1):
            if line.strip():
                record = _record(line, path, number)
                if wrong := misfit(record):
                    raise _damaged(f"a line of the run's record is not as it was written: {wrong}", path, number)
                self._records[record["key"]] = record

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The latest record of that key."""
        return self._records.get(key)

    def add(self, record: dict[str, Any]) -> None:
        """Keep a record, in the file first; it has a ``key``."""
        line = json.dumps(record, ensure_ascii=True, sort_keys=True) + "\n"
        with self._lock:
            try:
                with self.path.open("ab") as file:
                    file.write(line.encode("ascii"))
            except OSError as error:
                raise ServiceError(
                    "fidelity.journal", f"cannot be written: {error.strerror}", path=self.path
                ) from error
            self._records[record["key"]] = record


def _record(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict) or not isinstance(record.get("key"), str):
        raise _damaged("a line of the run's record is damaged", path, number)
    return record


def _damaged(message: str, path: Path, number: int) -> CallerError:
    fix = "delete the line, and it is done again"
    return CallerError("fidelity.journal", message, path=path, line=number, fix=fix)
