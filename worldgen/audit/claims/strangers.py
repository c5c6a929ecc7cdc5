"""Names and numbers in a sentence that are none of the material's, and orders to whoever reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from worldgen.audit.claims import words
from worldgen.audit.claims.licence import Licence
from worldgen.audit.claims.plainness import is_plain
from worldgen.audit.claims.reading import Reading
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.verdict import Problem, problem
from worldgen.audit.claims.words import table, vocabulary

_CAPITAL = re.compile(r"(?<![\w'])[A-Z][A-Za-zÀ-ɏ0-9&']*(?:-[A-Za-z0-9]+)*")
_MIXED = re.compile(r"(?<![\w.,-])(?=\w*\d)(?=\w*[A-Za-z])\w{2,}")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9']*(?: [A-Z][A-Za-z0-9']*)*")


def orders(text: str, licence: Licence) -> Iterator[Problem]:
    """The first order to the reader in a sentence or a table, in either language, that the material does not give."""
    for language in ("en", "zh"):
        for match in words.orders(language).finditer(text):
            if match[0].lower() not in licence.text.lower():
                yield problem("instruction", match[0])
                return


def strangers(reading: Reading, scope: Scope, *, heading: bool) -> Iterator[Problem]:
    """Names that the licence does not hold, and words that look like names and are none of the world's."""
    for named in reading.names:
        if (
            named.ids
            and not named.ids & scope.licence.names
            and not _common(named.ids, reading.text[named.start : named.end], scope)
        ):
            yield problem("unlicensed-name", reading.text[named.start : named.end])
    if reading.language == "zh":
        yield from _strange_han(reading, scope)
        return
    masked = _as_text(reading)
    for match in _unknown(reading, scope, heading=heading):
        if not _opens(match, masked):
            yield problem("unknown-name", match[0])
    for match in _MIXED.finditer(masked):
        if match[0].lower() not in scope.licence.text.lower() and not re.fullmatch(r"\d+(?:st|nd|rd|th|s)", match[0]):
            yield problem("unlicensed-number", match[0])


def openings(reading: Reading, scope: Scope, *, heading: bool) -> Iterator[Problem]:
    """Words that may be names or may not: unknown ones at the start, before a small word or plural, as in `Scroll to`.

    Such a word is a name only where the sentence has no other for what it tells of.
    """
    if reading.language != "zh":
        masked = _as_text(reading)
        for match in _unknown(reading, scope, heading=heading):
            if _opens(match, masked):
                yield problem("unknown-name", match[0])


def _unknown(reading: Reading, scope: Scope, *, heading: bool) -> Iterator[re.Match[str]]:
    """Capitalised words that are none of the material's and no ordinary ones."""
    masked = _as_text(reading)
    tokens = list(_CAPITAL.finditer(masked))
    if len(tokens) == 1 and re.fullmatch(r"\W*\w+\W*", reading.text):
        return  # a word by itself says nothing of anything
    titled = heading or (
        len(tokens) > 2 and sum(t[0][0].isupper() for t in tokens) >= 0.7 * len(re.findall(r"[A-Za-z]{3,}", masked))
    )
    for match in tokens:
        initial = titled or _initial(reading.text, match.start())
        if not _familiar(match[0], scope, initial=initial) and not _small_word(match, masked):
            yield match


_NEIGHBOUR = re.compile(r"[ \"'(-]*[A-Z\x01]")


def _small_word(match: re.Match[str], masked: str) -> bool:
    """Whether a capitalised word inside a sentence is one with which sentences begin, and no part of a longer name."""
    before = masked[: match.start()].rstrip(" \"'(-")
    alone = not re.search(r"(?:[A-Z][\w']*|\x01)$", before) and not _NEIGHBOUR.match(masked, match.end())
    return alone and match[0].lower() in vocabulary("opening", "en")


def _as_text(reading: Reading) -> str:
    """The sentence with names, dates and amounts blanked out, in its own case."""
    return "".join(" " if m in "\x01\x02" else c for c, m in zip(reading.text, reading.masked, strict=True))


def _common(ids: frozenset[str], said: str, scope: Scope) -> bool:
    return said.islower()


def _initial(text: str, at: int) -> bool:
    before = text[:at].rstrip(" \"'(*_@")
    joined = before.endswith((" and", " while", " but", " plus", " whereas"))
    return before == "" or before[-1] in ".!?:;–—|>-" or joined


_FUNCTION = re.compile(
    r"(?: \x01|:| (?:to|up|out|in|on|off|open|over|through|down|at|for|into|onto|across|around|round|along|with|"
    r"under|a|an|the|"
    r"this|that|your|our|any|some|box|back|away|past|inside|behind|beside|about|upon|how|what|where|when|why|"
    r"who)(?![\w']))"
)


