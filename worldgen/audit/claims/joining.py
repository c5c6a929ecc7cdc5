"""Sentences that tell a fact only together, and sentences that tell two.

`91! There you have the price of B.` and `The maker of B? A.` are one statement in two sentences; `the price of B is 91,
while that of C is 40` is two in one. Each is judged as what it tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from worldgen.audit.claims.lexicon import Lexicon
from worldgen.audit.claims.licence import Licence
from worldgen.audit.claims.reading import Reading, read
from worldgen.audit.claims.rounding import hedging
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.text import Piece, key
from worldgen.audit.claims.words import phrases, vocabulary

MOST_SENTENCE = 1_200
_SHORT = 40
_MOST_CUTS = 10
_RESUMED = re.compile(
    r"(?:That|This|Such|It|There|Here)(?:'s|'d|'ll| is| was| would| will| makes| gives| goes| you)\b|(?:这|那|"
    r"此)(?:就|便|即)?(?:是|为)"
)


_TOLD_ASKING = re.compile(
    r"\b(?:did you know|do you know|you know|guess (?:what|who|how)|who knew|have you heard|see|remember)\b|"
    r"\b(?:right|correct|no|eh|huh|yes|ok|okay|isn't it|wasn't it|is it|doesn't it)\s*\?|知道吗|[吗嘛么吧]\s*[?？]"
)
_AGREES = re.compile(
    r"\W*(?:yes|yep|yeah|yup|aye|correct|right|indeed|true|exactly|precisely|sure|of course|that's|that is|it is|"
    r"it does|absolutely|spot on|bingo|affirmative|confirmed|certainly|definitely|totally|so it is|now you|there you|"
    r"here you|you bet|是|对|没错|正是|当然|确实|的确|嗯|答对|可不|就是|这)",
    re.IGNORECASE,
)
_REMARK = 40


def asked_in_vain(text: str, ahead: str, scope: Scope) -> bool:
    """Whether a value is asked about and what follows agrees with nothing, as in `$5 for B? My foot`.

    Args:
        text: The sentence, which was found to tell what is licensed.
        ahead: What follows it.
        scope: Of whom it speaks, with the claims that it states.
    """
    asked = text.rstrip("\"'”’) ").endswith(("?", "？")) and any(
        c.value and c.trait.kind != "boolean" for c in scope.used
    )
    if not asked or not ahead or _TOLD_ASKING.search(text.lower()) or _AGREES.match(ahead):
        return False
    return len(ahead) <= _REMARK and not scope.lexicon.names.find(ahead)


class _Role(NamedTuple):
    """What of a fact a sentence holds."""

    names: int
    label: bool
    value: bool
    words: int


def whole(cut: list[Piece], licence: Licence, lexicon: Lexicon) -> list[Piece]:
    """The sentences of a text, those put together that tell something only together.

    Args:
        cut: The sentences and tables.
        licence: Whose own sentences stay as they are.
        lexicon: The world's words.
    """
    labels = _labels(licence, lexicon)
    found: list[Piece] = []
    for piece in cut:
        last = found[-1] if found else None
        if last is not None and _may_join(last, piece, licence) and _joined(last, piece, labels, licence, lexicon):
            found[-1] = Piece("sentence", f"{last.text} {piece.text}", last.line, last.heading)
        else:
            found.append(piece)
    return found


def _may_join(last: Piece, piece: Piece, licence: Licence) -> bool:
    return (
        last.kind == piece.kind == "sentence"
        and last.line == piece.line
        and not {key(last.text), key(piece.text)} & set(licence.sentences)
        and len(last.text) + len(piece.text) < MOST_SENTENCE
    )


def _joined(last: Piece, piece: Piece, labels: re.Pattern[str], licence: Licence, lexicon: Lexicon) -> bool:
    if piece.text[:1].islower() or (len(last.text) < _SHORT and not last.heading and _RESUMED.match(piece.text)):
        return True
    if last.heading:
        return False
    first, second = _role(last.text, labels, licence, lexicon), _role(piece.text, labels, licence, lexicon)
    if last.text.rstrip("\"'”’) ").endswith(("?", "？")):
        asked = first.label and not second.label
        named = first.names == 1 and not first.label and second.label
        return (asked or named) and not first.value and second.names < (2 if first.names else 3)
    alone = first.words == 0 and not first.label and (first.value or first.names == 1)
    return alone and second.label and not second.value


def _labels(licence: Licence, lexicon: Lexicon) -> re.Pattern[str]:
    """Finds the labels of all attributes that the licence's things have."""
    tables = {claim.trait.table for claim in licence.claims}
    said = {phrase for table in tables for trait in lexicon.traits.get(table, ()) for phrase in trait.phrases}
    inner = "|".join(re.escape(phrase) for phrase in sorted(said, key=lambda phrase: (-len(phrase), phrase)))
    return re.compile((inner if lexicon.language == "zh" else rf"(?<![\w'])(?:{inner})(?![\w'])") if inner else "(?!)")


