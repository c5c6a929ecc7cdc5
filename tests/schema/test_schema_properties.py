"""Whatever the bytes, the loader answers with a schema or with an error that a person can read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from worldgen.errors import CallerError, SchemaError, WorldgenError
from worldgen.schema import SchemaErrors, canonical, from_canonical, load_schema, parse_schema, schema_digest
from worldgen.schema.strict import read_yaml

SMALL = (Path(__file__).parent / "small.yaml").read_text(encoding="utf-8")
KEYS = sorted({word.strip(" -{") for line in SMALL.splitlines() for word in line.split(":")[:1] if word.strip()})
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.dates(), st.text(max_size=12), st.sampled_from(KEYS)
)
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=15,
)
PLAIN = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]))
FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def refusal(load: Callable[[], object]) -> WorldgenError | None:
    """The error that a load ends in; None where it gives a schema. Other exceptions fail the test."""
    try:
        load()
    except (SchemaError, CallerError) as error:
        return error
    return None


def answered(text: str) -> None:
    """Parsing gives a schema or a `SchemaErrors`; anything else fails the test."""
    error = refusal(lambda: parse_schema(text, file="x.yaml"))
    if error is not None:
        assert isinstance(error, SchemaErrors)
        assert str(error).count("[schema.") >= min(len(error.problems), 30) > 0


@FEW
@given(st.text())
def test_any_text_is_answered(text):
    answered(text)


@FEW
@given(st.binary(max_size=200))
def test_any_bytes_are_answered(tmp_path, data):
    path = tmp_path / "x.yaml"
    path.write_bytes(data)
    error = refusal(lambda: load_schema(path))
    assert error is not None
    assert error.code.startswith("schema.")


@FEW
@given(st.text(max_size=30))
def test_any_name_is_answered(source):
    error = refusal(lambda: load_schema(source))
    assert error is not None
    assert error.code.startswith("schema.")


@FEW
@given(TREES)
def test_any_yaml_is_answered(tree):
    answered(yaml.safe_dump(tree, allow_unicode=True))


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_any_node_in_any_place_is_answered(data):
    tree = yaml.safe_load(SMALL)
    node, spot = tree, None
    while isinstance(node, dict | list) and node and data.draw(st.integers(0, 4)):
        spot = (
            node,
            data.draw(st.sampled_from(sorted(node)) if isinstance(node, dict) else st.integers(0, len(node) - 1)),
        )
        node = spot[0][spot[1]]
    if spot is not None:
        spot[0][spot[1]] = data.draw(TREES)
    answered(yaml.safe_dump(tree, allow_unicode=True, sort_keys=False))


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_any_damage_to_the_text_is_answered(data):
    start = data.draw(st.integers(0, len(SMALL) - 1))
    length = data.draw(st.integers(0, 20))
    answered(SMALL[:start] + data.draw(st.text(max_size=8)) + SMALL[start + length :])


@FEW
@given(
    st.recursive(
        st.integers(-(10**17), 10**17) | PLAIN | st.booleans() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(PLAIN, inner),
        max_leaves=10,
    )
)
def test_quoted_yaml_is_read_as_written(tree):
    assert read_yaml(json.dumps(tree)).value == tree


def test_the_canonical_form_is_read_back_as_the_same_schema():
    schema = parse_schema(SMALL)
    text = canonical(schema)
    assert from_canonical(text) == schema
    assert canonical(from_canonical(text)) == text
    assert "null" not in text


@FEW
@given(st.randoms(use_true_random=False))
def test_layout_comments_and_order_of_keys_do_not_change_the_digest(random):
    def shuffled(node, path=()):
        if not isinstance(node, dict):
            return [shuffled(item, path) for item in node] if isinstance(node, list) else node
        keys = list(node)
        if not path or path[-1] in {"size", "price", "uniform", "shop", "offer"}:
            random.shuffle(keys)
        return {key: shuffled(node[key], (*path, key)) for key in keys}

    text = yaml.safe_dump(shuffled(yaml.safe_load(SMALL)), sort_keys=False)
    assert schema_digest(parse_schema(f"# a comment{os.linesep}{text}")) == schema_digest(parse_schema(SMALL))


def test_meaning_and_order_of_names_change_the_digest():
    base = schema_digest(parse_schema(SMALL))
    for old, new in [("count: 12", "count: 13"), ("low: 2, high:", "high2: 2, high:"), ("noise: 0.1", "noise: 0.11")]:
        assert schema_digest(parse_schema(SMALL.replace(old, new))) != base
    values = "{low: 2, high: {weight: 1, en: [high, premium]}}"
    turned = "{high: {weight: 1, en: [high, premium]}, low: 2}"
    assert schema_digest(parse_schema(SMALL.replace(values, turned))) != base


def test_defaults_and_spelling_of_numbers_do_not_change_the_digest():
    base = schema_digest(parse_schema(SMALL))
    for old, new in [
        ("round: 10\n        label: {en: [em", "round: 10.0\n        label: {en: [em"),
        ("count: 12", "count: 12\n    aliases: 0"),
        ("cultures: veltic", "cultures: [veltic]"),
    ]:
        assert SMALL.count(old) == 1
        assert schema_digest(parse_schema(SMALL.replace(old, new))) == base
