"""Builds the worlds of the gallery and writes their pages and plots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from worldgen.errors import CallerError, did_you_mean
from worldgen.facts.generate import generate
from worldgen.gallery.figure import draw
from worldgen.gallery.page import index, page
from worldgen.gallery.panels import choose
from worldgen.pipeline import build
from worldgen.schema import load_schema, shipped

SEED = 7
HAYSTACK = 300


def make(folder: Path, names: Sequence[str] = ()) -> Iterator[Path]:
    """Write ``NAME.md`` and ``NAME.png`` of each schema, and ``README.md`` of all; give each path when it is written.

    Args:
        folder: Where they go; made where it is missing.
        names: Shipped schemas, by default all.

    Raises:
        CallerError: There is no such schema, or matplotlib is not installed.
    """
    known = shipped()
    for name in names:
        if name not in known:
            raise CallerError(
                "gallery.unknown-schema",
                "no such schema comes with worldgen",
                expected=" or ".join(known),
                got=repr(name),
                fix=did_you_mean(name, known),
            )
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or known:
        yield from _make_one(folder, name)
    path = folder / "README.md"
    path.write_text(index([generate(load_schema(name), SEED) for name in known]), "utf-8", newline="\n")
    yield path


def _make_one(folder: Path, name: str) -> Iterator[Path]:
    facts = generate(load_schema(name), SEED)
    panels = choose(facts)
    plot, text = folder / f"{name}.png", folder / f"{name}.md"
    draw(panels, plot)
    yield plot
    with (
        TemporaryDirectory() as place,
        build(name, seed=SEED, out=place, languages=["en"], haystack=HAYSTACK, proofs=False) as world,
    ):
        text.write_text(page(facts, world, panels), "utf-8", newline="\n")
    yield text
