"""`worldgen export`."""

import json

import pytest


def test_an_export_says_what_was_written(run, tiny_world, tmp_path):
    out = str(tmp_path / "data")
    words = ("export", str(tiny_world), "--to", "lwm", "--out", out, "--episodes", "3", "--seed", "5")
    code, said, err = run(*words)
    assert code == 0
    made = json.loads((tmp_path / "data" / "manifest.json").read_text("utf-8"))["counts"]["train"]
    rows = [line.split() for line in said.splitlines()]
    files = ("messages", "rl", "trajectories", "turns", "domain mcp", "domain search", "all turns")
    assert ["train", *(str(made[name]) for name in files)] in rows
    assert ["train", "retrieval", str(made["category retrieval"]), str(made["kept retrieval"])] in rows
    assert f"1 worlds, 5 files, in {out}; README.md is the card" in said
    assert "Nothing was split" in said
    assert "river-ferries-1" in err
    code, _, err = run(*words)
    assert code == 2
    assert "export.place-taken" in err
    code, said, _ = run(*words, "--force", "--json")
    assert code == 0
    report = json.loads(said)
    assert report["path"] == out
    assert report["manifest"] == json.loads((tmp_path / "data" / "manifest.json").read_text("utf-8"))
    assert report["manifest"]["options"] == {"episodes": 3, "seed": 5}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--to", "lvm", "--out", "x"], "did you mean 'lwm'?"),
        (["--to", "lwm"], "--out"),
        (["--out", "x"], "--to"),
        (["--to", "lwm", "--out", "x", "--episodes", "0"], "from 1"),
        (["--to", "lwm", "--out", "x", "--seed", "-1"], "from 0"),
        (["nowhere", "--to", "lwm", "--out", "x"], "world.not-found"),
    ],
)
def test_wrong_calls_end_in_one_clear_line(run, tiny_world, tmp_path, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("export", str(tiny_world), *words)
    assert code == 2
    assert says in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []
