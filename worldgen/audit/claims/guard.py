"""The guard: does a text say only what its licence allows?

Sentence by sentence. One that stands in the index's own text passes. In every other, each name, number, date, category
and yes-or-no must be what a licensed claim says of the subject that the sentence speaks of, and no word may deny,
compare, explain or add an event where the material does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from worldgen.audit.claims import lines, orders, relations, remarks, tables, values
from worldgen.audit.claims.lexicon import Lexicon
from worldgen.audit.claims.licence import Claim, Licence
from worldgen.audit.claims.plainness import unplain
from worldgen.audit.claims.reading import read
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.text import Piece, clean, hostile, key, links, pieces, table_key, urls
from worldgen.audit.claims.verdict import Problem, Verdict, problem

_MOST_SENTENCE = 1_200
_SHORT = 40
_MOST_PROBLEMS = 40
_MOST_PIECES = 600
_MOST_TOGETHER = 3


class Guard:
    """Judges texts of one world in one language; shared by threads.

    Args:
        lexicon: The world's words.
        strict: Whether a sentence may only have words of the material, of the world's pages or of a list of plain ones.
    """

    def __init__(self, lexicon: Lexicon, *, strict: bool = True) -> None:
        self._lexicon = lexicon
        self._strict = strict

    def audit(self, text: str, licence: Licence) -> Verdict:
        """Judge a text.

        Args:
            text: What a model wrote; any string.
            licence: What it may say.
        """
        own = lines.unbracketed(clean(text), self._lexicon)
        text = lines.unbracketed(text, self._lexicon)
        if own == licence.text and own == text:
            return Verdict((), frozenset(claim.fact for claim in licence.claims))
        course = _Course(self._lexicon, licence, strict=self._strict)
        course.problems += [problem("markup", word) for word in list(hostile(text, licence.text))[:_MOST_PROBLEMS]]
        course.problems += _links(own, licence)
        cut = _whole(pieces(own), licence)
        if len(cut) > _MOST_PIECES + 2 * len(licence.sentences):
            course.problems.append(problem("markup", f"{len(cut)} lines and sentences"))
            cut = cut[:_MOST_PIECES]
        at = 0
        while at < len(cut):
            at += course.take_line(cut[at : at + _MOST_TOGETHER]) or course.take(cut[at])
            if len(course.problems) > _MOST_PROBLEMS:
                break
        return Verdict(tuple(dict.fromkeys(course.problems)), frozenset(course.scope.stated))

    def missing(self, text: str, licence: Licence) -> tuple[Problem, ...]:
        """The licensed facts that a text no longer states, each as a problem that quotes the material's own words."""
        stated = self.audit(text, licence).stated
        found = {c.fact: problem("missing-fact", c.source) for c in licence.claims if c.fact not in stated}
        return tuple(found.values())


_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_RESUMED = re.compile(r"(?:That|This|Such|It)(?:'s| is| was)\b|(?:这|那|此)(?:就|便|即)?(?:是|为)")


def _whole(cut: list[Piece], licence: Licence) -> list[Piece]:
    """Sentences that end nowhere before the next: `91. That's the number of …`, `Item: B. price: …`."""
    found: list[Piece] = []
    for piece in cut:
        last = found[-1] if found else None
        if (
            last is not None
            and last.kind == piece.kind == "sentence"
            and last.line == piece.line
            and not {key(last.text), key(piece.text)} & set(licence.sentences)
            and len(last.text) + len(piece.text) < _MOST_SENTENCE
            and (
                piece.text[:1].islower()
                or (len(last.text) < _SHORT and not last.heading and _RESUMED.match(piece.text))
            )
        ):
            found[-1] = Piece("sentence", f"{last.text} {piece.text}", last.line, last.heading)
        else:
            found.append(piece)
    return found


def _links(text: str, licence: Licence) -> Iterator[Problem]:
    told = links(text)
    for label, url in sorted(told - licence.links):
        yield problem("link", f"[{label}]({url})")
    for url in sorted(urls(text) - licence.urls - {url for _, url in told}):
        yield problem("link", url)


