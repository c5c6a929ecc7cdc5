"""Of whom a sentence speaks: the names in it, whoever was spoken of before, else the page's subject."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from worldgen.audit.claims.lexicon import Lexicon
from worldgen.audit.claims.licence import Claim, Licence
from worldgen.audit.claims.names import Named
from worldgen.audit.claims.reading import Reading, score
from worldgen.audit.claims.traits import Trait

_BESIDE = re.compile(r"\s*(?:'s?|:|,? at| with|, with|的)?\s*[(（]?\s*")
_THAT = re.compile(r"\s*(?:那|这|即|也就|that|this|which)")
_NEXT = re.compile(r"[,;.]|\b(?:and|while|but|than|against|from)\b|比")
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_PRONOUN = re.compile(r"\b(?:its|it|his|her|he|she|their|they)\b|其|它")


class Mark(NamedTuple):
    """Where an audit stood: the facts stated and whom the text spoke of."""

    stated: frozenset[str]
    topic: dict[str, frozenset[str]]


class Scope:
    """What an audit remembers from sentence to sentence.

    Attributes:
        stated: Facts stated so far.
        used: Claims that the present sentence states.
        used_up: Spans of the present sentence that are accounted for.
        derived: Whether the present sentence states a difference that was checked.
    """

    def __init__(self, lexicon: Lexicon, licence: Licence) -> None:
        self.lexicon = lexicon
        self.licence = licence
        self.stated: set[str] = set()
        self.used: list[Claim] = []
        self.used_up: list[tuple[int, int]] = []
        self.derived = False
        self.reading: Reading | None = None
        self._topic: dict[str, frozenset[str]] = {}
        self._groups: dict[str, list[list[Named]]] = {}
        self._ids: frozenset[str] = frozenset()

    def state(self, *claims: Claim) -> None:
        """Count claims as stated."""
        self.stated.update(claim.fact for claim in claims)

    def mark(self) -> Mark:
        """What `restore` takes back."""
        return Mark(frozenset(self.stated), dict(self._topic))

    def restore(self, mark: Mark) -> None:
        """Forget what was said since a mark."""
        self.stated = set(mark.stated)
        self._topic = dict(mark.topic)

    def enter(self, reading: Reading) -> None:
        """Begin a sentence."""
        self.reading = reading
        self.used, self.used_up, self.derived = [], [], False
        self._groups = {}
        self._ids = frozenset(i for named in reading.names for i in named.ids)

    def use(self, claim: Claim) -> None:
        """The present sentence states a claim."""
        self.used.append(claim)
        self.stated.add(claim.fact)

    def table(self, bearer: str) -> str:
        """The table of an id; that of a coined value is ``=``."""
        return "=" if bearer.startswith("=") else self.lexicon.types.get(bearer, "")

    def groups(self, table: str) -> list[list[Named]]:
        """The names of a table's rows in the present sentence."""
        assert self.reading is not None
        if table not in self._groups:
            self._groups[table] = self.reading.groups(lambda n: any(self.table(i) == table for i in n.ids))
        return self._groups[table]

    def turn_to(self, subject: str) -> None:
        """Speak of a subject from here on."""
        self._topic = {self.table(subject): frozenset([subject])}

    def turn_to_first(self, reading: Reading) -> None:
        """Speak on of whoever a sentence was about: its first name that does not stand behind a preposition."""
        named = [n for n in reading.names if any(self.table(i) not in ("", "=") for i in n.ids)]
        if not named:
            if any(not n.ids for n in reading.names):
                self._topic = {"?": frozenset()}
            return
        first = next((n for n in named if not reading.oblique(n)), named[0])
        self._topic = {}
        for n in [first, *named]:
            for i in n.ids:
                self._topic.setdefault(self.table(i), frozenset(j for j in n.ids if self.table(j) == self.table(i)))

    def spoken(self, table: str) -> frozenset[str] | None:
        """Whom a sentence without a name of a table speaks of; None where that is open."""
        if table in self._topic:
            return self._topic[table]
        if "?" in self._topic:
            return frozenset()
        subject = self.licence.subject
        if subject and self.table(subject) == table:
            return frozenset([subject])
        return None

    def strays(self, claim: Claim, named: Iterable[str]) -> bool:
        """Whether a sentence without a name, moved here, would speak of another subject than it did."""
        table = self.table(claim.subject)
        if any(self.table(i) == table for i in named):
            return False
        spoken = self.spoken(table)
        if spoken is None:
            return len({c.subject for c in self.licence.claims if self.table(c.subject) == table}) > 1 and bool(
                self._topic
            )
        return claim.subject not in spoken

    def phrase(self, subject: str) -> bool:
        """Whether the present sentence names all that makes up a row without a name of its own."""
        parts = self.lexicon.phrased.get(subject)
        if parts is None or self.reading is None:
            return False
        known = set(self._ids).union(*self._topic.values(), {self.licence.subject})
        known |= {p for i in list(known) for p in self.lexicon.phrased.get(i, ((), ()))[0] if i in self.lexicon.phrased}
        numbers = self.reading.text
        return all(part in known for part in parts[0]) and all(n in numbers for n in parts[1])

    def of(self, claim: Claim, at: int) -> bool:
        """Whether what stands at a place of the sentence is said of the claim's subject."""
        return claim.subject in self.subjects(self.table(claim.subject), at, claim.subject)

    def subjects(self, table: str, at: int, wanted: str = "") -> frozenset[str]:
        """Of whom of a table a place of the sentence speaks."""
        reading = self.reading
        assert reading is not None
        groups = self.groups(table)
        span = reading.segment(at)
        if any(not n.ids and span[0] <= n.start < span[1] for n in reading.names):
            return frozenset()
        close = self._adjacent(groups, at)
        if close is not None:
            return frozenset(i for i in close.ids if self.table(i) == table)
        spoken = self.spoken(table)
        if groups and not (spoken is not None and self._aside(groups, span, at)):
            return frozenset(i for n in self._nearest(groups, span, at) for i in n.ids if self.table(i) == table)
        if wanted and self.phrase(wanted):
            return frozenset([wanted])
        if spoken is not None:
            return spoken
        if not wanted or self._ids_of_others(table) or self._another_row(wanted):
            return frozenset()
        return frozenset([wanted])

    def _another_row(self, subject: str) -> bool:
        """Whether the present sentence names a year, or a part of its kind, that a row without a name does not have."""
        assert self.reading is not None
        parts, numbers = self.lexicon.phrased.get(subject, (frozenset(), ()))
        years = [n for n in numbers if len(n) == 4]
        told = _YEAR.findall(self.reading.text)
        if years and told and not set(years) & set(told):
            return True
        kinds = {self.table(part) for part in parts}
        return any(self.table(i) in kinds and not n.ids & parts for n in self.reading.names for i in n.ids)

    def _ids_of_others(self, table: str) -> bool:
        return len({c.subject for c in self.licence.claims if self.table(c.subject) == table}) > 1 and bool(self._topic)

    def _adjacent(self, groups: list[list[Named]], at: int) -> Named | None:
        """The name right before a place: `B (220 g)`, `B's 220 g`."""
        assert self.reading is not None
        last = next((g[-1] for g in reversed(groups) if g[-1].end <= at), None)
        if last is not None and _BESIDE.fullmatch(self.reading.text, last.end, at):
            return last
        return None

    def _aside(self, groups: list[list[Named]], span: tuple[int, int], at: int) -> bool:
        """Whether all names of a table stand behind prepositions and none before a place, which speaks of `it`."""
        reading = self.reading
        assert reading is not None
        if any(not reading.compared(g[0]) for g in groups):
            return False
        inside = [g for g in groups if span[0] <= g[0].start < at]
        return not inside and not any(span[0] <= g[0].start < span[1] and g[0].start - at < 3 for g in groups)

    def _nearest(self, groups: list[list[Named]], span: tuple[int, int], at: int) -> list[Named]:
        reading = self.reading
        assert reading is not None
        inside = [g for g in groups if any(span[0] <= n.start < span[1] for n in g)]
        if inside:
            before = [g for g in inside if g[0].start < at]
            return before[-1] if before else inside[0]
        before = [g for g in groups if g[0].start < at]
        plain = [g for g in before if not reading.oblique(g[0])]
        if plain:
            if _THAT.match(reading.lower[span[0] : span[1]]):
                return before[-1]
            pronoun = _PRONOUN.search(reading.lower[span[0] : span[1]])
            opening = [g for g in plain if reading.opens(g[0])]
            return plain[0] if pronoun or not opening else opening[-1]
        close = next((g for g in groups if g[0].start >= at), None)
        if close is not None and not before and not _NEXT.search(reading.lower[at : close[0].start]):
            return close
        after = [g for g in groups if g[0].start >= at and not reading.oblique(g[0])]
        return after[0] if after else (before or groups)[-1]

    def together(self, table: str, at: int) -> list[Named]:
        """The names joined by `and` of which a place speaks."""
        reading = self.reading
        assert reading is not None
        groups = self.groups(table)
        close = self._adjacent(groups, at)
        if close is not None:
            return next(group for group in groups if close in group) if self._shared(at) else [close]
        span = reading.segment(at)
        if not groups or (self.spoken(table) is not None and self._aside(groups, span, at)):
            return []
        return self._nearest(groups, span, at)

    def _shared(self, at: int) -> bool:
        """Whether a place speaks of all names joined by `and`: no other value stands between them."""
        assert self.reading is not None
        return self.reading.text[:at].rstrip()[-1:] not in ("(", "（")

    def tables(self) -> list[str]:
        """The tables of whatever the sentence names or carries on about, else of whatever may be told."""
        found = [self.table(i) for i in sorted(self._ids)] + list(self._topic)
        found += [
            self.table(c.subject)
            for c in self.licence.claims
            if self.lexicon.phrased.get(c.subject) and self.phrase(c.subject)
        ]
        if self.licence.subject and not self._topic:
            found.append(self.table(self.licence.subject))
        told = [t for t in dict.fromkeys(found) if t not in ("", "=", "?")]
        # `The back of this phone is glass`, where nothing was named before, is of what the text may tell of.
        return told or list(dict.fromkeys(claim.trait.table for claim in self.licence.claims))

    def labels(self, lower: str) -> list[tuple[int, int]]:
        """Where labels of attributes stand: a `budget` in `research budget` is no category."""
        spans = []
        for table in self.tables():
            for trait in self.lexicon.traits.get(table, ()):
                for label in trait.phrases:
                    words = label.replace("-", " ")
                    at = lower.find(words)
                    end = at + len(words)
                    if at >= 0 and not (
                        words.isascii() and (lower[max(0, at - 1) : at].isalnum() or lower[end : end + 1].isalnum())
                    ):
                        spans.append((at, end))
        return spans

    def substance(self) -> bool:
        """Whether the sentence speaks of something of the world at all."""
        reading = self.reading
        assert reading is not None
        if reading.names or self.used or reading.days or reading.amounts:
            return True
        if self.lexicon.language == "zh":
            return (
                any(noun in reading.lower for t in self.tables() for noun in self.lexicon.nouns.get(t, ()))
                or "它" in reading.lower
                or "该" in reading.lower
            )
        words = set(reading.lower.replace(",", " ").replace(".", " ").split())
        if words & {"it", "its", "he", "she", "his", "her", "they", "their", "it's"}:
            return True
        return any(noun in reading.lower for t in self.tables() for noun in self.lexicon.nouns.get(t, ()))

    def cue(self, trait: Trait, stems: list[str]) -> float:
        """How much words speak of an attribute."""
        return score(trait, stems, self.lexicon.language)
