"""What proofs say: one result each, with what was checked and what was found wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ProofResult:
    """The outcome of one proof.

    Attributes:
        name: Which proof, e.g. `statements.value`.
        passed: Whether nothing was found wrong.
        checked: How many things were looked at; a proof that looked at nothing where there was something fails.
        detail: The finding in a line: figures where it passed, the first failures where not.
        failures: Up to five failures in full.
    """

    name: str
    passed: bool
    checked: int
    detail: str
    failures: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "name": self.name,
            "passed": self.passed,
            "checked": self.checked,
            "detail": self.detail,
            "failures": list(self.failures),
        }


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All results of one `check`."""

    results: tuple[ProofResult, ...]
    seconds: float

    @property
    def passed(self) -> bool:
        """True where every proof passed."""
        return all(result.passed for result in self.results)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON: ``{"passed", "seconds", "proofs": […]}``."""
        return {
            "passed": self.passed,
            "seconds": round(self.seconds, 3),
            "proofs": [result.to_json() for result in self.results],
        }


def result(name: str, checked: int, failures: Iterable[str], detail: str = "") -> ProofResult:
    """A result from the failures found; passes where there are none."""
    found = list(failures)
    shown = tuple(found[:_SHOWN])
    if not found:
        return ProofResult(name, passed=True, checked=checked, detail=detail)
    more = f" (+{len(found) - 1} more)" if len(found) > 1 else ""
    return ProofResult(name, passed=False, checked=checked, detail=f"{found[0]}{more}", failures=shown)
