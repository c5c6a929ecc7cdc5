"""Training data for world models: true to what the world answered, drawn by seed, split by world."""

import json
import re
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldgen.env import Episode
from worldgen.errors import CallerError
from worldgen.eval.fidelity.benchmark import call_of, read_benchmark
from worldgen.family import build_family
from worldgen.scoring.verifiers import ENTRY, Call, Expectation, verify
from worldgen.search.world_model.instructions import shipped_instruction
from worldgen.search.world_model.turns import MARKER, read_observation
from worldgen.store import read_manifest
from worldgen.tools.perturbation import FAULTS
from worldgen.train import EXPORTS, Options, export
from worldgen.train.exporting import Source
from worldgen.train.lwm import CATEGORIES, KINDS, category_of, measures, record, sample_of, samples
from worldgen.train.lwm.export import FILES, split_worlds
from worldgen.train.lwm.masks import rules
from worldgen.train.lwm.walks import chances
from worldgen.world import World

TINY = Path(__file__).parents[1] / "data" / "river-ferries.yaml"
EPISODES = 2 * len(KINDS)


@pytest.fixture(scope="module")
def made(tiny_world, tmp_path_factory):
    """The tiny world, exported: (folder, manifest)."""
    out = tmp_path_factory.mktemp("lwm") / "out"
    return out, export([tiny_world], out, to="lwm", options=Options(EPISODES, 3))


def rows(folder: Path, name: str, split: str = "train"):
    with (folder / split / f"{name}.jsonl").open(encoding="utf-8", newline="\n") as file:
        return [json.loads(line) for line in file]


@pytest.fixture(scope="module")
def trajectories(made):
    return rows(made[0], "trajectories")


def test_trajectories_have_the_published_fields(made, trajectories):
    assert len(trajectories) == EPISODES
    assert len({row["id"] for row in trajectories}) == EPISODES
    assert {row["walk"] for row in trajectories} == set(KINDS)
    assert {row["task"] for row in trajectories} == {"search", "mcp"}
    for row in trajectories:
        assert type(row["id"]) is int
        assert 0 <= row["id"] < 2**48
        assert len(row["prompt"]) == len(row["response"]) == len(row["turns"]) == row["total_turns"] > 0
        for number, (prompt, response) in enumerate(zip(row["prompt"], row["response"], strict=True), 1):
            assert prompt.startswith(f"### Turn {number}\n**Action:**\n```json\n")
            assert response.startswith(f"{MARKER}\n")
        for part in ("# What can be called", "# How turns look", "# The world"):
            assert part in row["system_str"]


def test_turns_are_read_as_a_benchmark(made, tmp_path):
    for domain in ("search", "mcp"):
        found = [row for row in rows(made[0], "turns") if row["task"] == domain]
        text = "".join(json.dumps(row) + "\n" for row in found)
        (tmp_path / f"{domain}_test.jsonl").write_text(text, "utf-8")
    samples = read_benchmark(tmp_path)
    assert len(samples) == len(rows(made[0], "turns"))
    assert all(sample.current == sample.prompts[sample.turn - 1] for sample in samples)


def test_what_a_row_says_is_what_the_world_answers(tiny_world, trajectories):
    with World.load(tiny_world) as world:
        seen = 0
        for row in trajectories:
            if "perturbed" in row["walk"]:
                continue
            episode = Episode.start(world, profile="search" if row["task"] == "search" else "api")
            for prompt, response in zip(row["prompt"], row["response"], strict=True):
                call = call_of(prompt)
                said = episode.call(call.name, call.arguments).text
                assert response == f"{MARKER}\n{said}"
                assert read_observation(response) == said.strip()
                seen += 1
        assert seen > 100


