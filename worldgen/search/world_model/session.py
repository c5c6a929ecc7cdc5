"""One episode's conversation with a world model: what it was asked, what it wrote, what stood in the end.

Everything that a model contributes passes through `Session.ask`: it asks, has the reply judged, asks again with what
was wrong, and gives up after so many attempts. Replies are kept as they came, so that a record of them plays again
without a model and is judged again as it plays.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, Protocol, TypeVar

from worldgen.errors import CallerError, ServiceError
from worldgen.llm.model import Message, ModelError, Reply, Request, Sampling, Shape
from worldgen.records import Outcome, Written
from worldgen.search.world_model.instructions import Instruction
from worldgen.search.world_model.prompt import ask_again, turn_text
from worldgen.search.world_model.turns import (
    LONGEST_REPLY,
    MalformedReply,
    action_text,
    observation_text,
    read_observation,
)

T = TypeVar("T")
ATTEMPTS = 3
HISTORY = 40_000


class Asks(Protocol):
    """A model as synchronous code asks it; `worldgen.llm.Blocking` is one."""

    def complete(self, request: Request) -> Reply:
        """Answer a request, or raise `ModelError`."""


@dataclass(frozen=True, slots=True)
class Objection:
    """What is wrong with a reply: a code that is counted, and words for the model that wrote it."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Judged(Generic[T]):
    """A reply that was judged.

    Attributes:
        value: What can be used of it, whether or not there are objections; None where nothing can.
        objections: What is wrong; none where it stands.
    """

    value: T | None
    objections: tuple[Objection, ...] = ()


