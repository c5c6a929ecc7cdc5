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
from worldgen.facts.processes.citation_graph import h_index
from worldgen.facts.reading import read_schema
from worldgen.seeds import stream

SCHEMA = Path(__file__).parent / "schemas" / "citation_graph.yaml"


def graph(papers, authors, fields=3, seed=7, **given):
    process = process_of("citation_graph")
    names = {"papers": "paper", "authors": "author", "fields": "field"}
    parameters = process.read(names | {"dates": ["2000-01-01", "2029-12-31"]} | given)
    rows = {"paper": papers, "author": authors, "field": fields}
    view = PlainView({name: {"row": np.arange(size)} for name, size in rows.items()})
    return process.run(parameters, view, {}, stream(seed, "graph"))


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 80), st.integers(3, 30), st.integers(1, 5), st.integers(0, 10**6), st.integers(0, 50),
    st.sampled_from([0, 3, 400, 9000]),
)  # fmt: skip
def test_papers_cite_earlier_ones_once_and_counts_agree(papers, authors, fields, seed, own, days):
    last = str(np.datetime64("2000-01-01") + days)
    made = graph(papers, authors, fields, seed, self_citations=own, dates=["2000-01-01", last], team=[1, 3])
    paper, citation, authorship, author = (made[n] for n in ("paper", "citation", "authorship", "author"))
    citing, cited = citation["citing"], citation["cited"]
    assert (paper["date"][cited] < paper["date"][citing]).all()
    assert len({*zip(citing.tolist(), cited.tolist(), strict=True)}) == len(citing)
    assert paper["citation_count"].tolist() == np.bincount(cited, minlength=papers).tolist()
    assert paper["reference_count"].tolist() == np.bincount(citing, minlength=papers).tolist()
    teams = [set(authorship["author"][authorship["paper"] == row].tolist()) for row in range(papers)]
    assert [len(team) for team in teams] == paper["authors"].tolist()
    assert len(authorship["paper"]) == paper["authors"].sum()
    shared = [bool(teams[a] & teams[b]) for a, b in zip(citing.tolist(), cited.tolist(), strict=True)]
    assert citation["self_citation"].tolist() == shared
    selves = np.bincount(citing, weights=citation["self_citation"], minlength=papers)
    assert (100 * selves <= own * paper["reference_count"]).all()
    for row in range(authors):
        mine = [paper["citation_count"][number] for number, team in enumerate(teams) if row in team]
        assert (author["papers"][row], author["citation_count"][row]) == (len(mine), sum(mine))
        h = int(author["h_index"][row])
        assert sum(count >= h for count in mine) >= h
        assert sum(count >= h + 1 for count in mine) < h + 1
    assert paper["date"].max() <= np.datetime64(last).astype(int)


def test_the_h_index_of_known_lists():
    assert h_index(np.zeros(5, dtype=np.int64), np.array([10, 8, 5, 4, 3]), 1).tolist() == [4]
    assert h_index(np.zeros(3, dtype=np.int64), np.array([0, 0, 0]), 1).tolist() == [0]
    assert h_index(np.zeros(3, dtype=np.int64), np.array([9, 9, 9]), 1).tolist() == [3]


def test_a_literature_makes_sense_and_is_made_quickly():
    began = time.process_time()
    made = graph(7000, 3000, 6)
    paper, citation, author = made["paper"], made["citation"], made["author"]
    assert len(citation["cited"]) > 45000
    assert time.process_time() - began < 6
    assert paper["citation_count"].max() > 15 * paper["citation_count"].mean()
    assert np.median(paper["citation_count"]) < paper["citation_count"].mean()
    same = paper["field"][citation["citing"]] == paper["field"][citation["cited"]]
    assert 0.7 < same.mean() < 0.95
    assert 2 < np.median(citation["years"]) < 10
    assert 0.02 < citation["self_citation"].mean() < 0.15
    assert 2 <= author["h_index"].max() <= 60
    assert author["papers"].max() > 5 * np.median(author["papers"])
    young, old = (graph(1500, 500, half_life=life)["citation"]["years"].mean() for life in (2, 50))
    assert young < 0.75 * old
    late = (paper["year"] > 2015).sum()
    assert late > (paper["year"] <= 2015).sum() * 0.9


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dates": ["2020-01-01", "2010-01-01"]}, "least, greatest"),
        ({"team": [0, 2]}, "team: 1 or more"),
        ({"team": [4, 2]}, "least, greatest"),
        ({"self_citations": 80}, "self_citations"),
        ({"half_life": 0}, "half_life"),
    ],
)
def test_wrong_parameters_are_errors(change, words):
    with pytest.raises(SchemaError, match=words):
        graph(10, 5, **change)


def test_too_few_rows_are_errors():
    with pytest.raises(GenerationError, match="rows of paper; expected 2 or more"):
        graph(1, 5)
    with pytest.raises(GenerationError, match="rows of author; expected 3 or more"):
        graph(5, 2, team=[3, 4])
    with pytest.raises(GenerationError, match="rows of field"):
        graph(5, 2, 0)
    assert set(graph(5, 2, fields=1)["paper"]["field"].tolist()) == {0}


def test_a_schema_with_citations():
    facts = generate(read_schema(SCHEMA), 3)
    assert facts.tables["citation"].size > 50
    assert digest(facts) == digest(generate(read_schema(SCHEMA), 3)) != digest(generate(read_schema(SCHEMA), 4))
