"""What came of a world's sentences: how many were rewritten, how many kept, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Counts:
    """Counts of one build.

    Attributes:
        sentences: Sentences that a model was asked to rewrite.
        rewritten: Those that stand in its words.
        unchanged: Those that it gave back as they were.
        refused: Reason → sentences that keep the grammar's words for it.
        replies: Replies that were asked for, those of the cache included.
        stored: Those that the cache had.
    """

    sentences: int = 0
    rewritten: int = 0
    unchanged: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    replies: int = 0
    stored: int = 0

    def add(self, outcomes: Iterable[str], *, stored: bool) -> None:
        """Count a reply by the outcome of each of its sentences."""
        self.replies += 1
        self.stored += stored
        for outcome in outcomes:
            self.sentences += 1
            if outcome == "rewritten":
                self.rewritten += 1
            elif outcome == "unchanged":
                self.unchanged += 1
            else:
                self.refused[outcome] += 1

    def most(self) -> list[tuple[str, int]]:
        """The reasons by how often, then by name."""
        return sorted(self.refused.items(), key=lambda item: (-item[1], item[0]))

    def to_json(self) -> dict[str, object]:
        """For ``build.json``."""
        return {
            "sentences": self.sentences,
            "rewritten": self.rewritten,
            "unchanged": self.unchanged,
            "refused": dict(self.most()),
            "replies": self.replies,
            "stored": self.stored,
        }
