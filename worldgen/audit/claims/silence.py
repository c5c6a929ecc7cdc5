"""Words by which a sentence says that something is not told, or says no."""

from __future__ import annotations

import re

from worldgen.audit.claims.words import phrases

_UNTOLD = {
    "en": re.compile(
        r"\b(?:nobody|no one|none|never|not|n't|yet to|without|refus\w+ to|declin\w+ to|unwilling to|reluctant to)"
        r"(?: \w+){0,3} (?:(?:publish|disclos|reveal|releas|announc|shar|divulg|declar|told|tell|stat|say|said)\w*|"
        r"ma[dk]e public)"
    ),
    "zh": re.compile(
        r"(?:未|没有?人?|不|拒绝|无人|不愿|不肯|尚未|从未)(?:曾|予|对外|向外|向公众|至今|正式|作出?|加以|能|被)*"
        r"(?:公开|披露|公布|透露|说明|提供|发布|公示|告知|外传|泄露|回应)"
    ),
}
"""Ways of saying that something is not told, by their frame."""


def undisclosed_words(lower: str, language: str) -> re.Match[str] | None:
    """Words that say that something is not disclosed."""
    return phrases("undisclosed", language).search(lower) or _UNTOLD[language].search(lower)


def untold(lower: str, language: str) -> str:
    """The text without words that say that something is not disclosed."""
    for pattern in (phrases("undisclosed", language), _UNTOLD[language]):
        lower = pattern.sub(lambda m: " " * len(m[0]), lower)
    return lower


def negative(text: str, language: str) -> bool:
    """Whether a part of a sentence says no."""
    text = phrases("question", language).sub(lambda m: " " * len(m[0]), text)
    return phrases("boolean_no", language).search(text) is not None