def test_walks_show_what_agents_do(trajectories):
    calls, said = [], Counter()
    repeats = 0
    for row in trajectories:
        earlier = set()
        for prompt, response in zip(row["prompt"], row["response"], strict=True):
            call = call_of(prompt)
            key = (call.name, json.dumps(call.arguments, sort_keys=True))
            repeats += key in earlier
            earlier.add(key)
            calls.append(call)
            said["error"] += "\nError: " in response
            said["unknown tool"] += "unknown tool" in response
            said["unreachable"] += "could not be reached" in response
    operations = {call.arguments.get("operation") for call in calls if call.name == "dict_memory"}
    assert operations >= {"add", "retrieve", "retrieve_all"}
    assert {"web_search", "web_extractor", "dict_memory", "ferry_list"} <= {call.name for call in calls}
    assert repeats > 3
    # How often an agent errs in a few walks is a matter of their draws; each kind of error has to come.
    assert said["error"] > 10
    assert said["unknown tool"] >= 1
    assert said["unreachable"] >= 1


def test_instructions_are_told_only_where_they_were_followed(tiny_world):
    told = Counter()
    with World.load(tiny_world) as world:
        for number in range(0, 12 * len(KINDS), 1):
            if KINDS[number % len(KINDS)] not in ("oracle", "mistakes", "browse-perturbed"):
                continue
            walk = record(world, number, seed=1)
            sample = sample_of(world, walk, seed=1)
            for turn, step in zip(sample.turns, walk.trajectory.steps, strict=True):
                for name in turn.instructions:
                    told[name] += 1
                    rule = shipped_instruction(name).verifier
                    call = Call(step.name, step.arguments)
                    assert verify(Expectation(rule.name, rule.data), call, step.observation, []).passed
                    assert shipped_instruction(name).said(walk.task.language if walk.task else "en") in turn.prompt
                if not turn.instructions:
                    assert "Simulation Instruction" not in turn.prompt
                    refused = {"rate_limit", "timeout", "server_error", "stale_first", "missing_field"}
                    assert not (turn.mask.keep and refused & set(step.faults))
            if sample.about["instructions"]:
                told["withhold-answers"] += 1
                assert shipped_instruction("withhold-answers").said() in sample.system
                asked = {evidence.fact for evidence in walk.task.evidence}
                for step in walk.trajectory.steps:
                    for entry in ENTRY.finditer(step.observation):
                        for s in world.pages[entry["url"]].statements if entry["url"] in world.pages else ():
                            if s.fact in asked:
                                value = world.pages[entry["url"]].body[s.value_start : s.value_end]
                                assert not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", entry["snippet"])
            else:
                assert "# Instructions for this session" not in sample.system
    assert {"withhold-answers", "empty-result"} < set(told)
    assert set(told) & {"inject-fault", "rate-limit", "server-error"}


def test_messages_are_the_same_conversation(made, trajectories):
    for row, talk in zip(trajectories, rows(made[0], "messages"), strict=True):
        assert [message["role"] for message in talk["messages"]] == [
            "system",
            *["user", "assistant"] * row["total_turns"],
        ]
        assert talk["messages"][0]["content"] == row["system_str"]
        assert [m["content"] for m in talk["messages"][1::2]] == row["prompt"]
        assert [m["content"] for m in talk["messages"][2::2]] == row["response"]
        assert talk["keep"] == [turn["keep"] for turn in row["turns"]]


def test_turn_rows_are_the_learned_turns_and_rl_is_one_of_each_trajectory(made, trajectories):
    kept = [(row["id"], n) for row in trajectories for n, turn in enumerate(row["turns"], 1) if turn["keep"]]
    turns = rows(made[0], "turns")
    assert [(row["id"], row["turn_idx"]) for row in turns] == kept
    chosen = rows(made[0], "rl")
    assert len(chosen) == len({row["id"] for row in chosen}) == len({identity for identity, _ in kept})
    assert all(row in turns for row in chosen)
    assert len({row["turn_idx"] for row in chosen}) > 3, "not always the same turn"


