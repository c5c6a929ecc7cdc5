"""A judge's reply is read without guessing; what cannot be is a failed judgement, counted and never scored."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldgen.errors import CallerError
from worldgen.scoring.evaluation_block import DIMENSIONS
from worldgen.scoring.rubric import RubricScores, aggregate, normalised, read_judgement

NAMES = list(DIMENSIONS)
SCORES = dict(zip(NAMES, (5, 4, 3, 2, 1), strict=True))
WHOLE = json.dumps({"strengths": ["clear"], "weaknesses": ["short", "late"], "scores": SCORES})
FLAT = json.dumps(SCORES)


def block(inner: str) -> str:
    return f"<final_evaluation>\n{inner}\n</final_evaluation>"


# Each is read alike by the script that is published with the benchmark; those below only here.
READ_ALIKE = {
    "plain": block(WHOLE),
    "fenced": block(f"```json\n{WHOLE}\n```"),
    "fence without a language": block(f"```\n{WHOLE}\n```"),
    "fence around the block": f"```json\n{block(WHOLE)}\n```",
    "reasoning before": f"Format: fine, I would say {{4}}.\n{block(WHOLE)}",
    "text after": f"{block(WHOLE)}\nThat is all.",
    "no closing tag": f"<final_evaluation>\n```json\n{WHOLE}",
    "tag in capitals": f"<FINAL_EVALUATION>{WHOLE}</Final_Evaluation>",
    "no tag, nothing else": f"<think>hm</think>\n{WHOLE}\n",
    "no tag, nothing else, fenced": f"```json\n{WHOLE}\n```",
    "the same twice": f"{block(FLAT)} As I said: {block(WHOLE)}",
    "a block that is no verdict before": f"I answer in {block('{...}')}: {block(WHOLE)}",
    "thinking before": f"<think>{block(FLAT.replace('1', '5'))}</think>{block(WHOLE)}",
    "nested thinking": f"<think>a<think>b</think>{block(FLAT)}</think>{block(WHOLE)}",
    "thinking that lacks its beginning": f"well, {block(FLAT)}</think>{block(WHOLE)}",
    "thinking that never ends": f"<think>well, then {block(WHOLE)}",
    "thinking after": f"{block(WHOLE)}<think>was that right?",
    "commas too many": block(WHOLE.replace("1}", "1,}").replace('"late"]', '"late",]')),
    "single quotes for keys": block(WHOLE.replace('"format"', "'format'").replace('"scores"', "'scores'")),
    "single quotes throughout": block(WHOLE.replace('"', "'")),
    "bare keys": block(WHOLE.replace('"scores"', "scores").replace('"quality"', "quality")),
    "floats": block(WHOLE.replace("5", "5.0").replace("2", "2.4")),
    "texts": block(WHOLE.replace("4", '"4"').replace("3", '"3/5"')),
    "a quotation mark too many": block(WHOLE.replace("short", 'says "no" twice')),
    "more keys": block(WHOLE.replace('"format"', '"tone": 3, "format"')),
}
READ_HERE_ALONE = {
    "flat": block(FLAT),
    "fractions without quotation marks": block(WHOLE.replace("4", "4/5")),
    "names in capitals": block(WHOLE.replace("format", "Format")),
    "a score with a reason": block(WHOLE.replace("4", '{"score": 4, "reason": "one slip"}')),
    "a decimal as text": block(WHOLE.replace("2", '"2.4/5"')),
}


@pytest.mark.parametrize("reply", [*READ_ALIKE.values(), *READ_HERE_ALONE.values()])
def test_a_verdict_is_read(reply):
    found = read_judgement(reply)
    assert found.problem == ""
    assert found.scores is not None
    assert found.scores.to_dict() == SCORES


def test_what_a_judge_praised_and_missed_is_kept():
    found = read_judgement(READ_ALIKE["fenced"])
    assert (found.strengths, found.weaknesses) == (("clear",), ("short", "late"))
    assert read_judgement(block(WHOLE.replace('["clear"]', '"clear"'))).strengths == ("clear",)


# The published script makes scores of most of these: it clamps, leaves a missing score out of the mean, takes the last.
REFUSED = {
    "": "no scores",
    "I cannot judge this.": "no scores",
    block("5, 4, 3, 2, 1"): "no scores",
    block(WHOLE.replace('"scores"', '"marks"')): "no scores",
    block(json.dumps({"scores": {**SCORES, "quality": None}})): "the score for quality is no number",
    block(json.dumps({"scores": {k: v for k, v in SCORES.items() if k != "realism"}})): "no score for realism",
    block(WHOLE.replace("5", "6")): "not from 1 to 5: 6",
    block(WHOLE.replace("5", "5.4")): "not from 1 to 5: 5.4",
    block(WHOLE.replace("1", "0")): "not from 1 to 5: 0",
    block(WHOLE.replace("1", "0.6")): "not from 1 to 5: 0.6",
    block(WHOLE.replace("1", "-1")): "not from 1 to 5: -1",
    block(WHOLE.replace("5", "true")): "the score for format is no number",
    block(WHOLE.replace("4", '"4/10"')): "the score for factuality is no number",
    block(WHOLE.replace("4", '"four"')): "the score for factuality is no number",
    block(f"{FLAT} or rather {WHOLE.replace('5', '1')}"): "two verdicts that differ",
    f"{{}} {WHOLE.replace('5', '1')} {WHOLE}": "two verdicts that differ",
    f"{block(WHOLE.replace('5', '1'))} On reflection: {block(WHOLE)}": "two verdicts that differ",
    f"<final_evaluation>{WHOLE.replace('5', '1')} Or: {block(WHOLE)}": "two verdicts that differ",
    f"The prediction says of itself:\n```json\n{WHOLE}\n```": "no scores",
    block(WHOLE) + " As I said in <final_evaluation> above.": "no scores",
    block('{"scores": [5, 4, 3, 2, 1]}'): "'scores' is no object",
}


@pytest.mark.parametrize(("reply", "problem"), REFUSED.items())
def test_what_would_take_a_guess_is_a_failed_judgement(reply, problem):
    found = read_judgement(reply)
    assert found.scores is None
    assert problem in found.problem


@pytest.mark.parametrize(
    "reply",
    [
        "{" * 50_000,
        '{"a":' * 50_000,
        block('{"a":"' * 20_000),
        "<think>" * 20_000,
        '{"scores": {"format": ' + "9" * 9_000,
    ],
)
def test_a_reply_meant_to_break_the_reader_only_fails(reply):
    assert read_judgement(reply).scores is None


@given(st.text(max_size=300))
def test_no_text_is_an_error(reply):
    read_judgement(reply)
    read_judgement(block(reply))


@given(
    st.lists(st.integers(1, 5), min_size=5, max_size=5),
    st.text(max_size=80).filter(lambda text: "<" not in text and "{" not in text),
)
def test_a_written_verdict_is_read_back(values, words):
    scores = RubricScores(*values)
    reply = f"{words}\n<final_evaluation>{json.dumps({'weaknesses': [words], 'scores': scores.to_dict()})}"
    assert read_judgement(reply).scores == scores
    assert 0 <= normalised(scores.mean) <= 100


@pytest.mark.parametrize("wrong", [0, 6, 3.0, True, "3"])
def test_scores_are_whole_numbers_from_1_to_5(wrong):
    with pytest.raises(CallerError, match="from 1 to 5"):
        RubricScores(wrong, 3, 3, 3, 3)


def test_means_are_told_by_domain_over_samples_and_over_domains():
    best, worst = RubricScores(5, 5, 5, 5, 5), RubricScores(1, 1, 1, 1, 1)
    report = aggregate([("search", best), ("search", best), ("search", best), ("mcp", worst), ("mcp", None)])
    assert (report.judged, report.failed) == (4, 1)
    assert report.domains["search"].total.mean == 100
    assert (report.domains["mcp"].judged, report.domains["mcp"].failed) == (1, 1)
    assert report.sample_mean.mean == 75
    assert report.domain_mean.mean == 50
    assert report.domains["mcp"].dimensions == dict.fromkeys(NAMES, 0.0)


def test_a_failed_judgement_moves_no_mean_and_a_domain_without_any_has_none():
    some = [("web", RubricScores(3, 4, 3, 4, 3)), ("web", RubricScores(2, 2, 2, 2, 3))]
    with_failures = aggregate([*some, *[("web", None)] * 50])
    assert with_failures.sample_mean == aggregate(some).sample_mean
    assert with_failures.failed == 50
    report = aggregate([*some, ("os", None)])
    assert report.domains["os"].total.mean is None
    assert report.domain_mean.mean is None, "a mean over domains that leaves one out is another number"
    assert report.sample_mean.mean is not None
    assert aggregate([]).sample_mean.mean is None


def test_intervals_are_drawn_by_seed_and_narrow_with_samples():
    few = [("swe", RubricScores(n % 5 + 1, 3, 3, 3, n % 3 + 2)) for n in range(10)]
    first, again, other = aggregate(few), aggregate(few), aggregate(few, seed=1)
    assert first == again
    assert first.sample_mean != other.sample_mean
    assert first.sample_mean.low < first.sample_mean.mean < first.sample_mean.high
    many = aggregate(few * 40).sample_mean
    assert many.high - many.low < (first.sample_mean.high - first.sample_mean.low) / 4
