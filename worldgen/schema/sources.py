"""Which source of values makes which types of attribute: the one table that the checks and the reference read."""

from __future__ import annotations

from typing import NamedTuple

_NUMBERS = ("integer", "decimal", "money", "percent")
_ORDERED = (*_NUMBERS, "year")

MAKES: dict[str, tuple[str, ...]] = {
    "uniform": (*_ORDERED, "date"),
    "normal": _ORDERED,
    "lognormal": _ORDERED,
    "pareto": _ORDERED,
    "zipf": _ORDERED,
    "empirical": (*_ORDERED, "boolean"),
    "values": ("category",),
    "expr": (*_ORDERED, "date", "boolean"),
    "depends": (*_ORDERED, "category", "boolean"),
    "rank": ("integer",),
    "share": _NUMBERS,
    "aggregate": (*_ORDERED, "date"),
    "name": ("name",),
    "ref": ("ref",),
    "process": (*_ORDERED, "date", "category", "boolean"),
}
"""The keys of an attribute that say where its values come from, each with the types that it makes."""

SOURCES = tuple(MAKES)
IMPLYING = ("values", "name", "ref")
"""The sources whose one type need not be written."""
_SUCH_AS = {
    "boolean": "empirical: {0: 7, 1: 3}",
    "category": "values: {low: 7, high: 3}",
    "date": "uniform: [2027-01-01, 2029-10-31]",
    "name": "name: brand",
}


def sources_of(kind: str) -> list[str]:
    """The sources that make a type.

    >>> sources_of("boolean")
    ['empirical', 'expr', 'depends', 'process']
    """
    return [source for source, kinds in MAKES.items() if kind in kinds]


class Misfit(NamedTuple):
    """A source that does not make the type: what is wrong, the types that it makes, the sources that make this one."""

    message: str
    expected: str
    got: str
    fix: str


def misfit(source: str, kind: str) -> Misfit | None:
    """What to tell of a source that does not make a type; None where it does.

    >>> misfit("values", "boolean").fix
    'a boolean is made by `empirical`, `expr`, `depends` or `process`, such as `empirical: {0: 7, 1: 3}`'
    """
    if kind in MAKES[source]:
        return None
    *most, last = [f"`{each}`" for each in sources_of(kind)]
    fix = f"{_one(kind)} is made by {', '.join(most)} or {last}" if most else f"{_one(kind)} is made by {last}"
    if kind in _SUCH_AS:
        fix += f", such as `{_SUCH_AS[kind]}`"
    return Misfit(f"`{source}` makes no {kind}", " or ".join(MAKES[source]), kind, fix)


def _one(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
