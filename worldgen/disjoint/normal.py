"""When two names count as the same: case, diacritics, punctuation and legal forms aside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from worldgen.language.known import folded

DATA = Path(__file__).parent / "data"
_STOPS = re.compile("(?<=\\w)['’.]")
_GAP = re.compile(r"[^\w\n]+|_+")
_HAN = re.compile("[\u3400-\u9fff]")


def normal(name: str) -> str:
    """The form in which names are compared: words in lower case, one space between them.

    >>> normal("Société Générale S.A."), normal("Dorvik & Sahl Co., Ltd."), normal("华为技术有限公司")
    ('societe generale', 'dorvik sahl', '华为技术')
    """
    return normals([name])[0]


def normals(names: Sequence[str]) -> list[str]:
    """`normal` of many names at once, which is several times as fast."""
    if not names:
        return []
    text = "\n".join(names)
    if text.count("\n") >= len(names):
        text = "\n".join(name.replace("\n", " ") for name in names)
    return [_bare(line.strip()) for line in spelled(text).split("\n")]


def spelled(text: str) -> str:
    """The words of a text in lower case without diacritics, apostrophes and full stops within; lines stay lines.

    >>> spelled("Kur'er d’Este, A.B.C.")
    'kurer deste abc'
    """
    return _GAP.sub(" ", _STOPS.sub("", folded(text)))


def _bare(line: str) -> str:
    if not line.isascii() and _HAN.search(line):
        joined = line.replace(" ", "")
        return next((joined.removesuffix(e) for e in legal_endings() if joined.endswith(e) and joined != e), joined)
    forms = _latin_forms()
    head, _, last = line.rpartition(" ")
    while head and last in forms:
        line = head
        head, _, last = line.rpartition(" ")
    return line


def parts(name: str) -> list[str]:
    """The words of a name that a real name may share with it, in the form of `normal`.

    >>> parts("Kesma Dorvane"), parts("克斯玛·多尔万")
    (['kesma', 'dorvane'], ['克斯玛', '多尔万'])
    """
    return [normal(piece) for piece in name.split("·")] if _HAN.search(name) else normal(name).split()


def legal_endings() -> list[str]:
    """The legal forms at the end of names in Chinese, longest first."""
    return list(_forms()["chinese"])


@cache
def _latin_forms() -> frozenset[str]:
    return frozenset(_forms()["latin"])


@cache
def _forms() -> Any:
    return yaml.safe_load((DATA / "legal_forms.yaml").read_text("utf-8"))
