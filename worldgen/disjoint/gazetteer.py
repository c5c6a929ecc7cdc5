"""The interface of a gazetteer: a list of real names that some Python package ships, read where it is installed.

A gazetteer is a class without arguments, registered under its name in `gazetteers`: one file of that name in the folder
beside this one, or the entry point ``worldgen.gazetteer`` of another distribution.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar, Literal

from worldgen.errors import CallerError
from worldgen.registry import Registry

NameKind = Literal["place", "person", "organisation", "product", "word"]
EXTRA = "worldgen[gazetteers]"


class Gazetteer:
    """The base of a gazetteer.

    Attributes:
        name: Its name in reports.
        package: The distribution that ships it, as pip calls it.
        holds: The kinds of names it holds.
    """

    name: ClassVar[str]
    package: ClassVar[str]
    holds: ClassVar[tuple[NameKind, ...]]

    def version(self) -> str | None:
        """The installed version of its package; None where it is not installed."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None

    def names(self) -> Iterator[tuple[NameKind, str]]:
        """Every name with its kind, as the package spells it; repeats are allowed."""
        raise NotImplementedError


gazetteers: Registry[type[Gazetteer]] = Registry("gazetteer")

_BUILT_IN = frozenset(path.stem for path in (Path(__file__).parent / "gazetteers").glob("[a-z]*.py"))


def gazetteer_names() -> list[str]:
    """The names of all gazetteers, sorted, plug-ins included.

    >>> "places" in gazetteer_names()
    True
    """
    return sorted({*_BUILT_IN, *gazetteers.names()})


def gazetteer_of(name: str) -> Gazetteer:
    """The gazetteer of that name.

    Raises:
        CallerError: There is none.
    """
    for built_in in sorted(_BUILT_IN) if name not in _BUILT_IN else [name]:
        import_module(f"worldgen.disjoint.gazetteers.{built_in}")
    return gazetteers.get(name)()


def all_gazetteers() -> list[Gazetteer]:
    """One of each, in the order of their names."""
    return [gazetteer_of(name) for name in gazetteer_names()]


def folder_of(module: str) -> Path:
    """The folder of an installed package, found without importing it.

    Raises:
        CallerError: It is not installed.
    """
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise CallerError(
            "gazetteer.not-installed", f"the package {module!r} is not installed", fix=f"pip install '{EXTRA}'"
        )
    return Path(spec.origin).parent
