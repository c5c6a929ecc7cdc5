"""What a sentence says besides values: denials, comparisons, causes, new events, and what it leaves open."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from worldgen.audit.claims import categories, truths
from worldgen.audit.claims.differences import MISTAKE
from worldgen.audit.claims.frames import holders
from worldgen.audit.claims.reading import Reading, has
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.silence import undisclosed_words, untold
from worldgen.audit.claims.verdict import Problem, problem
from worldgen.audit.claims.words import phrases, stem, vocabulary

_SUPERLATIVE = re.compile(r"(?<![\w'])[a-z]{2,}(?:est|iest)(?![\w'])")


def judge(reading: Reading, scope: Scope, *, heading: bool = False, alone: bool = False) -> Iterator[Problem]:
    """Categories, yes and no, what is not disclosed; then denials, comparisons, causes and events.

    Args:
        reading: The sentence.
        scope: Of whom it speaks.
        heading: Whether it is a heading.
        alone: Whether it tells one fact of one thing, so that there is nothing to compare it with.
    """
    blanked = reading.lower
    yield from categories.judge(reading, scope)
    answered = list(truths.booleans(reading, scope))
    yield from (found for found in answered if isinstance(found, Problem))
    hidden = undisclosed_words(reading.lower, reading.language)
    # Where a value is told, words that may say that nothing is do not: `nobody posted it, but it is 5 g`, `texting is
    # not offered`.
    told = alone and any(claim.value for claim in scope.used)
    spoken = scope.substance() or bool(scope.labels(reading.lower.replace("-", " ")))
    if (
        hidden
        and spoken
        and not told
        and not (scope.used and not phrases("undisclosed", reading.language).search(reading.lower))
    ):
        yield from truths.undisclosed(reading, scope)
        blanked = untold(blanked, reading.language)
        blanked = _negations(blanked, reading.language)
        blanked = re.sub(r"\b(?:nobody|no one|could|would|can|can't)\b", lambda m: " " * len(m[0]), blanked)
    if any(isinstance(found, str) for found in answered):
        blanked = _negations(blanked, reading.language)
    yield from _said(blanked, reading, scope, alone=alone)
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


def _said(blanked: str, reading: Reading, scope: Scope, *, alone: bool) -> Iterator[Problem]:
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
    for match in phrases("conditions", language).finditer(blanked):
        if not _told(match[0], sources, spoken) and match[0] not in own:
            yield problem("negation", match[0])
    text = phrases("harmless", language).sub(lambda m: " " * len(m[0]), blanked)
    text = phrases("question", language).sub(lambda m: " " * len(m[0]), text)
    text = _unasked(text) if language == "en" else text
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
        words += [m[0] for m in _SUPERLATIVE.finditer(text) if m[0] not in vocabulary("not_superlative", "en")]
    for word in words:
        if alone and word in vocabulary("operand", language):
            continue
        if word in _QUANTIFIERS and not _of_kinds(word, reading.lower, scope):
            continue
        if not (scope.derived and _measures(word, language)) and not _told(word, sources, f"{spoken}\n{own}"):
            yield problem("comparison", word)
    whole = scope.licence.text.lower()
    for kind in ("causal", "alien"):
        for match in phrases(kind, language).finditer(blanked):
            if (
                alone
                and kind == "causal"
                and re.match(r"\s*(?:the |of |its )?[\x01\x02]", reading.masked[match.end() :])
            ):
                continue  # whose fact it is, or the fact itself
            hinted = language == "en" and any(stem(match[0]) in c.trait.cues for c in scope.used)
            if match[0] not in whole and match[0] not in own and match[0] not in spoken and not hinted:
                yield problem("unlicensed-claim", match[0])


_WHOEVER = (
    r"(?:readers?|visitors?|those|anyone|anybody|everyone|everybody|whoever|people|folks|browsers|someone|somebody)"
)
_WISHES = (
    r"(?:after|ask\w*|want\w*|need\w*|look\w*|seek\w*|search\w*|wonder\w*|hunt\w*|car(?:e|es|ing)|check\w*|curious|"
    r"interested|keen|enquir\w*|inquir\w*|here for|like)\b"
)
_IF_ASKED = re.compile(
    rf"\bif(?= [^,;.:]{{0,80}}?\b(?:you|you're|you'd|you've|{_WHOEVER})\b[^,;.:\x02]{{0,24}}?\b{_WISHES})"
)
_THEY_WILL = re.compile(
    rf"(?:^|[,;:(])\W*(?:the |all |most |any )?{_WHOEVER}(?: who| that)?(?: \w+){{0,2}}? {_WISHES}[^,;.:]*? "
    r"(?P<will>will|would|may|might|could|should|shall)(?= (?:\w+ ){0,1}?(?:find|want|get|read|note|need|like|learn|"
    r"meet|be told|be given|hear|discover|have|know|come across|be glad|be pleased|be happy|be pointed|be shown)\b)"
)


def _unasked(text: str) -> str:
    """The text without words by which whoever asks is spoken of: `if … you are after`, `readers asking … will want`."""
    text = _IF_ASKED.sub("  ", text)
    for match in reversed(list(_THEY_WILL.finditer(text))):
        text = text[: match.start("will")] + " " * len(match["will"]) + text[match.end("will") :]
    return text


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


_QUANTIFIERS = frozenset(["all", "every"])
_EVERYTHING = (
    r"\W*(?:$|[.,;!?]|(?:\w+ ){0,2}?(?:of|other|others|the|its|their|his|her|else|rivals?|competitors?|competition|"
    r"comers|rest|field|market|league|list|table|peers?|kind|sort|class|contenders?|opponents?"
)


def _of_kinds(word: str, text: str, scope: Scope) -> bool:
    """Whether `all` or `every` is of the things of the world, and not `all day` or `every door`."""
    nouns = sorted({re.escape(noun) for found in scope.lexicon.nouns.values() for noun in found if noun})
    follows = re.compile("|".join([_EVERYTHING, *nouns]) + r")(?!\w))")
    return any(follows.match(text, match.end()) for match in re.finditer(rf"(?<![\w'])(?:{word})(?![\w'])", text))


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
