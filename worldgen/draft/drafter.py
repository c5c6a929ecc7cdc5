"""The draft: a model is asked piece by piece, and again for what is wrong with what it wrote.

All that is asked goes through the model's cache, at a seed and a temperature of its own, so that a draft is drawn again
for nothing. The file at hand is written before each trial: whatever ends a draft, what was written last is there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from worldgen.draft import asking
from worldgen.draft.assembly import assemble, doubled, dump
from worldgen.draft.documents import Document
from worldgen.draft.pieces import Details, Frame, Piece, Rules, shape
from worldgen.draft.trial import FRAME, RULES, Trouble, built, rehearsed
from worldgen.errors import CallerError, SchemaError, ServiceError
from worldgen.llm.model import Message, Reply, Request, Sampling
from worldgen.records import Language
from worldgen.schema import Schema

ROUNDS = 4
_REPORTED = 12
_LONGEST = 200_000
Report = Callable[[str], None]


class Asks(Protocol):
    """A model as synchronous code asks it; `worldgen.llm.Blocking` is one."""

    @property
    def name(self) -> str:
        """What it is called."""

    def complete(self, request: Request) -> Reply:
        """Answer a request, or raise `ModelError`."""


@dataclass(frozen=True, slots=True)
class Drafting:
    """What is to be drafted, and how.

    Attributes:
        premise: What the world is to be, in words; may be empty where there are documents.
        documents: Material.
        languages: Of the world.
        rounds: How often it is mended at most.
        seed: Of the model's draws, and of the world that is built on trial.
        temperature: Of the model's draws.
        max_tokens: Of one reply.
        prove: Whether a world is built with all proofs before the draft counts as done.
    """

    premise: str = ""
    documents: Sequence[Document] = ()
    languages: tuple[Language, ...] = ("en",)
    rounds: int = ROUNDS
    seed: int = 7
    temperature: float = 0.6
    max_tokens: int = 8_192
    prove: bool = True

    def __post_init__(self) -> None:
        """Raise where there is nothing to draft from."""
        if not self.premise.strip() and not self.documents:
            raise CallerError(
                "draft.nothing", "there is nothing to draft from", expected="a premise, or documents",
                fix='give --premise "…" or --from FILE',
            )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Draft:
    """What came of it.

    Attributes:
        path: The file.
        complete: Whether it is a schema that passed its trial. Else the file ends in ``.draft.yaml`` and is what was
            tried last, or, where there was nothing to try, what the model replied.
        rounds: How often it was mended.
        replies: How many replies the model gave.
        problems: What is still wrong.
        schema: The schema, where it is complete.
    """

    path: Path
    complete: bool
    rounds: int
    replies: int
    problems: tuple[Trouble, ...] = ()
    schema: Schema | None = None


def draft(
    asks: Asks, told: Drafting, out: str | os.PathLike[str] | None = None, *, force: bool = False,
    report: Report | None = None,
) -> Draft:  # fmt: skip
    """Have a model draft a schema into a file.

    Args:
        asks: The model.
        told: What is to be drafted.
        out: The file, ending in ``.yaml``; by default ``<world>.yaml`` in the present folder.
        force: Whether a file that stands there may be replaced.
        report: Called with a line for each piece that is asked for and each trial.

    Raises:
        ModelError: The model does not answer; a second call goes on from the cache.
        CallerError: The file's name is none, or it stands there already.
        ServiceError: The file cannot be written.
    """
    place = None if out is None else Path(out)
    if place is not None and place.suffix != ".yaml":
        raise CallerError("draft.name", "a schema's name ends in .yaml", path=place, fix=f"call it {place.stem}.yaml")
    work = _Work(asks, told, place, report or (lambda line: None), force=force)
    if place is not None:
        work.free(place)
    return work.run()


@dataclass(slots=True)
class _Asked:
    """A piece: what was last written of it, and what is wrong with that."""

    said: str = ""
    value: Piece | None = None
    problems: list[str] = field(default_factory=list)


class _Work:
    """One draft under way."""

    def __init__(self, asks: Asks, told: Drafting, place: Path | None, report: Report, *, force: bool) -> None:
        self._asks = asks
        self._told = told
        self._place = place
        self._report = report
        self._force = force
        self._pieces: dict[str, _Asked] = {}
        self._replies = 0
        self._schema: Schema | None = None
        self._assembled = False

    def run(self) -> Draft:
        """Ask and mend until nothing is wrong, or the rounds are used up."""
        mended = 0
        while True:
            troubles = self._advance()
            if not troubles or mended == self._told.rounds:
                return self._ended(mended, troubles)
            mended += 1
            self._report(f"round {mended}: {len(troubles)} problem{'s' * (len(troubles) > 1)} to mend")
            for piece, error in troubles:
                self._pieces[piece].problems.append(asking.problem(error))

    def free(self, place: Path) -> None:
        """Raise where another file stands in a place."""
        if place.exists() and not self._force:
            raise CallerError("draft.exists", "a file stands there already", path=place, fix="--force replaces it")

    def _ended(self, mended: int, troubles: Sequence[Trouble]) -> Draft:
        draft = self._file()
        if troubles:
            if not self._assembled:
                self._save({name: piece.said for name, piece in self._pieces.items()})
            return Draft(draft, complete=False, rounds=mended, replies=self._replies, problems=tuple(troubles))
        path = self._final()
        draft.replace(path)
        return Draft(path, complete=True, rounds=mended, replies=self._replies, schema=self._schema)

    def _advance(self) -> list[Trouble]:
        """Ask for what is missing or wrong, and try out what there is; what is wrong then."""
        told = self._told
        wrong = self._ask(FRAME, Frame)
        if not wrong:
            self.free(self._final())
            for thing in self._frame.entities:
                wrong += self._ask(thing.name, Details)
        wrong = wrong or self._tried()
        if wrong:
            return wrong
        if not self._pieces.get(RULES):
            wrong = self._ask(RULES, Rules) or self._tried()
        if wrong or not told.prove:
            return wrong
        self._report(f"building a world of seed {told.seed} with all proofs")
        assert self._schema is not None
        found = built(self._file(), self._schema, told.seed, told.languages)
        return found if isinstance(found, list) else []

    @property
    def _frame(self) -> Frame:
        value = self._pieces[FRAME].value
        assert isinstance(value, Frame)
        return value

    def _details(self) -> dict[str, Details]:
        found = {thing.name: self._pieces[thing.name].value for thing in self._frame.entities}
        return {name: value for name, value in found.items() if isinstance(value, Details)}

    def _rules(self) -> Rules | None:
        value = self._pieces[RULES].value if RULES in self._pieces else None
        return value if isinstance(value, Rules) else None

    def _tried(self) -> list[Trouble]:
        """Write the schema and rehearse it."""
        rules = self._pieces.get(RULES)
        if rules is not None and rules.problems:
            problem = self._ask(RULES, Rules)
            if problem:
                return problem
        twice = [
            Trouble(
                piece, SchemaError("draft.twice", f"two things are called {name}", fix="rename one, or leave it out")
            )
            for piece, name in doubled(self._frame, self._details(), self._rules())
        ]
        if twice:
            return twice
        path = self._save(assemble(self._frame, self._details(), self._rules(), self._told.languages))
        self._assembled = True
        self._report("trying it out")
        found = rehearsed(path, self._told.seed)
        if isinstance(found, list):
            return found
        self._schema = found
        return []

    def _final(self) -> Path:
        """Where the schema will lie."""
        asked = self._pieces.get(FRAME)
        world = asked.value.world if asked is not None and isinstance(asked.value, Frame) else "world"
        return self._place or Path(f"{world}.yaml")

    def _file(self) -> Path:
        """Where the draft lies until it is whole."""
        place = self._final()
        return place.with_name(f"{place.stem}.draft.yaml")

    def _save(self, told: Mapping[str, Any]) -> Path:
        path = self._file()
        try:
            path.write_text(dump(told, asking.head(self._asks.name, self._told)), "utf-8")
        except OSError as error:
            raise ServiceError(
                "draft.unwritable", "the draft cannot be written", path=path, got=error.strerror
            ) from error
        return path

    def _ask(self, name: str, kind: type[Piece]) -> list[Trouble]:
        """Ask for a piece where there is none, or something is wrong with it; what cannot be read of the reply."""
        piece = self._pieces.setdefault(name, _Asked())
        if piece.value is not None and not piece.problems:
            return []
        self._report(f"asking for {name}" if not piece.said else f"asking for {name} again")
        reply = self._asks.complete(self._request(name, kind, piece))
        self._replies += 1
        piece.said, piece.problems = reply.text[:_LONGEST], []
        try:
            piece.value = kind.model_validate_json(piece.said)
            return []
        except ValidationError as error:
            return [Trouble(name, problem) for problem in asking.unreadable(error, reply)][:_REPORTED]

    def _request(self, name: str, kind: type[Piece], piece: _Asked) -> Request:
        told = self._told
        entities = [] if kind is Frame else [thing.name for thing in self._frame.entities]
        messages = [Message("system", asking.system()), Message("user", self._question(name))]
        if piece.problems:
            messages += [Message("assistant", piece.said), Message("user", asking.again(piece.problems[:_REPORTED]))]
        sampling = Sampling(temperature=told.temperature, max_tokens=told.max_tokens, seed=told.seed)
        return Request(tuple(messages), sampling, shape(kind, told.languages, asking.lists(entities)))

    def _question(self, name: str) -> str:
        if name == FRAME:
            return asking.frame(self._told.premise, self._told.documents, self._told.languages)
        if name == RULES:
            assert self._schema is not None
            return asking.rules(self._frame, self._schema)
        return asking.details(self._frame, name, dict(self._before(name)), self._told.languages)

    def _before(self, name: str) -> Iterator[tuple[str, Details]]:
        """The details of the kinds before one, which it may refer to."""
        for thing in self._frame.entities:
            if thing.name == name:
                return
            value = self._pieces[thing.name].value
            if isinstance(value, Details):
                yield thing.name, value
