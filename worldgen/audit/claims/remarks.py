"""What a sentence says besides values: strange names, categories, yes and no, denials, comparisons, new events."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import cache

from worldgen.audit.claims.differences import MISTAKE
from worldgen.audit.claims.frames import holders
from worldgen.audit.claims.lexicon import Trait
from worldgen.audit.claims.licence import Licence
from worldgen.audit.claims.reading import Reading, has
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.silence import negative, undisclosed_words, untold
from worldgen.audit.claims.verdict import Problem, problem
from worldgen.audit.claims.words import phrases, stem, vocabulary

_CAPITAL = re.compile(r"(?<![\w'])[A-Z][A-Za-zÀ-ɏ0-9&']*(?:-[A-Za-z0-9]+)*")
_MIXED = re.compile(r"(?<![\w.,-])(?=\w*\d)(?=\w*[A-Za-z])\w{2,}")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9']*(?: [A-Z][A-Za-z0-9']*)*")
_SUPERLATIVE = re.compile(r"(?<![\w'])[a-z]{2,}(?:est|iest)(?![\w'])")
_NOT_SUPERLATIVE = frozenset(
    [
        "test",
        "tests",
        "latest",
        "west",
        "rest",
        "request",
        "forest",
        "contest",
        "guest",
        "suggest",
        "invest",
        "honest",
        "modest",
        "harvest",
        "protest",
        "interest",
        "nest",
        "chest",
        "vest",
        "quest",
        "arrest",
        "digest",
        "manifest",
        "attest",
        "detest",
        "ingest",
        "midwest",
        "northwest",
        "southwest",
        "forest",
        "earnest",
        "tempest",
        "priest",
        "behest",
        "bequest",
        "conquest",
        "crest",
        "guest",
        "interest",
        "lest",
        "pest",
        "wrest",
        "zest",
        "nearest",
    ]
)
_CAPITAL_WORDS = frozenset(
    [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "i",
        "i'm",
        "i've",
        "i'd",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
        "mon",
        "tue",
        "wed",
        "thu",
        "fri",
        "sat",
        "sun",
        "usd",
        "eur",
        "gbp",
        "us",
        "english",
        "chinese",
    ]
)
_USUAL_ENDINGS = (
    "ly",
    "ing",
    "ed",
    "tion",
    "tions",
    "ment",
    "ments",
    "ness",
    "able",
    "ous",
    "ful",
    "ive",
    "ers",
    "ists",
    "less",
    "ward",
    "wards",
    "ance",
    "ence",
    "ity",
)


def orders(reading: Reading, licence: Licence) -> Iterator[Problem]:
    """Orders to the reader."""
    match = phrases("instruction", reading.language).search(reading.text.lower())
    match = match or phrases("instruction", "en").search(reading.text.lower())
    if match and match[0] not in licence.text.lower():
        yield problem("instruction", match[0])


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
    tokens = list(_CAPITAL.finditer(masked))
    titled = heading or (
        len(tokens) > 2 and sum(t[0][0].isupper() for t in tokens) >= 0.7 * len(re.findall(r"[A-Za-z]{3,}", masked))
    )
    for match in tokens:
        if not _familiar(match[0], scope, initial=titled or _initial(masked, match.start())):
            yield problem("unknown-name", match[0])
    for match in _MIXED.finditer(masked):
        if match[0].lower() not in scope.licence.text.lower() and not re.fullmatch(r"\d+(?:st|nd|rd|th|s)", match[0]):
            yield problem("unlicensed-number", match[0])


def _as_text(reading: Reading) -> str:
    """The sentence with names, dates and amounts blanked out, in its own case."""
    return "".join(" " if m in "\x01\x02" else c for c, m in zip(reading.text, reading.masked, strict=True))


def _common(ids: frozenset[str], said: str, scope: Scope) -> bool:
    return said.islower()


def _initial(text: str, at: int) -> bool:
    before = text[:at].rstrip(" \"'(*_")
    joined = before.endswith((" and", " while", " but", " plus", " whereas"))
    return before == "" or before[-1] in ".!?:;–—|>-" or joined


def _familiar(word: str, scope: Scope, *, initial: bool) -> bool:
    lower = word.lower().removesuffix("'s").removesuffix("'")
    if all(part in scope.licence.words or part in _CAPITAL_WORDS or part in _schema_words(scope) for part in (lower,)):
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
    if word.endswith(_USUAL_ENDINGS) and len(word) > 5:
        return True
    return word.removesuffix("s") in scope.lexicon.common or word + "s" in scope.lexicon.common


@cache
def _own_words() -> frozenset[str]:
    from worldgen.audit.claims.words import table

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
        ):
            yield problem("unknown-name", word)
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


def judge(reading: Reading, scope: Scope, *, heading: bool = False) -> Iterator[Problem]:
    """Categories, yes and no, what is not disclosed; then denials, comparisons, causes and events."""
    blanked = reading.lower
    yield from _categories(reading, scope)
    hidden = undisclosed_words(reading.lower, reading.language)
    # Where a value is told, words that may say that nothing is do not: `nobody posted it, but it is 5 g`.
    if hidden and not (scope.used and not phrases("undisclosed", reading.language).search(reading.lower)):
        yield from _undisclosed(reading, scope)
        blanked = untold(blanked, reading.language)
        blanked = _negations(blanked, reading.language)
        blanked = re.sub(r"\b(?:nobody|no one|could|would|can|can't)\b", lambda m: " " * len(m[0]), blanked)
    for found in _booleans(reading, scope):
        if isinstance(found, Problem):
            yield found
        else:
            blanked = _negations(blanked, reading.language)
    yield from _said(blanked, reading, scope)
    if not heading:
        yield from _unsaid(reading, scope)


def _unsaid(reading: Reading, scope: Scope) -> Iterator[Problem]:
    """An attribute of a named thing of which the sentence speaks without saying what is licensed of it."""
    if scope.used or scope.derived or reading.amounts or reading.days or _about_pages(reading):
        return
    if not reading.names and not _SUBJECT.match(reading.lower) and not _kind(reading, scope):
        return
    nouns = _nouns(scope)
    for table in scope.tables():
        for trait in scope.lexicon.traits.get(table, ()):
            for held in holders(trait, reading, heads=True):
                mine = any(scope.table(i) == table for i in held.holder.ids)
                if mine and held.attached and reading.lower[held.start : held.end] not in nouns:
                    yield problem("unlicensed-claim", reading.text)
                    return
    if _joined(reading, scope) or _more(reading, scope):
        yield problem("unlicensed-claim", reading.text)


_LITTLE_ZH = re.compile(r"[是的一名个位家款座支种之在于有属也即这该为了中及和与等来自本此条其下上里内]")


_SUBJECT = re.compile(r"(?:it|its|she|he|her|his|they|their)\b|[它他她其该]")


def _kind(reading: Reading, scope: Scope) -> bool:
    """Whether a sentence begins with a noun for whatever is spoken of: `the phone`."""
    nouns = [noun for table in scope.tables() for noun in scope.lexicon.nouns.get(table, ())]
    return re.match(r"(?:the|this|that|这[个款名位座家]?)\s*", reading.lower) is not None and any(
        re.match(rf"\W*(?:the |this |that |这[个款名位座家]?)?{re.escape(noun)}(?![a-z])", reading.lower)
        for noun in nouns
    )


def _more(reading: Reading, scope: Scope) -> bool:
    """Whether a sentence says more of what it names than its kind and that a page speaks of it."""
    language, rest = reading.language, reading.masked.lower().replace("-", " ")
    told = [noun for nouns in scope.lexicon.nouns.values() for noun in nouns]
    told += scope.lexicon.places
    for word in sorted(told, key=len, reverse=True):
        rest = rest.replace(word, " ")
    if language == "zh":
        return re.search(r"[\u3400-\u9fff]", _LITTLE_ZH.sub("", rest)) is not None
    small = vocabulary("opening", language) | vocabulary("publishing", language) | vocabulary("stop", language)
    plain = {stem(word) for word in small | vocabulary("pages", language)}
    words = [word for word in re.findall(r"[a-z]+", rest) if len(word) > 1]
    return any(stem(word) not in plain for word in words)


def _joined(reading: Reading, scope: Scope) -> bool:
    """Whether the sentence joins two names by more than a list, though nothing licensed does."""
    named = [n for n in reading.names if any(scope.table(i) not in ("", "=") for i in n.ids)]
    ids = {i for n in named for i in n.ids}
    if any(parts and parts <= ids | {scope.licence.subject} for parts in _rows(scope, ids)):
        return False
    for first, second in itertools.pairwise(named):
        between = reading.lower[first.end : second.start]
        whole = reading.lower[: first.start] + reading.lower[second.end :]
        if not first.ids & second.ids and re.search(r"[a-z\u3400-\u9fff]{2}", between + whole):
            return re.fullmatch(r"\W*(?:and|or|和|与|及|、)?\W*", between) is None
    return False


def _rows(scope: Scope, ids: set[str]) -> Iterator[frozenset[str]]:
    return (parts for parts, _ in scope.lexicon.phrased.values() if parts & ids)


def _nouns(scope: Scope) -> set[str]:
    return {noun for nouns in scope.lexicon.nouns.values() for noun in nouns}


def _about_pages(reading: Reading) -> bool:
    """Whether a sentence without a value speaks of what pages hold: `more on the price of B is found below`."""
    return reading.text.endswith(("?", "？")) or has("pages", reading.lower, reading.language) is not None


def _negations(text: str, language: str) -> str:
    """The text without words that say no, which are accounted for."""
    return phrases("boolean_no", language).sub(lambda m: " " * len(m[0]), text)


def _categories(reading: Reading, scope: Scope) -> Iterator[Problem]:
    text = reading.text if reading.language == "zh" else _plain(reading)
    lower = text.lower()
    taken = scope.labels(lower)
    for table in scope.tables():
        for trait in scope.lexicon.traits.get(table, ()):
            if trait.kind != "category":
                continue
            for key, start, end in _wordings(trait, text, lower):
                if any(start < b and a < end and (a < start or b > end or b - a == end - start) for a, b in taken):
                    continue
                code = _category(trait, key, start, reading, scope)
                taken.append((start, end))
                if code:
                    yield problem(code, reading.text[start:end])


def _plain(reading: Reading) -> str:
    return "".join(c if m not in "\x01" else " " for c, m in zip(reading.text, reading.lower, strict=True)).replace(
        "-", " "
    )


def _wordings(trait: Trait, text: str, lower: str) -> list[tuple[str, int, int]]:
    found = []
    for key, words in trait.categories.items():
        for word in words:
            plain = word.replace("-", " ")
            at = lower.find(plain.lower())
            while at >= 0:
                end = at + len(plain)
                latin = plain.isascii()
                whole = not latin or not (_latin(lower[max(0, at - 1) : at]) or _latin(lower[end : end + 1]))
                if whole and (plain.islower() or not latin or text[at].isupper()):
                    found.append((key, at, end))
                at = lower.find(plain.lower(), at + 1)
    found.sort(key=lambda hit: (hit[1] - hit[2], hit[1]))
    kept: list[tuple[str, int, int]] = []
    for hit in found:
        if not any(hit[1] < b and a < hit[2] for _, a, b in kept):
            kept.append(hit)
    return kept


def _latin(character: str) -> bool:
    return character.isalnum() and character.isascii()


def _category(trait: Trait, key: str, at: int, reading: Reading, scope: Scope) -> str:
    subjects = scope.subjects(trait.table, at) or frozenset(
        c.subject for c in scope.licence.claims if c.trait is trait and scope.phrase(c.subject)
    )
    claims = [c for c in scope.licence.claims if c.trait is trait and (c.subject in subjects or not subjects)]
    for claim in claims:
        if claim.value == key and (claim.subject in subjects or not scope.groups(trait.table)):
            for other in scope.together(trait.table, at):
                if claim.subject not in other.ids and not any(
                    c.subject in other.ids and c.trait is trait and c.value == key for c in scope.licence.claims
                ):
                    return "wrong-subject"
            scope.use(claim)
            return ""
    words = reading.stems((0, len(reading.text)))
    if not scope.substance() or (len(scope.groups(trait.table)) == 0 and not subjects):
        return ""
    if claims:
        return "wrong-value"
    for subject in sorted(subjects):
        for known in scope.lexicon.known(subject, trait.name):
            if known.value == key:
                return "unlicensed-fact"
    if not scope.cue(trait, words) and not subjects:
        return ""
    return "wrong-value"


def _booleans(reading: Reading, scope: Scope) -> Iterator[Problem | str]:
    for table in scope.tables():
        for trait in scope.lexicon.traits.get(table, ()):
            if trait.kind != "boolean":
                continue
            span = next((s for s in reading.segments if _speaks(trait, reading.stems(s), scope)), None)
            if span is None and _speaks(trait, reading.stems((0, len(reading.text))), scope):
                span = (0, len(reading.text))
            if span is None:
                continue
            yield from _boolean(trait, span, reading, scope)


def _speaks(trait: Trait, words: list[str], scope: Scope) -> bool:
    if scope.lexicon.language == "zh":
        return any(all(pair in words for pair in label) for label in trait.labels)
    if scope.cue(trait, words) >= 3:
        return True
    own = scope.lexicon.bearing[trait.key]
    rivals = max((scope.cue(t, words) for t in scope.lexicon.traits[trait.table] if t is not trait), default=0.0)
    if scope.cue(trait, words) >= 2 and rivals == 0:
        return True
    return len({w for w in words if w in own}) >= min(2, len(own) or 2)


def _boolean(trait: Trait, span: tuple[int, int], reading: Reading, scope: Scope) -> Iterator[Problem | str]:
    part = reading.lower if len(reading.segments) < 4 and not scope.used else reading.lower[span[0] : span[1]]
    first = 0 if part == reading.lower else span[0]
    for start, end in scope.labels(reading.lower.replace("-", " ")):
        if start >= first and end - first <= len(part):
            part = part[: start - first] + " " * (end - start) + part[end - first :]
    said = "no" if negative(part, reading.language) else "yes"
    subjects = scope.subjects(trait.table, span[0] + max(0, (span[1] - span[0]) // 2))
    groups = scope.groups(trait.table)
    inside = [n for g in groups for n in g if span[0] <= n.start < span[1]]
    if inside:
        subjects = inside[0].ids
    claims = [
        c for c in scope.licence.claims if c.trait is trait and (c.subject in subjects or scope.phrase(c.subject))
    ]
    if not claims and subjects:
        known = {k.value for s in subjects for k in scope.lexicon.known(s, trait.name)}
        yield problem("unlicensed-fact" if said in known else "wrong-value", reading.text[span[0] : span[1]])
        return
    for claim in claims:
        if claim.value == said:
            scope.use(claim)
            yield "accounted"
        else:
            yield problem("wrong-value", reading.text[span[0] : span[1]])


def _undisclosed(reading: Reading, scope: Scope) -> Iterator[Problem]:
    words = reading.stems((0, len(reading.text)))
    for table in scope.tables():
        traits = [t for t in scope.lexicon.traits.get(table, ()) if scope.cue(t, words) > 0]
        if not traits:
            continue
        best = max(traits, key=lambda t: scope.cue(t, words))
        at = phrases("undisclosed", reading.language).search(reading.lower)
        subjects = scope.subjects(table, at.start() if at else 0)
        licensed = [
            c
            for c in scope.licence.claims
            if c.value == ""
            and (c.subject in subjects or scope.phrase(c.subject) or not subjects)
            and c.trait.table == table
        ]
        hit = next((c for c in licensed if scope.cue(c.trait, words) >= scope.cue(best, words)), None)
        if hit is not None:
            scope.use(hit)
            return
        if any(c.trait is best and c.subject in subjects for c in scope.licence.claims) or licensed:
            yield problem("wrong-value", reading.text)
        else:
            hidden = any(k.value is None for s in subjects for k in scope.lexicon.known(s, best.name))
            yield problem("unlicensed-fact" if hidden else "wrong-value", reading.text)
        return
    claims = [c for c in scope.licence.claims if c.value == ""]
    if not claims and scope.substance() and reading.names:
        yield problem("negation", reading.text)
    elif len(claims) == 1:
        scope.use(claims[0])


def _said(blanked: str, reading: Reading, scope: Scope) -> Iterator[Problem]:
    """Words that deny, doubt, compare, explain or add an event, where the material's sentence does not."""
    if not scope.substance():
        return
    language = reading.language
    sources = " \n ".join(claim.source.lower() for claim in scope.used)
    own = " \n ".join(
        w for c in scope.used for w in (*c.trait.phrases, *(w for ws in c.trait.categories.values() for w in ws))
    )
    spoken = " \n ".join(p for c in scope.used for p in c.trait.says)
    blanked = _accounted(blanked, reading, scope)
    text = phrases("harmless", language).sub(lambda m: " " * len(m[0]), blanked)
    text = phrases("question", language).sub(lambda m: " " * len(m[0]), text)
    for kind in ("negation", "modal"):
        for match in phrases(kind, language).finditer(text):
            if MISTAKE.search(match[0]) and MISTAKE.search(sources):
                continue
            if match[0] == "ended" and any(c.day is not None and "end" in c.trait.cues for c in scope.used):
                continue
            if not _told(_in_context(match, language), sources, spoken) and match[0] not in own:
                yield problem("negation", match[0])
    if language == "zh":
        for match in _WILL_ZH.finditer(text):
            if not _told(match[0], sources, spoken):
                yield problem("negation", match[0])
    text = phrases("comparison_harmless", language).sub(lambda m: " " * len(m[0]), blanked)
    words = [_in_context(m, language) for m in phrases("comparison", language).finditer(text)]
    if language == "en":
        words += [m[0] for m in _SUPERLATIVE.finditer(text) if m[0] not in _NOT_SUPERLATIVE]
    for word in words:
        if not (scope.derived and _measures(word, language)) and not _told(word, sources, f"{spoken}\n{own}"):
            yield problem("comparison", word)
    whole = scope.licence.text.lower()
    for kind in ("causal", "alien"):
        for match in phrases(kind, language).finditer(blanked):
            hinted = language == "en" and any(stem(match[0]) in c.trait.cues for c in scope.used)
            if match[0] not in whole and match[0] not in own and match[0] not in spoken and not hinted:
                yield problem("unlicensed-claim", match[0])


