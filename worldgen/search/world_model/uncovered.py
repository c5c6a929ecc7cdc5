"""Finds by plain code what a reading of a text has passed over: values beside a known name that no assertion gives.

A model reads its own text, so its reading alone is no check. Here each sentence in which a known thing stands is looked
through for numbers, dates and words of a category, and each of them must be the value of an assertion about that thing.
So must a value that stands beside a capitalised name of which nothing is known, where the sentence names its property;
and two known things whose kinds a property joins must be joined by an assertion where one sentence names both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from worldgen.audit.claims.amounts import amounts
from worldgen.audit.claims.dates import days
from worldgen.audit.claims.text import clean, links, pieces, urls
from worldgen.audit.claims.words import stems
from worldgen.facts.given import is_chinese
from worldgen.language import name_key, unit
from worldgen.schema.model import Attribute
from worldgen.search.world_model.ledger import Assertion
from worldgen.search.world_model.slots import Slot, Unread, read_value

Names = Mapping[str, Mapping[str, str]]
_GOES_ON = re.compile(
    r"\W*(?:(?:its?|they|their|this|these|the|he|she|his|her)\b|[该其它他她这]|[^:：.]{1,40}[:：])", re.IGNORECASE
)
_CAPITALISED = re.compile(r"(?<![A-Za-z0-9])[A-Z][\w'&-]*(?: (?:(?:of|the|and|&) )?[A-Z][\w'&-]*)*")
_NOWHERE = re.compile(r"(?!)")
_BY_NAME_ONLY = ("name", "ref", "boolean")


def uncovered(
    text: str, slots: Mapping[tuple[str, str], Slot], names: Names, assertions: Sequence[Assertion], title: str = ""
) -> Iterator[tuple[str, str]]:
    """The values of a text that no assertion covers, each with the name beside which it stands.

    A sentence without a name that goes on about what the one before it was about (`It has`, `Staff:`, a row of a table)
    counts as one with that name.

    Args:
        text: What was written.
        slots: What may be asserted.
        names: Kind of thing → key of a name → the name, of all that is known.
        assertions: What the text has been read to assert.
        title: Of the text; what it names is taken for a thing, whether or not anything is known of it.
    """
    kinds: dict[str, set[str]] = {}
    written: dict[str, str] = {name_key(title): clean(title)} if re.search(r"\w", title) else {}
    for kind, found in names.items():
        for key, name in found.items():
            kinds.setdefault(key, set()).add(kind)
            written[key] = clean(name)
    pattern = _any_of(written.values())
    held: frozenset[str] = frozenset()
    for sentence in _sentences(text):
        here = frozenset(name_key(match[0]) for match in pattern.finditer(sentence))
        row = sentence.startswith("|")
        about = here or (held if row or _GOES_ON.match(sentence) else frozenset())
        held = held if row and not here else about
        if about:
            rest = pattern.sub(lambda match: " " * len(match[0]), sentence)
            of = [slot for slot in slots.values() if any(slot.entity in kinds.get(key, ()) for key in about)]
            stated = [each for each in assertions if name_key(each.subject) in about]
            for words in _values(rest, of or list(slots.values()), of):
                if not any(_gives(slots[each.entity, each.attribute], each, words) for each in stated):
                    yield written[min(about)], words
        else:
            yield from _of_strangers(sentence, slots.values())


def unjoined(
    text: str, slots: Mapping[tuple[str, str], Slot], names: Names, assertions: Iterable[Assertion]
) -> Iterator[tuple[str, str]]:
    """Pairs of known names in one sentence whose kinds a property joins, and that no assertion joins.

    A sentence with more than two names is a list, and a name that is a link leads elsewhere; neither states a relation.

    Args:
        text: What was written.
        slots: What may be asserted.
        names: Kind of thing → key of a name → the name, of all that is known.
        assertions: What is known and what the text has been read to assert.
    """
    kinds = {key: kind for kind, found in names.items() for key in found}
    written = {key: clean(name) for found in names.values() for key, name in found.items()}
    if not written:
        return
    linked = {name_key(said) for said, _ in links(text)}
    joins = {frozenset((slot.entity, slot.target)) for slot in slots.values() if slot.target not in (None, slot.entity)}
    joined = {frozenset((name_key(each.subject), name_key(each.value))) for each in assertions}
    pattern = _any_of(written.values())
    for sentence in _sentences(text):
        here = list(dict.fromkeys(name_key(match[0]) for match in pattern.finditer(sentence)))
        if len(here) != 2 or linked & set(here) or sentence.startswith("|"):
            continue
        if frozenset(kinds[key] for key in here) in joins and frozenset(here) not in joined:
            yield written[here[0]], written[here[1]]


def _of_strangers(sentence: str, slots: Iterable[Slot]) -> Iterator[tuple[str, str]]:
    """Values beside a capitalised name in a sentence that names a property which they may be of."""
    named = [match[0] for match in _CAPITALISED.finditer(sentence) if match.start() or " " in match[0]]
    if not named or is_chinese(sentence):
        return
    said = set(stems(sentence, "en"))
    wanted = [slot for slot in slots if any(_within(label, said) for label in _labels(slot))]
    rest = sentence.replace(named[0], " " * len(named[0]))
    yield from ((named[0], words) for words in _values(rest, wanted, ()))


def _within(label: str, said: Set[str]) -> bool:
    words = set(stems(label, "en"))
    return bool(words) and words <= said


def _labels(slot: Slot) -> Iterator[str]:
    """What a property is called in English, and what it is counted in."""
    yield slot.attribute.replace("_", " ")
    yield from slot.node.label.get("en", ())
    if slot.kind == "integer" and slot.node.unit is not None and unit(slot.node.unit).dimension == "count":
        yield slot.node.unit.replace("_", " ")


def _sentences(text: str) -> Iterator[str]:
    for piece in pieces(clean(text)):
        yield from piece.text.split("\n") if piece.kind == "table" else [piece.text]


def _any_of(names: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(set(names), key=lambda name: (-len(name), name))
    if not longest_first:
        return _NOWHERE
    said = "|".join(re.escape(name) for name in longest_first)
    return re.compile(rf"(?<![A-Za-z0-9])(?:{said})(?![A-Za-z0-9])", re.IGNORECASE)


def _values(sentence: str, slots: Sequence[Slot], of: Sequence[Slot]) -> Iterator[str]:
    """The words that may be values: dates and numbers of any property, words of the categories of the kinds named."""
    for address in urls(sentence):
        sentence = sentence.replace(address, " " * len(address))
    language = "zh" if is_chinese(sentence) else "en"
    for day in days(sentence, language):
        yield sentence[day.start : day.end]
        sentence = sentence[: day.start] + " " * (day.end - day.start) + sentence[day.end :]
    for amount in amounts(sentence, language):
        words = sentence[amount.start : amount.end]
        # A rank and "one of" are hardly ever values; nor is what has a unit that no property has.
        if not (amount.ordinal or amount.part or words.casefold() == "one") and _possible(words, slots):
            yield words
    for slot in of:
        wordings = list(_wordings(slot))
        if wordings:
            yield from (match[0] for match in _any_of(wordings).finditer(sentence))


def _possible(words: str, slots: Sequence[Slot]) -> bool:
    """Whether words are a value of any property, be it one that is out of range."""
    read = (read_value(slot, words, words) for slot in slots if slot.kind not in (*_BY_NAME_ONLY, "category"))
    return any(isinstance(value, str) or value.code == "out-of-range" for value in read)


def _wordings(slot: Slot) -> Iterator[str]:
    if isinstance(slot.node, Attribute) and slot.kind == "category":
        for key, said in (slot.node.values or {}).items():
            yield from (key.replace("_", " "), *(said.en or ()), *(said.zh or ()))


def _gives(slot: Slot, assertion: Assertion, words: str) -> bool:
    if assertion.time and assertion.time[:4] in words:
        return True
    if slot.kind in _BY_NAME_ONLY:
        return name_key(words) in name_key(assertion.value)
    value = read_value(slot, words, words)
    return not isinstance(value, Unread) and value == assertion.value
