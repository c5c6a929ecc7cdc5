from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldgen.llm import split_thinking

OBSERVED = "<predicted_observation>8</predicted_observation>"
PARTS = ["<think>", "</think>", "<THINK>", "</thinking>", "<predicted_observation>", "a", "b ", "\n", "<th", "ink>"]


@pytest.mark.parametrize(
    ("text", "thinking", "rest"),
    [
        ("plain", "", "plain"),
        ("<think>a</think>b", "a", "b"),
        ("<THINK>a</Think>b", "a", "b"),
        ("<think >a</think\n>b", "a", "b"),
        ("<think>a <final_evaluation >4", "a", "<final_evaluation >4"),
        ("<think>a</think>b<think>c</think>d", "a\nc", "bd"),
        ("<think>a<think>b</think>c</think>d", "abc", "d"),
        ("<think><think>a</think>b", "a", "b"),
        ("a</think>b", "a", "b"),
        ("a<think>b</think>c</think>d", "b\na\nc", "d"),
        ("<think>a", "a", ""),
        ("<think>a " + OBSERVED, "a", OBSERVED),
        ("<think>a <final_evaluation>4", "a", "<final_evaluation>4"),
        (f"<think>a {OBSERVED}</think>{OBSERVED}", f"a {OBSERVED}", OBSERVED),
        (f"a {OBSERVED}</think>{OBSERVED}", f"a {OBSERVED}", OBSERVED),
        (OBSERVED + "</think>", "", OBSERVED),
        (f"{OBSERVED}<think>y</think> z</think>", "y", OBSERVED + " z"),
        ("<th<think>a</think>ink>b", "a", "b"),
        ("", "", ""),
    ],
)
def test_what_was_thought_is_told_apart(text, thinking, rest):
    assert split_thinking(text) == (thinking, rest)


@given(st.lists(st.sampled_from(PARTS)).map("".join))
def test_no_tag_is_left_and_a_second_split_finds_nothing(text):
    thinking, rest = split_thinking(text)
    assert not re.search(r"</?think(ing)?>", f"{thinking}|{rest}", re.IGNORECASE)
    assert split_thinking(rest) == ("", rest)


@given(st.text("xy \n"), st.text("xy \n"))
def test_a_block_in_front_is_taken_off(thought, answer):
    assert split_thinking(f"<think>{thought}</think>{answer}") == (thought.strip(), answer.strip())


@pytest.mark.parametrize("part", ["<think>", "</think>", "x</think>", "<think><predicted_observation>"])
def test_a_hostile_text_takes_no_long_time(part):
    begun = time.perf_counter()
    split_thinking(part * 2_000)
    assert time.perf_counter() - begun < 10
