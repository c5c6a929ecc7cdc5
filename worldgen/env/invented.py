"""What a recorded episode in free mode has established: its replies are judged once more, without model or world."""

from __future__ import annotations

from worldgen.env.trajectory import Trajectory
from worldgen.errors import CallerError
from worldgen.schema import Schema
from worldgen.search.engine import WITHHOLDINGS
from worldgen.search.world_model.backend import check_instruction, read_simulation
from worldgen.search.world_model.free import FreeEngine
from worldgen.search.world_model.ledger import Ledger
from worldgen.search.world_model.session import Session
from worldgen.tools import Perturbation, Toolbox
from worldgen.tools.perturbation import parse_plan


def invents(record: Trajectory) -> bool:
    """Whether an episode was one in free mode, so that it has a ledger."""
    return bool(record.start.backend) and read_simulation(record.start.backend).mode == "free"


def ledger_of(record: Trajectory, schema: Schema) -> Ledger:
    """The ledger that an episode in free mode ended with.

    Args:
        record: Of the episode.
        schema: Of the world in which it was.

    Raises:
        CallerError: Judged by this schema the record comes to something else than it holds.
    """
    start = record.start
    simulation = read_simulation(start.backend)
    session = Session(
        None,
        "",
        attempts=simulation.attempts,
        instructions=[check_instruction(name, "free") for name in simulation.instructions],
        seed=start.seed,
    )
    engine = FreeEngine(session, schema)
    faults = Perturbation(parse_plan(start.perturbation), start.seed) if start.perturbation else None
    if start.withholding not in WITHHOLDINGS:
        raise _differs(0, f"the withholding {start.withholding!r}")
    toolbox = Toolbox(engine, withholding=WITHHOLDINGS[start.withholding], perturbation=faults)
    for number, step in enumerate(record.steps, 1):
        session.expect(step.written)
        try:
            seen = toolbox.observe(step.name, step.arguments)
        except CallerError as error:  # it asks for a reply that the record does not have
            raise _differs(number, error.message) from error
        if session.expecting or (seen.text, seen.status) != (step.observation, step.status):
            raise _differs(number, seen.text[:200])
    return engine.ledger


def _differs(number: int, got: str) -> CallerError:
    return CallerError(
        "env.other-record",
        f"call {number} of the record comes to something else by this schema",
        expected="the schema of the world in which the episode was, and a record that nobody has changed",
        got=got,
    )
