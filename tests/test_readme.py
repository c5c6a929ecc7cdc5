"""What the README promises in numbers and names is so."""

import json
import re
from pathlib import Path

from worldgen import World
from worldgen.search.shown import show_page

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def test_the_number_of_damages_is_that_of_the_table():
    tables = sorted((ROOT / "tests" / "proofs").glob("damage*.py"))
    kinds = sum(len(re.findall(r"^@found_by\(", path.read_text("utf-8"), re.MULTILINE)) for path in tables)
    assert f"{kinds} kinds of damage" in README


def test_the_number_of_parity_cases_is_that_of_the_file():
    cases = (ROOT / "tests" / "scoring" / "parity_cases.jsonl").read_text("utf-8").splitlines()
    assert f"{len(cases)} of {len(cases)} parity cases" in README
    assert all(json.loads(case)["official"] for case in cases)


def test_every_link_leads_to_a_file():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_the_two_set_up_commands_stand_there():
    assert (
        "python3 -m venv .venv && .venv/bin/pip install -e . && .venv/bin/worldgen build smartphone-market --seed 7"
        in README
    )
    assert "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest" in README


def test_the_pasted_build_is_of_the_world_that_is_built(tmp_path):
    from worldgen.pipeline import build_world

    result = build_world("smartphone-market", seed=7, out=tmp_path, proofs=False)
    counts = result.manifest.counts
    assert f"digest {result.manifest.digest[:12]}" in README
    assert f"{counts['entities']} entities, {counts['facts']:,} facts" in README
    with World.load(result.path) as world:
        assert show_page(world.search("phones made of ceramic", 2)) in README
        shown = world.search("phones made of ceramic", 1, withholding="strict")[0]
        assert f'"url":"{shown.url}","title":"{shown.title}","snippet":"{shown.snippet}"' in README
