"""Papers that cite earlier ones: the often cited are cited more, old ones less, those of the same field mostly.

Papers come in order of their dates. A reference is drawn from an urn that holds each earlier paper once and once more
for every citation it has, so with a chance proportional to its citations plus one; it is kept with a chance that halves
with age, else drawn again. There is an urn for each field beside that of all. What an author of the paper wrote comes
last and is held to its share.

References:
    D. J. de Solla Price, "A general theory of bibliometric and other cumulative advantage processes", *Journal of the
    American Society for Information Science* 27, 1976.
    S. N. Dorogovtsev and J. F. F. Mendes, "Evolution of networks with aging of sites", *Physical Review E* 62, 2000.
    J. E. Hirsch, "An index to quantify an individual's scientific research output", *PNAS* 102, 2005.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from worldgen.facts.distributions import noise_factor, weighted, zipf_weights
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
from worldgen.schema import elementary
from worldgen.seeds import Stream

Ints = NDArray[np.int64]

_YEAR = 365.25
_REFERENCE_SPREAD = 0.5
_FIELD_EXPONENT = 0.7
_AUTHOR_EXPONENT = 0.6
_AT_HOME = 0.9
_TRIES = 10
_BUFFER = 4096


class CitationGiven(Given):
    """Parameters of a citation graph."""

    papers: str = Field(description="The entity that cites.")
    authors: str = Field(description="The entity that writes papers.")
    fields: str | None = Field(default=None, description="The entity of fields; none: all papers are of one field.")
    dates: Days = Field(description="First and last day of publication.")
    growth: float = Field(default=0.04, ge=0, le=0.5, description="By how much more papers appear each year.")
    references: float = Field(default=8, gt=0, le=200, description="Mean number of papers that a paper would cite.")
    team: Span = Field(default=(1, 5), description="Least and greatest number of authors of a paper.")
    half_life: float = Field(default=6, gt=0, le=200, description="Years after which a paper is cited half as readily.")
    affinity: float = Field(default=0.75, ge=0, le=1, description="Share of references sought in the own field.")
    self_citations: int = Field(default=15, ge=0, le=50, description="Greatest percentage of a paper's references.")

    @model_validator(mode="after")
    def _possible(self) -> CitationGiven:
        if self.team[0] < 1:
            raise ValueError(f"team: 1 or more expected; got {self.team[0]}")
        return self


@processes.register("citation_graph")
class CitationGraph(Process):
    """A paper cites papers of earlier days only, each at most once; counts are of the citations within the world."""

    name: ClassVar[str] = "citation_graph"
    parameters: ClassVar[type[Given]] = CitationGiven
    tables: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "paper": {
            "date": "date", "year": "year", "field": "ref:fields", "authors": "integer", "reference_count": "integer",
            "citation_count": "integer",
        },
        "authorship": {"paper": "ref:papers", "author": "ref:authors", "place": "integer"},
        "author": {
            "field": "ref:fields", "papers": "integer", "citation_count": "integer", "h_index": "integer",
        },
        "citation": {"citing": "ref:papers", "cited": "ref:papers", "self_citation": "boolean", "years": "integer"},
    }  # fmt: skip

    def needs(self, given: CitationGiven, fills: Mapping[str, str]) -> dict[str, list[str]]:
        """Papers, authors and fields."""
        return {entity: [] for entity in (given.papers, given.authors, given.fields) if entity is not None}

    def run(self, given: CitationGiven, view: View, fills: Mapping[str, str], rng: Stream) -> Produced:
        """Publish all papers."""
        papers = require_rows(self.name, view, given.papers, 2)
        authors = require_rows(self.name, view, given.authors, given.team[0])
        fields = 1 if given.fields is None else require_rows(self.name, view, given.fields, 1)
        date = _dates(given, papers, rng)
        of_field = weighted(zipf_weights(fields, _FIELD_EXPONENT), papers, rng)
        home = np.arange(authors, dtype=np.int64) % fields
        home = home[rng.permutation(authors)]
        authorship = _authorship(given, of_field, home, rng)
        citing, cited, own = _citations(given, date, of_field, authorship, rng)
        citations = np.bincount(cited, minlength=papers)
        year = (date.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970).astype(np.int64)
        written = citations[authorship["paper"]]
        earned = np.zeros(authors, dtype=np.int64)
        np.add.at(earned, authorship["author"], written)
        return {
            "paper": {
                "date": date, "year": year, "field": of_field,
                "authors": np.bincount(authorship["paper"], minlength=papers),
                "reference_count": np.bincount(citing, minlength=papers), "citation_count": citations,
            },
            "authorship": authorship,
            "author": {
                "field": home, "papers": np.bincount(authorship["author"], minlength=authors),
                "citation_count": earned, "h_index": h_index(authorship["author"], written, authors),
            },
            "citation": {
                "citing": citing, "cited": cited, "self_citation": own, "years": year[citing] - year[cited],
            },
        }  # fmt: skip


def _dates(given: CitationGiven, papers: int, rng: Stream) -> Ints:
    """Days of publication; years have more papers one after the other."""
    first, last = (days_of(end) for end in given.dates)
    years = np.arange((last - first) // 365 + 1)
    year = weighted(elementary.power(1 + given.growth, years), papers, rng)
    day = np.floor((year + rng.unit(papers)) * 365).astype(np.int64)
    return np.asarray(first + day % (last - first + 1), dtype=np.int64)


def _authorship(given: CitationGiven, of_field: Ints, home: Ints, rng: Stream) -> dict[str, Ints]:
    """Who wrote what: few write much, mostly in their own field; nobody is named twice on a paper."""
    papers, authors = len(of_field), len(home)
    least, most = given.team[0], min(given.team[1], authors)
    sizes = least + rng.below(papers, most - least + 1)
    paper = np.repeat(np.arange(papers, dtype=np.int64), sizes)
    by_home = np.argsort(home, kind="stable")
    start = np.searchsorted(home[by_home], np.arange(int(of_field.max()) + 2))
    author = weighted(zipf_weights(authors, _AUTHOR_EXPONENT), len(paper), rng)
    abroad = rng.unit(len(paper)) >= _AT_HOME
    for each in range(int(of_field.max()) + 1):
        pool = by_home[start[each] : start[each + 1]]
        here = np.flatnonzero((of_field[paper] == each) & ~abroad)
        if len(pool):
            author[here] = pool[weighted(zipf_weights(len(pool), _AUTHOR_EXPONENT), len(here), rng)]
    # A name drawn again on a paper moves on to the next author that is not on it yet.
    team: set[int] = set()
    found = author.tolist()
    for row, number in enumerate(count_within(paper).tolist()):
        if number == 0:
            team = set()
        while found[row] in team:
            found[row] = (found[row] + 1) % authors
        team.add(found[row])
    return {"paper": paper, "author": int_column(found), "place": count_within(paper) + 1}


def h_index(author: Ints, citations: Ints, authors: int) -> Ints:
    """The greatest h such that an author has h papers with at least h citations each.

    >>> h_index(np.array([0, 0, 0, 1]), np.array([5, 2, 1, 0]), 2).tolist()
    [2, 0]
    """
    order = np.lexsort((-citations, author))
    place = count_within(author[order]) + 1
    return np.bincount(author[order][citations[order] >= place], minlength=authors).astype(np.int64)


# Citations


class _Draws:
    """Single draws of a stream, made in bulk."""

    def __init__(self, rng: Stream) -> None:
        self._rng = rng
        self._left: list[float] = []

    def unit(self) -> float:
        """The next number in [0, 1)."""
        if not self._left:
            self._left = self._rng.unit(_BUFFER).tolist()
        return self._left.pop()

    def below(self, bound: int) -> int:
        """The next whole number in [0, bound)."""
        return int(self.unit() * bound)


@dataclass(slots=True)
class _Library:
    """What has been published so far.

    Attributes:
        urns: Of all papers, then of each field: a paper once, and once more for each citation.
        by_author: What each author has written.
    """

    urns: list[list[int]]
    by_author: list[list[int]]
    papers: int = 0
    _waiting: list[tuple[int, int, list[int]]] = field(default_factory=list)

    def submit(self, paper: int, of_field: int, team: list[int]) -> None:
        """A paper that appears today, which nobody can cite before tomorrow."""
        self._waiting.append((paper, of_field, team))

    def publish(self) -> None:
        """Put what waits on the shelves."""
        for paper, of_field, team in self._waiting:
            self.cite(paper, of_field)
            self.papers += 1
            for author in team:
                self.by_author[author].append(paper)
        self._waiting.clear()

    def cite(self, paper: int, of_field: int) -> None:
        """Make a paper more likely to be cited."""
        self.urns[0].append(paper)
        self.urns[1 + of_field].append(paper)


def _citations(
    given: CitationGiven, date: Ints, of_field: Ints, authorship: Mapping[str, Ints], rng: Stream
) -> tuple[Ints, Ints, Ints]:
    """Citing and cited papers, and whether they share an author; in order of the citing papers' rows."""
    papers = len(date)
    authors = int(authorship["author"].max()) + 1
    teams = np.split(authorship["author"], np.flatnonzero(authorship["place"] == 1)[1:])
    library = _Library([[] for _ in range(int(of_field.max()) + 2)], [[] for _ in range(authors)])
    wanted = np.rint(given.references * noise_factor(papers, _REFERENCE_SPREAD, rng)).astype(np.int64).tolist()
    span = np.arange(int(date.max() - date.min()) + 1)
    writer = _Writer(
        given, date.tolist(), of_field.tolist(), elementary.power(0.5, span / (_YEAR * given.half_life)).tolist(),
        _Draws(rng),
    )  # fmt: skip
    edges: list[tuple[int, int, int]] = []
    today = -1
    for paper in np.argsort(date, kind="stable").tolist():
        if date[paper] != today:
            library.publish()
            today = int(date[paper])
        team = teams[paper].tolist()
        others, own = writer.references(paper, wanted[paper], team, library)
        edges += [(paper, each, 0) for each in others] + [(paper, each, 1) for each in own]
        for each in (*others, *own):
            library.cite(each, writer.fields[each])
        library.submit(paper, writer.fields[paper], team)
    columns = int_column(edges).reshape(-1, 3)
    citing, cited, self_citation = columns[np.lexsort((columns[:, 1], columns[:, 0]))].T
    return citing, cited, self_citation


