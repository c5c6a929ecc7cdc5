"""Names as values: who made it, where it is based, which way round."""

from __future__ import annotations

import re
from collections.abc import Iterator

from worldgen.audit.claims import twists
from worldgen.audit.claims.frames import holders, turned
from worldgen.audit.claims.licence import Claim
from worldgen.audit.claims.names import Named
from worldgen.audit.claims.reading import Reading
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.traits import Trait
from worldgen.audit.claims.verdict import Problem, problem
from worldgen.audit.claims.words import stem, stems, vocabulary


def judge(reading: Reading, scope: Scope) -> Iterator[Problem]:
    """The problems of a sentence's relations."""
    for table in scope.tables():
        for trait in scope.lexicon.traits.get(table, ()):
            if trait.kind == "ref" and trait.target == table:
                yield from _same(trait, reading, scope)
            elif trait.kind == "ref" and _misheld(trait, reading, scope):
                yield problem("wrong-subject", reading.text)
    for named in reading.names:
        code = _value(named, reading, scope)
        if code:
            first, last = reading.segment(named.start)
            yield problem(code, reading.text[min(first, named.start) : max(last, named.end)].strip(" ,;:()"))


def _misheld(trait: Trait, reading: Reading, scope: Scope) -> bool:
    """Whether the sentence gives an attribute to what can only be its value: "the maker A's product is B"."""
    for held in holders(trait, reading):
        types = {scope.table(i) for i in held.holder.ids}
        noun = reading.lower[held.start : held.end]
        own = any(noun in t.phrases for table in types for t in scope.lexicon.traits.get(table, ()))
        others = {scope.table(i) for n in reading.names if n is not held.holder for i in n.ids}
        nouns = tuple(word for table in types for word in scope.lexicon.nouns.get(table, ()))
        if types == {trait.target} and not own and trait.table in others and turned(trait, held, nouns, reading):
            return True
    return False


def _value(named: Named, reading: Reading, scope: Scope) -> str:
    """The code of what is wrong with a name where it is the value of somebody else's attribute, or ""."""
    wanted = _traits(named, scope)
    if not wanted:
        return ""
    words = reading.stems((0, len(reading.text)))
    part = reading.segment(named.start)
    code = ""
    order = sorted(
        dict.fromkeys(t.table for t in wanted),
        key=lambda table: (not _inside(table, part, scope), not _licensed(table, wanted, named, words, scope)),
    )
    for table in order:
        mine = [t for t in wanted if t.table == table]
        subjects = _subjects(table, named, reading, scope)
        if not subjects or subjects & named.ids or _component(subjects, named, scope):
            continue
        own = [c for c in scope.licence.claims if c.trait in mine and c.subject in subjects and _is(c, named)]
        near = {t.name: scope.cue(t, reading.stems(part)) for t in mine}
        cues = {t.name: near[t.name] or scope.cue(t, words) for t in mine}
        if own:
            claim = max(own, key=lambda c: cues[c.trait.name])
            if len(mine) > 1 and cues[claim.trait.name] < max(cues.values()):
                return "wrong-value"
            if cues[claim.trait.name] <= 0 and _other_wanted(claim, words, reading, scope):
                return "wrong-value"
            if _misplaced(claim, named, reading, scope):
                return "wrong-subject"
            turned = _turned_round(claim, named, reading, scope)
            if turned or _reversed(claim.trait, claim.subject, named, reading, scope):
                return "wrong-subject"
            scope.use(claim)
            return ""
        inside = _inside(table, part, scope)
        if inside and (max(near.values()) > 0 or _asserted(table, named, reading, scope)):
            return _reason(mine, subjects, named, scope)
        if max(cues.values()) > 0:
            code = code or _reason(mine, subjects, named, scope)
    return code


def _licensed(table: str, wanted: list[Trait], named: Named, words: list[str], scope: Scope) -> bool:
    """Whether the name is the licensed value of an attribute of a table of which the sentence speaks."""
    return any(
        c.trait.table == table and c.trait in wanted and _is(c, named) and scope.cue(c.trait, words) > 0
        for c in scope.licence.claims
    )


