"""Which model rewrites a world's prose, and how it is asked: plain data that decides the world's identity."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worldgen.llm.blocking import Blocking
from worldgen.llm.breaker import Breaker
from worldgen.prose.asking import PROMPTS
from worldgen.settings import Settings

RULES = 1
"""Version of the rules by which a rewritten sentence is taken or refused."""


@dataclass(frozen=True, slots=True)
class Prose:
    """A model that rewrites prose.

    Attributes:
        model: Its name on its server.
        url: The server's address, up to and with ``/v1``.
        cache: Folder of its replies; without one a second build is neither free nor sure to be the same.
        seed: Of its draws.
        temperature: Of its draws.
        max_tokens: Of one reply.
        jobs: Requests at once.
    """

    model: str
    url: str
    cache: Path | None = None
    seed: int = 0
    temperature: float = 0.7
    max_tokens: int = 4_096
    jobs: int = 8

    @property
    def identity(self) -> dict[str, str | int | float]:
        """What decides the words: everything but where the model is served, where replies lie and how many at once."""
        return {
            "model": self.model,
            "prompts": PROMPTS.version(),
            "rules": RULES,
            "seed": self.seed,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }

    def open(self) -> Blocking:
        """The model.

        Raises:
            CallerError: Its address is none.
            ServiceError: The library that speaks to it is missing.
        """
        from worldgen.llm.client import ModelClient

        settings = Settings()
        breaker = Breaker(settings.model_failures, settings.model_pause, settings.model_longest_pause)
        return Blocking(ModelClient(self.url, self.model, cache=self.cache, concurrency=self.jobs, breaker=breaker))
