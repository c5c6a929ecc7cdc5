"""Pages written beside an f-string join that states the same facts in one fixed sentence each."""

from __future__ import annotations

from benchmarks.large import market
from benchmarks.measuring import Row, best, times
from worldgen.corpus import write_corpus
from worldgen.facts.generate import generate

_WORDS = 300
_SENTENCE = "It is known that the {} of {} came to {} when the figures were last put together"


def rows(entities: int) -> list[Row]:
    """Pages of 300 words a second: ours by the words written, and the join's."""
    facts = generate(market(entities), 7)
    values = [
        (name, text.en, value)
        for table in facts
        for name in table.stated()
        for text, value in zip(table.names, table.columns[name].canonicals(), strict=True)
    ]
    join = best(lambda: _joined(values))
    ours = best(lambda: write_corpus(facts, ("en",)), 2)
    written = sum(len(page.body.split()) for page in ours.value)
    mine, theirs = written / _WORDS / ours.cpu, join.value / _WORDS / join.cpu
    return [
        Row(
            f"pages written, in pages of {_WORDS} words (ours: {len(ours.value):,} pages, {written:,} words, with "
            "statements, links and plans)",
            f"f-string join: {theirs:,.0f}/s",
            f"{mine:,.0f}/s",
            times(mine, theirs),
            "0.3×",
        )
    ]


def _joined(values: list[tuple[str, str, str | None]]) -> int:
    """Write pages of 20 sentences; returns the words written."""
    words = 0
    a_sentence = len(_SENTENCE.split())
    for start in range(0, len(values), 20):
        part = values[start : start + 20]
        page = ". ".join(
            [
                f"It is known that the {name} of {who} came to {value} when the figures were last put together"
                for name, who, value in part
            ]
        )
        words += a_sentence * len(part) if page else 0
    return words
