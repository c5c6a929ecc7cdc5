"""Drafting and prose on SGLang itself: shapes are kept to; a model that babbles changes no page and drafts nothing."""

import json
from pathlib import Path

import jsonschema
import pytest

from worldgen.draft import Drafting, draft
from worldgen.draft.asking import lists
from worldgen.draft.pieces import Details, Frame, Rules, shape
from worldgen.llm import Blocking, Message, ModelClient, Request, Sampling
from worldgen.pipeline import build_world
from worldgen.prose import Prose

NAME = "babbler"


@pytest.fixture(scope="module")
def model(sglang_url):
    with Blocking(ModelClient(sglang_url, NAME)) as asks:
        yield asks


class Noting:
    """Notes what a model is asked and answers."""

    def __init__(self, model):
        self.name = model.name
        self.said = []
        self._model = model

    def complete(self, request):
        reply = self._model.complete(request)
        self.said.append((request, reply))
        return reply


def test_a_model_that_babbles_drafts_nothing_and_says_so_politely(model, tmp_path):
    noting = Noting(model)
    told = Drafting("In 2030, 430 people have moved to Mars", rounds=2, max_tokens=256)
    found = draft(noting, told, tmp_path / "mars.yaml")
    assert (found.complete, found.rounds, found.path.name) == (False, 2, "mars.draft.yaml")
    assert found.replies == len(noting.said) >= 3
    assert {error.code.split(".")[0] for _, error in found.problems} <= {"draft", "schema"}
    assert found.path.read_text("utf-8").startswith("# Drafted by babbler at temperature 0.6 with seed 7; ")
    assert not (tmp_path / "mars.yaml").exists()


@pytest.mark.parametrize("piece", [Frame, Details, Rules])
def test_every_shape_is_one_that_the_server_can_hold_a_reply_to(model, piece):
    wanted = shape(piece, ["en", "zh"], lists(["settler", "habitat"]))
    for seed in range(2):
        sampling = Sampling(max_tokens=300, seed=seed)
        reply = model.complete(Request((Message("user", "A world of boats"),), sampling, wanted))
        if reply.finish == "stop" and not reply.thinking:
            jsonschema.validate(json.loads(reply.text), wanted.value)
        else:  # cut off, or it wrote a mark of thinking within a text
            assert reply.finish == "length" or reply.thinking


def test_a_model_that_babbles_leaves_the_grammar_s_text_everywhere(sglang_url, tiny_schema, tmp_path):
    options = {"seed": 1, "haystack": 20, "proofs": False}
    plain = build_world(tiny_schema, out=tmp_path / "plain", **options)
    asked = {"cache": tmp_path / "replies", "max_tokens": 64}
    told = Prose(NAME, sglang_url, **asked)
    written = build_world(tiny_schema, out=tmp_path / "prose", prose=told, **options)
    counts = written.prose
    assert (counts.rewritten, counts.unchanged) == (0, 0)
    assert counts.refused.total() == counts.sentences > 50
    assert set(counts.refused) <= {"reply", "form", "names", "value-words"}
    # Its pages are those of the grammar; what differs is the mark that each world bears.
    pages = [(world.path / "corpus.jsonl").read_text("utf-8").splitlines() for world in (plain, written)]
    bodies = [[json.loads(line)["body"] for line in lines] for lines in pages]
    assert bodies[0] == bodies[1]
    again = build_world(
        tiny_schema, out=tmp_path / "again", prose=Prose(NAME, "http://127.0.0.1:9/v1", **asked), **options
    )
    assert again.manifest.digest == written.manifest.digest
    assert again.prose.stored == again.prose.replies


@pytest.fixture(scope="module")
def tiny_schema(tmp_path_factory):
    """A schema of so few things that a model on two cores rewrites their pages in a minute."""
    text = (Path(__file__).parents[2] / "docs" / "small-schema.yaml").read_text("utf-8")
    path = tmp_path_factory.mktemp("schema") / "few-lighthouses.yaml"
    path.write_text(text.replace("count: 40", "count: 12").replace("lake-lighthouses", "few-lighthouses"), "utf-8")
    return path
