"""What a client has cost so far, counted as it goes."""

from __future__ import annotations

from dataclasses import dataclass

from worldgen.llm.model import Tokens


@dataclass(slots=True)
class Usage:
    """What a client has cost so far; probes and lists of models are counted as requests.

    Attributes:
        requests: Requests sent, the repeated ones included.
        retries: Of those, repeated ones.
        stored: Replies that came from the cache on disk.
        unkept: Replies that could not be kept there, and were used all the same.
        failures: Calls that ended in an error.
        skipped: Of those, calls that ended at once, as the server was taken for down.
        trips: How often it was taken for down.
        prompt: Tokens read.
        cached: Of those, tokens that the server's prefix cache held.
        completion: Tokens written.
    """

    requests: int = 0
    retries: int = 0
    stored: int = 0
    unkept: int = 0
    failures: int = 0
    skipped: int = 0
    trips: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0

    def add(self, tokens: Tokens) -> None:
        """Count the tokens of a reply."""
        self.prompt += tokens.prompt
        self.cached += tokens.cached
        self.completion += tokens.completion
