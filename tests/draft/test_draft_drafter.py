"""A model drafts a schema: it is mended by its own errors, ends as a sound file or says what is wrong with it."""

import json
from itertools import count

import pytest

from worldgen.draft import Drafting, draft
from worldgen.draft.asking import PROMPTS
from worldgen.draft.players import drafts
from worldgen.errors import CallerError
from worldgen.facts.reading import read_schema
from worldgen.llm import Blocking, FakeReply, FakeServer, ModelClient, ModelError, Reply, ScriptedModel
from worldgen.schema.canonical import canonical

MARS = "In 2030, 430 people have moved to Mars"
AGAIN = PROMPTS.text("again").split("\n", 1)[0]


def asked(server, cache=None, name="fake-drafts"):
    return Blocking(ModelClient(server.url, name, cache=cache, retries=0))


def named(request):
    return request["response_format"]["json_schema"]["name"]


@pytest.fixture
def server():
    with FakeServer(drafts, model="fake-drafts") as found:
        yield found


def test_a_draft_is_mended_and_is_a_schema(server, tmp_path):
    with asked(server) as model:
        found = draft(model, Drafting(MARS, seed=8, prove=False), tmp_path / "mars.yaml")
    assert (found.complete, found.rounds, found.problems) == (True, 2, ())
    assert [path.name for path in tmp_path.iterdir()] == ["mars.yaml"]
    schema = read_schema(found.path)
    assert canonical(schema) == canonical(found.schema)
    assert schema.entities["settler"].count == 430
    assert set(schema.checks) == {"grown_up", "habitats_came_first"}
    head = found.path.read_text("utf-8").splitlines()[:2]
    assert head[0].startswith("# Drafted by fake-drafts at temperature 0.6 with seed 8; prompts ")
    assert head[1] == f"# Premise: {MARS}"


@pytest.mark.parametrize("languages", [("en",), ("zh",), ("en", "zh")])
def test_only_the_languages_that_are_wanted_are_asked_for_and_written(server, tmp_path, languages):
    with asked(server) as model:
        found = draft(model, Drafting(MARS, languages=languages, prove=False), tmp_path / "mars.yaml")
    assert (found.complete, found.rounds) == (True, 2)
    assert tuple(found.schema.title) == tuple(found.schema.languages) == languages
    assert all(tuple(site.name) == languages for site in found.schema.sites)
    texts = [json.dumps(request["response_format"]) for request in server.requests]
    assert all(('"zh"' in text) == ("zh" in languages) for text in texts if '"rules"' not in text)


def test_each_piece_is_told_of_its_own_problems_and_of_no_others(server, tmp_path):
    with asked(server) as model:
        draft(model, Drafting(MARS, prove=False), tmp_path / "mars.yaml")
    again = [r["messages"] for r in server.requests if r["messages"][-1]["content"].startswith(AGAIN)]
    told = [(messages[-2]["role"], messages[-1]["content"]) for messages in again]
    assert [role for role, _ in told] == ["assistant"] * 3
    habitat, rover, rules = (text for _, text in told)
    assert "[schema.label-shared] entities.habitat.attributes.residents.label.en" in habitat
    assert "'weight'" in rover
    assert "label-shared" not in rover
    assert "[schema.check-cannot-fail] checks.grown_up" in rules
    assert "mars" not in habitat.lower()  # no path of a file


def test_with_too_few_rounds_it_says_what_is_wrong_and_keeps_the_draft(server, tmp_path):
    with asked(server) as model:
        found = draft(model, Drafting(MARS, rounds=1, prove=False), tmp_path / "mars.yaml")
    assert (found.complete, found.rounds, found.path.name) == (False, 1, "mars.draft.yaml")
    assert [(piece, error.code) for piece, error in found.problems] == [("rules", "schema.check-cannot-fail")]
    assert [path.name for path in tmp_path.iterdir()] == ["mars.draft.yaml"]
    assert found.problems[0].error.path == str(found.path)
    assert "grown_up" in found.path.read_text("utf-8").splitlines()[found.problems[0].error.line - 1]


def test_a_draft_that_is_drawn_again_asks_nothing_and_is_the_same_file(server, tmp_path):
    texts = []
    for number in range(2):
        with asked(server, tmp_path / "cache") as model:
            texts.append(
                draft(model, Drafting(MARS, prove=False), tmp_path / "a.yaml", force=number > 0).path.read_bytes()
            )
            usage = model.usage
    assert texts[0] == texts[1]
    assert (usage.requests, usage.stored) == (0, 8)


