"""`worldgen adopt` says what it took from the ledger, and a wrong ledger ends in one line."""

import json
from pathlib import Path

from worldgen.facts.reading import read_schema
from worldgen.search.world_model.ledger import Assertion, Ledger

TINY = Path(__file__).parents[1] / "data" / "river-ferries.yaml"


def test_adopting_says_what_was_adopted_and_drawn(run, tmp_path):
    path = tmp_path / "ledger.jsonl"
    entries = [Assertion("Kestrel Packet", "line", "staff", "77", turn=1)]
    path.write_text(Ledger(read_schema(TINY), entries).to_lines(), "utf-8")
    words = ["adopt", str(path), "--schema", str(TINY), "--out", str(tmp_path), "--haystack", "0", "--no-proofs"]
    code, out, _ = run(*words)
    assert code == 0
    assert "Of its facts 1 are the ledger's and" in out
    code, out, _ = run(*words, "--force", "--json")
    told = json.loads(out)
    assert (code, told["adopted"]) == (0, 1)
    assert told["drawn"] == told["manifest"]["counts"]["facts"] - 1


def test_a_wrong_ledger_ends_in_one_line(run, tmp_path):
    path = tmp_path / "ledger.jsonl"
    path.write_text("{\n", "utf-8")
    code, out, err = run("adopt", str(path), "--schema", str(TINY), "--out", str(tmp_path))
    assert (code, out) == (2, "")
    assert "ledger.jsonl:1: this is no line of a ledger" in err
    assert "Traceback" not in err
    code, _, err = run("adopt", str(tmp_path / "none"), "--schema", str(TINY))
    assert code == 2
    assert "cannot be read" in err
