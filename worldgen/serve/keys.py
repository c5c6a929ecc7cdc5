"""Who may do what: an agent's key for tools, a trainer's for episodes and rewards, compared in constant time."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass

from worldgen.errors import CallerError


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a server.

    Attributes:
        trainer: Opens everything.
        agent: Opens the tools; None leaves them open to whoever reaches the server.
    """

    trainer: str
    agent: str | None = None

    @classmethod
    def make(cls, trainer: str | None, agent: str | None) -> Keys:
        """Keys as given; a trainer's key is drawn where none is.

        Raises:
            CallerError: A key is too short to be one, or both are the same.
        """
        for whose, key in (("trainer", trainer), ("agent", agent)):
            if key is not None and len(key) < 8:
                raise CallerError("serve.short-key", f"the {whose}'s key is too short", expected="8 characters or more")
        if trainer is not None and trainer == agent:
            raise CallerError(
                "serve.same-key", "agent and trainer have the same key", fix="an agent must not see rewards"
            )
        return cls(trainer or secrets.token_urlsafe(24), agent)

    def is_trainer(self, given: str) -> bool:
        """Whether that is the trainer's key."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.trainer.encode())

    def is_agent(self, given: str) -> bool:
        """Whether that opens the tools: the agent's key, or the trainer's, or any where there is no agent's key."""
        if self.agent is None:
            return True
        agent = hmac.compare_digest(given.encode("utf-8", "replace"), self.agent.encode())
        return self.is_trainer(given) or agent


def bearer(authorization: str) -> str:
    """The key in an ``Authorization`` header; empty where there is none.

    >>> bearer("Bearer abc"), bearer("Basic abc"), bearer("")
    ('abc', '', '')
    """
    scheme, _, key = authorization.partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""
