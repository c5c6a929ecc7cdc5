"""Prompts as text files: a folder of them, each with places that are filled with data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Template

LANGUAGES = {"en": "English", "zh": "Chinese"}
"""What prompts call a language."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of one folder, by name.

    Attributes:
        folder: Where the files ``<name>.txt`` lie.
    """

    folder: Path

    def text(self, name: str) -> str:
        """A prompt file."""
        return _read(self.folder / f"{name}.txt")

    def fill(self, name: str, /, **values: str) -> str:
        """A prompt file with its places filled; what is filled in is never read for places itself."""
        return Template(self.text(name)).substitute(values).strip()

    def version(self) -> str:
        """What tells these prompts from any others: the sha256 of all files, twelve digits of it."""
        digest = sha256()
        for path in sorted(self.folder.glob("*.txt")):
            digest.update(f"{path.stem}\n{self.text(path.stem)}\n".encode())
        return digest.hexdigest()[:12]


@cache
def _read(path: Path) -> str:
    return path.read_text("utf-8")
