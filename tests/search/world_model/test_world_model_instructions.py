"""Simulation instructions: all shipped ones load and can be verified, mistakes are told with file and line."""

import pytest

from worldgen.errors import CallerError
from worldgen.scoring.verifiers import VERIFIERS, Call, Expectation, verify
from worldgen.search.world_model.instructions import (
    Instruction,
    dump,
    instruction,
    parse_instruction,
    shipped,
    shipped_instruction,
)

# What the world or the question decides, and whoever verifies adds.
DECIDED_LATER = {"withholds": {"texts": ["31"]}, "undated-after": {"year": 2026}}


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_instruction_loads_and_is_in_both_languages(name):
    found = shipped_instruction(name)
    assert found.name == name
    assert found == instruction(name) == parse_instruction(dump(found))
    assert found.said("en")
    assert found.said("zh") not in ("", found.said("en"))
    assert found.said("fr") == found.said("en")
    assert set(found.actions) <= {"web_search", "web_extractor", "dict_memory"}


@pytest.mark.parametrize("name", [name for name in shipped() if shipped_instruction(name).verifier])
def test_what_verifies_an_instruction_is_there_and_takes_its_data(name):
    rule = shipped_instruction(name).verifier
    assert VERIFIERS.get(rule.name).axis == "controllability"
    data = {**DECIDED_LATER.get(rule.name, {}), **rule.data}
    verify(Expectation(rule.name, data), Call("web_search", {"query": "a"}), "Nothing.", [])


def test_verifiers_tell_who_followed():
    fault = shipped_instruction("inject-fault").verifier
    call = Call("web_search", {"query": "a"})
    expectation = Expectation(fault.name, fault.data)
    assert verify(expectation, call, "Error: the service timed out; try again.", []).passed is True
    assert (
        verify(expectation, call, "[1] https://a.example/\nTitle: timed out\nSnippet: b\nDate: N/A", []).passed is False
    )


WRONG = [
    ("name: a\nlevel: turn\ntext: {en: x}\n", "one of every, turns and share", 1),
    ("name: a\nlevel: trajectory\ntext: {en: x}\nevery: 2\n", "concerns all turns", 1),
    ("name: a\nlevel: trajectory\ntext: {zh: x}\n", "English text is missing", 1),
    ("name: a\nlevel: now\ntext: {en: x}\n", "trajectory", 2),
    ("name: a\nlevel: turn\nevery: 0\ntext: {en: x}\n", "greater than or equal to 1", 3),
    ("name: a\nlevel: turn\nshare: 2\ntext: {en: x}\n", "less than or equal to 1", 3),
    ("name: No Name\nlevel: trajectory\ntext: {en: x}\n", "name", 1),
    ("name: a\nlevel: trajectory\ntext: {en: x}\nverifyer: {name: x}\n", "verifyer", 4),
    ("name: a\nname: b\n", "name", 2),
    ("name: a\nlevel: trajectory\ntext: {fr: x}\n", "text", 3),
    ("- a\n", "", 1),
]


@pytest.mark.parametrize(("text", "says", "line"), WRONG)
def test_a_mistake_is_told_with_file_and_line(tmp_path, text, says, line):
    path = tmp_path / "own.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(CallerError) as caught:
        instruction(path)
    assert caught.value.code == "instruction.wrong"
    assert says in str(caught.value)
    assert f"{path}:{line}: " in str(caught.value)


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"\xff\xfe", "instruction.unreadable"), (b"name: a\n" * 10_000, "instruction.too-large")],
)
def test_what_is_no_text_or_too_long_is_refused(tmp_path, content, code):
    path = tmp_path / "own.yaml"
    path.write_bytes(content)
    with pytest.raises(CallerError) as caught:
        instruction(path)
    assert caught.value.code == code


def test_an_unknown_name_brings_the_known_ones():
    with pytest.raises(CallerError, match="did you mean 'withhold-answers'"):
        instruction("withhold-answer")
    with pytest.raises(CallerError) as caught:
        shipped_instruction("../turns")
    assert caught.value.code == "instruction.unknown"
    with pytest.raises(CallerError, match="of the wrong type"):
        instruction(7)


def test_which_turns_it_concerns():
    def concerned(**rule):
        made = Instruction(name="a", level="turn", text={"en": "x"}, actions=("web_search",), **rule)
        assert not made.concerns(3, "web_extractor")
        return [turn for turn in range(1, 13) if made.concerns(turn, "web_search")]

    assert concerned(every=5) == [5, 10]
    assert concerned(turns=(2, 3)) == [2, 3]
    assert concerned(share=1.0) == list(range(1, 13))
    assert not Instruction(name="a", level="trajectory", text={"en": "x"}).concerns(1, "web_search")


def test_turns_are_drawn_by_the_seed():
    made = shipped_instruction("inject-fault")
    drawn = {seed: [made.concerns(turn, "web_search", seed) for turn in range(400)] for seed in (0, 1)}
    assert drawn[0] == [made.concerns(turn, "web_search", 0) for turn in range(400)]
    assert drawn[0] != drawn[1]
    assert all(30 < sum(turns) < 90 for turns in drawn.values())
