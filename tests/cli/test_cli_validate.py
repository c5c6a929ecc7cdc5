"""`worldgen validate` tells what a build would stumble over."""

import re
import sys
from pathlib import Path

import pytest

import worldgen
from worldgen.cli import main
from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.plan import plan
from worldgen.facts.reading import read_schema, vocabulary
from worldgen.pipeline import build_world
from worldgen.schema import load_schema

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
    with pytest.raises(SchemaError) as caught:
        plan(load_schema(path))
    code, said = validated(path, monkeypatch, capsys)
    assert code == 2
    assert caught.value.code in said
    assert f"wrong.yaml:{text[: text.index('use: league_season')].count(chr(10)) + 1}: " in said


def edited(tmp_path: Path, *edits: tuple[str, str]) -> Path:
    text = TINY.read_text("utf-8")
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = tmp_path / "wrong.yaml"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    "edits",
    [
        # Borrowed words, texts, order.
        [
            ("unit: kW", "unit: kWW"),
            ("title: {en: Ferries of a river country", "title: {en: Ferries *of a river country"),
            ("aggregate: {table: ferry, by: line", "aggregate: {table: fery, by: line"),
        ],
        # References, and texts beside them.
        [
            ("    to: landing\n", "    to: landin\n"),
            ("title: {en: Ferries of a river country", "title: {en: Ferries *of a river country"),
        ],
        # Order, ranges, SQL.
        [
            ("rank: {of: staff}", "rank: {of: staf}"),
            ("uniform: [1000, 9999]", "uniform: [9999, 1000]"),
            ("SELECT f.id FROM ferry f", "SELECT f.idd FROM ferry f"),
        ],
        # The order of work.
        [
            ("      founded:\n", "      founded:\n        undisclosed: 0.05\n"),
            ("      since:\n", "      since:\n        undisclosed: 0.05\n"),
        ],
    ],
    ids=["words", "references", "contents", "undisclosed"],
)
def test_independent_problems_are_told_in_one_round(edits, tmp_path, monkeypatch, capsys):
    code, said = validated(edited(tmp_path, *edits), monkeypatch, capsys)
    assert code == 2
    lines = said.removeprefix("worldgen: ").splitlines()
    assert len({line.split(": ")[0] for line in lines}) >= len(edits), said
    assert all(re.match(r".*wrong\.yaml:\d+: ", line) for line in lines), said


def test_a_check_that_nothing_breaks_is_told(tmp_path, monkeypatch, capsys):
    text = TINY.read_text("utf-8")
    path = edited(tmp_path, ("UPDATE ferry SET launched = '1901-01-01'", "UPDATE ferry SET launched = launched"))
    code, said = validated(path, monkeypatch, capsys)
    line = text[: text.index("no_ferry_before_its_line:")].count("\n") + 1
    assert code == 2
    assert f"wrong.yaml:{line}: checks.no_ferry_before_its_line: the damage in `breaks` goes unnoticed" in said
    assert len(said.splitlines()) == 1


def test_facts_that_break_a_check_are_told_before_a_build(tmp_path, monkeypatch, capsys):
    path = edited(tmp_path, ("WHERE year(f.launched) < l.founded", "WHERE year(f.launched) > 0"))
    code, said = validated(path, monkeypatch, capsys)
    assert code == 2
    assert re.search(r"wrong\.yaml:\d+: .*\[facts\.check-broken\]", said)


def test_facts_that_cannot_be_drawn_are_told_with_their_line(tmp_path, monkeypatch, capsys):
    path = edited(tmp_path, ('expr: "42000 * length"', 'expr: "42000 / (length - length)"'))
    text = path.read_text("utf-8")
    code, said = validated(path, monkeypatch, capsys)
    assert code == 2
    assert f"wrong.yaml:{text[: text.index('      price:')].count(chr(10)) + 1}: ferry.price" in said
    assert "[facts.not-a-number]" in said


def test_the_public_loader_knows_the_vocabulary():
    assert worldgen.load_schema is read_schema
    assert {"league_season", "election"} <= vocabulary().processes


def test_a_check_without_an_end_is_stopped(tmp_path, monkeypatch, capsys):
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c WHERE x < 0"
    text = (ROOT / "docs" / "small-schema.yaml").read_text("utf-8")
    path = tmp_path / "endless.yaml"
    path.write_text(re.sub(r"(?m)^(    sql: ).*$", rf"\g<1>{endless}", text, count=1))
    for part in ("worldgen.rehearsal", "worldgen.store.database"):
        monkeypatch.setattr(f"{part}.CHECK_SECONDS", 0.2)
    code, said = validated(path, monkeypatch, capsys)
    assert code == 2
    assert "it does not end" in said
    with pytest.raises(GenerationError, match="cannot be run: interrupted"):
        build_world(path, seed=1, out=tmp_path, proofs=False)
