"""Who decides that two different strings mean the same: the interface, and two judges that need no model.

The official scorer asks a language model to align column names and key values with the gold's and to grade the
columns whose metric is ``llm_judge``. Here that is an argument. A judge that fails raises; the score is then marked
as unscored, never as zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from worldgen.errors import ServiceError
from worldgen.scoring.fold import fold


class JudgeError(ServiceError):
    """A judge failed or answered something unusable; whoever asked reports the sample as unscored."""


@runtime_checkable
class Judge(Protocol):
    """What a scorer may ask. Values absent from a returned mapping stay as they are."""

    def align_columns(self, names: Sequence[str], reference: Sequence[str]) -> Mapping[str, str]:
        """Map an answer's column names to the required ones that mean the same."""

    def align_keys(self, column: str, values: Sequence[str], reference: Sequence[str]) -> Mapping[str, str]:
        """Map an answer's key values to the gold values that name the same thing."""

    def judge_cells(self, column: str, pairs: Sequence[tuple[str, str]], criterion: str) -> Sequence[float]:
        """Grade pairs (answer, gold) of one column: 1.0 where the answer satisfies the criterion, else 0.0."""


class ExactJudge:
    """Two strings mean the same when equal after lower-casing and dropping spaces and asterisks."""

    def align_columns(self, names: Sequence[str], reference: Sequence[str]) -> Mapping[str, str]:
        """See `Judge`."""
        return self._align(names, reference)

    def align_keys(self, column: str, values: Sequence[str], reference: Sequence[str]) -> Mapping[str, str]:
        """See `Judge`."""
        return self._align(values, reference)

    def judge_cells(self, column: str, pairs: Sequence[tuple[str, str]], criterion: str) -> Sequence[float]:
        """See `Judge`."""
        return [float(self.canonical(answer) == self.canonical(gold)) for answer, gold in pairs]

    def canonical(self, text: str) -> str:
        """The form in which two strings are compared."""
        return text.lower().replace(" ", "").replace("*", "")

    def _align(self, values: Sequence[str], reference: Sequence[str]) -> dict[str, str]:
        known: dict[str, str] = {}
        for value in reference:
            known.setdefault(self.canonical(value), value)
        exact = set(reference)
        return {
            value: value if value in exact else known[self.canonical(value)]
            for value in values
            if self.canonical(value) in known
        }


class AliasJudge(ExactJudge):
    """Knows a world's aliases: two strings mean the same when they fold alike or name the same thing.

    Args:
        aliases: Surface form to canonical form, in any case and spacing. Labels of columns may be among them.
    """

    def __init__(self, aliases: Mapping[str, str] | None = None) -> None:
        self._canonical = {fold(surface): fold(canonical) for surface, canonical in (aliases or {}).items()}

    def canonical(self, text: str) -> str:
        """The folded canonical name of what the text names, or the folded text."""
        folded = fold(text)
        return self._canonical.get(folded, folded)

    def _align(self, values: Sequence[str], reference: Sequence[str]) -> dict[str, str]:
        same: dict[str, str] = {}
        for value in reference:
            same.setdefault(fold(value), value)
        return {**super()._align(values, reference), **{v: same[fold(v)] for v in values if fold(v) in same}}
