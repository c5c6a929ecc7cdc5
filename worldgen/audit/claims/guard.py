"""The guard: does a text say only what its licence allows?

Sentence by sentence. One that stands in the index's own text passes. In every other, each name, number, date, category
and yes-or-no must be what a licensed claim says of the subject that the sentence speaks of, and no word may deny,
compare, explain or add an event where the material does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from worldgen.audit.claims import (
    asides,
    bends,
    clauses,
    facts,
    lines,
    orders,
    owners,
    relations,
    remarks,
    strangers,
    tables,
    twists,
    unheard,
    values,
)
from worldgen.audit.claims.joining import MOST_SENTENCE, asked_in_vain, halves, whole
from worldgen.audit.claims.leads import leads
from worldgen.audit.claims.lexicon import Lexicon
from worldgen.audit.claims.licence import Claim, Licence
from worldgen.audit.claims.plainness import unplain
from worldgen.audit.claims.reading import Reading, read
from worldgen.audit.claims.scope import Mark, Scope
from worldgen.audit.claims.text import Piece, clean, hostile, key, links, pieces, table_key, urls
from worldgen.audit.claims.verdict import Problem, Verdict, problem

_MOST_PROBLEMS = 40
_MOST_PIECES = 600
_MOST_DEPTH = 1
_WHOLE = ("instruction", "unlicensed-name", "markup")
"""What a sentence may not hold in whatever part of it."""
_FRAMED = ("wrong-value", "wrong-subject", "unlicensed-number", "unlicensed-fact", "contradiction", "unlicensed-date")
"""What depends on how the parts of a sentence are taken to belong together."""
_MOST_TOGETHER = 3
_MOST_LEAD = 60
_MOST_TIMES = 3
_MOST_AGAIN = 4
"""So many sentences told twice, where they are most of a text, are the text told twice."""
_SHORT = 8


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
        cut = whole(pieces(own), licence, self._lexicon)
        if len(cut) > _MOST_PIECES + 2 * len(licence.sentences):
            course.problems.append(problem("markup", f"{len(cut)} lines and sentences"))
            cut = cut[:_MOST_PIECES]
        cut, repeated = _once(cut, licence)
        course.problems += repeated
        at = 0
        while at < len(cut):
            course.ahead = cut[at + 1].text if at + 1 < len(cut) else ""
            at += course.take_line(cut[at : at + _MOST_TOGETHER]) or course.take(cut[at])
            if len(course.problems) > _MOST_PROBLEMS:
                break
        return Verdict(tuple(dict.fromkeys(course.problems)), frozenset(course.scope.stated))

    @staticmethod
    def missing(verdict: Verdict, licence: Licence) -> tuple[Problem, ...]:
        """The licensed facts that an audited text does not state, each as a problem in the material's own words."""
        found = {c.fact: problem("missing-fact", c.source) for c in licence.claims if c.fact not in verdict.stated}
        return tuple(found.values())


def _once(cut: list[Piece], licence: Licence) -> tuple[list[Piece], list[Problem]]:
    """The pieces of a text without those that are said again, more than the material does, each a problem.

    A sentence may be said a few times over, but not most of a text.
    """
    keys = [key(piece.text) for piece in cut]
    told = {said: many for said, many in Counter(keys).items() if many > 1 and len(said) > _SHORT}
    often = set[str]()
    if told:
        own = Counter(key(piece.text) for piece in pieces(licence.text))
        again = {said for said, many in told.items() if many > own[said]}
        often = {said for said in again if told[said] > _MOST_TIMES and own[said] <= _MOST_TIMES}
        if len(again) >= _MOST_AGAIN and 2 * sum(told[said] for said in again) > len(keys):
            often |= again
    seen, kept = Counter[str](), list[Piece]()
    for piece, said in zip(cut, keys, strict=True):
        seen[said] += 1
        if said not in often or seen[said] == 1:
            kept.append(piece)
    return kept, [problem("repeated", said) for said in seen if said in often]


_NOW = ("today", "tonight", "now", "recently", "lately", "just now", "今天", "今日", "近日", "如今")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


