"""What an audit answers: the problems of a text, each with a code, and the facts that it states."""

from __future__ import annotations

from typing import NamedTuple


class Problem(NamedTuple):
    """One thing a text may not say.

    Attributes:
        code: What kind of problem, in kebab-case; `CODES` lists them.
        message: For whoever wrote the text. It repeats nothing that the text does not say itself.
        quote: The words of the text.
    """

    code: str
    message: str
    quote: str


class Verdict(NamedTuple):
    """The outcome of an audit: no problem means that the text may be shown.

    Attributes:
        problems: In the order of the text.
        stated: Ids of the licensed facts that the text states.
    """

    problems: tuple[Problem, ...]
    stated: frozenset[str]

    @property
    def accepted(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


CODES: dict[str, str] = {
    "wrong-value": "the text says {what}, unlike the material; say it as the material does or leave it out",
    "unlicensed-fact": "the text states {what}, which the material at hand does not contain; leave it out",
    "contradiction": "the text gives {what}, unlike what this session was shown before; say it as the material does",
    "unknown-name": "the text names {what}, which the material does not name; use only names of the material",
    "unlicensed-name": "the text names {what}, of which the material at hand says nothing; leave it out",
    "unlicensed-number": "the text gives the number {what}, which the material does not; leave it out",
    "unlicensed-date": "the text gives the date {what}, which the material does not; leave it out",
    "unlicensed-claim": "the text says {what}, which the material does not; leave it out",
    "strange-word": "the word {what} is neither the material's nor a plain one; use plainer words or leave it out",
    "repeated": "the text says {what} more than three times; say it once",
    "wrong-subject": "the text says {what} of something else than the material does; say it of what the material names",
    "negation": "the text denies or doubts something by {what}, which the material does not; say it plainly",
    "comparison": "the text compares or ranks by {what}, which the material does not; leave the comparison out",
    "missing-fact": "the text no longer states {what}; state it as the material does",
    "link": "the text links to {what}, which the material does not; keep links as they are or leave them out",
    "table": "the table has {what}, which the material does not say there; say it as the material does or leave it out",
    "markup": "the text has {what} in it, which no page may carry; write plain Markdown",
    "instruction": "the text orders its reader about by {what}; describe, do not instruct",
}
_MOST_QUOTED = 160


def problem(code: str, quote: str) -> Problem:
    """A problem with the message of its code."""
    short = " ".join(quote.split())
    short = short if len(short) <= _MOST_QUOTED else short[: _MOST_QUOTED - 1] + "…"
    return Problem(code, CODES[code].format(what=f"“{short}”"), short)
