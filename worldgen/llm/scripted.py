"""A model in process that keeps to a script and records what it was asked: for tests, without a server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from worldgen.errors import CallerError
from worldgen.llm.model import Reply, Request
from worldgen.thinking import split_thinking


class ScriptedModel:
    """A model in process that keeps to a script and records what it was asked.

    Args:
        replies: Replies in order (texts, which may think aloud, whole replies, or errors to raise), or a function of
            the request.
        name: Its name.

    Attributes:
        requests: What was asked, in order.
    """

    def __init__(
        self,
        replies: Iterable[str | Reply | BaseException] | Callable[[Request], str | Reply | BaseException],
        *,
        name: str = "scripted",
    ) -> None:
        self.name = name
        self.requests: list[Request] = []
        self._say = replies if callable(replies) else None
        self._left: Iterator[str | Reply | BaseException] = iter(()) if callable(replies) else iter(list(replies))

    async def complete(self, request: Request) -> Reply:
        """The next reply of the script.

        Raises:
            CallerError: The script has ended.
        """
        self.requests.append(request)
        said = next(self._left, None) if self._say is None else self._say(request)
        if said is None:
            raise CallerError("fake.script-ended", "the script has no reply left", got=f"{len(self.requests)} requests")
        if isinstance(said, BaseException):
            raise said
        if isinstance(said, Reply):
            return said
        thought, rest = split_thinking(said)
        return Reply(text=rest, thinking=thought, model=self.name)
