"""The wording data of a language, read once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from worldgen.errors import CallerError


@dataclass(frozen=True, slots=True)
class Words:
    """What a language says: the fixed texts of cells, and the wording tables of its file."""

    language: str
    undisclosed: str
    nothing: str
    yes: str
    no: str
    tables: dict[str, Any]


@cache
def words(language: str) -> Words:
    """The words of a language.

    Raises:
        CallerError: There is no wording in that language.
    """
    folder = Path(__file__).parent / "wording"
    path = folder / f"{language}.yaml"
    if not path.is_file():
        known = " or ".join(sorted(p.stem for p in folder.glob("*.yaml")))
        raise CallerError("tasks.no-wording", f"no questions are worded in {language!r}", expected=known, got=language)
    data = yaml.load(path.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return Words(language, data["undisclosed"], data["nothing"], data["yes"], data["no"], data)
