"""The benchmark's files are read as published; what is wrong with a line is said with its file and number."""

from __future__ import annotations

import json

import pytest

from worldgen.errors import CallerError
from worldgen.eval.fidelity.benchmark import (
    DOMAINS,
    Sample,
    call_of,
    digest_of,
    limited,
    read_benchmark,
    unmarked,
    write_benchmark,
)

ACTION = '### Turn {n}\n**Action:**\n```json\n{{"name": "look", "arguments": {{"at": {n}}}}}\n```'


def line(domain: str, **changes: object) -> dict[str, object]:
    """A sample as the benchmark's files hold it."""
    whole: dict[str, object] = {
        "task": domain,
        "id": 145256090131919,
        "prompt": [ACTION.format(n=n) for n in (1, 2, 3)],
        "response": [f"**Environment Observation:**\nseen {n}" for n in (1, 2, 3)],
        "current_prompt": ACTION.format(n=2),
        "system_str": f"You are a {domain} world.",
        "turn_idx": 2,
        "total_turns": 3,
    }
    return {**whole, **changes}


def written(folder, *lines, name="mcp_test.jsonl"):
    path = folder / name
    path.write_text("".join(f"{json.dumps(each)}\n" if isinstance(each, dict) else each for each in lines))
    return path


@pytest.mark.parametrize("prefix", ["", "lwm/", "world_model/eval/"])
def test_all_seven_domains_are_read_in_the_order_of_their_files(tmp_path, prefix):
    for domain in DOMAINS:
        written(tmp_path, line(prefix + domain), "\n", name=f"{domain}_test.jsonl")
    (tmp_path / "notes.jsonl").write_text("not ours")
    samples = read_benchmark(tmp_path)
    assert [sample.domain for sample in samples] == sorted(DOMAINS)
    sample = samples[0]
    assert sample.key == "android/145256090131919/2"
    assert sample.history == ((ACTION.format(n=1), "**Environment Observation:**\nseen 1"),)
    assert sample.reference == "seen 2"
    assert call_of(sample.current) == ("look", {"at": 2})


def test_texts_where_lists_are_usual_and_what_may_be_left_out(tmp_path):
    short = line("web", prompt="open", response="a page", turn_idx=1, id="a-1")
    del short["current_prompt"], short["total_turns"], short["system_str"]
    written(tmp_path, short)
    (sample,) = read_benchmark(tmp_path)
    assert (sample.current, sample.reference, sample.total, sample.system) == ("open", "a page", 1, "")
    assert call_of(sample.current) == ("", "open")


WRONG = [
    ({"task": "desktop"}, "'task'"),
    ({"task": None}, "'task'"),
    ({"id": None}, "'id'"),
    ({"id": True}, "'id'"),
    ({"turn_idx": 0}, "'turn_idx'"),
    ({"turn_idx": "2"}, "'turn_idx'"),
    ({"turn_idx": 4}, "'prompt'"),
    ({"response": ["a"]}, "'response'"),
    ({"response": ["a", 1, "c"]}, "'response'"),
    ({"total_turns": 1}, "'turn_idx'"),
    ({"current_prompt": 3}, "'current_prompt'"),
    ({"system_str": ["x"]}, "'system_str'"),
]


@pytest.mark.parametrize(("changes", "named"), WRONG)
def test_what_is_wrong_with_a_line_is_said_with_file_and_number(tmp_path, changes, named):
    path = written(tmp_path, line("mcp"), line("mcp", **{"id": 2, **changes}))
    with pytest.raises(CallerError) as refused:
        read_benchmark(tmp_path)
    assert (refused.value.path, refused.value.line) == (str(path), 2)
    assert named in refused.value.message


@pytest.mark.parametrize("torn", ['{"task": "mcp"', "[1]\n", "\x00\n"])
def test_a_line_that_is_no_object_is_refused(tmp_path, torn):
    path = written(tmp_path, line("mcp"), torn)
    with pytest.raises(CallerError) as refused:
        read_benchmark(tmp_path)
    assert (refused.value.path, refused.value.line) == (str(path), 2)


def test_a_sample_given_twice_and_a_folder_without_any_are_refused(tmp_path):
    with pytest.raises(CallerError, match="no test set"):
        read_benchmark(tmp_path)
    path = written(tmp_path, "\n")
    with pytest.raises(CallerError, match="is empty"):
        read_benchmark(tmp_path)
    written(tmp_path, line("mcp"), line("mcp", turn_idx=1), line("mcp"))
    with pytest.raises(CallerError, match="given twice") as refused:
        read_benchmark(tmp_path)
    assert refused.value.line == 3
    assert f"{path}:1" in str(refused.value)


def test_what_is_written_is_read_back_whatever_the_order(tmp_path):
    samples = [
        Sample(domain, f"e{n}", 1, 2, "s", ("a", "b"), ("c\u2028", "**Environment Observation:**\nd"), "a")
        for n in (1, 2)
        for domain in DOMAINS
    ]
    write_benchmark(tmp_path, samples)
    read = read_benchmark(tmp_path)
    assert sorted(read, key=lambda s: s.key) == sorted(samples, key=lambda s: s.key)
    assert digest_of(read) == digest_of(samples)
    assert digest_of(samples[1:]) != digest_of(samples)


def test_a_limit_gives_each_domain_its_share():
    samples = [Sample(domain, str(n), 1, 1, "", ("a",), ("b",), "a") for domain in DOMAINS[:2] for n in range(9)]
    assert [sample.domain for sample in limited(samples, 4)] == ["mcp", "search", "mcp", "search"]
    assert limited(samples, None) == limited(samples, 99) == samples


def test_only_a_heading_that_stands_first_is_taken_off():
    assert unmarked("  **Environment Observation:**\n x ") == "x"
    assert unmarked("x **Environment Observation:**") == "x **Environment Observation:**"