@dataclass(frozen=True, slots=True)
class _Writer:
    """Chooses references.

    Attributes:
        given: The parameters.
        dates: Of each paper.
        fields: Of each paper.
        appeal: By age in days, 1 on the first.
        draws: Where chance comes from.
    """

    given: CitationGiven
    dates: list[int]
    fields: list[int]
    appeal: list[float]
    draws: _Draws

    def references(self, paper: int, wanted: int, team: list[int], library: _Library) -> tuple[list[int], list[int]]:
        """Papers by others, then papers of the authors' own, so few that they keep within their percentage."""
        mine = dict.fromkeys(each for author in team for each in library.by_author[author])
        wanted = min(wanted, library.papers)
        most = self.draws.below(wanted * self.given.self_citations // 100 + 1)
        others: dict[int, None] = {}
        for _ in range(wanted - min(most, len(mine))):
            found = self._seek(paper, library, others, mine)
            if found is not None:
                others[found] = None
        # Fewer may have been found than were wanted.
        allowed = min(most, len(others) * self.given.self_citations // (100 - self.given.self_citations))
        # The latest first, as authors do.
        own = sorted(mine, key=lambda each: (-self.dates[each], each))[:allowed]
        return list(others), own

    def _seek(self, paper: int, library: _Library, taken: dict[int, None], mine: dict[int, None]) -> int | None:
        draws, today = self.draws, self.dates[paper]
        urn = library.urns[1 + self.fields[paper]] if draws.unit() < self.given.affinity else library.urns[0]
        for _ in range(_TRIES):
            if not urn:
                return None
            found = urn[draws.below(len(urn))]
            if found in taken or found in mine:
                continue
            if draws.unit() < self.appeal[today - self.dates[found]]:
                return found
        return None
