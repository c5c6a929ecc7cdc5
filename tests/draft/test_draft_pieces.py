"""The shapes that a model's replies are held to: plain JSON Schema, which what the player writes satisfies."""

from pathlib import Path

import jsonschema
import pytest
import yaml

import worldgen.draft
from worldgen.draft.asking import lists
from worldgen.draft.assembly import assemble
from worldgen.draft.pieces import Details, Frame, Rules, shape
from worldgen.draft.players import _kept

DATA = yaml.safe_load((Path(worldgen.draft.__file__).parent / "data" / "player.yaml").read_text("utf-8"))
ENTITIES = [thing["name"] for thing in DATA["frame"]["entities"]]
PIECES = [(Frame, DATA["frame"]), (Rules, DATA["rules"]), *((Details, DATA["details"][name]) for name in ENTITIES)]


@pytest.mark.parametrize("languages", [["en"], ["zh"], ["en", "zh"]])
@pytest.mark.parametrize("number", range(len(PIECES)))
def test_what_the_player_writes_is_of_the_shape_that_is_asked_for(number, languages):
    piece, sound = PIECES[number]
    wanted = shape(piece, languages, lists(ENTITIES)).value
    jsonschema.Draft202012Validator.check_schema(wanted)
    answer = _kept(sound, wanted)
    jsonschema.validate(answer, wanted)
    piece.model_validate(answer)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**answer, "more": 1}, wanted)


@pytest.mark.parametrize("piece", [Frame, Details, Rules])
def test_a_shape_has_no_references_and_needs_every_property(piece):
    def walk(node):
        if isinstance(node, dict):
            # SGLang's grammars take either of the two.
            assert "pattern" not in node or not node.keys() & {"minLength", "maxLength"}
            assert not node.keys() & {"$ref", "$defs", "oneOf", "discriminator", "default"}
            if "properties" in node:
                assert node["required"] == list(node["properties"])
                assert node["additionalProperties"] is False
            yield from (found for each in node.values() for found in walk(each))
            yield node
        elif isinstance(node, list):
            yield from (found for each in node for found in walk(each))

    assert list(walk(shape(piece, ["en", "zh"], lists(["a"])).value))


def test_units_kinds_and_references_are_chosen_from_lists():
    wanted = shape(Details, ["en"], lists(["boat", "port"])).value
    kinds = {each["properties"]["kind"]["const"]: each for each in wanted["properties"]["attributes"]["items"]["anyOf"]}
    assert kinds["reference"]["properties"]["to"] == {"type": "string", "enum": ["boat", "port"]}
    assert {"", "kWh", "m2"} <= set(kinds["number"]["properties"]["unit"]["enum"])
    assert {"", "EUR"} <= set(kinds["formula"]["properties"]["currency"]["enum"])


def test_every_kind_of_attribute_is_written_as_the_schema_language_has_it():
    words = {"en": ["a", "b", "c"]}
    number = {"kind": "number", "type": "percent", "unit": "m", "currency": "EUR", "decimals": 1}
    attributes = [
        {**number, "name": "even", "shape": "even", "low": 1, "high": 2.5, "typical": 2},
        {**number, "name": "bell", "type": "money", "shape": "bell", "low": 0, "high": 100, "typical": 40},
        {**number, "name": "skew", "type": "decimal", "shape": "skewed", "low": 1, "high": 9, "typical": 3},
        {"kind": "year", "name": "year", "first": 1900, "last": 1950},
        {"kind": "yes_no", "name": "open", "share": 0.25},
        {"kind": "reference", "name": "port", "to": "habitat", "spread": "even"},
    ]
    details = Details.model_validate({"attributes": [{**each, "label": words} for each in attributes], "series": []})
    frame = Frame.model_validate(DATA["frame"])
    given = {name: details for name in ENTITIES}
    found = assemble(frame, given, None, ["en"])["entities"]["rover"]["attributes"]
    bare = {name: {key: value for key, value in node.items() if key != "label"} for name, node in found.items()}
    assert bare == {
        "even": {"type": "percent", "decimals": 1, "uniform": [1, 2.5]},
        "bell": {
            "type": "money", "currency": "EUR", "decimals": 1, "normal": {"mean": 40, "sd": 18}, "min": 0, "max": 100,
        },
        "skew": {
            "type": "decimal", "unit": "m", "decimals": 1, "lognormal": {"median": 3, "sigma": 0.6}, "min": 1, "max": 9,
        },
        "year": {"type": "year", "uniform": [1900, 1950]},
        "open": {"type": "boolean", "empirical": {0: 75, 1: 25}},
        "port": {"ref": "habitat", "degree": {"even": True}},
    }  # fmt: skip
