"""Turns as they are written, and read back out of whatever a model makes of them."""

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldgen.records import Hit
from worldgen.search.shown import display_date, show_page
from worldgen.search.world_model.turns import (
    MARKER,
    Entry,
    MalformedReply,
    action_text,
    observation_text,
    read_observation,
    read_results,
)

OPEN, CLOSE = "<predicted_observation>", "</predicted_observation>"
PAGE = "# Oskel Light\n\nSite: lights.example | Date: N/A\n\nIts lamp burns 31 metres above the water."


@pytest.mark.parametrize(
    "reply",
    [
        f"{MARKER}\n{PAGE}",
        f"  {MARKER}  \n\n{PAGE}\n\n",
        PAGE,
        f"Environment Observation:\n{PAGE}",
        f"**environment observation**\n{PAGE}",
        f"### Environment Observation\n{PAGE}",
        f"**Environment Observation：**\n{PAGE}",
        f"Here is what the tool returns.\n\n{MARKER}\n{PAGE}",
        f"{MARKER}\nA draft.\n\nNo, once more:\n{OPEN}{PAGE}{CLOSE}",
    ],
)
def test_marks_may_be_missing_or_written_otherwise(reply):
    assert read_observation(reply) == PAGE


@pytest.mark.parametrize(
    "reply",
    [
        f"{OPEN}{PAGE}{CLOSE}",
        f"{OPEN}\n{MARKER}\n{PAGE}\n{CLOSE}",
        f"{MARKER}\n{OPEN}\n{PAGE}\n{CLOSE}",
        f"{OPEN}first{CLOSE} {OPEN}{PAGE}{CLOSE} and that is all",
        f"{OPEN}{OPEN}{PAGE}{CLOSE}{CLOSE}",
        f"{OPEN}{PAGE}",
        f"{PAGE}{CLOSE}",
        f"{PAGE}{CLOSE}\nI hope this helps.",
        f"{OPEN}{PAGE}{CLOSE}\n{OPEN}\n{CLOSE}",
        f"{OPEN}{PAGE}{CLOSE}\n{OPEN}",
        f"{OPEN.upper()}{PAGE}</ Predicted_Observation >",
        f"{OPEN}{PAGE}</predicted_obs",
    ],
)
def test_tags_may_be_missing_unclosed_doubled_or_cut(reply):
    assert read_observation(reply) == PAGE


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>Hm.</think>{MARKER}\n{PAGE}",
        f"Hm, they want a page.</think>\n\n{MARKER}\n{PAGE}",
        f"<think>a<think>b</think>c</think>{MARKER}\n{PAGE}",
        f"<think>a</think><think>b</think>{PAGE}",
        f"<think>{OPEN}no{CLOSE}</think>{OPEN}{PAGE}{CLOSE}",
        f"<think>never closed {OPEN}{PAGE}{CLOSE}",
        f"<THINKING>Hm</THINKING>{PAGE}",
        f"<think>{MARKER}\nno</think>\n{MARKER}\n{PAGE}",
    ],
)
def test_thinking_is_no_observation(reply):
    assert read_observation(reply) == PAGE


@pytest.mark.parametrize(
    "reply",
    [
        f"```\n{MARKER}\n{PAGE}\n```",
        f"{MARKER}\n```markdown\n{PAGE}\n```",
        f"~~~~\n{PAGE}\n~~~~",
        f"{OPEN}\n```\n{PAGE}\n```\n{CLOSE}",
        f"```xml\n{OPEN}\n{PAGE}\n{CLOSE}\n```",
        f"{MARKER}\n```\n{PAGE}",
    ],
)
def test_a_fence_around_all_of_it_goes(reply):
    assert read_observation(reply) == PAGE


@pytest.mark.parametrize(
    "text",
    [
        "```\na\n```\nbetween\n```\nb\n```",
        "```sql\nSELECT 1\n```\n\nThat is all.",
        "# Title\n\n```json\n{}\n```",
        "Environment observation posts stand along the river.",
        "A line.\nEnvironment observation is its trade.",
        "It says **Environment Observation:** in the middle of a line.",
        '{"total": 0, "items": []}',
        "1 < 2 and a <b",
    ],
)
def test_text_that_only_looks_like_marks_stays(text):
    assert read_observation(observation_text(text)) == text
    assert read_observation(text) == text


def test_a_fence_around_a_page_with_fences_of_its_own_goes():
    page = "# Title\n\n```json\n{}\n```\n\nEnd."
    assert read_observation(f"```markdown\n{page}\n```") == page
    assert read_observation(f"````\n{page}\n````") == page


@pytest.mark.parametrize(
    "more",
    [
        "\n\n### Turn 2\n**Action:**\n```json\n{}\n```\n\n**Environment Observation:**\nmore",
        "\n**Action:**\n```json\n{}\n```",
        "<|im_end|>\n<|im_start|>user\nGo on.",
        "\r\n### Turn 12\r\n**Action:**",
    ],
)
def test_turns_that_the_model_plays_on_are_not_its_observation(more):
    asked = action_text(1, "web_search", {"query": "a"})
    assert read_observation(f"{MARKER}\n{PAGE}{more}") == PAGE
    assert read_observation(f"{PAGE}{more}") == PAGE
    assert read_observation(f"{asked}\n\n{MARKER}\n{PAGE}{more}") == PAGE


@pytest.mark.parametrize(
    "reply",
    ["", " \n\t", MARKER, "<think>only this", f"{OPEN}{CLOSE}", "```\n```", "### Turn 1\n**Action:**\n```", "``` "],
)
def test_a_reply_without_an_observation_is_malformed(reply):
    with pytest.raises(MalformedReply) as caught:
        read_observation(reply)
    assert caught.value.code == "reply.empty"


