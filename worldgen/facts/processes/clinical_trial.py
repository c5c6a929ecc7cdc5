"""Compounds on their way through phases I to III to approval, with trials whose outcome follows from their numbers.

A compound that fails a phase stops there; one that passes goes on after a pause. Phase I tests safety: it is met where
no more than one in twenty of those treated had a serious adverse event. Phases II and III test efficacy: they are met
where the treated responded more often than the controls and Pearson's chi-squared of the two-by-two table exceeds its
95 % point. What is not over by the last known day is not recorded.

References:
    M. Hay et al., "Clinical development success rates for investigational drugs", *Nature Biotechnology* 32, 2014, for
    the share of compounds that pass each phase.
    US Food and Drug Administration, *The Drug Development Process, Step 3: Clinical Research*, for usual enrolments.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left
from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from worldgen.facts.derived import divided, largest_remainder
from worldgen.facts.processes.process import (
    Days,
    Given,
    Process,
    Produced,
    Span,
    View,
    days_of,
    int_column,
    processes,
    require_rows,
)
from worldgen.facts.settle import count_within
from worldgen.seeds import Stream

Ints = NDArray[np.int64]
Chance = Annotated[float, Field(ge=0, le=1)]

_MONTH = 30
_LEAST_PER_ARM = 5
# The 95 % point of chi-squared with one degree of freedom, in millionths.
_CHI_SQUARED = 3_841_459
_SERIOUS_PERCENT = 5
_DOSES = {2: ("placebo", "medium"), 3: ("placebo", "low", "high"), 4: ("placebo", "low", "medium", "high")}
_BURDEN = {"placebo": 100, "low": 110, "medium": 120, "high": 135}
"""Adverse events of an arm in hundredths of those under placebo."""


class TrialGiven(Given):
    """Parameters of clinical trials."""

    compounds: str = Field(description="The entity that is tested.")
    starts: Days = Field(description="First and last day on which a phase I may begin.")
    until: dt.date = Field(description="The last known day: every phase I is over, other things may be under way.")
    success: tuple[Chance, Chance, Chance, Chance] = Field(
        default=(0.645, 0.324, 0.601, 0.832), description="Share that passes phase I, II, III and the review."
    )
    phase_1: Span = Field(default=(20, 100), description="Least and greatest enrolment of a phase I.")
    phase_2: Span = Field(default=(100, 300), description="Least and greatest enrolment of a phase II.")
    phase_3: Span = Field(default=(300, 3000), description="Least and greatest enrolment of a phase III.")
    arms: Span = Field(default=(2, 4), description="Least and greatest number of arms, 2 to 4, placebo included.")
    months_1: Span = Field(default=(6, 18), description="Least and greatest length of a phase I in months.")
    months_2: Span = Field(default=(12, 36), description="Least and greatest length of a phase II in months.")
    months_3: Span = Field(default=(18, 48), description="Least and greatest length of a phase III in months.")
    pause: Span = Field(default=(2, 9), description="Months from one phase to the next, or to the submission.")
    review: Span = Field(default=(6, 14), description="Months from the submission to the decision.")

    @model_validator(mode="after")
    def _possible(self) -> TrialGiven:
        if not (self.arms[0] >= 2 and self.arms[1] <= 4):
            raise ValueError(f"arms: 2 to 4 expected; got {list(self.arms)}")
        for name in ("phase_1", "phase_2", "phase_3"):
            least = getattr(self, name)[0]
            if least < _LEAST_PER_ARM * self.arms[1]:
                raise ValueError(f"{name}: {_LEAST_PER_ARM * self.arms[1]} or more expected, 5 an arm; got {least}")
        for name in ("months_1", "months_2", "months_3", "pause", "review"):
            if getattr(self, name)[0] < 1:
                raise ValueError(f"{name}: 1 or more expected; got {getattr(self, name)[0]}")
        least = days_of(self.starts[1]) + _MONTH * self.months_1[1]
        if days_of(self.until) < least:
            raise ValueError(f"until: {dt.date.fromordinal(least + 719163)} or later expected, when phase I is over")
        return self


@processes.register("clinical_trial")
class ClinicalTrial(Process):
    """A trial for each phase that is over, its arms, and the submissions that were decided.

    A compound's status is in_development, discontinued, refused or approved, a trial's endpoint safety or efficacy, an
    arm's dose placebo, low, medium or high.
    """

    name: ClassVar[str] = "clinical_trial"
    parameters: ClassVar[type[Given]] = TrialGiven
    tables: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "compound": {"status": "category", "phase": "integer", "participants": "integer"},
        "trial": {
            "compound": "ref:compounds", "phase": "integer", "started": "date", "ended": "date",
            "enrolment": "integer", "arms": "integer", "endpoint": "category", "active_rate": "percent",
            "control_rate": "percent", "adverse": "integer", "met": "boolean",
        },
        "arm": {
            "trial": "ref:trial", "place": "integer", "dose": "category", "enrolment": "integer",
            "completed": "integer", "responders": "integer", "adverse": "integer", "serious": "integer",
        },
        "submission": {"compound": "ref:compounds", "submitted": "date", "decided": "date", "approved": "boolean"},
    }  # fmt: skip

    def needs(self, given: TrialGiven, fills: Mapping[str, str]) -> dict[str, list[str]]:
        """Compounds."""
        return {given.compounds: []}

    def run(self, given: TrialGiven, view: View, fills: Mapping[str, str], rng: Stream) -> Produced:
        """Run all trials."""
        compounds = require_rows(self.name, view, given.compounds, 1)
        trial, submission = _courses(given, compounds, rng)
        arm = _arms(given, trial, rng)
        trials = len(trial["phase"])
        enrolment = np.zeros(compounds, dtype=np.int64)
        np.add.at(enrolment, trial["compound"], trial["enrolment"])
        phase = np.bincount(trial["compound"], minlength=compounds)
        failed = np.bincount(trial["compound"], weights=trial["met"] == 0, minlength=compounds) > 0
        status = np.where(failed, "discontinued", "in_development").astype("<U14")
        status[submission["compound"]] = np.where(submission["approved"] == 1, "approved", "refused")
        adverse = np.zeros(trials, dtype=np.int64)
        np.add.at(adverse, arm["trial"], arm["adverse"])
        treated = arm["place"] > 1
        return {
            "compound": {"status": status, "phase": phase, "participants": enrolment},
            "trial": trial | {
                "endpoint": np.where(trial["phase"] == 1, "safety", "efficacy"),
                "active_rate": _rates(arm, treated, trials), "control_rate": _rates(arm, ~treated, trials),
                "adverse": adverse,
            },
            "arm": arm | {"dose": np.array(list(_BURDEN))[arm["dose"]]},
            "submission": submission,
        }  # fmt: skip


def _rates(arm: Mapping[str, Ints], which: NDArray[np.bool_], trials: int) -> NDArray[np.float64]:
    """Percentage of those enrolled that responded, to one decimal."""
    responders, enrolled = np.zeros(trials, dtype=np.int64), np.zeros(trials, dtype=np.int64)
    np.add.at(responders, arm["trial"][which], arm["responders"][which])
    np.add.at(enrolled, arm["trial"][which], arm["enrolment"][which])
    return divided(responders * 100, enrolled, 0, 1) / 10.0


def _between(span: tuple[int, int], n: int, rng: Stream, unit: int = 1) -> Ints:
    return span[0] * unit + rng.below(n, (span[1] - span[0]) * unit + 1)


def _courses(given: TrialGiven, compounds: int, rng: Stream) -> tuple[dict[str, Ints], dict[str, Ints]]:
    """Trials without their results, compound by compound and phase by phase, and decided submissions."""
    first, last = (days_of(end) for end in given.starts)
    until = days_of(given.until)
    going = np.arange(compounds, dtype=np.int64)
    start = first + rng.below(compounds, last - first + 1)
    parts: list[dict[str, Ints]] = []
    lengths, sizes = (given.months_1, given.months_2, given.months_3), (given.phase_1, given.phase_2, given.phase_3)
    for phase, (months, size) in enumerate(zip(lengths, sizes, strict=True), start=1):
        n = len(going)
        end = start + _between(months, n, rng, _MONTH)
        met = (rng.unit(n) < given.success[phase - 1]).astype(np.int64)
        drawn = rng.unit(n)
        enrolment = size[0] + np.floor(drawn * drawn * (size[1] - size[0] + 1)).astype(np.int64)
        pause = _between(given.pause, n, rng, _MONTH)
        over = end <= until
        parts.append({
            "compound": going[over], "phase": np.full(int(over.sum()), phase, dtype=np.int64), "started": start[over],
            "ended": end[over], "enrolment": enrolment[over], "met": met[over],
        })  # fmt: skip
        on = over & (met == 1)
        going, start = going[on], (end + pause)[on]
    decided = start + _between(given.review, len(going), rng, _MONTH)
    approved = (rng.unit(len(going)) < given.success[3]).astype(np.int64)
    over = decided <= until
    submission = {
        "compound": going[over], "submitted": start[over], "decided": decided[over], "approved": approved[over],
    }  # fmt: skip
    trial = {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}
    order = np.lexsort((trial["phase"], trial["compound"]))
    trial = {column: values[order] for column, values in trial.items()}
    return trial | {"arms": _between(given.arms, len(order), rng)}, submission


# Results


def _arms(given: TrialGiven, trial: Mapping[str, Ints], rng: Stream) -> dict[str, Ints]:
    """The arms of all trials, so that each trial's outcome is the one drawn."""
    of = np.repeat(np.arange(len(trial["arms"]), dtype=np.int64), trial["arms"])
    place = count_within(of)
    doses = list(_BURDEN)
    table = np.zeros((5, 4), dtype=np.int64)
    for arms, names in _DOSES.items():
        table[arms, :arms] = [doses.index(name) for name in names]
    dose = table[trial["arms"][of], place]
    enrolment = largest_remainder(np.ones(len(of)), trial["enrolment"], of)
    completed = enrolment - np.floor(enrolment * (0.02 + 0.18 * rng.unit(len(of)))).astype(np.int64)
    responders = _responders(trial, of, place > 0, enrolment, completed, rng)
    serious = _serious(trial, of, place > 0, enrolment, rng)
    rate = (0.25 + 0.3 * rng.unit(len(trial["arms"])))[of] * np.array(list(_BURDEN.values()))[dose] / 100
    adverse = np.maximum(np.floor(enrolment * rate).astype(np.int64), serious)
    return {
        "trial": of, "place": place + 1, "dose": dose, "enrolment": enrolment, "completed": completed,
        "responders": responders, "adverse": adverse, "serious": serious,
    }  # fmt: skip


