"""Chooses among the labels of one attribute, so that a question and a page seldom use the same words."""

from __future__ import annotations

from collections.abc import Sequence

from worldgen.errors import CallerError
from worldgen.seeds import Stream


def choose_label(labels: Sequence[str], rng: Stream, *, avoid: str | None = None) -> str:
    """Draw one label, another one than ``avoid`` where there is another.

    >>> from worldgen.seeds import stream
    >>> choose_label(["price", "list price"], stream(7, "demo"), avoid="price")
    'list price'
    """
    if not labels:
        raise CallerError("language.no-labels", "nothing to choose a label from", expected="at least one label")
    return rng.choice([text for text in labels if text != avoid] or list(labels))


def choose_labels(labels: Sequence[str], rng: Stream, n: int) -> list[str]:
    """Draw ``n`` labels, one for each page; in every run of ``len(labels)`` each comes once."""
    if not labels:
        raise CallerError("language.no-labels", "nothing to choose a label from", expected="at least one label")
    drawn: list[str] = []
    while len(drawn) < n:
        drawn.extend(rng.shuffled(labels))
    return drawn[:n]
