"""What a call meets that is refused: a status as of HTTP, and the line that an agent reads."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus


@dataclass(frozen=True, slots=True)
class Refusal:
    """A call that was not carried out.

    Attributes:
        status: 429, or 500 to 599.
        text: What the agent reads; begins with ``Error:`` and says that the call may be tried again.
        retry_after: Seconds to wait, where the service says so.
    """

    status: int
    text: str
    retry_after: int | None = None


def refusal(status: int, *, retry_after: int | None = None) -> Refusal:
    """The refusal of a status.

    >>> refusal(429, retry_after=2).text
    'Error: 429 Too Many Requests. Try again in 2 seconds.'
    >>> refusal(503).text
    'Error: 503 Service Unavailable. Try again.'
    """
    when = "" if retry_after is None else f" in {retry_after} second{'s' if retry_after != 1 else ''}"
    return Refusal(status, f"Error: {status} {HTTPStatus(status).phrase}. Try again{when}.", retry_after)