def _other_wanted(claim: Claim, words: list[str], reading: Reading, scope: Scope) -> bool:
    """Whether the sentence names another attribute of the subject by its label, and nothing that is its value."""
    for other in scope.licence.claims:
        same = other.subject == claim.subject and other.trait.kind == "ref" and other.trait is not claim.trait
        if same and scope.cue(other.trait, words) >= 3 and not any(_is(other, n) for n in reading.names):
            return True
    return False


_OTHERWISE = re.compile(r"[,;:()\x01，；：（）。由被的]|\b(?:by|of|for)\b|^'|\b(?:is|was) (?:the )?$")
_WITHIN = re.compile(
    r"^[^,;:(]*[a-z][^,;:(]* (?:in|at|from|inside|within|around|near|about|over|through)\s*$|"
    r"^[^,;:(，；：（]+(?:于|在|自)\s*$"
)


def _turned_round(claim: Claim, named: Named, reading: Reading, scope: Scope) -> bool:
    """Whether the schema's own verb stands between subject and value, but the wrong way round."""
    mine = [n for n in reading.names if claim.subject in n.ids and n is not named]
    if not mine:
        return False
    other = min(mine, key=lambda n: abs(n.start - named.start))
    first, second = sorted((other, named), key=lambda n: n.start)
    between = reading.lower[first.end : second.start]
    said = set(stems(between, reading.language)) - vocabulary("stop", reading.language)
    mine_is_one = claim.trait.table in scope.lexicon.persons and claim.trait.target not in scope.lexicon.persons
    if first is named and mine_is_one and _WITHIN.search(between):
        return True
    if not said or len(said) > 4 or _OTHERWISE.search(between):
        return False
    ways = {
        forward
        for forward, words, passive in claim.trait.verbs
        if not passive and (said <= words or (reading.language == "zh" and said & words))
    }
    return ways == {first is named}


_LYING = re.compile(
    r"\b(?:lies?|lay|is|are|was|sits?|located|situated|found|based|falls?|belongs?|stands?|comes|works?|lives?|"
    r"resides?|housed|"
    r"employed|stationed|seated|assigned|part|staff\w*)(?: \w+){0,2}? (?:in|at|within|inside|under|to|of|"
    r"into) (?:the )?$"
)
_LYING_ZH = re.compile(r"(?:位于|坐落于|坐落在|设在|设于|隶属于?|属于|归属?|常驻|住在|驻|来自|(?<![现所存内])在)\W*$")
_HOLDING_ZH = re.compile(
    r"(?:里头?|内部?|里面|里边|旗下|辖下|麾下|下面|下头|底下|辖区内?|境内)(?:就|也)?(?:有|设|住|坐|包)"
)


def _misplaced(claim: Claim, named: Named, reading: Reading, scope: Scope) -> bool:
    """Whether a place is put into what lies in it: `the town lies in the ground`."""
    mine = [n for n in reading.names if claim.subject in n.ids and n is not named]
    if not claim.trait.place or not mine or labelled(claim, reading):
        return False
    other = min(mine, key=lambda n: abs(n.start - named.start))
    if reading.language == "zh":
        if _HOLDING_ZH.match(reading.lower, other.end):
            return True
        into = _LYING_ZH.search(reading.lower[: other.start])
        return named.start < other.start and into is not None and not reading.lower.startswith(("的", "之"), other.end)
    return named.start < other.start and _LYING.search(reading.lower[named.end : other.start]) is not None


def labelled(claim: Claim, reading: Reading) -> bool:
    """Whether a label of a claim's attribute stands in a sentence."""
    return any(phrase in reading.lower for phrase in claim.trait.phrases)


def _inside(table: str, part: tuple[int, int], scope: Scope) -> bool:
    """Whether a part of the sentence names a row of the table."""
    return any(part[0] <= n.start < part[1] for group in scope.groups(table) for n in group)


def _traits(named: Named, scope: Scope) -> list[Trait]:
    found = []
    types = {scope.table(i) for i in named.ids}
    for table in scope.tables():
        for trait in scope.lexicon.traits.get(table, ()):
            if (trait.kind == "ref" and trait.target in types and trait.target != table) or (
                trait.kind == "name" and "=" in types
            ):
                found.append(trait)
    return found


