"""What answers an episode's searches in the index's place: a model, a mode, and how it is asked; a record holds it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Protocol, get_args

from worldgen.errors import CallerError, expect
from worldgen.llm.model import Sampling
from worldgen.records import Language
from worldgen.schema import Schema
from worldgen.search.engine import Simulated
from worldgen.search.world_model.instructions import Instruction, shipped_instruction
from worldgen.search.world_model.inventions import describe_inventions
from worldgen.search.world_model.prompt import describe_world, system_prompt
from worldgen.search.world_model.session import ATTEMPTS, Asks, Session
from worldgen.store import Manifest

Mode = Literal["grounded", "free"]
Audit = Literal["strict", "lenient"]
MAX_TOKENS = 8_192
_MOST_ATTEMPTS = 10
_SEEDS = 2**63


class Simulator(Simulated, Protocol):
    """A search engine that a model plays; its session takes the replies of a record.

    Attributes:
        session: The conversation behind it.
    """

    session: Session


@dataclass(frozen=True, slots=True)
class Simulation:
    """How a world model stands in for the search engine: all that decides what it is asked.

    Attributes:
        mode: ``grounded``: the index decides, the model writes; ``free``: the model invents from the premise.
        model: Its name on the server.
        attempts: Replies to one action at most, 1 to 10.
        temperature: Of its sampling, 0 to 2.
        max_tokens: Of one reply.
        seed: Of its sampling, where the server takes one; in free mode the seed of the episode is added.
        audit: Of grounded mode: ``strict`` refuses words that are not plain, ``lenient`` takes them.
        instructions: Names of simulation instructions; see `worldgen.search.world_model.instructions`.
    """

    mode: Mode = "grounded"
    model: str = ""
    attempts: int = ATTEMPTS
    temperature: float = 0.6
    max_tokens: int = MAX_TOKENS
    seed: int = 0
    audit: Audit = "strict"
    instructions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise _wrong("unknown mode", " or ".join(get_args(Mode)), repr(self.mode))
        if self.audit not in get_args(Audit):
            raise _wrong("unknown audit", " or ".join(get_args(Audit)), repr(self.audit))
        expect(self.model, str, "model")
        for name in ("attempts", "max_tokens", "seed"):
            expect(getattr(self, name), int, name)
        expect(self.temperature, float, "temperature")
        if not 1 <= self.attempts <= _MOST_ATTEMPTS:
            raise _wrong("wrong number of attempts", f"1 to {_MOST_ATTEMPTS}", str(self.attempts))
        if not 0 <= self.temperature <= 2:
            raise _wrong("wrong temperature", "0 to 2", str(self.temperature))
        if self.max_tokens < 1 or not 0 <= self.seed < _SEEDS:
            raise _wrong("wrong sampling", "max_tokens from 1, a seed from 0", f"{self.max_tokens}, {self.seed}")

    @property
    def sampling(self) -> Sampling:
        """How replies are drawn."""
        return Sampling(self.temperature, max_tokens=self.max_tokens, seed=self.seed)

    def text(self) -> str:
        """One line of JSON, as a record holds it."""
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Backend:
    """A simulation and the model that plays it; without a model only records can be played."""

    simulation: Simulation
    asks: Asks | None = None


def read_simulation(text: str) -> Simulation:
    """The simulation that a record holds.

    Raises:
        CallerError: It is none.

    >>> read_simulation(Simulation("free", "m").text()) == Simulation("free", "m")
    True
    """
    try:
        raw: Any = json.loads(text)
        return Simulation(**{**raw, "instructions": tuple(map(str, raw.get("instructions", ())))})
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise _wrong("this is no simulation", "its line of JSON", f"{text[:80]!r}: {error}") from error


def open_session(
    simulation: Simulation,
    asks: Asks | None,
    *,
    manifest: Manifest,
    schema: Schema,
    tools: Sequence[Mapping[str, Any]],
    seed: int = 0,
) -> Session:
    """The conversation of one episode.

    Args:
        simulation: How the model is asked.
        asks: The model; None where only a record is played.
        manifest: Of the world: its setting and languages.
        schema: Of the world: with these all that the system prompt tells of it.
        tools: What can be called, as function schemas.
        seed: Of the episode: it draws the turns that instructions concern, and in free mode varies the sampling, so
            that no two episodes are of one web. What is asked in grounded mode is the same whatever the seed.
    """
    language: Language = "zh" if list(manifest.languages) == ["zh"] else "en"
    sampling = simulation.sampling
    if simulation.mode == "free":
        sampling = replace(sampling, seed=(simulation.seed + seed) % _SEEDS)
    instructions = [check_instruction(name, simulation.mode) for name in simulation.instructions]
    state = describe_world(schema, manifest.languages, setting=manifest.setting)
    if simulation.mode == "free":
        state = f"{state}\n\n{describe_inventions(schema, language)}"
    system = system_prompt(
        "search" if simulation.mode == "grounded" else "free",
        tools=tools,
        state=state,
        instructions=instructions,
        language=language,
    )
    return Session(
        asks,
        system.text(),
        sampling=sampling,
        attempts=simulation.attempts,
        instructions=instructions,
        language=language,
        seed=seed,
    )


def check_instruction(name: str, mode: Mode) -> Instruction:
    """A shipped instruction that can be followed in a mode.

    Raises:
        CallerError: There is none of that name, or it would have the model change what the index finds.
    """
    found = shipped_instruction(name)
    if mode not in found.modes:
        raise CallerError(
            "world-model.instruction-mode",
            f"the instruction {name!r} cannot be followed in {mode} mode, where the index decides what is found",
            expected="the free mode, or another instruction",
            fix="faults in grounded mode are what a perturbation plan is for",
        )
    return found


def _wrong(message: str, expected: str, got: str) -> CallerError:
    return CallerError("world-model.simulation", message, expected=expected, got=got)
