"""The codes of all that can be wrong with what a world model writes: what is counted, and nothing else."""

from __future__ import annotations

from worldgen.audit.claims import CODES

_SHAPE = (
    "date",
    "empty-page",
    "empty-snippet",
    "leak",
    "long-page",
    "long-snippet",
    "lost-link",
    "missing-result",
    "order",
    "repeated-result",
    "title",
    "unknown-result",
)
_FREE = (
    "address",
    "broken-promise",
    "empty-result",
    "future",
    "long-error",
    "no-results",
    "unreachable",
    "unread",
    "unread-relation",
    "unread-value",
)
_DROPPED = ("denied", "no-period", "no-quote", "no-subject", "no-value", "not-json", "outside-schema")
_LEDGER = (
    "name",
    "no-value",
    "other-kind",
    "other-value",
    "out-of-range",
    "page",
    "period",
    "shared-value",
    "unknown",
    "wrong-unit",
)
_REPLY = ("reply.empty", "reply.too-long")
_MODEL = (
    "model.down",
    "model.malformed",
    "model.overloaded",
    "model.refused",
    "model.timeout",
    "model.unreachable",
    "model.unsupported",
)
REASONS: frozenset[str] = frozenset(
    [
        *CODES,
        *_SHAPE,
        *_FREE,
        *(f"dropped.{code}" for code in _DROPPED),
        *(f"ledger.{code}" for code in _LEDGER),
        *_REPLY,
        *_MODEL,
    ]
)
