"""Tables with hardly anything to tell still get pages, and none that is empty."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldgen.corpus import write_corpus
from worldgen.facts.generate import generate
from worldgen.facts.reading import vocabulary
from worldgen.schema.loader import parse_schema

ROOT = Path(__file__).parents[2]

_WATCH = """
  watch:
    label: {en: [watch/watches, duty/duties, vigil/vigils]}
    key: [keeper, light]
    phrase: {en: "the watch of {keeper} at {light}"}
    count: 30
    attributes:
      keeper:
        ref: trust
        label: {en: [trust on watch, watching trust, trust that watches]}
      light:
        ref: lighthouse
        label: {en: [lighthouse watched, watched light, light under watch]}
"""
_NIGHTS = """
      nights:
        type: integer
        uniform: [1, 300]
        label: {en: [number of nights, nights on watch, count of nights]}
"""


@pytest.mark.parametrize("attributes", ["", _NIGHTS])
@pytest.mark.parametrize("seed", range(6))
def test_rows_with_little_to_tell_do_not_stop_the_corpus(attributes: str, seed: int) -> None:
    text = (ROOT / "docs" / "small-schema.yaml").read_text("utf-8")
    text = text.replace("checks:\n", f"{_WATCH.strip(chr(10))}{attributes.rstrip()}\nchecks:\n", 1)
    facts = generate(parse_schema(text, file="small", vocabulary=vocabulary()), seed)
    pages = write_corpus(facts, ["en"])
    assert all(page.body.strip() for page in pages)
    told = {said.fact.split("/")[0] for page in pages for said in page.statements}
    assert ("watch" in told) == bool(attributes)
