"""A world's setting beside a noun: `ferries in Velmara` rather than `ferries in the ferries of Velmara`."""

from __future__ import annotations

import re
from collections.abc import Iterable


def said_scope(phrase: str, name: str, nouns: Iterable[str], language: str) -> str:
    """The setting in words, or its mere name where the words would say one of the nouns again.

    Args:
        phrase: The words, with a place ``{name}``.
        name: The setting's name.
        nouns: What is spoken of, in the plural.
        language: Of all of these.

    >>> said_scope("the ferries of {name}", "Velmara", ["ferries"], "en")
    'Velmara'
    >>> said_scope("the {name} ferry market", "Velmara", ["ferries"], "en")
    'the Velmara ferry market'
    """
    for noun in nouns:
        again = (
            phrase.endswith(noun) if language == "zh" else re.search(rf"\b{re.escape(noun)}\b", phrase, re.IGNORECASE)
        )
        if again:
            return name
    return phrase.replace("{name}", name)
