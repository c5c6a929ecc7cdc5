"""Other names for a named thing: what people shorten it to. Whether two things may share one is the caller's to say."""

from __future__ import annotations

import re

from worldgen.language.data import read_yaml
from worldgen.language.kinds import affixes, kind_of
from worldgen.language.names import Name, name_key
from worldgen.seeds import Stream

_LEAST_INITIALS = 3
_SMALL_WORDS = frozenset({"of", "the", "in", "and", "a"})


def aliases(name: Name, kind: str, rng: Stream) -> list[Name]:
    """Shorter forms of a name, in a drawn order, without the name itself and without repeats.

    A person gives an abbreviated given name and the family name alone; a name with fixed words around its root gives
    the root alone and, in Chinese, its customary contraction; a name of three words or more gives its initials.

    >>> from worldgen.seeds import stream
    >>> aliases(Name("Kesmar Instruments", "克斯马尔仪器公司"), "technology_company", stream(7, "demo"))
    [Name(en='Kesmar', zh='克斯马尔')]
    """
    found = _of_person(name) if {"given", "family"} <= kind_of(kind).fields and "·" in name.zh else []
    if not found:
        found = [*_shortened(name, kind), *_initials(name)]
    seen = {name}
    kept = []
    for alias in found:
        if alias.en and alias.zh and alias not in seen:
            seen.add(alias)
            kept.append(alias)
    return rng.shuffled(kept)


def _of_person(name: Name) -> list[Name]:
    given, _, family = name.en.partition(" ")
    if not family or " " in family:
        return []
    zh_family = name.zh.partition("·")[2]
    return [Name(f"{given[0]}. {family}", f"{given[0]}·{zh_family}"), Name(family, zh_family)]


def _shortened(name: Name, kind: str) -> list[Name]:
    for affix in affixes(kind):
        en = re.fullmatch(re.escape(affix.en_before) + "(.+)" + re.escape(affix.en_after), name.en)
        zh = re.fullmatch(re.escape(affix.zh_before) + "(.+)" + re.escape(affix.zh_after), name.zh)
        if en and zh:
            short = [Name(en[1], zh[1])]
            contracted = _contraction(zh[1], affix.zh_after)
            return [*short, Name(en[1], contracted)] if contracted else short
    return []


def _contraction(root: str, ending: str) -> str:
    kept: dict[str, str] = read_yaml("kinds")["zh_short"]
    for word in sorted(kept, key=lambda word: (-len(word), word)):
        if kept[word] and ending.endswith(word):
            return root[:2] + kept[word]
    return ""


def _initials(name: Name) -> list[Name]:
    words = [word for word in re.findall(r"[A-Za-z']+", name.en) if word.lower() not in _SMALL_WORDS]
    if len(words) < _LEAST_INITIALS:
        return []
    initials = "".join(word[0].upper() for word in words)
    return [Name(initials, initials)] if name_key(initials) != name_key(name.en) else []
