"""The schema reference is the one that models and registries give, and its example is a schema that builds."""

from pathlib import Path

from worldgen.language import cultures, currencies, kinds, units
from worldgen.pipeline import build
from worldgen.reference import EXAMPLE, page
from worldgen.rehearsal import rehearse
from worldgen.schema.sources import SOURCES

ROOT = Path(__file__).parents[1]


def committed() -> str:
    return (ROOT / "docs" / "schema-reference.md").read_text("utf-8")


def test_the_committed_reference_does_not_drift():
    made = page((ROOT / EXAMPLE).read_text("utf-8"))
    assert committed() == made, "run python -m worldgen.reference > docs/schema-reference.md"


def test_every_borrowed_word_is_listed():
    words = {*cultures(), *kinds(), *units(), *currencies(), *SOURCES, "league_season", "election"}
    text = committed()
    assert {word for word in words if f"`{word}`" not in text} == set()


def test_the_example_is_valid_and_builds(tmp_path):
    rehearse(ROOT / EXAMPLE)
    with build(ROOT / EXAMPLE, seed=1, out=tmp_path, haystack=0, proofs=True) as world:
        assert len(world.tasks) > 0
        assert world.search("lighthouse")
