"""The Chinese dictionary, its names of people, places and organisations marked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from worldgen.disjoint.gazetteer import Gazetteer, NameKind, folder_of, gazetteers

_TAGS: dict[str, NameKind] = {
    "ns": "place", "nr": "person", "nrt": "person", "nrfg": "person", "nt": "organisation", "nz": "product",
}  # fmt: skip


@gazetteers.register("chinese")
class Chinese(Gazetteer):
    """The dictionary that jieba ships; read as a file, as the package is not needed for it."""

    name = "chinese"
    package = "jieba"
    holds: ClassVar[tuple[NameKind, ...]] = ("place", "person", "organisation", "product", "word")

    def names(self) -> Iterator[tuple[NameKind, str]]:
        """A line is a word, its frequency and its part of speech."""
        for line in (folder_of("jieba") / "dict.txt").read_text("utf-8").splitlines():
            word, _, tag = line.split(" ")
            yield _TAGS.get(tag, "word"), word
