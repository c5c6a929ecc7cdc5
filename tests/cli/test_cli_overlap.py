"""`worldgen overlap`: every pair, exit 1 at the ceiling, exit 2 on a caller's mistake."""

from __future__ import annotations

import json
from pathlib import Path

TINY = Path(__file__).parents[1] / "data" / "river-ferries.yaml"


def test_each_world_is_compared_with_each_other(run, tiny_world, tiny_world_in_two_languages):
    code, out, err = run("overlap", str(tiny_world), str(tiny_world_in_two_languages), str(tiny_world))
    assert code == 0
    assert err.count(" …\n") == 3
    assert len(out.strip().splitlines()) == 4
    assert "100.0%" in out
    code, out, _ = run("overlap", str(tiny_world), str(tiny_world), "--json")
    (told,) = json.loads(out)
    assert code == 0
    assert told["same_schema"] is True
    assert (told["judged"], told["language"]) == (1.0, "en")
    assert told["there"] == told["back"] == {"occurrences": 1.0, "distinct": 1.0}


def test_a_ceiling_that_is_reached_is_a_failure(run, tiny_world):
    world = str(tiny_world)
    assert run("overlap", world, world, "--ceiling", "0.2")[0] == 1
    assert run("overlap", world, world)[0] == 0


def test_wrong_calls(run, tiny_world, tmp_path):
    code, _, err = run("overlap", str(tiny_world))
    assert code == 2
    assert "two or more" in err
    assert run("overlap", str(tiny_world), str(tmp_path / "none"))[0] == 2


def test_worlds_without_a_language_in_common_cannot_be_compared(run, tiny_world, tmp_path):
    from worldgen.pipeline import build_world

    other = build_world(TINY, seed=1, languages=["zh"], haystack=0, proofs=False, out=tmp_path).path
    code, _, err = run("overlap", str(tiny_world), str(other))
    assert code == 2
    assert "one language" in err
