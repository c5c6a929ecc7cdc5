"""What is put in a model's words: sentences that it tells truly; of a bad model not one stands."""

import re
from dataclasses import replace

import pytest

from worldgen.llm import FakeReply
from worldgen.prose.passages import passages
from worldgen.prose.players import paraphrases

CLAIMS = {"wrong-value", "unlicensed-number", "unlicensed-date", "unlicensed-fact", "unlicensed-claim", "strange-word"}
REFUSED = {
    "lies": {*CLAIMS, "value-words"},
    "adds": {*CLAIMS, "value-words", "negation"},
    "omits": {"names", "value-words", "property", "missing-fact"},
    "mumbles": {"reply"},
}


@pytest.mark.parametrize("player", sorted(REFUSED))
def test_of_a_bad_model_not_one_sentence_stands(write, pages, player):
    given = pages[::5]
    done, counts = write(player, given)
    assert done == given
    assert (counts.rewritten, counts.unchanged) == (0, 0)
    assert counts.refused.total() == counts.sentences > 200
    assert set(counts.refused) <= REFUSED[player]


def test_what_is_rewritten_states_the_same_at_its_new_places(write, pages):
    given = pages[::5]
    done, counts = write("paraphrases", given)
    assert counts.rewritten > counts.sentences / 2
    assert sum(page.body != old.body for page, old in zip(done, given, strict=True)) > len(given) / 2
    for page, old in zip(done, given, strict=True):
        assert replace(page, body="", statements=()) == replace(old, body="", statements=())
        for after, before in zip(page.statements, old.statements, strict=True):
            assert after.fact == before.fact
            assert after[5:] == before[5:]
            said, was = page.body[after.value_start : after.value_end], old.body[before.value_start : before.value_end]
            assert said == was


def test_only_sentences_change(write, pages):
    given = [page for page in pages if passages(page)][:40]
    done, _ = write("paraphrases", given)
    for page, old in zip(done, given, strict=True):
        was, now = old.body.split("\n"), page.body.split("\n")
        assert len(was) == len(now)
        set_apart = re.compile(r"(\||#|- |> |\d+\. |$)")
        assert [line for line in was if set_apart.match(line)] == [line for line in now if set_apart.match(line)]


def test_tables_lists_quotations_and_values_by_arithmetic_are_not_asked_for(pages):
    found = [(page, passage) for page in pages for passage in passages(page)]
    assert len(found) > 1000
    for page, passage in found:
        line = page.body[page.body.rfind("\n", 0, passage.start) + 1 : passage.end]
        assert not line.startswith(("|", "- ", "> ", "#", "1. "))
        assert page.body.count(passage.text) == 1
        assert all(statement.form != "two_step" for statement in passage.statements)
    quoted = [p for p in pages if any(p.body[s.start] == ">" for s in p.statements)]
    assert quoted
    for page in quoted:
        said = {page.body[s.start + 2 : s.end] for s in page.statements if page.body[s.start] == ">"}
        assert said.isdisjoint(passage.text for passage in passages(page))


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("[]", "reply"),
        ('{"sentences": ["one"]}', "reply"),
        ('{"sentences": 3}', "reply"),
        (FakeReply('{"sentences": ["Cut', finish="length"), "reply"),
    ],
)
def test_a_reply_that_cannot_be_read_leaves_all_as_it_is(write, pages, said, wanted):
    given = [next(page for page in pages if len(passages(page)) > 1)]
    done, counts = write(lambda request: said, given)
    assert done == given
    assert dict(counts.refused) == {wanted: counts.sentences}


def test_each_request_holds_one_page_s_sentences_and_as_many_are_wanted_back(write, pages):
    asked = []

    def notes(request):
        asked.append(request)
        return paraphrases(request)

    given = [*pages[:20], *pages[-20:]]
    write(notes, given)
    counted = []
    for request in asked:
        listed = request["response_format"]["json_schema"]["schema"]["properties"]["sentences"]
        text = request["messages"][-1]["content"]
        counted.append(len(re.findall(r"(?m)^   keep: ", text)))
        assert listed["minItems"] == listed["maxItems"] == counted[-1]
        assert re.match(rf"{counted[-1]} sentences in (English|Chinese), of the page", text)
    assert sum(counted) == sum(len(passages(page)) for page in given)
    assert max(counted) <= 12
    assert len({request["messages"][0]["content"] for request in asked}) == 1
