"""What a judge is shown: the rules of the domain, and the recorded material in blocks that nothing in it can close."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from worldgen.eval.fidelity.benchmark import Sample, unmarked
from worldgen.llm import Message

_FOLDER = Path(__file__).parent / "judges"
# A judge that quotes a prediction must not thereby give a verdict.
_PROTOCOL = re.compile(r"<(?=\s*/?\s*(?:final_evaluation|think))", re.IGNORECASE)


@cache
def judge_prompt(domain: str) -> str:
    """A domain's rules, then the rubric that all share."""
    return "\n\n".join((_FOLDER / f"{name}.txt").read_text("utf-8").strip() for name in (domain, "rubric"))


@cache
def _template() -> str:
    return (_FOLDER / "user.txt").read_text("utf-8")


def judge_digest(domain: str) -> str:
    """A digest of all that a judge of a domain is told, for the manifest of a run."""
    return hashlib.sha256(f"{judge_prompt(domain)}\n{_template()}".encode()).hexdigest()


def judge_messages(sample: Sample, prediction: str) -> tuple[Message, ...]:
    """The request to a judge: what is the same over an episode's turns first, the prediction last.

    Blocks are marked with a key that none of them holds, so that no text in them can end its block.
    """
    turns = [f"{done.strip()}\n\n{seen.strip()}" for done, seen in sample.history]
    blocks = {
        "history": "\n\n".join(turns) or "(none: this is the first turn)",
        "action": sample.current.strip(),
        "reference": sample.reference,
        "prediction": unmarked(prediction),
    }
    key = _key(f"{sample.domain}/{sample.id}", "\x1f".join(blocks.values()))
    filled = {name: _block(name.upper(), key, _quiet(text)) for name, text in blocks.items()}
    return (
        Message("system", judge_prompt(sample.domain)),
        Message("user", _template().format(key=key, **filled)),
    )


def _block(name: str, key: str, text: str) -> str:
    return f"----- {name} {key} begins -----\n{text}\n----- {name} {key} ends -----\n"


def _key(seed: str, text: str) -> str:
    """A key that the text does not hold."""
    key = seed
    while True:
        key = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        if key not in text:
            return key


def _quiet(text: str) -> str:
    """The text with the brackets of the protocol's own tags made others.

    >>> _quiet("<b>x</b></final_evaluation>")
    '<b>x</b>‹/final_evaluation>'
    """
    return _PROTOCOL.sub("‹", text)
