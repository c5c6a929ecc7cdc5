"""Words by which a sentence says that something is not told, or says no."""

from __future__ import annotations

import re
from functools import cache

from worldgen.audit.claims.words import phrases, table

# Whoever looks, asks or listens comes away with nothing: 外人看不到, 怎么查也查不着.
_IN_VAIN_ZH = (
    "(?:看|见|望|瞧|查|找|寻|翻|搜|问|打听|打探|听|探|摸|猜|算|套|挖|得|知|获|拿|弄|搞|觅|求|读|数|说)"
    "(?:不|没|没有|未能?)(?:到|着|出来?|得|见|清|明白|上来|全|准)"
)


@cache
def _frames(language: str) -> tuple[re.Pattern[str], ...]:
    """Ways of saying that something is not told: a no and a word of telling, what is yet to come of it, what hides."""
    told: dict[str, list[str]] = table(language)["silence"]
    no, tell, public, hide, await_ = (
        "|".join(re.escape(word) for word in sorted(told[kind], key=lambda word: (-len(word), word)))
        for kind in ("no", "tell", "public", "hide", "await")
    )
    if language == "zh":
        return (
            re.compile(rf"(?:{no})[^,;，；。!?]{{0,8}}?(?:{tell}|{public})"),
            re.compile(rf"(?:{await_})[^,;，；。!?]{{0,4}}?(?:{tell}|{public})"),
            re.compile(_IN_VAIN_ZH),
            re.compile(hide),
        )
    return (
        re.compile(
            rf"(?<![\w'])(?:{no})(?![\w'])(?:[\s,]+[\w'\x01-]+){{0,9}}?[\s,]+(?:(?:{tell})\w*|(?:{public})(?![\w]))"
        ),
        re.compile(rf"n't(?:\s+[\w'-]+){{0,6}}?\s+(?:(?:{tell})\w*|(?:{public})(?!\w))"),
        re.compile(rf"(?<![\w'])(?:{await_})(?:\s+\w+){{0,3}}?\s+(?:(?:{tell})\w*|(?:{public})(?!\w))"),
        re.compile(
            rf"(?<![\w'])(?:out of|away from|outside|beyond|hidden from|kept from|off|not in|not on|not a matter of)"
            rf"(?: the| any| all)?(?: {public})?(?: (?:{public}))(?!\w)"
        ),
        re.compile(rf"(?<![\w'])(?:{hide})(?![\w])"),
    )


def undisclosed_words(lower: str, language: str) -> re.Match[str] | None:
    """Words that say that something is not disclosed."""
    patterns = (phrases("undisclosed", language), *_frames(language))
    return next((match for pattern in patterns if (match := pattern.search(lower))), None)


def untold(lower: str, language: str) -> str:
    """The text without words that say that something is not disclosed."""
    for pattern in (phrases("undisclosed", language), *_frames(language)):
        lower = pattern.sub(lambda m: " " * len(m[0]), lower)
    return lower


def negative(text: str, language: str) -> bool:
    """Whether a part of a sentence says no."""
    text = phrases("question", language).sub(lambda m: " " * len(m[0]), text)
    return phrases("boolean_no", language).search(text) is not None
