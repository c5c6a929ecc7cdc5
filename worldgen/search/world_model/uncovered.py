"""Finds by plain code what a reading of a text has passed over: values beside a known name that no assertion gives.

A model reads its own text, so its reading alone is no check. Here each sentence in which a known thing stands is looked
through for numbers, dates and words of a category, and each of them must be the value of an assertion about that thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from worldgen.audit.claims.amounts import amounts
from worldgen.audit.claims.dates import days
from worldgen.audit.claims.text import clean, pieces, urls
from worldgen.facts.given import is_chinese
from worldgen.language import name_key
from worldgen.schema.model import Attribute
from worldgen.search.world_model.ledger import Assertion
from worldgen.search.world_model.slots import Slot, Unread, read_value

Names = Mapping[str, Mapping[str, str]]
_GOES_ON = re.compile(
    r"\W*(?:(?:its?|they|their|this|these|the|he|she|his|her)\b|[该其它他她这]|[^:：.]{1,40}[:：])", re.IGNORECASE
)
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
    if not written:
        return
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


def _sentences(text: str) -> Iterator[str]:
    for piece in pieces(clean(text)):
        yield from piece.text.split("\n") if piece.kind == "table" else [piece.text]


def _any_of(names: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(set(names), key=lambda name: (-len(name), name))
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