def test_the_canary_stands_in_every_row_and_nowhere_that_a_model_reads(made, tiny_world):
    canary = read_manifest(tiny_world).canary
    for name in FILES:
        for row in rows(made[0], name):
            assert row.pop("canary") == canary
            assert canary not in json.dumps(row)
    assert canary in (made[0] / "README.md").read_text("utf-8")


def test_the_manifest_digests_every_file(made, tiny_world):
    folder, manifest = made
    assert json.loads((folder / "manifest.json").read_text("utf-8")) == manifest
    files = {p.relative_to(folder).as_posix(): sha256(p.read_bytes()).hexdigest() for p in folder.rglob("*.*")}
    files.pop("manifest.json")
    assert manifest["files"] == files
    assert set(files) == {"README.md", *(f"train/{name}.jsonl" for name in FILES)}
    assert manifest["options"] == {"episodes": EPISODES, "seed": 3}
    assert manifest["worlds"][0]["digest"] == read_manifest(tiny_world).digest


def test_the_card_counts_what_is_there(made, trajectories):
    card = (made[0] / "README.md").read_text("utf-8")
    turns = [turn for row in trajectories for turn in row["turns"]]
    for name in CATEGORIES:
        all_of = [turn for turn in turns if turn["category"] == name]
        share = f"{rules()[name].keep:.0%}"
        origin = "published" if rules()[name].published else "ours"
        assert f"| {name} | {origin} | {share} | {len(all_of)} | {sum(t['keep'] for t in all_of)} |" in card
    kept = sum(turn["keep"] for turn in turns)
    search = sum(row["task"] == "search" for row in trajectories)
    counted = f"| {EPISODES} | {kept} | {EPISODES} | {len(rows(made[0], 'rl'))} | {len(turns)} | {search} |"
    assert counted in card
    assert "all are for training" in card
    assert "$" not in card


def test_the_same_call_writes_the_same_bytes(made, tiny_world, tmp_path):
    again = export([tiny_world], tmp_path / "again", to="lwm", options=Options(EPISODES, 3))
    assert again == made[1]
    other = export([tiny_world], tmp_path / "other", to="lwm", options=Options(EPISODES, 4))
    assert other["files"]["train/trajectories.jsonl"] != again["files"]["train/trajectories.jsonl"]


def test_an_export_is_replaced_only_by_force_and_nothing_else_ever(tiny_world, tmp_path):
    out = tmp_path / "out"
    few = Options(1)
    export([tiny_world], out, to="lwm", options=few)
    with pytest.raises(CallerError, match="something stands there"):
        export([tiny_world], out, to="lwm", options=few)
    export([tiny_world], out, to="lwm", options=Options(2), force=True)
    assert len(rows(out, "trajectories")) == 2
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("x")
    for force in (False, True):
        with pytest.raises(CallerError) as caught:
            export([tiny_world], mine, to="lwm", options=few, force=force)
        assert caught.value.code == "export.place-taken"
    with pytest.raises(CallerError):
        export([tiny_world], tiny_world, to="lwm", options=few, force=True)
    (out / "train" / "notes.txt").write_text("x")
    with pytest.raises(CallerError, match=r"did not write: train/notes\.txt"):
        export([tiny_world], out, to="lwm", options=few, force=True)
    assert len(rows(out, "trajectories")) == 2
    (tmp_path / "link").symlink_to(tiny_world)
    for inside in (tiny_world / "sub", tiny_world / "a" / "b", tmp_path / "link" / "sub"):
        with pytest.raises(CallerError, match="the place is within the world"):
            export([tiny_world], inside, to="lwm", options=few, force=True)
        assert not inside.exists()
    (tmp_path / "link").unlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "out"]


