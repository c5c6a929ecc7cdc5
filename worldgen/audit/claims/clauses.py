"""Clauses that name a thing and tell nothing licensed of it: `The crew of A is 4 people, and A drinks.`

Plain words make claims too, more than a list can forbid. A strict guard therefore wants something licensed in each
clause that begins with a name, or that follows a complete one and has a name, unless it speaks of pages alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from worldgen.audit.claims.names import Named
from worldgen.audit.claims.reading import Reading, has
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.verdict import Problem, problem
from worldgen.audit.claims.words import small_stems, stem

_BREAK = {
    "en": re.compile(r"[,;:()–—]+\s*(?:(?:and|but|while|whereas|yet|so|though|although|or)\b)?|\b(?:and|but|while|whereas)\b"),
    "zh": re.compile(r"[,;:()–—，；：、（）。]+(?:而且|并且|同时|此外|另外|但是?|而|且|又|还有)?"),
}
_LEADS = {
    "en": re.compile(r"[\W_]*(?:(?:and|but|while|whereas|yet|so|though|although|or|the|a|this)\b\s*)*"),
    "zh": re.compile(r"\W*(?:而且|并且|同时|此外|另外|但是?|而|且|又|还有|这|那|该)?\W*"),
}
_NUMERAL = re.compile(r"\d|[零〇一二两三四五六七八九十百千万亿半]")
_LITTLE_ZH = re.compile(r"[是的一名个位家款座支种之在于有属也即这该为了中及和与等此本其嘛呢吧呀啊哦哈啦咯哟]")


def idle(reading: Reading, scope: Scope) -> Iterator[Problem]:
    """The clauses of a sentence that has passed, each as a problem, that name something and tell nothing of it."""
    clauses = list(_clauses(reading, scope))
    for number, (start, end) in enumerate(clauses):
        named = [n for n in reading.names if start <= n.start < end]
        leads = _LEADS[reading.language].match(reading.text, start)
        led = bool(named) and leads is not None and leads.end() >= named[0].start
        whole = len(clauses) == 1 and scope.used
        if (led or number and named) and not whole and not _tells(reading, scope, start, end) and _says(reading, scope, start, end):
            yield problem("unlicensed-claim", reading.text[start:end].strip())


def _clauses(reading: Reading, scope: Scope) -> Iterator[tuple[int, int]]:
    """Where clauses begin and end; none ends before it names something and tells something."""
    start = 0
    for match in _BREAK[reading.language].finditer(reading.text):
        at = match.start()
        if at <= start or any(n.start <= at < n.end for n in reading.names):
            continue
        joined = match[0].strip(" ,:()–—") != ""  # a Chinese comma joins as English conjunctions do
        if not joined and not _opens(reading, scope, match.end()):
            continue
        named = any(start <= n.start < at and not _is_value(n, scope) for n in reading.names)
        if (named and _tells(reading, scope, start, at)) or (
            start == 0 and _opens(reading, scope, 0) and _opens(reading, scope, match.end())
        ):
            yield start, at
            start = at
    yield start, len(reading.text)


def _opens(reading: Reading, scope: Scope, at: int) -> bool:
    """Whether the name of whoever is spoken of, and no value, stands at the beginning of what follows."""
    leads = _LEADS[reading.language].match(reading.text, at)
    return leads is not None and any(at <= n.start <= leads.end() and not _is_value(n, scope) for n in reading.names)


def _tells(reading: Reading, scope: Scope, start: int, end: int) -> bool:
    """Whether a part of the sentence has a number, a date, or another value that was found licensed."""
    part = reading.text[start:end]
    said = [*reading.amounts, *reading.days, *reading.gaps]
    if any(start <= one.start < end for one in said) or _NUMERAL.search(_masked(reading, start, end)):
        return True
    names = [n for n in reading.names if start <= n.start < end]
    if any(_is_value(n, scope) for n in names) or len({n.ids for n in names}) > 1:
        return True
    lower = part.lower().replace("-", " ")
    stems = {token.stem for token in reading.tokens if start <= token.start < end}
    for claim in scope.used:
        if any(word.lower().replace("-", " ") in lower for word in claim.trait.categories.get(claim.value or "", ())):
            return True
        if claim.trait.kind == "boolean" or not claim.value:
            if stems & claim.trait.cues or any(phrase in lower for phrase in claim.trait.phrases):
                return True
    return False


def _is_value(named: Named, scope: Scope) -> bool:
    return any(i.startswith("=") for i in named.ids) or any(claim.value in named.ids for claim in scope.used)


def _masked(reading: Reading, start: int, end: int) -> str:
    """A part of the sentence in lower case, names blanked out."""
    out = list(reading.text[start:end].lower())
    for named in reading.names:
        for at in range(max(named.start, start), min(named.end, end)):
            out[at - start] = " "
    return "".join(out)


def _says(reading: Reading, scope: Scope, start: int, end: int) -> bool:
    """Whether a part of the sentence has more than names, nouns for kinds and small words, and is not about pages."""
    rest = _masked(reading, start, end)
    if has("about_pages", rest, reading.language) or rest.rstrip().endswith(("?", "？")):
        return False
    nouns = [noun for found in scope.lexicon.nouns.values() for noun in found]
    for noun in sorted([*nouns, *scope.lexicon.places], key=len, reverse=True):
        rest = rest.replace(noun, " ")
    if reading.language == "zh":
        return re.search(r"[\u3400-\u9fff]{2}|[\u3400-\u9fff]\W*$", _LITTLE_ZH.sub("", rest)) is not None
    small = small_stems("en")
    return any(stem(word) not in small for word in re.findall(r"[a-z]{2,}", rest))
