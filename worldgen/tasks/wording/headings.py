"""Column headings: a label for each term, with its unit, no two alike."""

from __future__ import annotations

from worldgen.facts.tables import Facts
from worldgen.seeds import Stream
from worldgen.tasks.frame import ordinal
from worldgen.tasks.meaning import NUMBERS, Meaning, meaning
from worldgen.tasks.query import Agg, At, TableQuery, Term
from worldgen.tasks.wording.clauses import Speaker
from worldgen.tasks.wording.nouns import labels, nouns, period_said, smooth, unit_text
from worldgen.tasks.words import words


def normal_heading(text: str) -> str:
    """A heading as the benchmark's loader compares it: lower case, without spaces."""
    return text.strip().lower().replace(" ", "")


def headings(query: TableQuery, facts: Facts, language: str, rng: Stream) -> tuple[str, ...] | None:
    """Headings in the order of the query's terms; None where two cannot be told apart."""
    found: list[str] = []
    taken: set[str] = set()
    for number, term in enumerate(query.terms):
        choices = _choices(query, term, facts, language, rng, key=number < len(query.keys))
        free = [text for text in choices if normal_heading(text) not in taken]
        if not free:
            return None
        found.append(free[0])
        taken.add(normal_heading(free[0]))
    return tuple(found)


def _choices(query: TableQuery, term: Term, facts: Facts, language: str, rng: Stream, *, key: bool) -> list[str]:
    frames = words(language).tables["headings"]
    resolved = meaning(facts, query.subject, term)
    if isinstance(term, Agg):
        texts = _aggregates(term, resolved, facts, language, rng)
    elif key and resolved.column is None:
        ones = [one for one, _ in nouns(facts, query.subject, language)]
        texts = [frame.format(noun=noun) for frame in frames["name"] for noun in ones]
    else:
        texts = labels(facts, resolved.table, term.words[-1], language)
    texts = rng.shuffled(list(dict.fromkeys(texts)))
    if isinstance(term, At):
        every = resolved.table.columns[resolved.table.key[1]].every or "year"
        period = period_said(ordinal(term.period), every, language)
        frame = rng.choice(frames["at"])
        texts = [frame.format(label=text, period=period) for text in texts]
    for table, word in reversed(resolved.hops):
        refs = rng.shuffled(smooth(labels(facts, facts.tables[table], word, language), language))
        frame = rng.choice(frames["hop"])
        texts = [frame.format(label=text, ref=ref) for text in texts for ref in refs]
    unit = unit_text(resolved.column, language)
    ending = frames["unit"].format(unit=unit) if unit else ""
    return [_upper(text, language) + ending for text in texts]


def _aggregates(term: Agg, resolved: Meaning, facts: Facts, language: str, rng: Stream) -> list[str]:
    frames = words(language).tables["headings"]
    time = term.how in ("min", "max") and resolved.type not in NUMBERS
    told = frames[f"{term.how}_time" if time else term.how]
    many = [plural for _, plural in nouns(facts, term.table, language)]
    of = smooth(labels(facts, resolved.table, term.of, language), language) if term.of is not None else [""]
    texts = [frame.format(label=label, nouns=noun) for frame in told for label in of for noun in many]
    if term.where is None:
        return texts
    clause = Speaker(facts, term.table, language, rng).clause(term.where)
    return [frames["filtered"].format(heading=text, clause=clause) for text in texts]


def _upper(text: str, language: str) -> str:
    clean = text.replace("|", "/").replace(",", "")
    return clean[:1].upper() + clean[1:] if language != "zh" else clean
