"""Would the proofs accept a statement in other words? Asked of a sentence before it is put on a page."""

from __future__ import annotations

from worldgen.proofs.files import Files, Leaf, Said
from worldgen.proofs.meaning import attributes, means
from worldgen.proofs.naming import Labels


class Reader:
    """Reads statements of a world as `prove_values` and `prove_labels` do.

    Args:
        files: The world's files.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._known = attributes(files)
        self._labels = Labels(files.schema)

    def labels(self, fact: str) -> list[str]:
        """The labels of a fact's attribute in all languages, case-folded."""
        found = self._files.facts.get(fact)
        return [] if found is None else self._labels.of(found)

    def is_own(self, fact: str, sentence: str) -> bool:
        """Whether a sentence is one that the schema has for a fact's attribute."""
        found = self._files.facts.get(fact)
        return found is not None and self._labels.own(found, sentence)

    def reads(self, said: Said, page: Leaf) -> bool:
        """Whether the words mean what the statement claims, and say what it is about."""
        fact = self._files.facts.get(said.fact)
        if fact is None:
            return False
        if said.label != "undisclosed" and not means(self._files, self._known, said, page):
            return False
        return not self._labels.of(fact) or not any(self._labels.faults(said, page, fact))
