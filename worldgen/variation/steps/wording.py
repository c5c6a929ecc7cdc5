"""Changes which wording of an attribute, a series or a thing comes first."""

from __future__ import annotations

from worldgen.seeds import Stream
from worldgen.variation.data import read
from worldgen.variation.drawing import between
from worldgen.variation.outline import Outline


def reorder_labels(outline: Outline, rng: Stream) -> None:
    """Put the wordings in another order; each language by itself."""
    share = between(read("plan")["words"]["labels"], rng)
    holders = [attribute for _, _, attribute in outline.attributes()]
    holders += list(outline.plain["entities"].values())
    for section in ("relations", "series"):
        holders += list(outline.plain.get(section, {}).values())
    changed = 0
    for holder in holders:
        if rng.chance(share) and holder.get("label"):
            holder["label"] = {language: rng.shuffled(words) for language, words in holder["label"].items()}
            changed += 1
    if changed:
        outline.changes.append(f"wordings of {changed} parts in another order")
