"""A drafted schema tried out as an author's would be, and whose piece each problem is.

The strict loader and its checks come first, then a rehearsal of the facts and rules, at last a whole build with its
proofs. Each stage is tried where the one before found nothing.
"""

from __future__ import annotations

import re
import tempfile
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from worldgen.errors import CheckBroken, GenerationError, SchemaError, WorldgenError
from worldgen.pipeline import BuildResult, build_world
from worldgen.rehearsal import rehearse
from worldgen.schema import Schema
from worldgen.schema.problems import Path as Place
from worldgen.schema.problems import SchemaErrors
from worldgen.schema.strict import read_yaml

FRAME, RULES = "frame", "rules"
_WORD = re.compile(r"\w+")


class Trouble(NamedTuple):
    """A problem of one piece.

    Attributes:
        piece: ``frame``, ``rules`` or the name of an entity.
        error: What is wrong.
    """

    piece: str
    error: WorldgenError


def rehearsed(path: Path, seed: int) -> Schema | list[Trouble]:
    """The schema in a file, or what its checks and a rehearsal find wrong with it."""
    try:
        return rehearse(path, seed=seed)
    except SchemaErrors as errors:
        owners = _Owners(path.read_text("utf-8"))
        return [Trouble(owners.of(error.line), error) for error in errors.problems]


def built(path: Path, schema: Schema, seed: int, languages: Sequence[str]) -> BuildResult | list[Trouble]:
    """The world of a schema, built with all proofs and thrown away, or what stood against it."""
    with tempfile.TemporaryDirectory(prefix="worldgen-draft-") as folder:
        try:
            return build_world(path, seed=seed, languages=languages, out=folder)
        except (GenerationError, SchemaError) as error:
            return troubles(error, schema)


def troubles(error: WorldgenError, schema: Schema) -> list[Trouble]:
    """Whose an error of a build is: of the rules where one is broken, of the kinds that it names, else of the frame."""
    if isinstance(error, CheckBroken):
        return [Trouble(RULES, error)]
    words = set(_WORD.findall(f"{error.message} {error.got or ''}"))
    named = [name for name in schema.entities if name in words]
    return [Trouble(name, error) for name in named or [FRAME]]


class _Owners:
    """Which piece each line of a schema file was made of."""

    def __init__(self, text: str) -> None:
        document = read_yaml(text)
        value = document.value
        starts: dict[int, str] = {}
        for key in value:
            self._note(starts, document.lines.at((key,)), RULES if key == "checks" else FRAME)
        for name in value.get("entities", {}):
            place: Place = ("entities", name)
            # Its name, its nouns and its count are the frame's.
            self._note(starts, document.lines.at(place), FRAME)
            self._note(starts, document.lines.at((*place, "attributes")), name)
        for name, node in value.get("series", {}).items():
            self._note(starts, document.lines.at(("series", name)), str(node.get("of", FRAME)))
        self._lines = sorted(starts)
        self._pieces = [starts[line] for line in self._lines]

    @staticmethod
    def _note(starts: dict[int, str], line: int | None, piece: str) -> None:
        if line is not None:
            starts[line] = piece

    def of(self, line: int | None) -> str:
        """The piece; the frame where a problem has no line."""
        at = bisect_right(self._lines, line or 0) - 1
        return self._pieces[at] if at >= 0 else FRAME
