"""The English dictionary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from worldgen.disjoint.gazetteer import Gazetteer, NameKind, gazetteers


@gazetteers.register("dictionary")
class Dictionary(Gazetteer):
    """Webster's second edition and the collaborative dictionary GCIDE, as english-words ships them."""

    name = "dictionary"
    package = "english-words"
    holds: ClassVar[tuple[NameKind, ...]] = ("word",)

    def names(self) -> Iterator[tuple[NameKind, str]]:
        """The words in order, so that a run repeats."""
        from english_words import get_english_words_set

        for word in sorted(get_english_words_set(["web2", "gcide"])):
            yield "word", word
