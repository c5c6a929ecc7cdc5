"""A ledger becomes a world that keeps its facts, draws the rest by the seed, and is proven like any other."""

import json
from pathlib import Path

import pytest

from worldgen.adoption import adopt
from worldgen.env import Episode, Trajectory
from worldgen.errors import CallerError, GenerationError
from worldgen.facts.reading import read_schema
from worldgen.llm import Blocking, FakeServer, ModelClient
from worldgen.proofs import check
from worldgen.search.world_model.backend import Backend, Simulation
from worldgen.search.world_model.ledger import Assertion, Ledger
from worldgen.world import World

TINY = Path(__file__).parents[1] / "data" / "river-ferries.yaml"
SMALL = {"haystack": 20, "languages": ["en"]}
FACTS = [
    ("Kestrel Packet", "line", "staff", "77", ""),
    ("Kestrel Packet", "line", "founded", "1964", ""),
    ("Kestrel Packet", "line", "seat", "Orrin Quay", ""),
    ("Orrin Quay", "landing", "residents", "3310", ""),
    ("Orrin Quay", "landing", "shore", "lake", ""),
    ("Tamsin Vole", "ferry", "line", "Kestrel Packet", ""),
    ("Tamsin Vole", "ferry", "launched", "2001-06-18", ""),
    ("Kestrel Packet", "line", "riders", "51000", "2025"),
]


def ledger(folder: Path, *more: tuple[str, str, str, str, str]) -> Path:
    entries = [Assertion(*fact, turn=turn) for turn, fact in enumerate([*FACTS, *more], 1)]
    path = folder / "ledger.jsonl"
    path.write_text(Ledger(read_schema(TINY), entries).to_lines(), "utf-8")
    return path


@pytest.fixture(scope="module")
def adopted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("adopted")
    return adopt(ledger(folder), TINY, seed=3, out=folder, **SMALL)


def test_the_facts_are_kept_and_the_world_is_proven(adopted):
    assert adopted.result.path.name == "river-ferries-adopted-3"
    assert check(adopted.result.path).passed
    with World.load(adopted.result.path) as world:
        line = world.sql("SELECT l.name, l.staff, l.founded, d.name, d.residents, d.shore FROM line l"
                         " JOIN landing d ON d.id = l.seat WHERE l.id = 'line/0'")  # fmt: skip
        assert [tuple(row) for row in line] == [("Kestrel Packet", 77, 1964, "Orrin Quay", 3310, "lake")]
        ferry = world.sql("SELECT name, line, launched FROM ferry WHERE id = 'ferry/0'")
        assert [tuple(row) for row in ferry] == [("Tamsin Vole", "line/0", "2001-06-18")]
        riders = world.sql("SELECT riders FROM line_riders WHERE line = 'line/0' AND period = '2025'")
        assert riders[0][0] == 51000
        assert len(world.tasks) > 0
        assert any("Kestrel Packet" in hit.title for hit in world.search("Kestrel Packet"))


def test_the_report_and_the_manifest_tell_of_the_ledger(adopted):
    manifest = adopted.result.manifest
    assert adopted.adopted == len(FACTS)
    assert adopted.drawn == manifest.counts["facts"] - len(FACTS)
    assert manifest.adopted is not None
    assert manifest.adopted["facts"] == len(FACTS)
    assert manifest.artefacts["ledger.jsonl"] == manifest.adopted["ledger"]


def test_the_same_ledger_gives_the_same_world_and_another_one_another(adopted, tmp_path):
    quick = {**SMALL, "proofs": False}
    again = adopt(ledger(tmp_path), TINY, seed=3, out=tmp_path, **quick)
    assert again.result.manifest.digest == adopted.result.manifest.digest
    assert again.result.manifest.build_key == adopted.result.manifest.build_key
    other = ledger(tmp_path, ("Ostrel", "line", "staff", "40", ""))
    with pytest.raises(CallerError, match="another build stands there"):
        adopt(other, TINY, seed=3, out=tmp_path, **quick)


