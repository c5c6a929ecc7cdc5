"""worldgen builds fictional worlds that search agents can be trained in.

>>> from worldgen import build, World  # doctest: +SKIP
>>> world = build("smartphone-market", seed=7)  # doctest: +SKIP
>>> world.search("handsets with a large battery")  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldgen.errors import WorldgenError
    from worldgen.facts.reading import read_schema as load_schema
    from worldgen.pipeline import build
    from worldgen.proofs import check
    from worldgen.schema import Schema
    from worldgen.version import __version__
    from worldgen.world import World

__all__ = ["Schema", "World", "WorldgenError", "__version__", "build", "check", "load_schema"]

_HOMES = {
    "Schema": "worldgen.schema",
    "World": "worldgen.world",
    "WorldgenError": "worldgen.errors",
    "__version__": "worldgen.version",
    "build": "worldgen.pipeline",
    "check": "worldgen.proofs",
    "load_schema": "worldgen.facts.reading:read_schema",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'worldgen' has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    value = getattr(import_module(module), attribute or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
