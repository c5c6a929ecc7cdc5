"""Column headings: what a question calls each term, with its unit, no two alike."""

from __future__ import annotations

from worldgen.tasks.meaning import meaning
from worldgen.tasks.query import TableQuery
from worldgen.tasks.wording.clauses import Speaker
from worldgen.tasks.wording.nouns import unit_text


def normal_heading(text: str) -> str:
    """A heading as the benchmark's loader compares it: lower case, without spaces."""
    return text.strip().lower().replace(" ", "")


def headings(query: TableQuery, speaker: Speaker) -> tuple[str, ...] | None:
    """Headings in the order of the query's terms; None where two cannot be told apart."""
    found = []
    for term in query.terms:
        unit = unit_text(meaning(speaker.lexicon.facts, query.subject, term).column, speaker.lexicon.language)
        ending = speaker.tables["unit"].format(unit=unit) if unit else ""
        text = speaker.label(term).replace("|", "/").replace(",", "")
        found.append(text[:1].upper() + text[1:] + ending)
    return tuple(found) if len(set(map(normal_heading, found))) == len(found) else None
