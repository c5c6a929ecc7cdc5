from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.language import said_scope
from worldgen.seeds import stream
from worldgen.tasks import Agg, And, Attr, Compare, Not, Or, Order, TableQuery
from worldgen.tasks.askable import askables
from worldgen.tasks.frame import Frame
from worldgen.tasks.meaning import NUMBERS, meaning
from worldgen.tasks.proposals import SHAPES, Proposal, Proposer
from worldgen.tasks.query import comparisons
from worldgen.tasks.wording import normal_heading, write_question
from worldgen.tasks.wording.lexicon import Lexicon
from worldgen.tasks.wording.nouns import unfolded
from worldgen.tasks.words import words

WORLDS = ("smartphone-market", "county-football", "municipal-election", "software-company")
SEEDS = st.integers(0, 10_000)
LANGUAGES = st.sampled_from(["en", "zh"])


@pytest.fixture(scope="module", params=WORLDS)
def frame(request, world_of) -> Frame:
    return Frame(world_of(request.param).facts)


@pytest.fixture(scope="module")
def proposer(frame) -> Proposer:
    return Proposer(frame, askables(frame))


def proposals(proposer: Proposer, seed: int) -> list[Proposal]:
    rng = stream(seed, "tests", "proposals")
    drawn = [proposer.propose(shape, rng) for shape in SHAPES]
    return [proposal for proposal in drawn if proposal is not None]


def aggregates(query: TableQuery) -> list[Agg]:
    terms = [*query.columns, *(item.term for item in comparisons(query.where))]
    terms += [query.order.term] if query.order is not None else []
    return [term for term in terms if isinstance(term, Agg)]


@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_conditions_are_said_straight(proposer, seed):
    for proposal in proposals(proposer, seed):
        query = proposal.query
        terms = [item.term for item in comparisons(query.where)]
        assert len(set(terms)) == len(terms), "one term in two conditions"
        parts = query.where.items if isinstance(query.where, And) else (query.where,)
        for part in parts:
            if isinstance(part, Not):
                assert isinstance(part.item, Compare)
                assert part.item.op != "!=", "a double negative"
            assert isinstance(part, Compare | Not | Or | None)
        for item in comparisons(query.where):
            found = meaning(proposer.frame.facts, query.subject, item.term)
            assert found.type != "boolean" or item.op == "="
            if item.op == "<" and found.type in NUMBERS and not found.step:
                assert int(item.value) > 1
        if query.order is not None and isinstance(query.order.term, Agg):
            assert query.order.term.how not in ("min", "max")


@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_only_what_the_schema_allows_is_computed_and_of_several_rows(proposer, seed):
    facts = proposer.frame.facts
    for proposal in proposals(proposer, seed):
        for term in aggregates(proposal.query):
            table = facts.tables[term.table]
            members = proposer.frame.values(proposal.query.subject, Agg("count", term.table, term.by)).values
            assert (members > 1).sum() * 3 >= (members > 0).sum()
            if term.of is None:
                continue
            node = facts.schema.series[term.of] if table.kind == "series" else table.columns[term.of].spec
            assert node is not None
            assert term.how in node.folds
            assert term.how != "sum" or (node.aggregates is not None and "sum" in node.aggregates)


@given(seed=SEEDS, language=LANGUAGES)
@settings(max_examples=25, deadline=None)
def test_a_question_has_one_name_for_a_thing(proposer, seed, language):
    """A column that a condition or an order speaks of is called there what it is called in the heading."""
    frame = proposer.frame
    for proposal in proposals(proposer, seed):
        query = proposal.query
        wording = write_question(query, frame, language, stream(seed, "tests", "wording"))
        if wording is None:
            continue
        assert len(set(map(normal_heading, wording.headings))) == len(wording.headings)
        terms = [item.term for item in comparisons(query.where)]
        terms += [query.order.term] if query.order is not None else []
        for term, heading in zip(query.terms, wording.headings, strict=True):
            if term not in terms or (isinstance(term, Agg) and term.how == "count"):
                continue
            if meaning(frame.facts, query.subject, term).type == "period":
                continue
            name = heading.split("（" if language == "zh" else " (")[0].casefold()
            assert wording.question.casefold().count(name) >= 2, (name, wording.question)