def _totals(values: Ints, of: Ints, which: NDArray[np.bool_], trials: int) -> Ints:
    totals = np.zeros(trials, dtype=np.int64)
    np.add.at(totals, of[which], values[which])
    return totals


def _serious(trial: Mapping[str, Ints], of: Ints, treated: NDArray[np.bool_], enrolment: Ints, rng: Stream) -> Ints:
    """Serious adverse events; under treatment more than one in twenty where a phase I is not met, and only there."""
    trials = len(trial["met"])
    n = _totals(enrolment, of, treated, trials)
    limit = n * _SERIOUS_PERCENT // 100
    within = np.floor(rng.unit(trials) * (limit + 1)).astype(np.int64)
    beyond = limit + 1 + np.floor(rng.unit(trials) * n * 0.06).astype(np.int64)
    total = np.where((trial["phase"] == 1) & (trial["met"] == 0), beyond, within)
    share = np.where(treated, enrolment, 0).astype(np.float64)
    under_placebo = np.floor(enrolment * 0.025 * rng.unit(len(of))).astype(np.int64)
    return np.where(treated, largest_remainder(share, total, of), under_placebo)


def _responders(
    trial: Mapping[str, Ints], of: Ints, treated: NDArray[np.bool_], enrolment: Ints, completed: Ints, rng: Stream
) -> Ints:
    """Who responded: as many under treatment as the outcome asks for, spread over the arms by those that completed."""
    trials = len(trial["met"])
    n, most = (_totals(values, of, treated, trials).tolist() for values in (enrolment, completed))
    controls, control_most = (_totals(values, of, ~treated, trials).tolist() for values in (enrolment, completed))
    rates, efforts = (0.12 + 0.28 * rng.unit(trials)).tolist(), rng.unit(trials).tolist()
    found: list[int] = []
    found_controls: list[int] = []
    for row, (phase, met) in enumerate(zip(trial["phase"].tolist(), trial["met"].tolist(), strict=True)):
        control = min(int(controls[row] * rates[row]), control_most[row])
        while met and phase > 1 and not significant(most[row], n[row], control, controls[row]):
            control -= 1
        as_many = min(control * n[row] // controls[row], most[row])
        least = _least_significant(range(as_many, most[row] + 1), n[row], control, controls[row])
        low, high = (as_many * 4 // 5, least - 1) if phase == 1 or not met else (least, most[row])
        effort = efforts[row] if phase == 1 or not met else efforts[row] * efforts[row] * 0.4
        found.append(low + int(effort * (high - low + 1)))
        found_controls.append(control)
    share = np.where(treated, completed, 0).astype(np.float64)
    of_treated = largest_remainder(share, int_column(found), of)
    return np.where(treated, of_treated, int_column(found_controls)[of])


def _least_significant(candidates: range, treated: int, control_responders: int, controls: int) -> int:
    """The least number of responders that is significant; one beyond the candidates where none is."""
    found = bisect_left(candidates, 1, key=lambda each: int(significant(each, treated, control_responders, controls)))
    return candidates.start + found


def significant(responders: int, treated: int, control_responders: int, controls: int) -> bool:
    """Whether the treated responded more often than the controls, at the 5 % level; in whole numbers.

    >>> significant(30, 50, 15, 50), significant(20, 50, 15, 50), significant(15, 50, 30, 50)
    (True, False, False)
    """
    cross = responders * controls - control_responders * treated
    if cross <= 0:
        return False
    total, positive = treated + controls, responders + control_responders
    margins = positive * (total - positive) * treated * controls
    return 1_000_000 * total * cross * cross >= _CHI_SQUARED * margins
