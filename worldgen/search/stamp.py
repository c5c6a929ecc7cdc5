"""The stamp of an index directory: what it was made from and what its files were when it was whole."""

from __future__ import annotations

import json
from pathlib import Path
from zlib import crc32

NAME = "stamp.json"
VERSION = 1
_BLOCK = 1 << 20


def write_stamp(directory: Path, *, key: str, pages: int) -> None:
    """Stamp a directory, once everything else in it is written."""
    stamp = {"key": key, "version": VERSION, "pages": pages, "files": _files(directory)}
    (directory / NAME).write_text(json.dumps(stamp, sort_keys=True), encoding="utf-8")


def read_stamp(directory: Path, *, key: str) -> int | None:
    """How many pages the index holds; None where it is missing, made from something else, or not what was stamped."""
    try:
        stamp = json.loads((directory / NAME).read_text(encoding="utf-8"))
        sound = isinstance(stamp, dict) and stamp.get("key") == key and stamp.get("version") == VERSION
        return int(stamp["pages"]) if sound and stamp["files"] == _files(directory) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _files(directory: Path) -> dict[str, list[int]]:
    """Size and checksum of every file; names with a dot in front are tantivy's locks and lists, which come and go."""
    found = sorted(path for path in directory.iterdir() if path.name != NAME and not path.name.startswith("."))
    return {path.name: [path.stat().st_size, _checksum(path)] for path in found}


def _checksum(path: Path) -> int:
    value = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            value = crc32(block, value)
    return value
