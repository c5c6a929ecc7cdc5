"""Each command does what its help says, and every wrong call ends in one clear line and the right exit code."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from worldgen import World
from worldgen.cli.commands import app
from worldgen.cli.telling import Teller
from worldgen.proofs.report import CheckReport, ProofResult
from worldgen.search.shown import show_page
from worldgen.store import read_manifest

ROOT = Path(__file__).parents[2]
TINY = str(ROOT / "tests" / "data" / "river-ferries.yaml")


def named(group):
    """The commands of a group, those of its groups as ``group command``."""
    for name, command in group.commands.items():
        yield from (f"{name} {inner}" for inner in named(command)) if hasattr(command, "commands") else [name]


def test_the_readmes_table_has_every_command_and_no_other():
    table = (ROOT / "README.md").read_text("utf-8").split("\n## Commands\n")[1].split("\n## ")[0]
    groups = [group.name for group in app.registered_groups]
    rows = [re.match(rf"\| `worldgen ((?:(?:{'|'.join(groups)}) )?[a-z-]+)", row) for row in table.splitlines()]
    told = [row[1] for row in rows if row is not None]
    # A command of a group may stand beside another in its row.
    told += [name for name in re.findall(rf"`((?:{'|'.join(groups)}) [a-z-]+)`", table) if name not in told]
    assert sorted(told) == sorted(named(get_command(app)))


def test_a_build_says_what_it_made_and_what_to_try_next(run, tmp_path):
    code, out, _ = run("build", TINY, "--seed", "3", "--out", str(tmp_path), "--haystack", "20", "--no-proofs")
    assert code == 0
    assert "entities" in out
    assert f"worldgen show {tmp_path}/river-ferries-3" in out
    suggested = next(line for line in out.splitlines() if " search " in line)
    *_, query = shlex.split(suggested)
    code, found, _ = run("search", f"{tmp_path}/river-ferries-3", query, "--json")
    assert code == 0
    assert sum(query in hit["title"] for hit in json.loads(found)) > 2, "pages about one thing, not lists"
    code, out, _ = run("build", TINY, "--seed", "3", "--out", str(tmp_path), "--haystack", "20", "--no-proofs")
    assert code == 0
    assert out.startswith("Already built")
    code, out, _ = run("build", TINY, "--seed", "3", "--out", str(tmp_path), "--haystack", "21", "--no-proofs")
    assert code == 2
    code, out, _ = run(
        "build", TINY, "--seed", "3", "--out", str(tmp_path), "--haystack", "21", "--no-proofs", "--force", "--json"
    )
    assert code == 0
    assert json.loads(out)["manifest"]["haystack"] == 21


def test_a_chinese_world_is_titled_in_chinese(run, tmp_path):
    words = ("--language", "zh", "--out", str(tmp_path), "--haystack", "0", "--no-proofs")
    code, out, _ = run("build", TINY, *words)
    assert code == 0
    assert out.startswith("河乡渡船: ")
    assert read_manifest(tmp_path / "river-ferries-7").title == "河乡渡船"


def test_a_family_skips_what_stands_and_totals(run, tmp_path):
    words = ["build", TINY, "--out", str(tmp_path), "--haystack", "0", "--no-proofs", "--count", "2", "--jobs", "2"]
    code, out, _ = run(*words, "--seed", "5")
    assert code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["river-ferries-5", "river-ferries-6"]
    code, out, _ = run(*words, "--seed", "6")
    assert code == 0
    assert "stands already" in out
    assert "2 worlds (1 stood already, 0 failed)" in out


def test_a_search_shows_what_an_agent_is_shown_unless_told(run, tiny_world):
    query = "ferry seats engine power price"
    with World.load(tiny_world) as world:
        agents = world.toolbox().call("web_search", {"query": query})
        assert show_page(world.search(query)) in agents
        free = show_page(world.search(query, withholding="none"))
    assert run("search", str(tiny_world), query)[1].strip() in agents
    code, out, _ = run("search", str(tiny_world), query, "--withholding", "none")
    assert (code, out.strip()) == (0, free.strip())
    assert free not in agents
    assert "--withholding none" in run("search", "--help")[1]


def test_a_build_without_proofs_says_so_and_how_to_prove(run, tmp_path):
    words = ["build", TINY, "--out", str(tmp_path), "--haystack", "5", "--language", "en", "--language", "zh"]
    code, out, _ = run(*words, "--no-proofs")
    assert code == 0
    assert f"UNPROVEN, as asked: `worldgen check {tmp_path}/river-ferries-7` proves it" in out.replace(
        sys.argv[0], "worldgen"
    )
    assert "(+ 10 of sibling worlds, 5 in each language)" in out
    code, out, _ = run(*words, "--no-proofs", "--count", "2", "--haystack", "0", "--seed", "8")
    assert out.count("; unproven") == 2


def test_tables_have_no_trailing_blanks(run, tiny_world):
    for words in (["show", str(tiny_world), "--samples", "9"], ["schemas"], ["show", str(tiny_world), "--variety"]):
        code, out, _ = run(*words)
        assert code == 0
        assert [line for line in out.splitlines() if line != line.rstrip()] == []


def test_show_says_facts_in_words_and_units(run, tiny_world):
    code, out, _ = run("show", str(tiny_world), "--samples", "50")
    assert code == 0
    assert "power (kW), price (EUR)" in out
    assert "market_share (%)" in out
    assert "line_riders      45  id, line, period, riders (passengers)" in out
    with World.load(tiny_world) as world:
        counts = world.manifest.counts
        name, power = world.sql("SELECT name, power FROM ferry WHERE id = 'ferry/7'")[0]
        teller = Teller(world)
        assert teller.fact(world.facts["ferry/7/power"]) == f"{name}: engine power {power:,} kW"
        line = world.sql("SELECT name FROM line WHERE id = 'line/0'")[0][0]
        riders = world.facts["line/0/riders@2023"].value
        assert teller.fact(world.facts["line/0/riders@2023"]) == f"{line}, 2023: riders {int(riders):,} passengers"
        # No id is left in what is said, and what is not disclosed is said to be so.
        for fact in world.facts.values():
            said = teller.fact(fact)
            assert "/" not in said, said
            assert said.endswith("not disclosed") == (not fact.disclosed)
    assert f"{counts['entities']:,} entities, {counts['rows']:,} rows" in out
    report = json.loads(run("show", str(tiny_world), "--json")[1])
    assert all(fact["said"] for fact in report["facts"])
    assert "power," in next(table["columns"] for table in report["tables"] if table["table"] == "ferry")


def test_show_names_the_tables(run, tiny_world):
    code, out, _ = run("show", str(tiny_world), "--samples", "1")
    assert code == 0
    assert "line_riders" in out
    code, out, _ = run("show", str(tiny_world), "--json")
    assert json.loads(out)["manifest"]["world"] == "river-ferries"


def test_show_tells_how_alike_pages_read(run, tiny_world):
    code, out, _ = run("show", str(tiny_world), "--variety", "--json")
    rows = json.loads(out)
    assert code == 0
    assert {row["genre"] for row in rows} >= {"encyclopedia", "list", "news"}
    assert all(0 < row["type_token_ratio"] < 1 and 0 <= row["shared_sequences"] < 0.15 for row in rows)


@pytest.mark.parametrize("query", ["ferries", "O'Brien", 'C++ "', "Foo (1990", "⛴", "渡船在哪里？", "", "AND OR NOT *"])
def test_any_text_searches(run, tiny_world, query):
    code, out, _ = run("search", str(tiny_world), query)
    assert code == 0
    assert out


def test_a_page_opens_by_its_url_and_no_other(run, tiny_world):
    with World.load(tiny_world) as world:
        url = next(iter(world.pages))
    code, out, _ = run("open", str(tiny_world), url)
    assert code == 0
    assert out.startswith("# ")
    code, _, err = run("open", str(tiny_world), "https://nowhere.example/")
    assert code == 2
    assert "page.unknown" in err


def test_schemas_are_listed_with_their_size(run):
    code, out, _ = run("schemas", "--json")
    assert code == 0
    assert {"smartphone-market", "county-football", "software-company", "municipal-election"} <= {
        row["name"] for row in json.loads(out)
    }
    assert all(300 <= row["rows"] <= 500 for row in json.loads(out))


def test_score_gives_gold_answers_full_marks(run, tiny_world, tmp_path):
    with World.load(tiny_world) as world:
        answers = [
            {"instance_id": task.instance_id, "response": _fenced([task.columns, *task.rows])} for task in world.tasks
        ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(answer, ensure_ascii=False) + "\n" for answer in answers), "utf-8")
    code, out, _ = run("score", str(tiny_world / "tasks"), str(path), "--json")
    report = json.loads(out)
    assert code == 0
    assert len(report["tasks"]) == len(answers) > 0
    assert all(line["score"] == 1.0 for line in report["tasks"])
    code, out, _ = run("score", str(tiny_world / "tasks"), str(path))
    assert "item F1" in out


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ('{"instance_id": "x", "response": "| a |"}\n', "its 1 ids are of other tasks"),
    ],
)
def test_answers_to_nothing_are_no_score_of_zero(run, tiny_world, tmp_path, lines, why):
    path = tmp_path / "answers.jsonl"
    path.write_text(lines, "utf-8")
    code, out, err = run("score", str(tiny_world / "tasks"), str(path))
    assert (code, out) == (1, "")
    assert err.startswith(f"worldgen: {path}: no answer to any of the ")
    assert err.strip().endswith(why)
    code, out, again = run("score", str(tiny_world / "tasks"), str(path), "--json")
    report = json.loads(out)
    assert (code, again) == (1, err)
    assert len(report["total"]["missing"]) == report["total"]["tasks"] > 0
    assert report["tasks"] == []


def test_one_answer_without_a_response_is_scored(run, tiny_world, tmp_path):
    with World.load(tiny_world) as world:
        name = world.tasks[0].instance_id
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"instance_id": name, "response": None}), "utf-8")
    code, out, _ = run("score", str(tiny_world / "tasks"), str(path), "--json")
    assert (code, len(json.loads(out)["tasks"])) == (0, 1)


def test_a_proof_that_fails_on_a_build_exits_1_and_keeps_nothing(run, tmp_path, monkeypatch):
    failed = CheckReport((ProofResult("agents.oracle", False, 1, "solves none"),), 0.1)
    monkeypatch.setattr("worldgen.pipeline.check", lambda folder, processes: failed)
    out = tmp_path / "new" / "worlds"
    code, _, err = run("build", TINY, "--out", str(out), "--haystack", "0")
    assert code == 1
    assert "agents.oracle: solves none" in err
    assert "[build.proof-failed]" in err
    assert list(tmp_path.iterdir()) == []
    code, _, err = run("build", TINY, "--out", str(out), "--haystack", "0", "--count", "2")
    assert code == 1
    assert err.count("agents.oracle: solves none") == 2
    assert list(tmp_path.iterdir()) == []


def _fenced(rows):
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(["```markdown", head, "|" + " --- |" * len(rows[0]), *body, "```"])


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["build", "smartphone-markt"], 2, "did you mean 'smartphone-market'?"),
        (["build", "no/such/file.yaml"], 2, "schema.file"),
        (["build", TINY, "--seed", "-1"], 2, "0 to 2**63 - 1"),
        (["build", TINY, "--seed", "x"], 2, "--seed"),
        (["build", TINY, "--language", "fr"], 2, "en or zh"),
        (["build", TINY, "--haystack", "-3"], 2, "haystack"),
        (["build", TINY, "--count", "0"], 2, "starts at 1"),
        (["check", "no-such-world"], 2, "world.not-found"),
        (["show", "/"], 2, "world.not-found"),
        (["score", "/no/such", "/no/such"], 2, "no such file"),
        (["no-such-command"], 2, "no-such-command"),
        (["validate", "/etc"], 2, "schema.file"),
    ],
)
def test_wrong_calls_end_in_one_clear_line(run, tmp_path, monkeypatch, words, code, says):
    monkeypatch.chdir(tmp_path)
    found, _, err = run(*words)
    assert found == code
    assert says in err
    assert "Traceback" not in err
    assert not any(tmp_path.iterdir()) or words[0] == "build"


def test_a_wrong_schema_is_told_with_its_line(run, tmp_path):
    path = tmp_path / "wrong.yaml"
    text = Path(TINY).read_text("utf-8").replace("strategy: long_tail", "strategie: long_tail")
    path.write_text(text, "utf-8")
    code, _, err = run("validate", str(path))
    assert code == 2
    assert "wrong.yaml:3" in err
    assert "did you mean 'strategy'?" in err


def test_the_launcher_of_a_clone_is_the_command():
    done = subprocess.run(
        [sys.executable, "cli.py", "--version"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0
    assert done.stdout.startswith("worldgen ")


def test_a_narrow_locale_does_not_break_output(tiny_world):
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "PATH": ""}
    done = subprocess.run(
        [sys.executable, "cli.py", "search", str(tiny_world), "渡船"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