def _is(claim: Claim, named: Named) -> bool:
    return claim.value in named.ids if claim.trait.kind == "ref" else f"={claim.value}" in named.ids


def _component(subjects: frozenset[str], named: Named, scope: Scope) -> bool:
    """Whether the name is part of how the subject, which has no name of its own, is said."""
    return any(named.ids & scope.lexicon.phrased[s][0] for s in subjects if s in scope.lexicon.phrased)


def _subjects(table: str, named: Named, reading: Reading, scope: Scope) -> frozenset[str]:
    """Of whom a name is the value: the nearest row of the table in its part of the sentence, else before it."""
    groups = scope.groups(table)
    if not groups:
        return scope.spoken(table) or frozenset(
            c.subject for c in scope.licence.claims if scope.table(c.subject) == table and scope.phrase(c.subject)
        )
    return scope.subjects(table, named.start)


def _asserted(table: str, named: Named, reading: Reading, scope: Scope) -> bool:
    """Whether a part of the sentence joins the name to a row of the table, though by no word of the attribute."""
    first, last = reading.segment(named.start)
    near = [n for group in scope.groups(table) for n in group if first <= n.start < last]
    return any(
        reading.text[min(n.end, named.end) : max(n.start, named.start)].strip() not in ("/", "·", "|", "") for n in near
    )


def _reason(traits: list[Trait], subjects: frozenset[str], named: Named, scope: Scope) -> str:
    names = {trait.name for trait in traits}
    for subject in sorted(subjects):
        if any(c.subject == subject and c.trait in traits for c in scope.licence.claims):
            return "wrong-value"
        for known in scope.lexicon.facts.get(subject, ()):
            if (
                known.attribute in names
                and known.value is not None
                and (known.value in named.ids or f"={known.value}" in named.ids)
            ):
                return "unlicensed-fact"
    return "wrong-subject"


_USED = re.compile(r"(?:used|carried|adopted|chosen|picked|shared|occupied) by$")


def _reversed(trait: Trait, subject: str, named: Named, reading: Reading, scope: Scope) -> bool:
    """Whether the sentence has subject and value the wrong way round: "B was made by A" for "A was made by B"."""
    mine = [n for n in reading.names if subject in n.ids]
    if not mine:
        return False
    seen_to = trait.target in scope.lexicon.persons and trait.table not in scope.lexicon.persons
    if seen_to and twists.of_people(named, min(mine, key=lambda n: abs(n.start - named.start)), reading):
        return True
    if reading.language == "zh":
        acting = [n for n in (*mine, named) if re.search(r"[由被]\s*$", reading.lower[: n.start])]
        acts = trait.agent == "value" or (trait.agent == "" and trait.table not in scope.lexicon.persons)
        return acts and bool(acting) and named not in acting
    if trait.kind == "name":
        return any(reading.lower[n.end :].startswith(f" {phrase}") for n in mine for phrase in trait.phrases)
    other = min(mine, key=lambda n: abs(n.start - named.start))
    before = reading.lower[max(0, other.start - 18) : other.start].rstrip().removesuffix(" the")
    if named.start < other.start and before.endswith(" by") and trait.agent != "name" and not _USED.search(before):
        return True
    if trait.agent != "value":
        return False
    if other.start < named.start:
        between = reading.lower[other.end : named.start].strip()
        words = between.split()
        if (
            words
            and len(words) <= 3
            and not between.endswith("by")
            and words[0] not in ("is", "was", "are", "were", "has", "had", "'s")
        ):
            makers = {stem(w) for label in trait.phrases for w in label.split()}
            return stem(words[0]) in makers and not words[0].endswith("ed")
    return False