def _dated(one: Problem) -> bool:
    """Whether a problem is a date in words, such as `last year`, which is no value of a fact."""
    return one.code == "unlicensed-date" and one.quote.lower() not in _NOW and not _FIGURE.search(one.quote)


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
        self.ahead = ""
        """The sentence after the one that is taken."""

    def take_line(self, ahead: list[Piece]) -> int:
        """Take what comes next as a line of names, labels and values; how many sentences that is, 0 where it is none.

        `Item: B. Field: price. Entry: $140.` is one line.
        """
        for size in range(len(ahead), 0, -1):
            together = ahead[:size]
            alike = all(p.kind == "sentence" and p.line == ahead[0].line and not p.heading for p in together)
            asked = together[-1].text.endswith(("?", "？"))
            if not alike or asked or any(key(p.text) in self._licence.sentences for p in together):
                continue
            line = " ".join(p.text for p in together)
            claims = lines.told(line, self.scope)
            if claims and not bends.of_another(
                claims, read(line, self.scope.lexicon, self._licence.foreign), self.scope
            ):
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
                self.problems += strangers.orders(piece.text, self._licence)
                self.problems += tables.judge(piece.text, self.scope)
            else:
                self.scope.state(*claims)
            return 1
        own = key(piece.text)
        claims = self._licence.sentences.get(own)
        if claims is not None:
            self._verbatim(own, claims)
        elif len(piece.text) > MOST_SENTENCE:
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

    def _moved(self, text: str) -> list[Problem]:
        """Where a sentence compares things as one of the material does, and gives other numbers or another thing.

        A value that is told by its distance from another's stands in the licence as well as that other's, and one in
        the other's place would pass for it.
        """
        find = self.scope.lexicon.names.find
        named, figures = {mention.ids for mention in find(text)}, set(_FIGURE.findall(text))
        for claim in self._licence.claims:
            if claim.derived:
                theirs, numbers = {mention.ids for mention in find(claim.source)}, set(_FIGURE.findall(claim.source))
                if len(named) > 1 and named == theirs and figures != numbers:
                    return [problem("wrong-value", text)]
                if len(numbers) > 1 and figures == numbers and not named <= theirs:
                    return [problem("wrong-subject", text)]
        return []

    def _judge(self, piece: Piece) -> None:
        before = self.scope.mark()
        found = self._problems(piece.text, heading=piece.heading)
        if found and not any(p.code in _WHOLE for p in found):
            after = self.scope.mark()
            told = self._in_two(piece.text, before, depth=0) or self._led(piece.text, before)
            found = [] if told else found
            if not told:
                self.scope.restore(after)
        if not found and asked_in_vain(piece.text, self.ahead, self.scope):
            found = [problem("negation", piece.text)]
        self.problems += found

    def _led(self, text: str, before: Mark) -> bool:
        """Whether a sentence is a statement that may be made, behind words that say nothing: `Room four: …`."""
        lead, colon, rest = text.partition(":")
        named = self.scope.lexicon.names.find(rest)
        if not colon or not named or len(lead) > _MOST_LEAD or not leads(lead, self.scope):
            return False
        self.scope.restore(before)
        return self._stands(rest.strip(), depth=0)

    def _in_two(self, text: str, before: Mark, *, depth: int) -> bool:
        """Whether a sentence is two, each of which may be said and states something that is licensed.

        Where it is not, the scope is left as it was.
        """
        after = self.scope.mark()
        for *parts, lead in halves(read(text, self.scope.lexicon, self._licence.foreign)):
            self.scope.restore(before)
            if leads(lead, self.scope) and all(self._stands(part, depth=depth) for part in parts):
                return True
        self.scope.restore(after)
        return False

    def _stands(self, text: str, *, depth: int) -> bool:
        before = self.scope.mark()
        found = self._problems(text, heading=False)
        if not found:
            return bool(self.scope.used)
        return depth < _MOST_DEPTH and self._in_two(text, before, depth=depth + 1)

    def _problems(self, text: str, *, heading: bool) -> list[Problem]:
        reading = read(text, self.scope.lexicon, self._licence.foreign)
        scope = self.scope
        scope.enter(reading)
        found: list[Problem] = []
        found += strangers.orders(reading.text, self._licence)
        found += strangers.strangers(reading, scope, heading=heading)
        if not any(p.code in ("unknown-name", "unlicensed-name") for p in found):
            told = facts.plain(reading, scope) or facts.bare(reading, scope)
            found += self._values(reading, told)
            found += [] if told else orders.judge(reading, scope)
            found += remarks.judge(reading, scope, heading=heading, alone=told is not None)
            found = [p for p in found if not self._seated(p, reading)]
        found += twists.judge(scope.used, reading, scope)
        found += twists.attached(scope.used, reading, scope)
        found += self._moved(text)
        if lines.turned(text, scope):
            found.append(problem("wrong-subject", text))
        if not found:
            found += owners.judge(reading, scope)
            found += bends.judge(reading, scope)
        if found or not self._speaks_by_name(reading):
            found += strangers.openings(reading, scope, heading=heading)
        if self._strict and not found:
            found += self._strange(reading, heading=heading)
        scope.turn_to_first(reading)
        return found

    def _seated(self, one: Problem, reading: Reading) -> bool:
        """Whether a problem is the `one` of a yes told in other words: 议会里有他一席."""
        numbered = one.code in ("unlicensed-number", "wrong-value") and "一" in one.quote
        answered = any(claim.trait.kind == "boolean" for claim in self.scope.used)
        return numbered and answered and all(reading.text[a.start : a.end] == "一" for a in reading.amounts)

    def _strange(self, reading: Reading, *, heading: bool) -> Iterator[Problem]:
        """What a sentence in which no wrong claim was found says in words that nobody can check."""
        cues = {cue for claim in self.scope.used for cue in claim.trait.cues}
        found = unplain(reading.text, self.scope.lexicon, self._licence, cues)
        for word in found.loaded:
            yield problem("strange-word", word)
        if not asides.harmless(found.strange, reading, self.scope) and not unheard.harmless(
            found.strange, reading, self.scope
        ):
            for word in found.strange:
                yield problem("strange-word", word)
        if not heading:
            yield from clauses.idle(reading, self.scope)

    def _speaks_by_name(self, reading: Reading) -> bool:
        """Whether a sentence states something licensed, all of it of what it names."""
        named = {i for mention in reading.names for i in mention.ids}
        used = self.scope.used
        return bool(used) and all(c.subject in named or self.scope.phrase(c.subject) for c in used)

    def _values(self, reading: Reading, claim: Claim | None) -> list[Problem]:
        """The problems of values and relations; where one fact is plainly told, its frame need not be known."""
        scope = self.scope
        found = list(values.judge(reading, scope))
        related = list(relations.judge(reading, scope))
        if claim is not None:
            way = facts.direction(claim, reading, scope)
            found = [p for p in found if p.code not in _FRAMED or _dated(p)]
            related = [] if way > 0 or claim.trait.kind not in ("ref", "name") else related
            if way < 0 and not related:
                related = [problem("wrong-subject", reading.text)]
            if not related:
                scope.use(claim)
                scope.used_up += [amount.span for amount in reading.amounts if amount.near]
        return found + related
