"""No name of a world is a real one, whichever way it came to be."""

from __future__ import annotations

from pathlib import Path

from worldgen.facts.generate import generate
from worldgen.schema import parse_schema

TINY = (Path(__file__).parents[1] / "data" / "river-ferries.yaml").read_text("utf-8")


def names(text: str, table: str) -> list[tuple[str, str]]:
    return [(name.en, name.zh) for name in generate(parse_schema(text), 3).tables[table].names]


def test_a_real_name_that_a_template_makes_gets_a_numeral():
    coined = "name: {kind: place}\n    aliases: 0.3"
    assert coined in TINY

    def named(en: str) -> list[tuple[str, str]]:
        return names(TINY.replace(coined, f'name: {{template: {{en: "{en}", zh: "纳罗毕"}}}}', 1), "landing")[:2]

    assert named("Nairobi") == [("Nairobi II", "纳罗毕II"), ("Nairobi III", "纳罗毕III")]
    assert named("Nairoqx") == [("Nairoqx", "纳罗毕"), ("Nairoqx II", "纳罗毕II")]


def test_a_real_short_form_is_no_alias(monkeypatch):
    schema = parse_schema(TINY)
    assert generate(schema, 3).tables["line"].aliases
    monkeypatch.setattr("worldgen.facts.naming.known", lambda words: [True] * len(words))
    assert not generate(schema, 3).tables["line"].aliases