def _same(trait: Trait, reading: Reading, scope: Scope) -> Iterator[Problem]:
    """Relations between two rows of one table, where only the frame tells which is whose."""
    words = reading.stems((0, len(reading.text)))
    groups = scope.groups(trait.table)
    rivals = [t for t in scope.lexicon.traits[trait.table] if t is not trait and t.kind == "ref"]
    if scope.cue(trait, words) <= 0 or any(scope.cue(t, words) > scope.cue(trait, words) for t in rivals):
        return
    named = [n for group in groups for n in group]
    if len(named) == 1:
        spoken = scope.spoken(trait.table)
        if spoken and not spoken & named[0].ids:
            yield from _pair(trait, spoken, named[0].ids, reading, scope)
        return
    if len(named) != 2:
        return
    frame = _frame(trait, named[0], named[1], reading)
    if frame is None:
        yield problem("wrong-subject", reading.text)
    else:
        yield from _pair(trait, frame[0], frame[1], reading, scope)


def _pair(
    trait: Trait, subjects: frozenset[str], values: frozenset[str], reading: Reading, scope: Scope
) -> Iterator[Problem]:
    for claim in scope.licence.claims:
        if claim.trait is trait and claim.subject in subjects and claim.value in values:
            scope.use(claim)
            return
    yield problem("wrong-subject", reading.text)


def _frame(trait: Trait, first: Named, second: Named, reading: Reading) -> tuple[frozenset[str], frozenset[str]] | None:
    """(whose it is, who it is), read from the words around the two names."""
    between = reading.lower[first.end : second.start]
    before = reading.lower[: first.start]
    for held in holders(trait, reading):
        if held.holder in (first, second):
            return (first.ids, second.ids) if held.holder is first else (second.ids, first.ids)
    nouns = "|".join(re.escape(p) for p in trait.phrases)
    if reading.language == "zh":
        if re.search(rf"(?:{nouns})(?:是|为|系)$", between) or (
            re.search(nouns, before) and re.match(r"(?:是|为|系)$", between)
        ):
            return first.ids, second.ids
        if re.search(rf"的(?:{nouns})(?:是|为|系|由)", between) or re.search(r"由.{0,8}$", between):
            return first.ids, second.ids
        return (
            (second.ids, first.ids)
            if re.match(r"(?:是|为|担任|系)", between) and re.search(nouns, reading.lower[second.end :])
            else None
        )
    if re.search(r"\bby (?:the )?$", between):
        return first.ids, second.ids
    if re.search(rf"\b(?:its|his|her|their) (?:\w+ )?(?:{nouns}) (?:is|was) (?:the )?$", between):
        return first.ids, second.ids
    if re.search(r"\b(?:with|as) $", before) and re.match(
        rf"\s*as (?:(?:its|his|her|the|their|a|an) )?(?:\w+ )?(?:{nouns})", between
    ):
        return second.ids, first.ids
    if re.search(r"\bfor (?:the )?$", before) and re.match(rf"\s*,? (?:the )?(?:\w+ )?(?:{nouns})", between):
        return first.ids, second.ids
    if re.match(rf"\W+(?:(?:its|his|her|the|their|a|an) )?(?:{nouns})\W+$", between):
        return first.ids, second.ids
    if re.match(rf"\W+(?:its|his|her|their) (?:{nouns})", reading.lower[second.end :]):
        return first.ids, second.ids
    if re.match(rf"'s? (?:\w+ )?(?:{nouns})", between) or re.search(
        r"\b(?:has|had|have)\b.*\bas\b|\b(?:has|had|have)\b", between
    ):
        return first.ids, second.ids
    if re.search(rf"(?:{nouns}|\w+) (?:of|to|for) (?:the )?$", between) and re.search(nouns, between):
        return second.ids, first.ids
    if re.search(rf"(?:{nouns}) (?:of|to|for) (?:the )?$", before):
        return first.ids, second.ids
    verbs = {stem(w) for p in trait.phrases for w in p.split()}
    words = between.split()
    if words and len(words) <= 2 and stem(words[-1]) in verbs and trait.agent == "value":
        return second.ids, first.ids
    if re.search(rf"'s? (?:\w+ )?(?:{nouns})", reading.lower[second.end :]) and re.match(
        r"\s*(?:is|was|acts as|serves as)\b", between
    ):
        return second.ids, first.ids
    return None