class Session:
    """A conversation; not safe to use from several threads, as an episode is not.

    Args:
        asks: The model; None where a record is played that needs none.
        system: The system prompt.
        sampling: How replies are drawn.
        attempts: Replies to one action at most.
        instructions: Simulation instructions; those for single turns are told with the turns they concern.
        language: Of the instructions.
        seed: Draws the turns that an instruction for a share of them concerns.
        history: Characters of earlier turns that are sent along at most; the oldest are left out first.

    Attributes:
        turn: The number of the call that is being answered, from 1.
        told: The instructions under which it is: those told for the turn, and those for all turns of its tool.
    """

    def __init__(
        self,
        asks: Asks | None,
        system: str,
        *,
        sampling: Sampling | None = None,
        attempts: int = ATTEMPTS,
        instructions: Sequence[Instruction] = (),
        language: Literal["en", "zh"] = "en",
        seed: int = 0,
        history: int = HISTORY,
    ) -> None:
        self._asks = asks
        self._system = system
        self._sampling = sampling or Sampling()
        self._attempts = attempts
        self._instructions = tuple(instructions)
        self._language = language
        self._seed = seed
        self._bound = history
        self._recorded: deque[str | ModelError] = deque()
        self._turns: list[tuple[str, str]] = []
        self._written: list[Written] = []
        self._left_out = 0
        self._replies: list[str] = []
        self._reasons: list[str] = []
        self.turn = 0
        self.told: tuple[Instruction, ...] = ()

    def expect(self, written: Iterable[Written]) -> None:
        """Take the replies and failures of a record, in their order, before the model is asked."""
        for answer in written:
            self._recorded.extend(answer.replies)
            if answer.failure:
                self._recorded.append(ModelError(answer.failure, "the model failed when this was recorded"))

    @property
    def expecting(self) -> bool:
        """Whether replies of a record are left."""
        return bool(self._recorded)

    def ask(
        self,
        action: str,
        name: str,
        arguments: Mapping[str, Any],
        judge: Callable[[str], Judged[T]],
        *,
        material: str = "",
    ) -> T | None:
        """Have the model answer a tool call.

        Args:
            action: ``search`` or ``open``, for the record.
            name: The tool.
            arguments: What it was called with.
            judge: What to make of an observation; called with each that can be read.
            material: What this turn may draw on, and how; it is not sent again in later turns.

        Returns:
            What the last judgement had to offer, objections or not; None where there was no readable reply. Whether it
            stands is told by the record that `taken` gives.
        """
        self.turn += 1
        for_turn = [i for i in self._instructions if i.concerns(self.turn, name, self._seed)]
        always = [i for i in self._instructions if i.level == "trajectory" and name in i.actions]
        self.told = (*always, *for_turn)
        asked = turn_text(self.turn, name, arguments, for_turn, self._language, material=material)
        messages = [*self._context(), Message("user", asked)]
        replies = self._replies = []
        attempts = 0
        reasons = self._reasons = []
        value: T | None = None
        failure = ""
        stands = False
        for _ in range(self._attempts):
            try:
                said = self._said(Request(tuple(messages), self._sampling))
                replies.append(said)
                attempts += 1
                judged = _judged(said, judge)
            except ModelError as error:
                failure = error.code
                reasons.append(failure)
                break
            value = judged.value if judged.value is not None else value
            reasons += [objection.code for objection in judged.objections]
            stands = not judged.objections
            if stands:
                break
            messages += [Message("assistant", said), Message("user", ask_again(_told(judged.objections)))]
        outcome: Outcome = "fallback" if not stands else "accepted" if attempts == 1 else "repaired"
        self._written.append(Written(action, outcome, tuple(dict.fromkeys(reasons)), tuple(replies), failure))
        return value

    def aside(self, messages: Sequence[Message], shape: Shape) -> str:
        """Ask the model something that is no part of the conversation, at temperature 0; only a judge may call it.

        The reply is recorded among those of the turn, so that a record plays again without the model.

        Raises:
            ModelError: The model did not answer; the turn ends with it.
        """
        said = self._said(Request(tuple(messages), replace(self._sampling, temperature=0.0), shape))
        self._replies.append(said)
        return said

    def note(self, reason: str) -> None:
        """Add a reason to the record of the turn without objecting; only a judge may call it."""
        self._reasons.append(reason)

    def shown(self, name: str, arguments: Mapping[str, Any], observation: str) -> None:
        """Remember what the agent was shown in answer to the call that was last asked."""
        self._turns.append((action_text(self.turn, name, arguments), observation_text(observation)))

    def taken(self) -> tuple[Written, ...]:
        """How the answers since the last time came about; asking forgets them."""
        found = tuple(self._written)
        self._written.clear()
        return found

    def _context(self) -> list[Message]:
        """The system prompt and the latest turns.

        Beyond the bound, turns are left out until half of it is free: most requests then begin like the one before,
        and a server finds their beginning in its cache.
        """
        kept = self._turns[self._left_out :]
        if sum(len(asked) + len(seen) for asked, seen in kept) > self._bound:
            while kept and sum(len(asked) + len(seen) for asked, seen in kept) > self._bound // 2:
                kept = kept[1:]
            self._left_out = len(self._turns) - len(kept)
        messages = [Message("system", self._system)]
        for asked, seen in kept:
            messages += [Message("user", asked), Message("assistant", seen)]
        return messages

    def _said(self, request: Request) -> str:
        """The next reply, of the record or of the model."""
        if self._recorded:
            said = self._recorded.popleft()
            if isinstance(said, ModelError):
                raise said
            return said
        if self._asks is None:
            raise CallerError(
                "world-model.no-model",
                "the record has no further replies, and no model is at hand",
                fix="give the backend with which the episode is to go on",
            )
        try:
            # More than this is refused for its length, and need not be kept to show that it was.
            return self._asks.complete(request).text[: LONGEST_REPLY + 1]
        except ModelError:
            raise
        except (CallerError, ServiceError) as error:
            raise ModelError(error.code, error.message) from error


def _judged(said: str, judge: Callable[[str], Judged[T]]) -> Judged[T]:
    try:
        return judge(read_observation(said))
    except MalformedReply as error:
        return Judged(None, (Objection(error.code, error.message),))


def _told(objections: Sequence[Objection]) -> list[str]:
    return list(dict.fromkeys(objection.message for objection in objections))
