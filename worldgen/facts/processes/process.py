"""The interface of a process: a plug-in that fills whole tables at once, so that their rows agree.

A plug-in is a class without arguments, registered under its name in `processes`: one file beside this one, of the
process's name, or the entry point ``worldgen.process`` of another distribution. It says which columns it makes, which
it reads, and draws only from the stream it is given.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from worldgen.errors import GenerationError, SchemaError
from worldgen.registry import Registry
from worldgen.seeds import Stream

Produced = dict[str, dict[str, NDArray[Any]]]
"""The process's table → column → values: int64 or float64 numbers, days since 1970-01-01, row numbers for refs."""


class View(Protocol):
    """What a process may read: columns that it named as its needs."""

    def size(self, table: str) -> int:
        """The number of rows of an entity."""

    def numbers(self, table: str, path: str) -> NDArray[Any]:
        """A column as float64; str for categories."""

    def refs(self, table: str, path: str) -> NDArray[np.int64]:
        """The row that a ref leads to for each row; -1 where it leads nowhere."""


class Given(BaseModel):
    """The base of a process's parameters: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Ordered = TypeVar("Ordered", int, float, dt.date)


def _in_order(ends: tuple[Ordered, Ordered]) -> tuple[Ordered, Ordered]:
    if ends[1] < ends[0]:
        raise ValueError(f"[least, greatest] expected; {ends[1]} lies below {ends[0]}")
    return ends


Span = Annotated[tuple[int, int], AfterValidator(_in_order)]
"""A parameter: [least, greatest], whole numbers."""
Days = Annotated[tuple[dt.date, dt.date], AfterValidator(_in_order)]
"""A parameter: [first, last], dates."""


class Process:
    """The base of a process.

    Attributes:
        name: Its name in a schema.
        tables: Its tables → columns → type; ``ref:<parameter>`` refers to the entity that a parameter names,
            ``ref:<table>`` to the entity that another of its tables fills.
        parameters: The model of its parameters.
    """

    name: ClassVar[str]
    tables: ClassVar[Mapping[str, Mapping[str, str]]]
    parameters: ClassVar[type[Given]]

    def read(self, given: Mapping[str, Any]) -> Given:
        """Check the parameters.

        Raises:
            SchemaError: A parameter is unknown, missing or wrong.
        """
        try:
            return self.parameters.model_validate(dict(given))
        except ValidationError as error:
            first = error.errors()[0]
            # Of a parameter that may be this or that, the names of the branches tried say nothing to its author.
            place = [str(part) for at, part in enumerate(first["loc"]) if at == 0 or isinstance(part, int)]
            parameter = ".".join(place) or "given"
            raise SchemaError(
                "schema.process-parameter",
                f"process {self.name}: parameter {parameter}: {first['msg']}",
                expected=", ".join(self.parameters.model_fields),
                got=repr(first["input"])[:80],
            ) from error

    def needs(self, given: Any, fills: Mapping[str, str]) -> dict[str, list[str]]:
        """Entity → the paths that `run` reads there."""
        raise NotImplementedError

    def run(self, given: Any, view: View, fills: Mapping[str, str], rng: Stream) -> Produced:
        """Make the rows.

        Args:
            given: What `read` returned.
            view: The entities it needs.
            fills: Its tables → entities of the schema; tables that are not filled need not be made.
            rng: Its own stream.
        """
        raise NotImplementedError


processes: Registry[type[Process]] = Registry("process")

_BUILT_IN = frozenset(path.stem for path in Path(__file__).parent.glob("[a-z]*.py")) - {"process"}


def process_names() -> list[str]:
    """The names of all processes, sorted, plug-ins included."""
    return sorted({*_BUILT_IN, *processes.names()})


def process_of(name: str) -> Process:
    """The process of that name.

    Raises:
        CallerError: There is none.
    """
    if name in _BUILT_IN:
        import_module(f"worldgen.facts.processes.{name}")
    return processes.get(name)()


def int_column(values: Any) -> NDArray[np.int64]:
    """A column of whole numbers."""
    return np.asarray(values, dtype=np.int64)


def require_rows(process: str, view: View, entity: str, least: int) -> int:
    """The number of rows of an entity.

    Raises:
        GenerationError: There are fewer than the process can work with.
    """
    rows = view.size(entity)
    if rows < least:
        raise GenerationError(
            "facts.process-size", f"process {process}: rows of {entity}", expected=f"{least} or more", got=str(rows),
            fix=f"raise the count of {entity}",
        )  # fmt: skip
    return rows


def from_schema(view: View, entity: str, source: str | float, what: str, least: float) -> NDArray[np.float64]:
    """A number for each row of an entity: the one given, or the attribute of that name.

    Raises:
        GenerationError: A value is missing or lies below the least.
    """
    if not isinstance(source, str):
        return np.full(view.size(entity), float(source))
    values = np.asarray(view.numbers(entity, source), dtype=np.float64)
    bad = np.flatnonzero(~(values >= least))
    if len(bad):
        raise GenerationError(
            "facts.process-value", f"{what}: {entity}/{bad[0]}.{source}", expected=f"{least:g} or more",
            got=str(values[bad[0]]),
        )  # fmt: skip
    return values


def days_of(date: dt.date) -> int:
    """Days since 1970-01-01.

    >>> days_of(dt.date(1970, 2, 1))
    31
    """
    return date.toordinal() - dt.date(1970, 1, 1).toordinal()
