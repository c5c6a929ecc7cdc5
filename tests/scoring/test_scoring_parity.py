import ast
import json
from pathlib import Path

import pytest

import worldgen.scoring
from worldgen.scoring import MEASURES, EvalSpec, ExactJudge, read_delimited, score_widesearch

CASES = [json.loads(line) for line in (Path(__file__).parent / "parity_cases.jsonl").read_text("utf-8").splitlines()]


def test_all_cases_are_here():
    assert len(CASES) == 320


@pytest.mark.parametrize("case", CASES, ids=[case["instance_id"] for case in CASES])
def test_same_seven_numbers_as_the_official_scorer(case):
    gold = read_delimited(case["gold_csv"])
    score = score_widesearch(case["response"], gold, EvalSpec.parse(case["evaluation"]), judge=ExactJudge())
    numbers = {name: getattr(score, name) for name in MEASURES}
    assert numbers == pytest.approx(case["official"], abs=1e-9, rel=0), score.explanation


def test_scoring_imports_the_ground_floor_only():
    floor = {"errors", "seeds", "registry", "settings", "records", "thinking", "scoring"}
    for path in Path(worldgen.scoring.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("worldgen"):
                assert node.module.split(".")[1] in floor, f"{path.name} imports {node.module}"


def test_the_public_names_are_listed():
    for name in worldgen.scoring.__all__:
        assert hasattr(worldgen.scoring, name)
