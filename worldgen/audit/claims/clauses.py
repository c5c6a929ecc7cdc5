"""Clauses that name a thing and tell nothing licensed of it, as the second of `A has a crew of 4, and A drinks`.

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

_AND = r"(?:(?:and|but|while|whereas|yet|so|though|although|or)\b)"
_AND_ZH = "(?:而且|并且|同时|此外|另外|但是?|而|且|又|还有)"
_BREAK = {
    "en": re.compile(rf"[,;:()–—]+\s*{_AND}?|\b(?:and|but|while|whereas)\b"),
    "zh": re.compile(f"[,;:()–—，；：、（）。]+{_AND_ZH}?"),
}
_LEADS = {
    "en": re.compile(rf"[\W_]*(?:(?:{_AND}|(?:the|a|this|that)\b)\s*)*"),
    "zh": re.compile(rf"\W*{_AND_ZH}?[这那该本]?[个款名位座家艘]?\W*"),
}
_KIND = {"en": r"\b(?:the|this|that) (?:{})\b|\b(?:he|she)\b", "zh": "(?:该|这[个款名位座家艘]?)(?:{})|[它他她]"}
# `X的价格，它是5元` is one clause: the second takes up what the first only names.
_RESUMED = re.compile(r"\s*[它其他她](?:就|便|正)?[是为即乃]")
_NUMERAL = re.compile(r"\d|[零〇一二两三四五六七八九十百千万亿半]")
_LITTLE_ZH = re.compile(r"[是的一名个位家款座支种之在于有属也即这该为了中及和与等此本其嘛呢吧呀啊哦哈啦咯哟]")


def idle(reading: Reading, scope: Scope) -> Iterator[Problem]:
    """The clauses of a sentence that has passed, each as a problem, that name something and tell nothing of it."""
    told = _Told(reading, scope)
    clauses = list(told.clauses())
    if len(clauses) == 1 and scope.used:
        return
    for number, (start, end) in enumerate(clauses):
        named = any(start <= at < end for at in told.named)
        if named and (number or told.opens(start)) and not told.tells(start, end) and told.says(start, end):
            yield problem("unlicensed-claim", reading.text[start:end].strip())


class _Told:
    """What the parts of a sentence name and tell.

    Attributes:
        named: Where names stand that are no values, and phrases for whoever is spoken of.
    """

    def __init__(self, reading: Reading, scope: Scope) -> None:
        self._reading, self._scope = reading, scope
        self._values = [n for n in reading.names if self._is_value(n)]
        self._nouns = sorted(
            {noun for found in scope.lexicon.nouns.values() for noun in found if noun}, key=lambda noun: -len(noun)
        )
        kinds = re.compile(_KIND[reading.language].format("|".join(map(re.escape, self._nouns))))
        self.named = sorted(
            {n.start for n in reading.names if n not in self._values}
            | {match.start() for match in kinds.finditer(self._rest(0, len(reading.text)))}
        )

    def clauses(self) -> Iterator[tuple[int, int]]:
        """Where clauses begin and end; none ends before it names something and tells something."""
        reading, start = self._reading, 0
        for match in _BREAK[reading.language].finditer(reading.text):
            at = match.start()
            if at <= start or any(n.start <= at < n.end for n in reading.names):
                continue
            opens = self.opens(match.end())
            # A Chinese comma joins clauses as English conjunctions do.
            if not opens and not match[0].strip(" ,:()–—"):
                continue
            complete = any(start <= n < at for n in self.named) and self.tells(start, at)
            if not complete and _RESUMED.match(reading.text, match.end()):
                continue
            if complete or (start == 0 and opens and self.opens(0)):
                yield start, at
                start = at
        yield start, len(reading.text)

    def opens(self, at: int) -> bool:
        """Whether a name that is no value stands at the beginning of what follows."""
        leads = _LEADS[self._reading.language].match(self._reading.text.lower(), at)
        return leads is not None and any(at <= n <= leads.end() for n in self.named)

    def tells(self, start: int, end: int) -> bool:
        """Whether a part has a number, a date, or another value that was found licensed."""
        reading = self._reading
        said = [amount.start for amount in reading.amounts] + [day.start for day in reading.days]
        said += [gap.start for gap in reading.gaps] + [named.start for named in self._values]
        if any(start <= at < end for at in said) or _NUMERAL.search(self._rest(start, end)):
            return True
        if len({n.ids for n in reading.names if start <= n.start < end}) > 1:
            return True
        lower = reading.text[start:end].lower().replace("-", " ")
        found = {token.stem for token in reading.tokens if start <= token.start < end}
        for claim in self._scope.used:
            words = claim.trait.categories.get(claim.value or "", ())
            if any(word.lower().replace("-", " ") in lower for word in words):
                return True
            open_ended = claim.trait.kind == "boolean" or not claim.value
            if open_ended and (found & claim.trait.cues or any(phrase in lower for phrase in claim.trait.phrases)):
                return True
        return False

    def says(self, start: int, end: int) -> bool:
        """Whether a part has more than names, nouns for kinds and small words, and is not about pages."""
        rest, language = self._rest(start, end), self._reading.language
        if has("about_pages", rest, language) or rest.rstrip().endswith(("?", "？")):
            return False
        for noun in (*self._nouns, *self._scope.lexicon.places):
            rest = rest.replace(noun, " ")
        if language == "zh":
            return re.search(r"[\u3400-\u9fff]{2}|[\u3400-\u9fff]\W*$", _LITTLE_ZH.sub("", rest)) is not None
        small = small_stems("en")
        return any(stem(word) not in small for word in re.findall(r"[a-z]{2,}", rest))

    def _is_value(self, named: Named) -> bool:
        return any(i.startswith("=") for i in named.ids) or any(c.value in named.ids for c in self._scope.used)

    def _rest(self, start: int, end: int) -> str:
        """A part in lower case, names blanked out."""
        out = list(self._reading.text.lower())
        for named in self._reading.names:
            out[named.start : named.end] = " " * (named.end - named.start)
        return "".join(out[start:end])