def test_an_ordinary_world_has_no_trace_of_ledgers(tiny_world):
    assert "adopted" not in json.loads((tiny_world / "manifest.json").read_text("utf-8"))
    assert not (tiny_world / "ledger.jsonl").exists()


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (("Kestrel Packet", "line", "fleet", "44", ""), "line/0/fleet, as turn 9 (Kestrel Packet) gives it"),
        (("Tamsin Vole", "ferry", "crew", "9", ""), "ferry/0/crew, as turn 9"),
    ],
)
def test_a_fact_that_a_rule_does_not_allow_is_named_with_rule_and_turn(tmp_path, fact, words):
    path = ledger(tmp_path, fact)
    with pytest.raises(GenerationError) as caught:
        adopt(path, TINY, seed=3, out=tmp_path, **SMALL)
    assert words in str(caught.value)
    found = adopt(path, TINY, seed=3, out=tmp_path, leave_computed=True, proofs=False, **SMALL)
    assert (found.adopted, found.left_out) == (len(FACTS), 1)


def test_facts_that_break_a_check_are_named_with_their_turns(tmp_path):
    text = TINY.read_text("utf-8").replace(
        "  shares_add_up:",
        "  no_small_line:\n    sql: \"SELECT id FROM line WHERE staff < 20\"\n"
        "    breaks: \"UPDATE line SET staff = 13 WHERE id = 'line/0'\"\n  shares_add_up:",
    ).replace("min: 12\n        unit: employees", "min: 12\n        unit: employees\n        max: 900")  # fmt: skip
    schema = tmp_path / "ferries.yaml"
    schema.write_text(text, "utf-8")
    path = ledger(tmp_path, ("Ostrel", "line", "staff", "14", ""))
    with pytest.raises(GenerationError, match=r"no_small_line.*line/1/staff = 14 of turn 9 \(Ostrel\)"):
        adopt(path, schema, seed=3, out=tmp_path, **SMALL)


def test_a_ledger_that_contradicts_itself_is_refused(tmp_path):
    path = ledger(tmp_path, ("Kestrel Packet", "line", "staff", "78", ""))
    with pytest.raises(CallerError, match="turn 9: Kestrel Packet, staff is 77 since turn 1"):
        adopt(path, TINY, out=tmp_path, **SMALL)


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (("Ostrel", "line", "staff", "4", ""), r"turn 9: Ostrel, staff: expected 12 to any \(rule line\.staff: min\)"),
        (("Ostrel", "line", "staff", "4.5", ""), r"a multiple of 1 \(rule line\.staff: decimals\)"),
        (("Ostrel Quay", "landing", "shore", "roof", ""), r"Ostrel Quay, shore: .*\(rule landing\.shore: values\)"),
        (("Ostrel", "line", "riders", "51000", "1900"), r"got '1900' \(rule line\.riders: start and end\)"),
        (("Ostrel", "line", "captains", "3", ""), r"turn 9: a line has no captains in this world"),
    ],
)
def test_a_fact_that_breaks_the_schema_names_the_rule(tmp_path, fact, words):
    with pytest.raises(CallerError, match=rf"breaks rules of the schema.*{words}") as caught:
        adopt(ledger(tmp_path, fact), TINY, out=tmp_path, **SMALL)
    assert caught.value.code == "adopt.breaks-schema"


@pytest.mark.parametrize(
    ("fact", "kind"),
    [
        (("Kestrel | Packet", "line", "staff", "60", ""), "line"),
        (("Mossel Packet", "line", "seat", "Orrin\u202eQuay", ""), "landing"),
    ],
)
def test_a_name_that_nothing_can_be_called_by_is_refused(tmp_path, fact, kind):
    path = ledger(tmp_path, fact)
    with pytest.raises(CallerError, match=rf"breaks rules of the schema.*turn 9: .* can be no name of a {kind}"):
        adopt(path, TINY, out=tmp_path, **SMALL)


def test_counts_follow_the_ledger_only_where_asked(tmp_path):
    many = [(f"Line Number {n}", "line", "staff", str(100 + n), "") for n in range(12)]
    path = ledger(tmp_path, *many)
    with pytest.raises(CallerError, match=r"names more of line .* at most 9; got 13"):
        adopt(path, TINY, out=tmp_path, **SMALL)
    found = adopt(path, TINY, out=tmp_path, counts="ledger", proofs=False, **SMALL)
    with World.load(found.result.path) as world:
        assert [row[0] for row in world.sql("SELECT count(*) FROM line")] == [13]
        assert [row[0] for row in world.sql("SELECT count(*) FROM landing")] == [1]


