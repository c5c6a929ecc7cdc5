"""Variants of a schema: they differ in structure, always hold, and are always the same."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.errors import CallerError
from worldgen.facts.generate import generate
from worldgen.schema import canonical, load_schema
from worldgen.schema.catalogue import shipped
from worldgen.schema.layout import tables
from worldgen.schema.loader import parse_schema
from worldgen.seeds import stream
from worldgen.variation import MAX_VARIANT, distance, sample, shape_of
from worldgen.variation.outline import Outline
from worldgen.variation.report import spread
from worldgen.variation.sampling import STEPS
from worldgen.variation.steps.renaming import apply
from worldgen.variation.uses import Needed, Uses
from worldgen.variation.writing import as_yaml

SHIPPED = tuple(shipped())
EACH = -(-100 // len(SHIPPED))
"""Variants of each schema, so that there are a hundred in all."""


@pytest.fixture(scope="module")
def variants():
    return {name: [sample(name, number) for number in range(1, EACH + 1)] for name in SHIPPED}


def test_over_a_hundred_variants_are_all_distinct_and_far_apart(variants):
    told = spread({name: [variant.schema for variant in found] for name, found in variants.items()})
    assert told.distinct == len(SHIPPED) * EACH >= 100
    for each in told.schemas.values():
        assert each.least > 0.4, "variants of one schema share too much"
        assert each.greatest < 0.95, "a variant keeps something of its field"
    assert told.between is not None
    assert told.between[0] > 0.6


def test_no_step_is_taken_back_too_often(variants):
    refused = [told for found in variants.values() for variant in found for told in variant.refused]
    assert len(refused) <= 0.1 * len(SHIPPED) * EACH, refused


def test_each_step_changes_something_somewhere(variants):
    told = "\n".join(change for found in variants.values() for variant in found for change in variant.changes)
    for word in (
        "without",
        "with the site",
        "trusted more",
        "renamed",
        "_rank",
        "_count",
        "sums in",
        " in ",
        "rows of",
    ):
        assert word in told, word


def test_a_variant_keeps_most_checks(variants):
    for name, found in variants.items():
        before = len(load_schema(name).checks)
        assert all(len(variant.schema.checks) >= before / 2 for variant in found), name


def test_a_premise_counts_what_is_there(variants):
    for found in variants.values():
        for variant in found:
            schema = variant.schema
            for name, entity in schema.entities.items():
                one, many = entity.label["en"][0].split("/")
                if entity.count is not None and "and more" not in schema.premise:
                    noun = one if entity.count == 1 else many
                    assert f"{entity.count:,} {noun}" in schema.premise, (schema.world, name)


@pytest.mark.parametrize("name", SHIPPED[:3])
def test_a_variant_is_always_the_same(name):
    assert canonical(sample(name, 3).schema) == canonical(sample(load_schema(name), 3).schema)


def test_variant_nought_is_the_schema_itself():
    assert canonical(sample("power-grid", 0).schema) == canonical(load_schema("power-grid"))


@pytest.mark.parametrize("number", [-1, MAX_VARIANT + 1])
def test_a_number_out_of_range_is_refused(number):
    with pytest.raises(CallerError, match="no such variant"):
        sample("power-grid", number)


def test_a_variant_written_down_is_read_back(variants):
    for found in variants.values():
        schema = found[0].schema
        assert canonical(parse_schema(as_yaml(schema, "Two\nlines."))) == canonical(schema)


@settings(max_examples=6, deadline=None)
@given(name=st.sampled_from(SHIPPED), number=st.integers(EACH + 1, MAX_VARIANT))
def test_any_variant_holds(name, number):
    variant = sample(name, number)
    assert generate(variant.schema, 99).count() > 0
    assert variant.schema.world == f"{name}-v{number}"


def test_a_step_that_fails_is_taken_back_alone(monkeypatch):
    def breaks(outline, rng):
        next(iter(outline.plain["entities"].values()))["count"] = -1
        outline.changes.append("broken on purpose")

    before = sample("software-company", 4)
    monkeypatch.setattr("worldgen.variation.sampling.STEPS", (*STEPS[:5], breaks, *STEPS[5:]))
    after = sample("software-company", 4)
    assert [told.split(":")[0] for told in after.refused] == ["breaks"]
    assert canonical(after.schema) == canonical(before.schema)


@pytest.mark.parametrize("name", SHIPPED)
def test_renaming_changes_names_and_nothing_else(name):
    schema = load_schema(name)
    outline = Outline.of(schema)
    old = next(table for table in schema.entities)
    apply(outline, {old: "renamed_thing"})
    renamed = outline.checked()
    assert "renamed_thing" in renamed.entities
    assert old not in renamed.entities
    assert shape_of(renamed).signature == shape_of(schema).signature
    sql = " ".join(check.sql + check.breaks for check in renamed.checks.values())
    assert not re.search(rf"\b(?:FROM|JOIN|UPDATE|INTO) {old}\b", sql)
    apply(outline, {"renamed_thing": old})
    assert json.loads(canonical(outline.checked())) == json.loads(canonical(schema))


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_taken_out_leaves_nothing_behind_that_needs_it(name):
    schema = load_schema(name)
    uses = Uses(schema)
    rng = stream(1, "test", name)
    for table in rng.shuffled(list(tables(schema))):
        try:
            gone = uses.removal(table=table)
        except Needed:
            continue
        lost = {(one, part) for one in gone.tables for part in (*uses.layout[one], "name")} | gone.columns
        for node in lost:
            assert all(user in lost for user in uses.users[node]), node


def test_structures_are_alike_whatever_they_are_called():
    one, other = load_schema("power-grid"), load_schema("electric-cars")
    assert distance(shape_of(one), shape_of(one)) == 0
    assert 0.3 < distance(shape_of(one), shape_of(other)) < 1
