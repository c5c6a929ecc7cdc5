"""The files of `data/`: how far a variant strays, and what may be added to a schema."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from worldgen.schema.strict import read_yaml

_DATA = files("worldgen.variation") / "data"


@cache
def read(name: str) -> Any:
    """A file of `data/`, by its name without `.yaml`; not to be changed by who reads it."""
    return read_yaml((_DATA / f"{name}.yaml").read_text("utf-8"), name).value


@cache
def grafts() -> dict[str, dict[str, Any]]:
    """Every entity that may be added, by the name of its file, sorted."""
    folder = _DATA / "grafts"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".yaml"))
    return {name.removesuffix(".yaml"): read_yaml((folder / name).read_text("utf-8"), name).value for name in names}