def _opens(match: re.Match[str], masked: str) -> bool:
    single = match[0][1:].islower()
    first = masked[: match.start()].strip(" \"'(*_") == ""
    plural = match[0].endswith("s") and not match[0].endswith("ss") and re.match(r" [a-z]", masked[match.end() :])
    return single and first and bool(plural or _FUNCTION.match(masked, match.end()))


def _familiar(word: str, scope: Scope, *, initial: bool) -> bool:
    lower = re.sub(r"'(?:s|d|ll|re|ve|m)?$", "", word.lower())
    if lower in scope.licence.words or lower in vocabulary("capital", "en") or lower in _schema_words(scope):
        return True
    if not initial:
        return len(word) == 1 and word in ("A", "I")
    parts = lower.split("-")
    return all(_plain_word(part, scope) for part in parts)


def _plain_word(word: str, scope: Scope) -> bool:
    if word in scope.lexicon.common or word in _schema_words(scope) or word in vocabulary("opening", "en"):
        return True
    if word in _own_words():
        return True
    if is_plain(word) or (word.endswith(tuple(vocabulary("ending", "en"))) and len(word) > 5):
        return True
    return word.removesuffix("s") in scope.lexicon.common or word + "s" in scope.lexicon.common


@cache
def _own_words() -> frozenset[str]:
    found: set[str] = set()
    for name, values in table("en").items():
        items = values if isinstance(values, list) else [w for group in values.values() for w in group]
        for item in items:
            for text in item if isinstance(item, list) else [item]:
                found.update(re.findall(r"[a-z]+", str(text)))
        found.add(name)
    return frozenset(found)


def _schema_words(scope: Scope) -> frozenset[str]:
    return scope.lexicon.spoken


def _strange_han(reading: Reading, scope: Scope) -> Iterator[Problem]:
    lower = scope.licence.plain
    masked = _as_text(reading)
    for match in _LATIN.finditer(masked):
        word = match[0].strip()
        if (
            len(word) > 1
            and word.lower() not in lower
            and word.lower() not in scope.lexicon.spoken
            and word.lower() not in scope.licence.words
            and word.lower() not in vocabulary("latin", "zh")
        ):
            yield problem("unknown-name", word)
    yield from _coined(masked, reading, scope)
    for run in re.finditer(r"[\u3400-\u9fff]+", masked):
        text = run[0]
        at = 0
        while at < len(text):
            size = 0
            while at + size < len(text) and text[at + size] in scope.lexicon.letters:
                size += 1
            part = text[at : at + size]
            strange = [
                part[i : i + 2]
                for i in range(size - 1)
                if part[i : i + 2] not in scope.lexicon.pairs and part[i : i + 2] not in lower
            ]
            if len(strange) >= 2:
                yield problem("unknown-name", part)
            at += size + 1


_DOTTED = re.compile(
    r"(?<![\u3400-\u9fff])[\u3400-\u9fff]{1,6}[·・•][\u3400-\u9fff]{1,6}(?![\u3400-\u9fff])|"
    r"[\u3400-\u9fff]{2,6}[·・•][\u3400-\u9fff]{2,6}"
)
_OWNER = re.compile(r"(?:^|(?<=[,，:：;；。.!！?？(（【]))([\u3400-\u9fff]{2,8})[的之]$")


def _coined(masked: str, reading: Reading, scope: Scope) -> Iterator[Problem]:
    """Names in Chinese that nobody bears: two words with a dot between them, and the unknown owner of an attribute."""
    for match in _DOTTED.finditer(masked):
        if not all(_known_han(part, scope) for part in re.split("[·・•]", match[0])):
            yield problem("unknown-name", match[0])
    for kind in scope.tables():
        if scope.groups(kind):
            continue  # it is whose the attribute is
        for phrase in {phrase for trait in scope.lexicon.traits.get(kind, ()) for phrase in trait.phrases}:
            at = masked.find(phrase)
            owner = _OWNER.search(masked[:at]) if at > 0 else None
            if owner and not _PRONOUN_ZH.search(owner[1]) and not _known_han(owner[1], scope):
                yield problem("unknown-name", owner[1])


_PRONOUN_ZH = re.compile(r"[它他她其该此这那本]|所有|拥有|对应|看到")


def _known_han(text: str, scope: Scope) -> bool:
    """Whether the pairs of characters of a text are mostly of the world's pages or of the schema."""
    known = scope.lexicon.pairs
    nouns = [noun for found in scope.lexicon.nouns.values() for noun in found]
    pairs = [text[i : i + 2] for i in range(len(text) - 1)]
    strange = [p for p in pairs if p not in known and p not in scope.licence.plain and not any(p in n for n in nouns)]
    return len(strange) < max(1, (len(pairs) + 1) // 2)