def test_a_name_that_no_page_could_write_is_refused(tmp_path):
    path = ledger(tmp_path, ("克斯马尔", "line", "staff", "40", ""))
    with pytest.raises(CallerError, match="--language zh"):
        adopt(path, TINY, out=tmp_path, **SMALL)


def invented(world: World, staff: int, **start) -> Trajectory:
    """An episode in free mode in which a fake server says how many work for a line."""
    said = f"Kestrel Packet has a staff of {staff} employees."
    page = f"[1] https://kestrel.example/about\nTitle: Kestrel Packet\nSnippet: {said}\nDate: Jun 18, 2027"
    fact = {"entity": "line", "subject": "Kestrel Packet", "attribute": "staff", "value": f"{staff} employees"}
    read = json.dumps({"assertions": [{**fact, "time": "", "quote": said}]})

    def speaks(request):
        return read if request.get("response_format") else page

    with FakeServer(speaks) as server, Blocking(ModelClient(server.url, "fake")) as asks:
        episode = Episode.start(world, backend=Backend(Simulation("free", "fake"), asks), **start)
        for _ in range(3):
            episode.call("web_search", {"query": "Kestrel Packet"})
        assert f'"value": "{staff}"' in episode.ledger
        return episode.trajectory()


@pytest.fixture(scope="module")
def episodes(tiny_world, tmp_path_factory):
    """A file of trajectories: one of the index, two in free mode."""
    path = tmp_path_factory.mktemp("episodes") / "episodes.jsonl"
    with World.load(tiny_world) as world:
        plain = Episode.start(world)
        plain.call("web_search", {"query": "ferry"})
        flaky = "faults: [{kind: server_error, rate: 1.0, in_a_row: 1, statuses: [503]}]"
        records = [plain.trajectory(), invented(world, 77), invented(world, 78, perturbation=flaky, seed=5)]
    path.write_text("\n".join(record.to_line() for record in records) + "\n", "utf-8")
    return path


@pytest.mark.parametrize(("line", "staff"), [(2, 77), (3, 78)])
def test_an_episode_of_a_file_of_trajectories_is_adopted(episodes, tmp_path, line, staff):
    found = adopt(episodes, TINY, episode=line, seed=3, out=tmp_path, proofs=False, **SMALL)
    assert found.adopted == 1
    with World.load(found.result.path) as world:
        assert [tuple(row) for row in world.sql("SELECT name, staff FROM line WHERE id = 'line/0'")] == [
            ("Kestrel Packet", staff)
        ]


def test_the_only_episode_in_free_mode_needs_no_number(episodes, tmp_path):
    path = tmp_path / "one.jsonl"
    path.write_text("".join(episodes.read_text("utf-8").splitlines(keepends=True)[:2]), "utf-8")
    assert adopt(path, TINY, seed=3, out=tmp_path, proofs=False, **SMALL).adopted == 1


@pytest.mark.parametrize(
    ("keep", "episode", "words"),
    [
        (slice(3), None, "several episodes in free mode.*got episodes in free mode: 2, 3"),
        (slice(3), 1, "no such episode in free mode.*--episode N; got episodes in free mode: 2, 3"),
        (slice(1), None, "no such episode in free mode.*in free mode: none"),
        (slice(0), 2, "no file of trajectories"),
    ],
)
def test_which_episode_is_meant_must_be_told(episodes, tmp_path, keep, episode, words):
    path = tmp_path / "some.jsonl"
    path.write_text("".join(episodes.read_text("utf-8").splitlines(keepends=True)[keep]), "utf-8")
    with pytest.raises(CallerError, match=words):
        adopt(path, TINY, episode=episode, out=tmp_path, **SMALL)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("staff of 77 employees", "staff of 79 employees", "call 1 of the record comes to something else"),
        ('"steps": [', '"steps": 3, "were": [', r"bad\.jsonl:2: this line is not the record"),
        ('"answer": null', '"answer"', r"bad\.jsonl:2: this line is not the record"),
    ],
)
def test_a_record_that_somebody_has_changed_is_refused(episodes, tmp_path, old, new, words):
    path = tmp_path / "bad.jsonl"
    first, second, _ = episodes.read_text("utf-8").splitlines(keepends=True)
    assert old in second
    path.write_text(first + second.replace(old, new, 1), "utf-8")
    with pytest.raises(CallerError, match=words):
        adopt(path, TINY, episode=2, out=tmp_path, **SMALL)
