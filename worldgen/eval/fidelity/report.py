"""What a run found: the rubric by domain and dimension, exact matches, format, verifiers by axis, and what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from worldgen.eval.fidelity.benchmark import Sample
from worldgen.eval.fidelity.expected import Expected, verdicts
from worldgen.eval.fidelity.run import journals
from worldgen.scoring.lwm_reward import find_praise, matches_exactly, world_model_reward
from worldgen.scoring.observation_format import format_problem
from worldgen.scoring.rubric import RubricReport, RubricScores, aggregate
from worldgen.scoring.verifiers import AXES, Verdict


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    count: int
    of: int


@dataclass(frozen=True, slots=True)
class DomainChecks:
    """What rules alone find of a domain's predictions.

    Attributes:
        samples: Samples of the domain.
        predicted: Those with a prediction.
        exact: Predictions that are the reference.
        determined: The same, of samples whose observation follows from what the model was shown.
        format: Predictions laid out as the reference is.
        praise: Predictions that praise themselves.
    """

    samples: int
    predicted: int
    exact: Share
    determined: Share
    format: Share
    praise: int


@dataclass(frozen=True, slots=True)
class FidelityReport:
    """The report of a run.

    Attributes:
        domains: What rules find, by domain.
        rubric: The judge's scores; None where there was no judge.
        verifiers: By axis and verifier: passed, failed, and without anything to go by.
        failed_predictions: How many have each reason.
        failed_judgements: How many have each reason.
        missing: Samples that the run has not come to.
        reward: The mean of `world_model_reward` over what was judged or is determined; None where nothing was.
        rewarded: How many samples that mean is over.
    """

    domains: Mapping[str, DomainChecks]
    rubric: RubricReport | None
    verifiers: Mapping[str, Mapping[str, Mapping[str, int]]]
    failed_predictions: Mapping[str, int]
    failed_judgements: Mapping[str, int]
    missing: int
    reward: float | None
    rewarded: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)

    @property
    def scored(self) -> bool:
        """Whether there is any prediction to tell of."""
        return any(checks.predicted for checks in self.domains.values())


class _Seen(NamedTuple):
    """One sample with all that became of it."""

    sample: Sample
    text: str | None
    scores: RubricScores | None
    determined: bool
    verdicts: list[Verdict]


def report_of(
    samples: Sequence[Sample], expected: Mapping[str, Expected], out: Path, *, seed: int = 0
) -> FidelityReport:
    """Score what lies in a run's folder.

    Args:
        samples: The samples of the run.
        expected: What the verifiers expect of them.
        out: The folder.
        seed: Decides the draws of the bootstrap.

    Raises:
        CallerError: A line of the folder's records is damaged or was altered; names it.
    """
    predictions, judgements = journals(out)
    failed_predictions: Counter[str] = Counter()
    failed_judgements: Counter[str] = Counter()
    seen: list[_Seen] = []
    missing = 0
    for sample in samples:
        prediction, judgement = predictions.get(sample.key), judgements.get(sample.key)
        text = None if prediction is None or prediction["problem"] else prediction["text"]
        missing += prediction is None
        if prediction is not None and prediction["problem"]:
            failed_predictions[prediction["problem"]] += 1
        if judgement is not None and (prediction is None or judgement["prediction"] != prediction["number"]):
            judgement = None
        if judgement is not None and judgement["problem"]:
            failed_judgements[judgement["problem"]] += 1
        scores = None if judgement is None or judgement["problem"] else RubricScores(**judgement["scores"])
        known = expected.get(sample.key)
        found = [] if text is None else verdicts(sample, expected, text)
        seen.append(_Seen(sample, text, scores, known is not None and known.determined, found))
    rewards = _rewards(seen)
    judged = any(each.scores is not None for each in seen) or bool(failed_judgements)
    return FidelityReport(
        {domain: _checks(group) for domain, group in _by_domain(seen).items()},
        aggregate([(each.sample.domain, each.scores) for each in seen], seed=seed) if judged else None,
        _by_axis([verdict for each in seen for verdict in each.verdicts]),
        dict(failed_predictions.most_common()),
        dict(failed_judgements.most_common()),
        missing,
        sum(rewards) / len(rewards) if rewards else None,
        len(rewards),
    )


def _by_domain(seen: Sequence[_Seen]) -> dict[str, list[_Seen]]:
    domains = sorted({each.sample.domain for each in seen})
    return {domain: [each for each in seen if each.sample.domain == domain] for domain in domains}


def _checks(group: Sequence[_Seen]) -> DomainChecks:
    there = [(each, each.text, each.sample.reference) for each in group if each.text is not None]
    exact = [matches_exactly(text, reference) for _, text, reference in there]
    determined = [same for same, (each, _, _) in zip(exact, there, strict=True) if each.determined]
    return DomainChecks(
        len(group),
        len(there),
        Share(sum(exact), len(exact)),
        Share(sum(determined), len(determined)),
        Share(sum(not format_problem(text, reference) for _, text, reference in there), len(there)),
        sum(bool(find_praise(text, reference)) for _, text, reference in there),
    )


def _by_axis(found: Sequence[Verdict]) -> dict[str, dict[str, dict[str, int]]]:
    table: dict[str, dict[str, dict[str, int]]] = {}
    words = {True: "passed", False: "failed", None: "nothing_to_go_by"}
    for axis in AXES:
        for name in sorted({verdict.verifier for verdict in found if verdict.axis == axis}):
            counts = Counter(words[verdict.passed] for verdict in found if verdict.verifier == name)
            table.setdefault(axis, {})[name] = {word: counts[word] for word in words.values()}
    return table


def _rewards(seen: Sequence[_Seen]) -> list[float]:
    """The rewards of what is judged, or decided by exact match."""
    values = []
    for each in seen:
        if each.text is None or (each.scores is None and not each.determined):
            continue
        decided = [verdict.passed for verdict in each.verdicts if verdict.passed is not None]
        verified = all(decided) if decided else None
        values.append(
            world_model_reward(
                each.text,
                each.sample.reference,
                rubric=each.scores,
                verified=verified,
                deterministic=each.determined,
            ).value
        )
    return values