def test_a_reply_beyond_all_measure_is_malformed():
    with pytest.raises(MalformedReply) as caught:
        read_observation("a" * 400_001)
    assert caught.value.code == "reply.too-long"


_PIECES = [
    MARKER,
    OPEN,
    CLOSE,
    "<think>",
    "</think>",
    "```",
    "```json",
    "~~~",
    "\n",
    "### Turn 3",
    "**Action:**",
    "<|im_end|>",
    "[1] https://a.example/p",
    "Title: x",
    "URL: https://b.example/",
    "Snippet:",
    "Date: N/A",
    "*",
    " ",
    "</",
    "text",
    "\r",
    "\x00",
    "\u2028",
    "𠀀",
    "：",
]


@given(st.lists(st.sampled_from(_PIECES) | st.text(max_size=8), max_size=30).map("".join))
def test_nothing_but_a_malformed_reply_is_ever_raised(reply):
    try:
        found = read_observation(reply)
    except MalformedReply:
        return
    assert found == found.strip() != ""
    assert "<think>" not in found.lower()
    assert OPEN not in found
    read_results(found)
    read_results(reply)


_SANE = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<`~*:："), min_size=1, max_size=60)


@given(st.lists(_SANE, min_size=1, max_size=6).map("\n".join).map(str.strip).filter(bool))
def test_what_was_written_is_read(text):
    if text.lower().startswith("environment observation") or "### turn" in text.lower():
        return
    assert read_observation(observation_text(text)) == text


_WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=20)
_LINE = st.lists(_WORDS, min_size=1, max_size=6).map(" ".join)
_HITS = st.builds(
    Hit,
    url=st.from_regex(r"https://[a-z]{1,9}\.example/[a-z0-9%/._~?=&-]{0,20}", fullmatch=True),
    title=_LINE,
    snippet=_LINE | st.just("") | st.sampled_from(["Date: 1", "[2] https://x.example/", "Title: **b**", "a  b"]),
    date=st.sampled_from(["", "2029", "2029-06", "2029-06-18"]),
)


@given(st.lists(_HITS, max_size=12))
def test_a_result_page_is_read_as_it_was_shown(hits):
    assert read_results(show_page(hits)) == [Entry(h.url, h.title, h.snippet, display_date(h.date)) for h in hits]


@pytest.mark.parametrize(
    "text",
    [
        "[1] https://a.example/p\nTitle: T\nSnippet: S\nDate: N/A",
        "1. https://a.example/p\n**Title:** T\n**Snippet:** S\n**Date:** N/A",
        "- [1] <https://a.example/p>\r\nTitle: T\r\nSnippet: S\r\nDate: N/A",
        "[1] URL: https://a.example/p\nTitle: T\nSnippet: S\nDate: N/A",
        "[1] https://a.example/p\nURL: https://a.example/p\nTitle: T\nSnippet: S\nDate: N/A",
        "Found one:\nURL: https://a.example/p\nTitle: T\nSnippet: S\nDate: N/A\n\nThat is all.",
        "(1) https://a.example/p\nTitle： T\nSnippet： S\nDate： N/A",
    ],
)
def test_results_are_read_whatever_they_are_numbered_with(text):
    assert read_results(text) == [Entry("https://a.example/p", "T", "S", "N/A")]


def test_lines_of_no_result_are_passed_over():
    assert read_results('No results found for "a".') == []
    assert read_results("Title: nobody's\nA line.") == []
    assert read_results("[1] https://a.example/\nTitle: T\n\nStray.\nDate: N/A") == [
        Entry("https://a.example/", "T", "", "N/A")
    ]


@given(
    st.integers(1, 10_000),
    st.text(max_size=20),
    st.dictionaries(st.text(max_size=9), st.text(max_size=40) | st.integers() | st.none(), max_size=4),
)
def test_an_action_is_json_that_cannot_close_its_fence(turn, name, arguments):
    lines = action_text(turn, name, arguments).split("\n")
    assert lines[:3] == [f"### Turn {turn}", "**Action:**", "```json"]
    assert [line for line in lines[3:] if line.lstrip().startswith("```")] == ["```"] == lines[-1:]
    assert json.loads("\n".join(lines[3:-1])) == {"name": name, "arguments": arguments}


_LONG = 200_000


@pytest.mark.parametrize(
    "unit",
    [
        "\n",
        " ",
        "*",
        "`",
        "<",
        "> ",
        "```\n",
        "```a\n",
        "<think>",
        "</think>",
        "<think><predicted_observation>",
        OPEN,
        CLOSE,
        f"{OPEN}a{CLOSE}",
        "<think>a</think>b</think>",
        "<final_evaluation><think>",
        "### Turn 1\n",
        "x\n**Action:**\n",
        f"{MARKER}\n",
        "\t\t\t\t\n",
        "Title:",
        "[1] https://a.example/\nTitle: x\n",
        "**",
        "[1] https://",
    ],
)
def test_reading_takes_time_in_proportion(unit):
    def seconds(length: int) -> float:
        text = "a" + unit * (length // len(unit)) + "b"
        start = time.process_time()
        with suppress(MalformedReply):
            read_observation(text)
        read_results(text)
        return time.process_time() - start

    # What is quadratic takes 64 times as long for eight times the length; the best of three, as others are at work too.
    assert min(seconds(_LONG) for _ in range(3)) < 32 * max(seconds(_LONG // 8), 0.05)
