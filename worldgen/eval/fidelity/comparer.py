"""A judge that is none: plain code that compares words, so that `worldgen fidelity` can be tried whole.

It gives well-formed verdicts by a rule that anybody can check, and nothing that is worth quoting: two texts that say
the same in other words are far apart for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from typing import Any

from worldgen.scoring.evaluation_block import HIGHEST, LOWEST

_BLOCK = re.compile(
    r"^----- (?P<name>[A-Z]+) (?P<key>\w+) begins -----\n(?P<text>.*?)\n----- (?P=name) (?P=key) ends -----$",
    re.DOTALL | re.MULTILINE,
)
_WORD = re.compile(r"\w+")
_SHAPES = {"error": r"\W*error\b", "results": r"\[1\] https?://", "page": r"# ", "record": r"[{\[]\s*[\"{}\]]"}


def compares(request: Mapping[str, Any]) -> str:
    """Judge a prediction by the words that it shares with the reference.

    ``format`` and ``realism`` ask whether both are an error, a page of results, a page, a record or a line; the others
    are shares of words, each from 1 to 5: ``factuality`` of the prediction's that the reference has, ``consistency`` of
    those that the reference or the history has, ``quality`` of the reference's that the prediction has.
    """
    blocks = {found["name"]: found["text"] for found in _BLOCK.finditer(str(request["messages"][-1]["content"]))}
    if not blocks.keys() >= {"HISTORY", "REFERENCE", "PREDICTION"}:
        return "There is nothing to compare: a judge is shown HISTORY, ACTION, REFERENCE and PREDICTION."
    said, right, before = (_words(blocks[name]) for name in ("PREDICTION", "REFERENCE", "HISTORY"))
    alike = HIGHEST if _shape(blocks["PREDICTION"]) == _shape(blocks["REFERENCE"]) else LOWEST
    scores = {
        "format": alike,
        "factuality": _score(said, right),
        "consistency": _score(said, right | before),
        "realism": alike,
        "quality": _score(right, said),
    }
    verdict = json.dumps({"strengths": [], "weaknesses": [], "scores": scores})
    return f"Words were compared, and nothing else.\n<final_evaluation>\n{verdict}\n</final_evaluation>"


def _words(text: str) -> Set[str]:
    return set(_WORD.findall(text.casefold()))


def _score(words: Set[str], among: Set[str]) -> int:
    share = len(words & among) / len(words) if words else 0.0
    return LOWEST + round(share * (HIGHEST - LOWEST))


def _shape(text: str) -> str:
    bare = text.strip().removeprefix("**Environment Observation:**").strip()
    return next((name for name, begins in _SHAPES.items() if re.match(begins, bare, re.IGNORECASE)), "line")
