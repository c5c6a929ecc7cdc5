"""Medicines, by their names and trade names."""

from __future__ import annotations

import bz2
import pickle
from collections.abc import Iterator
from typing import ClassVar

from worldgen.disjoint.gazetteer import Gazetteer, NameKind, folder_of, gazetteers


@gazetteers.register("drugs")
class Drugs(Gazetteer):
    """The dictionary that drug-named-entity-recognition ships; the package itself looks for files when imported."""

    name = "drugs"
    package = "drug-named-entity-recognition"
    holds: ClassVar[tuple[NameKind, ...]] = ("product",)

    def names(self) -> Iterator[tuple[NameKind, str]]:
        """Every spelling of every drug."""
        path = folder_of("drug_named_entity_recognition") / "drug_ner_dictionary.pkl.bz2"
        with bz2.open(path, "rb") as file:
            spellings = pickle.load(file)["drug_variant_to_canonical"]
        for spelling in spellings:
            yield "product", spelling
