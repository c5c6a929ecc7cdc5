"""May a rewritten sentence stand in place of the grammar's? Asked of the audit and of the proofs' own reader.

The audit judges it under the licence of that one sentence: it may state what the sentence states, all of it, of the
same things, and nothing else. Then each value must stand in it word for word, so that its place can be told, and be
read back out of it by the code that proves the world.
"""

from __future__ import annotations

import re
import unicodedata

from worldgen.audit.claims import Guard, Lexicon, page_licence
from worldgen.audit.claims.text import clean, pieces
from worldgen.proofs.files import Leaf, Said
from worldgen.proofs.reader import Reader
from worldgen.prose.asking import Wanted
from worldgen.prose.passages import Passage, places
from worldgen.records import Page

REASONS: dict[str, str] = {
    "reply": "the reply could not be read, or did not hold as many sentences as were asked for",
    "form": "not a line of plain text that ends as a sentence does; more sentences or far longer than the grammar's",
    "names": "it names other things, or a thing by another name",
    "value-words": "the words of a value do not stand in it just once",
    "property": "it does not name the property beside the value",
    "unreadable": "the proofs' reader does not find value, property or period in it",
    "missing-fact": "a fact is no longer stated",
}
"""Why a sentence keeps the grammar's words; further reasons are the audit's own codes."""
_ENDS = ".!?。！？"
_SIGNS = re.compile(r"[|\[\]{}<>*`\\#_~\n\r\t]|https?:|^(?:[-+>]|\d{1,3}[.)]) ")
_STRETCH, _SLACK = 2, 40


class Judge:
    """Judges the sentences of one language of a world; shared by threads.

    Args:
        lexicon: The world's words.
        reader: The proofs' reader.
    """

    def __init__(self, lexicon: Lexicon, reader: Reader) -> None:
        self._lexicon = lexicon
        self._guard = Guard(lexicon)
        self._reader = reader

    def wanted(self, passage: Passage) -> Wanted:
        """What a model has to keep of a passage."""
        labels: list[str] = []
        for statement in passage.statements:
            for label in self._reader.labels(statement.fact):
                if (any(sign > "\u2e80" for sign in label)) == (self._lexicon.language == "zh"):
                    labels.append(label)
        lower = passage.text.casefold()
        labels.sort(key=lambda label: label not in lower)
        names = [passage.text[each.start : each.end] for each in self._lexicon.names.find(passage.text)]
        inside = " ".join(passage.values)
        return Wanted(
            passage,
            tuple(dict.fromkeys(name for name in names if name not in inside)),
            tuple(dict.fromkeys(labels)),
            tuple(dict.fromkeys(s.fact.partition("@")[2] for s in passage.statements if "@" in s.fact)),
        )

    def judge(self, page: Page, passage: Passage, said: str) -> tuple[str, str]:
        """The outcome for a sentence (``rewritten``, ``unchanged`` or a reason) and the words that stand then."""
        text = " ".join(unicodedata.normalize("NFC", said).split()) if self._plain(said) else ""
        if text == passage.text:
            return "unchanged", passage.text
        wrong = self._wrong(page, passage, text)
        return (wrong, passage.text) if wrong else ("rewritten", text)

    @staticmethod
    def _plain(said: str) -> bool:
        return all(sign in " \u3000" or unicodedata.category(sign)[0] not in "CZ" for sign in said.strip())

    def _wrong(self, page: Page, passage: Passage, text: str) -> str:
        """The first reason against a sentence; empty where there is none."""
        if not self._formed(passage, text):
            return "form"
        if self._named(text) != self._named(passage.text):
            return "names"
        found = places(text, passage)
        if any(at < 0 or _cut(text, at, len(value)) for at, value in zip(found, passage.values, strict=True)):
            return "value-words"
        if not self._tells(passage, text, found):
            return "property"
        licence = page_licence(self._lexicon, page, passage.statements, text=passage.text)
        verdict = self._guard.audit(text, licence)
        if verdict.problems:
            return verdict.problems[0].code
        if self._guard.missing(verdict, licence):
            return "missing-fact"
        return "" if self._read(page, passage, text, found) else "unreadable"

    def _formed(self, passage: Passage, text: str) -> bool:
        if not text or _SIGNS.search(text) or unicodedata.combining(text[0]):
            return False
        last = text.rstrip("\"'”’）)")[-1:]
        ends = last in _ENDS if passage.text[-1] in _ENDS else text[-1] == passage.text[-1]
        together = len(pieces(clean(text))) <= len(pieces(clean(passage.text)))
        return ends and together and len(text) <= _STRETCH * len(passage.text) + _SLACK

    def _named(self, text: str) -> frozenset[str]:
        return frozenset(text[each.start : each.end] for each in self._lexicon.names.find(text))

    def _tells(self, passage: Passage, text: str, found: list[int]) -> bool:
        """Whether the property of each statement is named beside its value, not by chance within it or in a name."""
        bare = list(text)
        spans = [(at, at + len(value)) for at, value in zip(found, passage.values, strict=True)]
        for start, end in [*spans, *((each.start, each.end) for each in self._lexicon.names.find(text))]:
            bare[start:end] = " " * (end - start)
        rest = "".join(bare).casefold()
        return all(
            not labels or any(_stands(label, rest) for label in labels) or self._reader.is_own(fact, text)
            for fact in {statement.fact for statement in passage.statements}
            for labels in [self._reader.labels(fact)]
        )

    def _read(self, page: Page, passage: Passage, text: str, found: list[int]) -> bool:
        """Whether the proofs' reader would read every statement back out of the sentence alone."""
        leaf = Leaf(
            page.url, page.site, page.genre, page.language, page.title, page.date, page.author, page.trust, page.kind,
            page.subject, text,
        )  # fmt: skip
        for statement, first in zip(passage.statements, found, strict=True):
            last = first + statement.value_end - statement.value_start
            said = Said(
                page.url, statement.fact, 0, len(text), first, last, statement.label, statement.form, statement.claimed
            )
            if not self._reader.reads(said, leaf):
                return False
        return True


def _stands(label: str, text: str) -> bool:
    """Whether a label stands in a text as words of its own."""
    at = text.find(label)
    while at >= 0 and _cut(text, at, len(label)):
        at = text.find(label, at + 1)
    return at >= 0


def _cut(text: str, at: int, size: int) -> bool:
    """Whether a stretch of a text begins or ends within a word or a figure."""

    def joined(place: int) -> bool:
        if not 0 < place < len(text):
            return False
        before, after = text[place - 1], text[place]
        return before.isascii() and after.isascii() and before.isalnum() and after.isalnum()

    return joined(at) or joined(at + size)