class _Course:
    """One text on its way through the guard."""

    def __init__(self, lexicon: Lexicon, licence: Licence, *, strict: bool) -> None:
        self.problems: list[Problem] = []
        self.scope = Scope(lexicon, licence)
        self._licence = licence
        self._strict = strict
        self._before = ""

    def take_line(self, ahead: list[Piece]) -> int:
        """Take what comes next as a line of names, labels and values; how many sentences that is, 0 where it is none.

        `Item: B. Field: price. Entry: $140.` is one line.
        """
        for size in range(len(ahead), 0, -1):
            together = ahead[:size]
            alike = all(p.kind == "sentence" and p.line == ahead[0].line and not p.heading for p in together)
            if not alike or any(key(p.text) in self._licence.sentences for p in together):
                continue
            claims = lines.told(" ".join(p.text for p in together), self.scope)
            if claims:
                self.scope.state(*claims)
                self.scope.turn_to(claims[0].subject)
                self._before = key(together[-1].text)
                return size
        return 0

    def take(self, piece: Piece) -> int:
        """Judge the next sentence or table, which is one piece."""
        if piece.kind == "table":
            claims = self._licence.tables.get(table_key(piece.text))
            if claims is None:
                self.problems += tables.judge(piece.text, self.scope)
            else:
                self.scope.state(*claims)
            return 1
        own = key(piece.text)
        claims = self._licence.sentences.get(own)
        if claims is not None:
            self._verbatim(own, claims)
        elif len(piece.text) > _MOST_SENTENCE:
            self.problems.append(problem("markup", piece.text))
        else:
            self._judge(piece)
        self._before = own
        return 1

    def _verbatim(self, own: str, claims: tuple[Claim, ...]) -> None:
        scope = self.scope
        follows = (self._before, own) in self._licence.order
        names = scope.lexicon.names.find(own)
        named = {i for n in names for i in n.ids}
        if (
            claims
            and not follows
            and not any(claim.subject in named for claim in claims)
            and scope.strays(claims[0], named)
        ):
            self.problems.append(problem("wrong-subject", own))
            return
        scope.state(*claims)
        if claims:
            scope.turn_to(claims[0].subject)
        elif not follows:
            scope.turn_to_first(read(own, scope.lexicon, self._licence.foreign))

    def _moved(self, piece: Piece) -> list[Problem]:
        """Where a sentence compares things as one of the material does, and gives other numbers or another thing.

        A value that is told by its distance from another's stands in the licence as well as that other's, and one in
        the other's place would pass for it.
        """
        find = self.scope.lexicon.names.find
        named, figures = {mention.ids for mention in find(piece.text)}, set(_FIGURE.findall(piece.text))
        for claim in self._licence.claims:
            if claim.derived:
                theirs, numbers = {mention.ids for mention in find(claim.source)}, set(_FIGURE.findall(claim.source))
                if len(named) > 1 and named == theirs and figures != numbers:
                    return [problem("wrong-value", piece.text)]
                if len(numbers) > 1 and figures == numbers and not named <= theirs:
                    return [problem("wrong-subject", piece.text)]
        return []

    def _judge(self, piece: Piece) -> None:
        reading = read(piece.text, self.scope.lexicon, self._licence.foreign)
        self.scope.enter(reading)
        found: list[Problem] = []
        found += remarks.orders(reading, self._licence)
        found += remarks.strangers(reading, self.scope, heading=piece.heading)
        if not any(p.code in ("unknown-name", "unlicensed-name") for p in found):
            found += values.judge(reading, self.scope)
            found += relations.judge(reading, self.scope)
            found += orders.judge(reading, self.scope)
            found += remarks.judge(reading, self.scope, heading=piece.heading)
        found += self._moved(piece)
        if lines.turned(piece.text, self.scope):
            found.append(problem("wrong-subject", piece.text))
        if self._strict and not found:
            strange = unplain(piece.text, self.scope.lexicon, self._licence.text)
            found += [problem("strange-word", word) for word in strange]
        self.problems += found
        self.scope.turn_to_first(reading)