def _role(text: str, labels: re.Pattern[str], licence: Licence, lexicon: Lexicon) -> _Role:
    reading = read(text, lexicon, licence.foreign)
    rest = reading.masked.lower()
    label = labels.search(rest) is not None
    value = bool(reading.days or any(not amount.ordinal for amount in reading.amounts))
    bare = re.sub(r"[\W\x00-\x04]+", " ", rest).strip()
    kinds = {word.lower() for claim in licence.claims for words in claim.trait.categories.values() for word in words}
    if bare.replace("-", " ") in {kind.replace("-", " ") for kind in kinds}:
        return _Role(len(reading.names), label, value=True, words=0)
    small = vocabulary("stop", lexicon.language) | hedging(lexicon.language)
    words = [word for word in bare.split() if word not in small]
    return _Role(len(reading.names), label, value, len(words))


@cache
def _cuts(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Where two statements may be joined, and what stands before the second."""
    joining, leading = _either("joint", language), _either("connective", language)
    if language == "zh":
        strong = rf"[;；(（。!！|/·•]|——|—|\.\.\.|…|[,，]?(?:{leading})"
        lead = rf"(?:[\s,，:：;；.。…—(（!！|/·•-]|{leading})+"
    else:
        strong = rf";|\.\.\.|…|\(| [–—|/·•-] |—|(?:,\s*)?(?<![\w'])(?:{joining})(?![\w'])"
        lead = rf"(?:[\s,:;.…–—(|/·•-]|(?:{leading})(?![\w']))+"
    return re.compile(rf"\s*(?P<strong>{strong})|\s*(?P<weak>[,，:])"), re.compile(lead)


def _either(kind: str, language: str) -> str:
    return "|".join(re.escape(word) for word in sorted(vocabulary(kind, language), key=lambda word: (-len(word), word)))


# What may lead a statement in, whatever its words: `; point two: …`, `. Another one, …`; 其二：…, 再说一条，…
_LEAD = {
    "en": re.compile(r"[^\W_]+(?:[ '-]+[^\W_]+){0,5}\s?[:,–—]\s*", re.ASCII),
    "zh": re.compile(r"[\u3400-\u9fff]{1,8}\s?[:,，：]\s*"),
}


def halves(reading: Reading) -> Iterator[tuple[str, str, str]]:
    """The ways of cutting a sentence where two are joined, the plainest first, each with what leads the second in.

    Args:
        reading: The sentence.
    """
    cut, lead = _cuts(reading.language)
    matches = list(cut.finditer(reading.masked.lower()))
    matches.sort(key=lambda match: (match["strong"] is None, match.start()))
    for match in matches[:_MOST_CUTS]:
        skipped = lead.match(reading.masked.lower(), match.start())
        at = skipped.end() if skipped else match.end()
        first, second = reading.text[: match.start()].strip(), reading.text[at:].strip()
        if match["strong"] and match["strong"].strip() in ("(", "（"):
            second = re.sub(r"[)）]\W*$", "", second)
        if _tells(first, 0, match.start(), reading) and _tells(second, at, len(reading.text), reading):
            yield first, second, ""
        ahead = _LEAD[reading.language].match(reading.lower, at)
        if ahead and _tells(first, 0, match.start(), reading):
            rest = reading.text[ahead.end() :].strip()
            if _tells(rest, ahead.end(), len(reading.text), reading):
                yield first, rest, ahead[0].strip()


def _tells(text: str, start: int, end: int, reading: Reading) -> bool:
    """Whether a part may be a statement of its own: it names something, and says more of it."""
    inside = [n for n in reading.names if start <= n.start < end]
    places = [*(amount.start for amount in reading.amounts), *(day.start for day in reading.days)]
    valued = any(start <= place < end for place in places)
    pronoun = phrases("pronoun", reading.language).search(text.lower()) is not None
    return bool(text) and (bool(inside) or pronoun) and (valued or len(inside) > 1 or len(text) > 8)