def test_an_export_that_fails_leaves_what_stood(tiny_world, tmp_path):
    out = tmp_path / "out"
    export([tiny_world], out, to="lwm", options=Options(1))
    before = (out / "manifest.json").read_bytes()

    def fail(world):
        raise CallerError("test.stopped", "stopped")

    with pytest.raises(CallerError, match="stopped"):
        export([tiny_world], out, to="lwm", options=Options(1), force=True, report=fail)
    assert (out / "manifest.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda w, out: export([w], out, to="lvm"), "export.unknown"),
        (lambda w, out: export([], out, to="lwm"), "export.no-world"),
        (lambda w, out: export([w, f"{w}/."], out, to="lwm"), "export.twice"),
        (lambda w, out: export([out], out, to="lwm"), "world.not-found"),
        (lambda w, out: Options(episodes=0), "export.episodes"),
        (lambda w, out: Options(seed=-1), "export.seed"),
        (lambda w, out: Options(seed=True), "call.wrong-type"),
    ],
)
def test_wrong_calls_are_refused(tiny_world, tmp_path, call, code):
    with pytest.raises(CallerError) as caught:
        call(tiny_world, tmp_path / "out")
    assert caught.value.code == code
    assert list(tmp_path.iterdir()) == []


def _sources(manifest, count):
    return [Source(Path(f"w{n}"), manifest.model_copy(update={"digest": f"{n:064d}", "seed": n})) for n in range(count)]


@pytest.mark.parametrize(("count", "held"), [(1, 0), (2, 0), (3, 1), (10, 1), (14, 1), (26, 3), (100, 10)])
def test_worlds_are_split_whole(tiny_world, count, held):
    sources = _sources(read_manifest(tiny_world), count)
    splits = split_worlds(sources, 0)
    assert Counter(splits.values()) == +Counter({"train": count - 2 * held, "validation": held, "test": held})
    assert splits == split_worlds(sources, 0)
    if count > 10:
        assert splits != split_worlds(sources, 1)


def test_a_world_from_a_ledger_is_told_from_the_built_one(tiny_world):
    manifest = read_manifest(tiny_world)
    ledger = manifest.model_copy(update={"adopted": {"ledger": "ab", "facts": 3}, "build_key": "12345678ff"})
    built, adopted = Source(Path("w"), manifest), Source(Path("v"), ledger)
    assert (built.name, adopted.name) == ("river-ferries-1", "river-ferries-1-adopted-12345678")
    assert ("adopted" in built.told(), adopted.told()["adopted"]) == (False, ledger.adopted)


def test_worlds_of_the_same_facts_count_once(tiny_world):
    manifest = read_manifest(tiny_world)
    sources = [
        Source(Path("w"), manifest.model_copy(update={"digest": f"{n}{language}", "seed": n}))
        for n in range(4)
        for language in ("en", "zh", "both")
    ]
    for seed in range(20):
        splits = split_worlds(sources, seed)
        assert Counter(splits.values()) == {"train": 6, "validation": 3, "test": 3}
        assert all(len({splits[f"{n}{language}"] for language in ("en", "zh", "both")}) == 1 for n in range(4))


def test_no_world_stands_in_two_splits(tiny_world, tiny_world_in_two_languages, tmp_path):
    built = build_family(TINY, count=2, seed=2, languages=["en"], haystack=0, proofs=False, out=tmp_path / "w")
    worlds = [tiny_world, tiny_world_in_two_languages, *(result.path for result in built)]
    one = export(worlds, tmp_path / "a", to="lwm", options=Options(2))
    found = {split: {row["world"] for row in rows(tmp_path / "a", "turns", split)} for split in one["counts"]}
    assert set(found) == {"train", "validation", "test"}
    digests = {str(path): read_manifest(path).digest for path in worlds}
    assert sorted(digest for split in found.values() for digest in split) == sorted(digests.values())
    # The same facts in other languages are no other world.
    assert {digests[str(tiny_world)], digests[str(tiny_world_in_two_languages)]} in [
        digests_of for digests_of in found.values() if len(digests_of) == 2
    ]
    other = export(worlds[::-1], tmp_path / "b", to="lwm", options=Options(2))
    assert one == other
    assert "Whole worlds are split" in (tmp_path / "a" / "README.md").read_text("utf-8")


