import time
from pathlib import Path

import numpy as np
import pytest
from facts_schemas import PlainView, digest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.generate import generate
from worldgen.facts.processes import process_of
from worldgen.facts.processes.clinical_trial import significant
from worldgen.facts.reading import read_schema
from worldgen.seeds import stream

SCHEMA = Path(__file__).parent / "schemas" / "clinical_trial.yaml"


def trials(compounds, seed=7, **given):
    process = process_of("clinical_trial")
    dates = {"starts": ["2005-01-01", "2020-12-31"], "until": "2035-01-01"}
    parameters = process.read({"compounds": "compound"} | dates | given)
    view = PlainView({"compound": {"row": np.arange(compounds)}})
    return process.run(parameters, view, {}, stream(seed, "trials"))


def day(text):
    return int(np.datetime64(text).astype(int))


chances = st.tuples(*[st.sampled_from([0.0, 0.3, 0.8, 1.0])] * 4).map(list)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 30), st.integers(0, 10**6), chances, st.integers(2, 4), st.sampled_from([20, 21, 90, 3000]))
def test_arms_add_up_and_decide_the_outcome(compounds, seed, success, arms, size):
    sizes = {f"phase_{phase}": [size, size + 40] for phase in (1, 2, 3)}
    made = trials(compounds, seed, success=success, arms=[2, arms], **sizes)
    trial, arm = made["trial"], made["arm"]
    for name in ("completed", "responders", "adverse", "serious"):
        assert arm[name].min() >= 0
        assert (arm[name] <= arm["enrolment"]).all()
    assert (arm["responders"] <= arm["completed"]).all()
    assert (arm["serious"] <= arm["adverse"]).all()
    assert (size <= trial["enrolment"]).all()
    assert (trial["enrolment"] <= size + 40).all()
    for number, phase in enumerate(trial["phase"].tolist()):
        mine = arm["trial"] == number
        assert mine.sum() == trial["arms"][number]
        assert arm["enrolment"][mine].sum() == trial["enrolment"][number]
        assert arm["adverse"][mine].sum() == trial["adverse"][number]
        assert len(set(arm["dose"][mine].tolist())) == mine.sum()
        treated, control = mine & (arm["dose"] != "placebo"), mine & (arm["dose"] == "placebo")
        n, responders, serious = (int(arm[c][treated].sum()) for c in ("enrolment", "responders", "serious"))
        controls, others = (int(arm[c][control].sum()) for c in ("enrolment", "responders"))
        if phase == 1:
            assert trial["met"][number] == (serious * 20 <= n)
        else:
            assert trial["met"][number] == significant(responders, n, others, controls)
        assert trial["active_rate"][number] == pytest.approx(100 * responders / n, abs=0.0501)
        assert trial["control_rate"][number] == pytest.approx(100 * others / controls, abs=0.0501)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.integers(0, 10**6), chances, st.sampled_from(["2022-06-30", "2026-01-01", "2040-01-01"]))
def test_phases_follow_one_another(compounds, seed, success, until):
    made = trials(compounds, seed, success=success, until=until)
    compound, trial, submission = made["compound"], made["trial"], made["submission"]
    decisions = dict(zip(submission["compound"].tolist(), submission["approved"].tolist(), strict=True))
    assert len(decisions) == len(submission["compound"])
    for number in range(compounds):
        mine = trial["compound"] == number
        phases = trial["phase"][mine].tolist()
        assert phases == list(range(1, len(phases) + 1))
        assert compound["phase"][number] == len(phases) >= 1
        assert compound["participants"][number] == trial["enrolment"][mine].sum()
        started, ended, met = (trial[c][mine] for c in ("started", "ended", "met"))
        assert (started < ended).all()
        assert (ended[:-1] < started[1:]).all()
        assert met[:-1].all()
        assert ended[-1] <= day(until)
        status = compound["status"][number]
        assert (status == "discontinued") == (not met[-1])
        assert (status in {"approved", "refused"}) == (number in decisions)
        if number in decisions:
            row = submission["compound"].tolist().index(number)
            assert len(phases) == 3
            assert ended[2] < submission["submitted"][row] < submission["decided"][row] <= day(until)
            assert (status == "approved") == submission["approved"][row]


@settings(max_examples=200, deadline=None)
@given(st.integers(2, 400), st.integers(2, 400), st.data())
def test_significance_is_that_of_the_two_by_two_table(n, m, data):
    a, b = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    p, q, pooled = a / n, b / m, (a + b) / (n + m)
    variance = pooled * (1 - pooled) * (1 / n + 1 / m)
    z = (p - q) / variance**0.5 if variance else 0.0
    if abs(z - 1.959964) > 1e-5:
        assert significant(a, n, b, m) == (z > 1.959964)


def test_a_pipeline_makes_sense_and_is_made_quickly():
    began = time.process_time()
    made = trials(10000)
    trial, arm, compound = made["trial"], made["arm"], made["compound"]
    assert len(arm["trial"]) > 50000
    assert time.process_time() - began < 6
    for phase, expected in ((1, 0.645), (2, 0.324), (3, 0.601)):
        assert trial["met"][trial["phase"] == phase].mean() == pytest.approx(expected, abs=0.03)
    assert (compound["status"] == "approved").mean() == pytest.approx(0.104, abs=0.015)
    sizes = [np.median(trial["enrolment"][trial["phase"] == phase]) for phase in (1, 2, 3)]
    assert sizes == sorted(sizes)
    years = (trial["ended"] - trial["started"]) / 365.25
    assert 0.4 < years.min() < years.max() < 4.1
    late = trial["phase"] > 1
    gain = trial["active_rate"] - trial["control_rate"]
    assert gain[late & (trial["met"] == 1)].min() > 0
    assert np.median(gain[late & (trial["met"] == 1)]) < 40
    assert abs(np.median(gain[late & (trial["met"] == 0)])) < 8
    share = {dose: (arm["adverse"] / arm["enrolment"])[arm["dose"] == dose].mean() for dose in ("placebo", "high")}
    assert 0.2 < share["placebo"] < share["high"] < 0.7


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"arms": [1, 3]}, "arms: 2 to 4"),
        ({"success": [0.5, 0.5, 1.5, 0.5]}, "success"),
        ({"success": [0.5, 0.5]}, "success"),
        ({"phase_1": [10, 50]}, "phase_1: 20 or more"),
        ({"phase_3": [900, 300]}, "least, greatest"),
        ({"until": "2021-01-01"}, "until: .* or later expected"),
        ({"pause": [0, 2]}, "pause: 1 or more"),
    ],
)
def test_wrong_parameters_are_errors(change, words):
    with pytest.raises(SchemaError, match=words):
        trials(3, **change)


def test_no_compounds_are_an_error():
    with pytest.raises(GenerationError, match="rows of compound; expected 1 or more"):
        trials(0)


def test_a_schema_with_trials():
    facts = generate(read_schema(SCHEMA), 3)
    assert facts.tables["arm"].columns["trial"].target == "trial"
    assert facts.tables["arm"].size > facts.tables["trial"].size > 40
    assert digest(facts) == digest(generate(read_schema(SCHEMA), 3)) != digest(generate(read_schema(SCHEMA), 4))
