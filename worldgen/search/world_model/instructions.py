"""Simulation instructions: what a world model is told to do in an episode or in some of its turns; YAML files.

An instruction is words for the model and a rule by which code can tell whether it was followed. `shipped` lists those
that come with worldgen; a file of one's own has the same form.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from worldgen.errors import CallerError, did_you_mean
from worldgen.schema.problems import SchemaErrors
from worldgen.schema.shelf import Shelf
from worldgen.schema.strict import read_yaml
from worldgen.seeds import stream

_SHELF = Shelf(Path(__file__).parent / "instructions", "instruction", "instruction", 50_000)


class Verifier(BaseModel):
    """What can tell whether an instruction was followed: a rule of `worldgen.scoring.verifiers`, and its data."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=60)
    data: dict[str, Any] = Field(default_factory=dict)


class Instruction(BaseModel):
    """One instruction.

    Attributes:
        name: By which it is chosen.
        level: ``trajectory``: told once, for all turns; ``turn``: told with the turns it concerns.
        text: The words, by language; English is needed.
        about: What it is for, in a sentence.
        actions: Tools whose turns it concerns.
        every: Of a turn instruction: it concerns each n-th turn.
        turns: Of a turn instruction: the turns it concerns, from 1.
        share: Of a turn instruction: the share of turns that it concerns, drawn by the episode's seed.
        modes: In which it can be followed: where the index decides, a model cannot change what is found.
        allows: What an answer may be under it in free mode, which then holds for that call alone: ``error``, a line
            that says so; ``nothing``; ``part`` of the results or of a page.
        verifier: What can tell whether it was followed; None where nothing can.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z][a-z0-9-]{0,59}$")
    level: Literal["trajectory", "turn"]
    text: dict[Literal["en", "zh"], str]
    about: str = Field(default="", max_length=400)
    actions: tuple[str, ...] = ("web_search", "web_extractor")
    every: int | None = Field(default=None, ge=1)
    turns: tuple[int, ...] = ()
    share: float | None = Field(default=None, gt=0, le=1)
    modes: tuple[Literal["grounded", "free"], ...] = ("grounded", "free")
    allows: Literal["error", "nothing", "part"] | None = None
    verifier: Verifier | None = None

    @model_validator(mode="after")
    def _whole(self) -> Instruction:
        if not self.text.get("en", "").strip():
            raise ValueError("the English text is missing")
        chosen = [self.every is not None, bool(self.turns), self.share is not None]
        if self.level == "turn" and sum(chosen) != 1:
            raise ValueError("a turn instruction has one of every, turns and share")
        if self.level == "trajectory" and any(chosen):
            raise ValueError("an instruction for the trajectory concerns all turns")
        return self

    def said(self, language: str = "en") -> str:
        """The words in a language, English where there are none."""
        words = {str(key): text for key, text in self.text.items()}
        return " ".join((words.get(language) or words["en"]).split())

    def concerns(self, turn: int, tool: str, seed: int = 0) -> bool:
        """Whether it is told with a turn, counted from 1."""
        if self.level != "turn" or tool not in self.actions:
            return False
        if self.share is not None:
            return stream(seed, "instruction", self.name, turn).chance(self.share)
        return turn in self.turns if self.turns else self.every is not None and turn % self.every == 0


def shipped() -> dict[str, Path]:
    """The instructions that come with worldgen, by name.

    >>> "withhold-answers" in shipped()
    True
    """
    return _SHELF.shipped()


def instruction(source: str | os.PathLike[str]) -> Instruction:
    """An instruction by the name of a shipped one, or from a file.

    Raises:
        CallerError: There is none, or it is wrong; with file and line.
    """
    return parse_instruction(_SHELF.text(source), file=str(_SHELF.path(source)))


@cache
def shipped_instruction(name: str) -> Instruction:
    """A shipped instruction, by name and never by a path."""
    known = shipped()
    if name not in known:
        raise CallerError(
            "instruction.unknown",
            f"no instruction is called {name!r}",
            expected=" or ".join(known),
            fix=did_you_mean(name, known),
        )
    return instruction(name)


def parse_instruction(text: str, *, file: str | None = None) -> Instruction:
    """Read an instruction given as text; see `instruction`."""
    try:
        document = read_yaml(text, file)
        return Instruction.model_validate(document.value)
    except SchemaErrors as errors:
        first = errors.problems[0]
        raise _wrong(first.message, file, first.line, first.expected, first.got) from errors
    except ValidationError as error:
        first_error = error.errors(include_url=False)[0]
        where: Sequence[Any] = first_error["loc"]
        message = f"`{'.'.join(map(str, where))}` is wrong" if where else "the instruction is wrong"
        line = document.lines.at(tuple(where))
        raise _wrong(message, file, line, first_error["msg"], repr(first_error["input"])[:100]) from error


def _wrong(message: str, file: str | None, line: int | None, expected: str | None, got: str | None) -> CallerError:
    return CallerError("instruction.wrong", message, path=file, line=line, expected=expected, got=got)


def dump(given: Instruction) -> str:
    """An instruction as YAML text, which `parse_instruction` reads."""
    return yaml.safe_dump(given.model_dump(mode="json", exclude_defaults=True), allow_unicode=True, sort_keys=False)
