"""`worldgen validate` tells what a build would stumble over."""

import sys
from pathlib import Path

import pytest

import worldgen
from worldgen.cli import main
from worldgen.errors import SchemaError
from worldgen.facts.plan import plan
from worldgen.facts.reading import read_schema, vocabulary

ROOT = Path(__file__).parents[2]
TINY = ROOT / "tests" / "data" / "river-ferries.yaml"
SCHEMAS = sorted((ROOT / "schemas").glob("*.yaml"))


def validated(path: Path, monkeypatch, capsys) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["worldgen", "validate", str(path)])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out + err


@pytest.mark.parametrize("path", [*SCHEMAS, TINY], ids=lambda path: path.stem)
def test_good_schemas_are_valid(path, monkeypatch, capsys):
    code, said = validated(path, monkeypatch, capsys)
    assert (code, "valid;" in said) == (0, True)


@pytest.mark.parametrize(
    ("old", "new", "fix"),
    [
        ("cultures: [veltic, oshani]", "cultures: [veltic, oshany]", "did you mean 'oshani'?"),
        ("name: {kind: ship}", "name: {kind: shipp}", "did you mean 'ship'?"),
        ("unit: kW", "unit: kWW", "did you mean 'kW'?"),
    ],
)
def test_borrowed_words_are_checked(old, new, fix, tmp_path, monkeypatch, capsys):
    text = TINY.read_text("utf-8")
    assert text.count(old) == 1
    path = tmp_path / "wrong.yaml"
    path.write_text(text.replace(old, new), "utf-8")
    code, said = validated(path, monkeypatch, capsys)
    assert code == 2
    assert f"wrong.yaml:{text[: text.index(old)].count(chr(10)) + 1}" in said
    assert fix in said


def test_what_only_generation_would_notice_is_told(tmp_path, monkeypatch, capsys):
    text = (ROOT / "schemas" / "county-football.yaml").read_text("utf-8")
    path = tmp_path / "wrong.yaml"
    old = next(line for line in text[text.index("use: league_season") :].splitlines() if "given" in line)
    new = old.replace("given: {", "given: {colour: red, ")
    assert new != old
    path.write_text(text.replace(old, new), "utf-8")
    schema = read_schema(path)
    with pytest.raises(SchemaError) as caught:
        plan(schema)
    code, said = validated(path, monkeypatch, capsys)
    assert code == 2
    assert caught.value.code in said


def test_the_public_loader_knows_the_vocabulary():
    assert worldgen.load_schema is read_schema
    assert {"league_season", "election"} <= vocabulary().processes
