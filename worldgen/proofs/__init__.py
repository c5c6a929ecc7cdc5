"""The independent checks of a built world: `check` re-derives everything from the files.

Nothing here imports the generator (`worldgen.facts`, `worldgen.corpus`, `worldgen.audit`): the proofs have a reader of
values, an evaluator of queries and a table of words of their own.
"""

from worldgen.proofs.check import check
from worldgen.proofs.report import CheckReport, ProofResult

__all__ = ["CheckReport", "ProofResult", "check"]