@given(seed=SEEDS, language=LANGUAGES)
@settings(max_examples=40, deadline=None)
def test_a_lexicon_draws_once_and_tells_columns_apart(frame, seed, language):
    lexicon = Lexicon(frame.facts, language, stream(seed, "tests", "lexicon"))
    for table in frame.facts:
        own = [name for name in table.stated() if table.columns[name].type != "ref"][:3]
        first = [lexicon.label(table, name) for name in own]
        assert [lexicon.label(table, name) for name in own] == first
        assert len({text.casefold() for text in first}) == len(first)


@pytest.mark.parametrize(
    ("language", "term", "said"),
    [
        ("en", Agg("count", "fixture", "home"), "{} with this {} as the {}"),
        ("en", Agg("count", "standing", "club"), "number of {}"),
        ("zh", Agg("count", "fixture", "away"), "以该{}为{}的{}"),
    ],
)
def test_the_side_that_a_club_is_on_is_said(world_of, language, term, said):
    """A club has matches at home and away; that it has season records goes without saying."""
    lexicon = Lexicon(world_of("county-football").facts, language, stream(1, "tests", "role"))
    text = lexicon.term("club", term)
    role = lexicon.role("club", term)
    parts = [lexicon.noun(term.table)[1]]
    if role is not None:
        one = lexicon.noun("club")[0]
        parts = [one, role, *parts] if language == "zh" else [*parts, one, role]
    assert said.format(*parts) in text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_labels_that_are_aggregates_themselves_are_not_aggregated(language):
    said = words(language).tables["awkward"]["folded"]
    assert unfolded([f"{said[0]} x" if language == "en" else f"{said[0]}甲"], language) == []
    assert unfolded(["price", "价格"], language) == ["price", "价格"]


def test_an_aggregate_of_averages_is_not_worded(world_of):
    frame = Frame(world_of("municipal-election").facts)
    for of, worded in (("booths", True), ("walking_distance", False)):
        query = TableQuery("ward", (Attr("name"),), (Agg("max", "polling_station", "ward", of),))
        assert (write_question(query, frame, "en", stream(1, "tests")) is not None) == worded


@pytest.mark.parametrize("op", ["=", ">=", "<"])
def test_what_another_row_has_is_not_said_to_be_the_own(world_of, op):
    frame = Frame(world_of("smartphone-market").facts)
    query = TableQuery("phone", (Attr("name"),), (Attr("price"),), Compare(Attr("maker.founded"), op, "2010"))
    for seed in range(8):
        wording = write_question(query, frame, "en", stream(seed, "tests"))
        assert wording is not None
        said = r", limited to those where the [a-z ]+'s [a-z ]+ (is|falls) "
        assert re.search(said, wording.question), wording.question
    ranked = TableQuery(
        "phone", (Attr("name"),), (Attr("price"),), order=Order(Attr("maker.founded"), descending=True), limit=9
    )
    wording = write_question(ranked, frame, "en", stream(1, "tests"))
    assert wording is not None
    assert re.search(r"the 9 [a-z]+ where the [a-z ]+'s [a-z ]+ is latest, out of all", wording.question)


@pytest.mark.parametrize(
    ("phrase", "noun", "language", "said"),
    [
        ("the tea gardens of {name}", "tea gardens", "en", "Etandi"),
        ("the {name} tea garden market", "tea gardens", "en", "the Etandi tea garden market"),
        ("{name}渡船", "渡船", "zh", "Etandi"),
        ("{name}渡船业", "渡船", "zh", "Etandi渡船业"),
    ],
)
def test_the_setting_does_not_say_the_noun_again(phrase, noun, language, said):
    assert said_scope(phrase, "Etandi", [noun], language) == said