_WILL_ZH = re.compile(
    r"(?:(?<![麻])将(?![军领士帅才近])(?=[\u3400-\u9fff])|(?:要|快)(?=(?:被|卖|停|关|改|换|转|搬|并|撤)))"
    r"(?![^,;。，；]{0,24}(?:[列记写定报标称视当算归登认看]|为|作|成))"
)


def _accounted(text: str, reading: Reading, scope: Scope) -> str:
    """The text without words that belong to a label, a date or a value that was judged."""
    spans = [*scope.used_up, *((day.start, day.end) for day in reading.days), *((g.start, g.end) for g in reading.gaps)]
    spans += scope.labels(reading.lower.replace("-", " "))
    for start, end in spans:
        text = text[:start] + re.sub(r"\S", " ", text[start:end]) + text[end:]
    nouns = [noun for table in scope.tables() for noun in scope.lexicon.nouns.get(table, ())]
    for noun in nouns:
        text = text.replace(noun, " " * len(noun))
    return text


def _in_context(match: re.Match[str], language: str) -> str:
    """The matched word, in Chinese with the character behind it, which makes it one."""
    return match[0] if language != "zh" else match.string[match.start() : match.end() + 1]


_MEASURES = frozenset(["than", "compared with", "compared to", "ahead of", "more than", "less than", "fewer than"])


def _measures(word: str, language: str) -> bool:
    """Whether a word belongs to a difference that was checked."""
    if language == "zh":
        return word[0] == "比" or any(
            known[0] == word[0] for known in vocabulary("up", "zh") | vocabulary("down", "zh")
        )
    return word in vocabulary("up", language) | vocabulary("down", language) | _MEASURES


def _told(word: str, sources: str, spoken: str) -> bool:
    if not word.isascii():
        return word in sources or word in spoken
    whole = rf"(?<![\w']){re.escape(word)}(?![\w'])"
    return re.search(whole, spoken) is not None or re.search(whole, sources) is not None