def test_another_seed_asks_anew(server, tmp_path):
    for seed in (7, 8):
        with asked(server, tmp_path / "cache") as model:
            draft(model, Drafting(MARS, seed=seed, prove=False), tmp_path / f"{seed}.yaml")
    assert {request["seed"] for request in server.requests} == {7, 8}
    assert len(server.requests) == 16


def test_a_model_that_dies_midway_ends_it_and_the_next_call_goes_on(tmp_path):
    number = count(1)

    def dies(request):
        return FakeReply(drop=True) if next(number) == 4 else drafts(request)

    with FakeServer(dies, model="fake-drafts") as server:
        with asked(server, tmp_path / "cache") as model, pytest.raises(ModelError) as raised:
            draft(model, Drafting(MARS, prove=False), tmp_path / "mars.yaml")
        assert raised.value.code == "model.unreachable"
        with asked(server, tmp_path / "cache") as model:
            assert draft(model, Drafting(MARS, prove=False), tmp_path / "mars.yaml").complete
            assert model.usage.stored == 3


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("Once upon a time on Mars", "draft.not-json"),
        (Reply('{"world": "ma', finish="length"), "draft.cut-off"),
        ('{"world": "mars", "rating": 10}', "draft.wrong-form"),
        ("[[[[", "draft.not-json"),
    ],
)
def test_a_model_that_writes_no_frame_uses_its_rounds_up(tmp_path, monkeypatch, said, code):
    monkeypatch.chdir(tmp_path)
    model = ScriptedModel(lambda request: said)
    with Blocking(model) as asks:
        found = draft(asks, Drafting(MARS, rounds=2))
    assert (found.complete, found.rounds, found.replies, found.path.name) == (False, 2, 3, "world.draft.yaml")
    assert {error.code for _, error in found.problems} == {code}
    assert "frame:" in found.path.read_text("utf-8")
    assert code in model.requests[-1].messages[-1].content


def test_a_kind_that_is_renamed_in_mending_gets_details_of_its_own(tmp_path):
    def renames(request):
        answer = json.loads(drafts(request))
        again = any(message["content"].startswith(AGAIN) for message in request["messages"])
        if named(request) == "frame":
            answer["entities"][2]["name"] = "rover" if again else "order"
        return json.dumps(answer)

    def plays(request):
        for message in request["messages"]:
            message["content"] = message["content"].replace("kind of thing: `order`", "kind of thing: `rover`")
        return renames(request)

    with FakeServer(plays, model="fake-drafts") as server, asked(server) as model:
        found = draft(model, Drafting(MARS, prove=False), tmp_path / "mars.yaml")
        frames = [request for request in server.requests if named(request) == "frame"]
    assert found.complete
    assert "'order' is reserved" in frames[1]["messages"][-1]["content"]
    assert set(found.schema.entities) == {"habitat", "settler", "rover"}


def test_two_attributes_of_one_name_are_a_problem_and_not_one_attribute(tmp_path):
    def doubles(request):
        answer = json.loads(drafts(request))
        if named(request) == "details" and "`settler`, a person" in request["messages"][1]["content"]:
            answer["attributes"].append(answer["attributes"][1])
        return json.dumps(answer)

    with FakeServer(doubles, model="fake-drafts") as server, asked(server) as model:
        found = draft(model, Drafting(MARS, rounds=0, prove=False), tmp_path / "mars.yaml")
    assert [(piece, error.code, error.message) for piece, error in found.problems] == [
        ("settler", "draft.twice", "two things are called arrived")
    ]


def test_a_file_that_stands_there_is_left_alone_unless_forced(server, tmp_path):
    there = tmp_path / "mars.yaml"
    there.write_text("mine", "utf-8")
    with asked(server) as model:
        with pytest.raises(CallerError, match="stands there already"):
            draft(model, Drafting(MARS, prove=False), there)
        assert server.requests == []
        assert draft(model, Drafting(MARS, prove=False), there, force=True).path.read_text("utf-8") != "mine"


def test_a_world_s_own_name_that_is_taken_is_told_before_the_rest_is_asked(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mars-settlement.yaml").write_text("mine", "utf-8")
    with asked(server) as model, pytest.raises(CallerError, match="stands there already"):
        draft(model, Drafting(MARS, prove=False))
    assert [named(request) for request in server.requests] == ["frame"]


@pytest.mark.parametrize(("out", "code"), [("mars.yml", "draft.name"), ("mars", "draft.name")])
def test_a_schema_s_name_ends_in_yaml(server, tmp_path, out, code):
    with asked(server) as model, pytest.raises(CallerError) as raised:
        draft(model, Drafting(MARS), tmp_path / out)
    assert raised.value.code == code


def test_there_must_be_something_to_draft_from():
    with pytest.raises(CallerError, match="nothing to draft from"):
        Drafting("  ")
