"""Reads the package's data files, each once and only when first asked for."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "data"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def read_yaml(name: str) -> Any:
    """The document ``data/<name>.yaml``; treat it as frozen, all callers share it."""
    return yaml.load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"), Loader=_LOADER)


def read_lines(name: str) -> list[str]:
    """The lines of ``data/<name>.txt`` without comments and blank lines."""
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]