CASES = {
    "retrieval": ("web_search ferries", "Heilo carries 90 people across the wide lake every day"),
    "echo": ('{"a": "the whole text comes back"}', "the whole text comes back"),
    "boilerplate": ("add Heilo: a boat with ninety seats that crosses the lake", "added Heilo with items"),
    "transform": ("sort pears apples plums cherries", "apples cherries pears plums sorted fresh now"),
    "expansion": ("ferry Heilo seats", "the ferry Heilo has ninety seats ok"),
    "action": ("press the red button on the left", "door opened"),
    "other": ("one two three four five six seven", "one two three eight nine ten 11"),
}


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_category_can_be_reached(category):
    assert category_of(*CASES[category]) == category


@given(st.text(max_size=60), st.text(max_size=60))
def test_every_turn_has_one_category_and_published_ones_are_as_published(action, observation):
    found = measures(action, observation)
    category = category_of(action, observation)
    assert category in CATEGORIES
    assert 0 <= min(found[:3]) <= max(found[:3]) <= 1
    assert (category == "echo") == (found.overlap >= 0.7 and found.novelty < 0.3)
    assert (category == "retrieval") == (found.novelty >= 0.6 and found.ratio > 1)


def test_shares_are_as_published():
    shares = {name: rule.keep for name, rule in rules().items()}
    expected = dict(zip(CATEGORIES, (1, 1, 1, 0.5, 0.1, 0.05, 1), strict=True))
    assert shares == expected
    assert {name for name, rule in rules().items() if rule.published} == {"retrieval", "echo"}


def test_measures_are_of_words_and_characters():
    assert measures("A b c d", "A B e") == (0.5, 1 / 3, 0.4, 5 / 7)
    assert measures("查询 渡船", "渡船有座位") == (0.5, 0.6, 2 / 7, 1.0)
    assert measures("", "") == (0, 0, 0, 0)


def test_shares_are_drawn_by_the_seed(tiny_world):
    with World.load(tiny_world) as world:
        walk = record(world, KINDS.index("notes"))
        step = replace(
            walk.trajectory.steps[0], name="dict_memory", arguments={"k": "a b c d"}, observation="k a b c d"
        )
        many = replace(walk, trajectory=replace(walk.trajectory, steps=(step,) * 2_000))
        drawn = {seed: [turn.mask for turn in sample_of(world, many, seed=seed).turns] for seed in (0, 1)}
    assert {mask.category for mask in drawn[0]} == {"echo"}
    assert all(50 < sum(mask.keep for mask in masks) < 150 for masks in drawn.values())
    assert drawn[0] != drawn[1]


def test_every_chance_is_drawn_by_its_name():
    package = Path(samples.__file__).parent
    code = "".join(path.read_text("utf-8") for path in sorted(package.glob("*.py")))
    drawn = re.findall(r'(?:happens\(|chances\(\)\[)"([^"]+)"', code)
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == set(chances())


def test_faults_that_a_prompt_gives_away_are_faults_that_there_are():
    assert [kind for kind in samples._FORESEEN if kind not in FAULTS] == []


def test_an_export_of_ones_own_is_a_name(tiny_world, tmp_path, monkeypatch):
    monkeypatch.setattr(EXPORTS, "_items", dict(EXPORTS._items))

    @EXPORTS.register("names")
    def write_names(sources, folder, options, report):
        (folder / "README.md").write_text("Names.\n")
        names = [f"{source.manifest.world}-{source.manifest.seed}" for source in sources]
        (folder / "names.txt").write_text("\n".join(names))
        return {"names": len(names)}

    assert EXPORTS.names() == ["lwm", "names"]
    made = export([tiny_world], tmp_path / "out", to="names")
    assert (made["to"], made["counts"]) == ("names", {"names": 1})
    assert sorted(made["files"]) == ["README.md", "names.txt"]
    assert (tmp_path / "out" / "names.txt").read_text() == "river-ferries-1"
