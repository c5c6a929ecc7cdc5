"""The rubric of AgentWorldBench: five scores from 1 to 5 for a predicted observation, and their means over a test set.

A judgement that failed is counted and never scored. Scores of different judges, or of different prompts, are on
different scales: a report says nothing about another judge's report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from worldgen.errors import CallerError
from worldgen.scoring.evaluation_block import DIMENSIONS, HIGHEST, LOWEST, Unreadable, read_block
from worldgen.seeds import Floats, stream

_RESAMPLES = 1_000
_AT_ONCE = 1_000_000
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class RubricScores:
    """What a judge gave, a whole number from 1 to 5 each.

    Attributes:
        format: Whether it is laid out as the environment lays it out.
        factuality: Whether what it says is so.
        consistency: Whether it agrees with what was seen before.
        realism: Whether the environment would behave so.
        quality: Whether it is complete, and not too much.

    >>> RubricScores(5, 4, 4, 3, 4).mean
    4.0
    """

    format: int
    factuality: int
    consistency: int
    realism: int
    quality: int

    def __post_init__(self) -> None:
        for name in DIMENSIONS:
            value = getattr(self, name)
            if type(value) is not int or not LOWEST <= value <= HIGHEST:
                raise CallerError(
                    "rubric.score",
                    f"the score for {name} is wrong",
                    expected="a whole number from 1 to 5",
                    got=repr(value),
                )

    @property
    def mean(self) -> float:
        """The mean of the five, from 1 to 5."""
        return sum(self.to_dict().values()) / len(DIMENSIONS)

    def to_dict(self) -> dict[str, int]:
        """The scores by dimension."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judge's reply as it was read.

    Attributes:
        scores: What it gave; None where the judgement failed.
        problem: Why it failed; empty where it did not.
        strengths: What it praised.
        weaknesses: What it found wanting.
    """

    scores: RubricScores | None
    problem: str = ""
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[str, ...] = ()


def read_judgement(reply: str) -> Judgement:
    """Read the ``<final_evaluation>`` of a judge's reply, or the whole reply where it is a verdict alone.

    Fences, single quotes, bare keys, commas too many, floats and ``4/5`` are understood; scores may stand under
    ``scores`` or beside the rest. A score that is missing or out of range, and two verdicts that differ, make the
    judgement fail.

    >>> read_judgement("<final_evaluation>{'format': 5, factuality: '4/5', consistency: 4.0, realism: 3,}").problem
    'no score for quality'
    """
    try:
        scores, whole = read_block(reply)
    except Unreadable as problem:
        return Judgement(None, str(problem))
    return Judgement(RubricScores(**scores), "", _texts(whole.get("strengths")), _texts(whole.get("weaknesses")))


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def normalised(score: float) -> float:
    """A score from 1 to 5, or a mean of such, on the scale from 0 to 100 that is reported.

    >>> normalised(1), normalised(3.5), normalised(5)
    (0.0, 62.5, 100.0)
    """
    return (score - LOWEST) / (HIGHEST - LOWEST) * 100


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean on the scale from 0 to 100 with the ends of its 95 % bootstrap interval; None without any sample."""

    mean: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class DomainReport:
    """The judgements of one domain: how many there are, how many more failed, and the means of those there are."""

    judged: int
    failed: int
    total: Estimate
    dimensions: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RubricReport:
    """A rubric over a test set.

    Attributes:
        domains: Each domain's report, by name.
        sample_mean: The mean over all judged samples, which the benchmark's script prints as overall.
        domain_mean: The mean over the domains' means, which the benchmark's published table shows as overall; None
            while a domain has no judged sample.
        judged: Samples with a judgement.
        failed: Samples without one.
    """

    domains: Mapping[str, DomainReport]
    sample_mean: Estimate
    domain_mean: Estimate
    judged: int
    failed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)


def aggregate(judged: Iterable[tuple[str, RubricScores | None]], *, seed: int = 0) -> RubricReport:
    """The means over samples, each a domain's name and its scores, None where the judgement failed.

    Intervals are those of a bootstrap that draws samples anew within each domain; turns of one episode count as
    independent, so intervals are too narrow where many are judged.

    Args:
        judged: The samples.
        seed: Decides the draws of the bootstrap.
    """
    samples: dict[str, list[RubricScores | None]] = {}
    for domain, scores in judged:
        samples.setdefault(domain, []).append(scores)
    means = {domain: [scores.mean for scores in samples[domain] if scores is not None] for domain in sorted(samples)}
    drawn = {domain: _drawn(values, seed, domain) for domain, values in means.items()}
    domains = {
        domain: DomainReport(
            len(values),
            len(samples[domain]) - len(values),
            _estimate(_mean(values), drawn[domain]),
            _dimensions(samples[domain]),
        )
        for domain, values in means.items()
    }
    every = [value for values in means.values() for value in values]
    sums = [drawn[domain] * len(values) for domain, values in means.items()]
    of_samples = sum(sums, np.zeros(1)) / max(len(every), 1)
    complete = bool(means) and all(means.values())
    of_domains = sum(drawn.values(), np.zeros(1)) / max(len(drawn), 1)
    mean_of_means = _mean([sum(values) / len(values) for values in means.values()]) if complete else None
    failed = sum(report.failed for report in domains.values())
    return RubricReport(
        domains, _estimate(_mean(every), of_samples), _estimate(mean_of_means, of_domains), len(every), failed
    )


def _dimensions(scores: Sequence[RubricScores | None]) -> dict[str, float]:
    there = [given for given in scores if given is not None]
    if not there:
        return {}
    return {name: normalised(sum(getattr(given, name) for given in there) / len(there)) for name in DIMENSIONS}


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _drawn(values: Sequence[float], seed: int, domain: str) -> Floats:
    """Means of samples drawn anew, with replacement."""
    size = len(values)
    if not size:
        return np.zeros(_RESAMPLES)
    given, draws = np.array(values), stream(seed, "rubric", "bootstrap", domain)
    means: list[Floats] = []
    step = max(1, _AT_ONCE // size)
    for begun in range(0, _RESAMPLES, step):
        rows = min(step, _RESAMPLES - begun)
        means.append(given[draws.below(rows * size, size).reshape(rows, size)].mean(axis=1))
    return np.concatenate(means)


def _estimate(mean: float | None, drawn: Floats) -> Estimate:
    if mean is None:
        return Estimate(None)
    low, high = np.quantile(drawn, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Estimate(round(normalised(mean), 4), round(normalised(float(low)), 4), round(normalised(float(high)), 4))
