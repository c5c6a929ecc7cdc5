"""One spelling for many: what decoration a cell may carry without meaning anything else.

Used where we decide ourselves (aliases, `worldgen_f1`); the official score has its own, weaker `norm_str`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_FOOTNOTE = re.compile(r"\[\^?[0-9]{1,3}\]\([^()\s]*\)|\[\^[0-9]{1,3}\]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARKS = re.compile("[*`\u200b\u200c\u200d\u2060\ufeff]|~~|<br\\s*/?>")
_SIGNS = str.maketrans("\u2212\u2010\u2011\u2012\u2013\u2014\u2018\u2019\u201c\u201d", "------''\"\"")
_SPACE = re.compile(r"\s+")


@lru_cache(maxsize=65536)
def plain(text: str) -> str:
    """The text without Markdown decoration: stars, code marks, escapes, footnotes, links (their text stays).

    >>> plain(" **Foo**  [Bar](https://a.example) ")
    'Foo Bar'
    """
    text = _ESCAPE.sub(r"\1", _LINK.sub(r"\1", _FOOTNOTE.sub("", text)))
    text = _MARKS.sub("", unicodedata.normalize("NFKC", text).translate(_SIGNS))
    return _SPACE.sub(" ", text).strip()


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """The form in which two texts are compared: plain, without case and without spaces.

    >>> fold("**ｎew** York") == fold("New york")
    True
    """
    return plain(text).casefold().replace(" ", "")
