"""What a server counts for Prometheus, in a registry of its own; labels come from short lists, never from callers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily

from worldgen.llm.blocking import Blocking
from worldgen.records import Written
from worldgen.search.world_model.reasons import REASONS
from worldgen.tools import Observation
from worldgen.tools.perturbation import FAULTS

if TYPE_CHECKING:
    from worldgen.serve.server import Server

_METHODS = frozenset({"GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"})
_TOKENS = frozenset({"prompt", "cached", "completion"})
_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)


class Metrics:
    """Counters of one application.

    Args:
        server: Whose episodes and open worlds are told.
        routes: First parts of the paths that are told apart; all others are ``other``.
    """

    def __init__(self, server: Server, routes: Iterable[str]) -> None:
        self._registry = CollectorRegistry()
        self._routes = frozenset(routes)
        self._requests = Counter(
            "worldgen_requests", "Requests", ["route", "method", "status"], registry=self._registry
        )
        self._children: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._seconds = Histogram(
            "worldgen_request_seconds", "Time to answer", ["route"], buckets=_SECONDS, registry=self._registry
        )
        self._faults = Counter("worldgen_faults", "Faults shown, by kind", ["kind"], registry=self._registry)
        self._refusals = Counter("worldgen_refusals", "Calls refused by a fault", ["status"], registry=self._registry)
        self._malformed = Counter("worldgen_malformed_calls", "Malformed calls", registry=self._registry)
        self._written = Counter(
            "worldgen_written", "Answers of a world model", ["action", "outcome"], registry=self._registry
        )
        self._replies = Counter(
            "worldgen_model_replies", "Replies that these took", ["action"], registry=self._registry
        )
        self._reasons = Counter(
            "worldgen_written_reasons", "Answers with a reply refused, by reason", ["reason"], registry=self._registry
        )
        asks = None if server.backend is None else server.backend.asks
        if isinstance(asks, Blocking):
            self._registry.register(_Spent(asks))
        episodes = Gauge("worldgen_episodes", "Episodes that run", registry=self._registry)
        episodes.set_function(lambda: len(server.episodes))
        worlds = Gauge("worldgen_open_worlds", "Worlds that are open", registry=self._registry)
        worlds.set_function(server.pool.open_count)

    def request(self, path: str, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        first = "/" + path.split("/", 2)[1] if path.startswith("/") else path
        route = first if first in self._routes else "other"
        key = (route, method if method in _METHODS else "other", status)
        children = self._children.get(key)
        if children is None:
            counter = self._requests.labels(route, key[1], str(status))
            children = self._children[key] = (counter, self._seconds.labels(route))
        children[0].inc()
        children[1].observe(seconds)

    def observation(self, seen: Observation) -> None:
        """Count what a call met."""
        for kind in seen.faults:
            self._faults.labels(kind if kind in FAULTS.names() else "other").inc()
        if seen.status == 400:
            self._malformed.inc()
        elif seen.status != 200:
            self._refusals.labels(str(seen.status)).inc()
        self.written(seen.written)

    def written(self, answers: Iterable[Written]) -> None:
        """Count what a world model wrote, and what was wrong with it."""
        for answer in answers:
            self._written.labels(answer.action, answer.outcome).inc()
            self._replies.labels(answer.action).inc(len(answer.replies))
            for reason in answer.reasons:
                self._reasons.labels(reason if reason in REASONS else "other").inc()

    def text(self) -> bytes:
        """All of it, in Prometheus' text format."""
        return generate_latest(_Lean(self._registry))


@dataclass(frozen=True, slots=True)
class _Spent:
    """What a model has cost, as it counts it itself: a counter for each field of `worldgen.llm.Usage`."""

    asks: Blocking

    def collect(self) -> Iterator[Metric]:
        """The counters as they are now."""
        usage = self.asks.usage
        for of, count in ({} if usage is None else asdict(usage)).items():
            tokens = of in _TOKENS
            yield CounterMetricFamily(
                f"worldgen_model_{of}{'_tokens' if tokens else ''}",
                f"Tokens of the model: {of}" if tokens else f"Calls of the model: {of}",
                value=count,
            )


@dataclass(frozen=True, slots=True)
class _Lean:
    """A registry without the times at which its series began, which nobody reads and which double their number."""

    registry: CollectorRegistry

    def collect(self) -> Iterator[Metric]:
        """All families, each sample that is no such time."""
        for family in self.registry.collect():
            family.samples = [sample for sample in family.samples if not sample.name.endswith("_created")]
            yield family
