"""How text becomes index terms: the same cut for pages when they are indexed and for queries when they are asked.

Chinese, Japanese and Korean runs become overlapping pairs of characters before tantivy sees them, since its own n-gram
tokenizer numbers positions in a way that no phrase can match. English is not stemmed in the index, which would halve
the speed of building it; a query asks for the other number of its nouns instead.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import normalize

import tantivy

MAX_QUERY = 1_000
MAX_TERMS = 24
MAX_TERM_BYTES = 40

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_RUN = re.compile(f"[{_CJK}]+")
# UTF-8 begins every character from U+3000 on with one of these bytes, and no other character.
_HIGH = bytes(range(0xE3, 0x100))
_LINK_TARGET = re.compile(r"\]\([^)\s]*\)")


def is_cjk(char: str) -> bool:
    """Whether one character is written without spaces around its words."""
    return char >= "\u3040" and _CJK_RUN.match(char) is not None


def holds(text: str, leads: bytes) -> bool:
    """Whether a text has a character whose UTF-8 begins with one of some bytes: a pattern takes five times as long."""
    data = text.encode("utf-8", "surrogatepass")
    return len(data.translate(None, leads)) < len(data)


def encodable(text: str) -> str:
    """The text with lone surrogates replaced, which no UTF-8 interface takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _pairs(run: re.Match[str]) -> str:
    chars = run.group()
    if len(chars) == 1:
        return f" {chars} "
    return " " + " ".join([chars[i : i + 2] for i in range(len(chars) - 1)]) + " "


def indexable(text: str) -> str:
    """The text as tantivy gets it: link targets dropped, Chinese cut into pairs.

    >>> indexable("see [the list](https://a.example/l) 手机价格")
    'see [the list]  手机 机价 价格 '
    """
    if "](" in text:
        text = _LINK_TARGET.sub("]", text)
    return text if text.isascii() or not holds(text, _HIGH) else _CJK_RUN.sub(_pairs, encodable(text))


@lru_cache(maxsize=1)
def analyzer() -> tantivy.TextAnalyzer:
    """Words of letters and digits, lower case, without accents."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (
        tantivy.Filter.remove_long(MAX_TERM_BYTES),
        tantivy.Filter.lowercase(),
        tantivy.Filter.ascii_fold(),
    ):
        builder = builder.filter(step)
    return builder.build()


def query_terms(query: str) -> list[str]:
    """The index terms of a query in their order, repetitions included, `MAX_TERMS` at most.

    >>> query_terms("O'Brien's C++ phones")
    ['o', 'brien', 's', 'c', 'phones']
    """
    text = query[:MAX_QUERY]
    if not text.isascii():
        text = normalize("NFKC", encodable(text))[:MAX_QUERY]
    return analyzer().analyze(indexable(text))[:MAX_TERMS]


def other_number(term: str) -> list[str]:
    """Spellings that the same English noun may have in the other number; not all of them are words.

    >>> other_number("cities"), other_number("phone"), other_number("x5")
    (['city'], ['phones'], [])
    """
    if len(term) < 3 or not term.isascii() or not term.isalpha():
        return []
    if term.endswith("ies"):
        return [term[:-3] + "y"]
    if term.endswith(("ses", "xes", "ches", "shes")):
        return [term[:-2], term[:-1]]
    if term.endswith("s"):
        return [] if term.endswith("ss") else [term[:-1]]
    if term.endswith("y") and term[-2] not in "aeiou":
        return [term[:-1] + "ies"]
    return [term + "es"] if term.endswith(("x", "ch", "sh")) else [term + "s"]
