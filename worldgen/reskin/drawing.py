"""Draws an epoch's words: one new word for each coined word, read alike in a sentence, in no other word's way.

A new word takes the article that the old one takes, ends in ``s`` where that does, and keeps its first letter where
that stands for it somewhere. Words are dealt to epochs by a hash, so that epochs near each other share none.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from zlib import crc32

from worldgen.errors import GenerationError
from worldgen.language import article, known, transliterate
from worldgen.language.distinct import Distinct
from worldgen.language.sounds import acceptable_ones, culture, draw_roots
from worldgen.reskin.coined import Coined
from worldgen.seeds import stream

PARTS = 4
"""Epochs whose difference is no multiple of this share no word."""
_ROUNDS = 24
_PATIENCE = 6
_LONGEST = 11
_SYLLABLES = (0.06, 0.7, 0.24)

Shape = tuple[str, bool, str]


def draw_words(coined: Coined, cultures: Sequence[str], seed: int, epoch: int) -> dict[str, str]:
    """Coined word → its word of the epoch, both in lower case; the same for the same arguments.

    Args:
        coined: The world's words.
        cultures: In whose sounds.
        seed: Of the world.
        epoch: Which.

    Raises:
        GenerationError: The cultures' sounds do not yield enough words.
    """
    waiting: defaultdict[Shape, deque[str]] = defaultdict(deque)
    for word in stream(seed, "reskin", epoch, "order").shuffled(coined.words):
        waiting[_shape(word, word[0] if word in coined.abbreviated else "")].append(word)
    draw = _Draw(coined, seed, epoch)
    found: dict[str, str] = {}
    for turn in range(_ROUNDS):
        missing = len(coined.words) - len(found)
        if not missing:
            return dict(sorted(found.items()))
        for word in draw.round(turn, cultures, missing):
            for shape in (_shape(word, word[0]), _shape(word, "")):
                if waiting.get(shape):
                    found[waiting[shape].popleft()] = word
                    break
    raise GenerationError(
        "reskin.exhausted", "the sounds of the world's cultures do not yield enough words",
        expected=f"{len(coined.words)} words", got=str(len(found)), fix="give the schema more cultures",
    )  # fmt: skip


def _shape(word: str, letter: str) -> Shape:
    return (article(word), word.endswith("s"), letter)


class _Draw:
    """What has been taken so far."""

    def __init__(self, coined: Coined, seed: int, epoch: int) -> None:
        self.coined = coined
        self.seed = seed
        self.epoch = epoch
        self.old = {transliterate(word) for word in coined.words}.union(coined.names)
        self.spelled = set(self.old)
        self.near = Distinct()
        self.near.add(coined.words)

    def round(self, turn: int, cultures: Sequence[str], missing: int) -> list[str]:
        """Candidates that may be used, drawn for so many words that are still missing."""
        longer = turn // _PATIENCE
        tried = missing * PARTS * 2 // len(cultures) + 50
        syllables = [0.0] * longer + list(_SYLLABLES)
        roots: list[str] = []
        for sound in cultures:
            rng = stream(self.seed, "reskin", self.epoch, turn, sound)
            roots += draw_roots(culture(sound), rng, tried, syllables=syllables)
        if turn >= _PATIENCE:  # what is still missing is mostly rare at its end
            roots += [root + "s" for root in roots if not root.endswith("s")]
        mine = [root for root in dict.fromkeys(roots) if crc32(root.encode()) % PARTS == self.epoch % PARTS]
        free = [root for root in mine if root not in self.coined.ordinary]
        good = [root for root, ok in zip(free, acceptable_ones(free, longest=_LONGEST + longer), strict=True) if ok]
        good = stream(self.seed, "reskin", self.epoch, turn, "mixed").shuffled(good)
        spelled = [transliterate(root) for root in good]
        kept = []
        for root, zh, real in zip(good, spelled, known(spelled), strict=True):
            if not real and zh not in self.spelled and not self._holds_old(zh):
                kept.append(root)
                self.spelled.add(zh)
        return [root for root, apart in zip(kept, self.near.add(kept), strict=True) if apart]

    def _holds_old(self, zh: str) -> bool:
        """Whether a spelling has an old one in it, which no space sets apart in Chinese."""
        return any(zh[start:end] in self.old for start in range(len(zh)) for end in range(start + 2, len(zh) + 1))
