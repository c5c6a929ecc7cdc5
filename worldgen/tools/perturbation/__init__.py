"""Faults on demand, seeded per episode: a fault delays or refuses a reply, and never changes what a page says.

`read_plan` reads a plan; `Perturbation` applies it to the tools of one episode and notes what it did, for the
trajectory alone: an agent sees the fault as it would see one of a real service, never its label.
"""

from worldgen.tools.perturbation.faults import FAULTS, Fault
from worldgen.tools.perturbation.plan import (
    PerturbationPlan,
    parse_plan,
    plan_file,
    plan_named,
    read_plan,
    shipped_plans,
)
from worldgen.tools.perturbation.refusal import Refusal
from worldgen.tools.perturbation.running import Perturbation

__all__ = [
    "FAULTS",
    "Fault",
    "Perturbation",
    "PerturbationPlan",
    "Refusal",
    "parse_plan",
    "plan_file",
    "plan_named",
    "read_plan",
    "shipped_plans",
]
