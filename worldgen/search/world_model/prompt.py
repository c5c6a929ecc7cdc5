"""What a world model is told: prompts made of text files and of data that cannot break out of its place in them.

A system prompt has the five components of Qwen-AgentWorld (arXiv 2606.24597): task description, action space, initial
state, demonstrations, simulation instruction. They are put in the order in which they change, so that a server finds
the beginning of a prompt in its cache: the rules, the tools and the demonstrations are the same for all worlds, the
state for all episodes of a world. The state is the world's description in words; no fact of it is ever in there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from worldgen.llm.prompts import Prompts
from worldgen.records import Hit, Page
from worldgen.schema import Schema, entity_attributes
from worldgen.schema.model import Attribute, Series, Site
from worldgen.search.shown import show_document, show_page
from worldgen.search.world_model.instructions import Instruction
from worldgen.search.world_model.turns import action_text, defused

Domain = Literal["search", "free", "mcp"]
LONGEST_SNIPPET = 400
_PROMPTS = Prompts(Path(__file__).parent / "prompts")
_FENCES = re.compile(r"`{3,}")
_DEMONSTRATED = {"search": "search", "free": "search", "mcp": "mcp"}


@dataclass(frozen=True, slots=True)
class Prompt:
    """The five components of a system prompt, each a text; all but the first may be empty."""

    task_description: str
    action_space: str = ""
    demonstrations: str = ""
    initial_state: str = ""
    simulation_instruction: str = ""

    def text(self) -> str:
        """The system prompt."""
        parts = (
            self.task_description,
            self.action_space,
            self.demonstrations,
            self.initial_state,
            self.simulation_instruction,
        )
        return "\n\n".join(part.strip() for part in parts if part.strip())


def system_prompt(
    domain: Domain,
    *,
    tools: Sequence[Mapping[str, Any]] = (),
    state: str = "",
    instructions: Sequence[Instruction] = (),
    language: str = "en",
) -> Prompt:
    """The system prompt of an episode.

    Args:
        domain: ``search`` for the web in grounded mode, ``free`` for the web that the model invents, ``mcp`` for typed
            tools.
        tools: What can be called, as OpenAI function schemas.
        state: The initial state, usually from `describe_world`.
        instructions: Those for the whole episode; those for single turns are left out.
        language: Of the instructions.
    """
    listed = [json.dumps(tool["function"], ensure_ascii=False, indent=2) for tool in tools]
    told = [f"- {instruction.said(language)}" for instruction in instructions if instruction.level == "trajectory"]
    return Prompt(
        task_description=text_of(f"{domain}.task"),
        action_space=fill("actions", tools=fenced("\n\n".join(listed), "json")) if listed else "",
        demonstrations=fill("demonstrations", turns=text_of(f"{_DEMONSTRATED[domain]}.demos")),
        initial_state=state,
        simulation_instruction=fill("instruction", instructions="\n".join(told)) if told else "",
    )


def describe_world(schema: Schema, languages: Sequence[str], *, setting: Mapping[str, str]) -> str:
    """The initial state: premise, title, day, setting, kinds of things with their properties and units, and the sites.

    It is made from the schema and the coined setting alone, so that no name, value or answer of the world can be in it.

    Args:
        schema: What there is.
        languages: In which pages are written.
        setting: The coined name that sets this world apart from its siblings, by language, from its manifest; empty
            where it has none.
    """
    place = _said(setting) if setting else ""
    kinds = [_kind(name, node.label, entity_attributes(schema, name)) for name, node in schema.entities.items()]
    kinds += [
        f"{_kind(name, node.label, node.attributes)}; joins {node.source} and {node.target}"
        for name, node in schema.relations.items()
        if node.cardinality == "many_to_many"
    ]
    kinds += [
        f"- {_property(name, node)} of each {node.of.replace('_', ' ')}, by {node.every}"
        for name, node in schema.series.items()
    ]
    return fill(
        "world",
        premise=" ".join(schema.premise.split()),
        title=schema.title.get("en") or next(iter(schema.title.values())),
        setting=_said(schema.scope.phrase).replace("{name}", place) if place else "no other place",
        as_of=schema.as_of.isoformat(),
        languages=", ".join(languages),
        kinds="\n".join(kinds),
        sites="\n".join(_site(site, place) for site in schema.sites),
    )


def _said(texts: Mapping[Any, str]) -> str:
    return texts.get("en") or next(iter(texts.values()))


def _site(site: Site, setting: str) -> str:
    name = " ".join(_said(site.name).replace("{scope}", setting).split())
    return f"- {name}: {', '.join(site.genres)}; {site.trust} trust"


def _kind(name: str, labels: Mapping[Any, Sequence[str]], attributes: Mapping[str, Attribute]) -> str:
    said = [_property(attribute, node) for attribute, node in attributes.items() if not node.hidden]
    called = (labels.get("en") or [name.replace("_", " ")])[0].split("/")[0]
    return f"- {called}: {'; '.join(said)}" if said else f"- {called}"


def _property(name: str, node: Attribute | Series) -> str:
    labels = node.label.get("en") or [name.replace("_", " ")]
    unit = node.unit or node.currency
    return f"{labels[0]} ({unit})" if unit else labels[0]


def results_material(hits: Sequence[Hit]) -> str:
    """What a turn that searches may draw on."""
    page = show_page(hits)
    return fill("results", count=str(len(hits)), longest=str(LONGEST_SNIPPET), **in_fence(page))


def page_material(page: Page) -> str:
    """What a turn that opens a page may draw on."""
    return fill("page", **in_fence(show_document(page)))


def ask_again(problems: Sequence[str]) -> str:
    """The turn that asks for an observation again."""
    return fill("again", problems="\n".join(f"- {' '.join(defused(problem).split())}" for problem in problems))


def read_again(problems: Sequence[str]) -> str:
    """The turn that asks for a reading again."""
    return fill("extraction-again", problems="\n".join(f"- {' '.join(defused(each).split())}" for each in problems))


def turn_instructions(instructions: Sequence[Instruction], language: str = "en") -> str:
    """Instructions for one turn, as they stand in it; empty where there are none."""
    told = [f"- {instruction.said(language)}" for instruction in instructions]
    return fill("turn-instruction", instructions="\n".join(told)) if told else ""


def turn_text(
    turn: int,
    name: str,
    arguments: Mapping[str, Any],
    instructions: Sequence[Instruction] = (),
    language: str = "en",
    *,
    material: str = "",
) -> str:
    """The whole of the user's turn: the call, what its answer may draw on, and the instructions for it."""
    told = turn_instructions(instructions, language)
    return "\n\n".join(part for part in (action_text(turn, name, arguments), material, told) if part)


def fenced(text: str, kind: str = "") -> str:
    """A text in a fence that it cannot close.

    >>> print(fenced("a ``` b"))
    ````
    a ``` b
    ````
    """
    parts = in_fence(text)
    return f"{parts['fence']}{kind}\n{parts['material']}\n{parts['fence']}"


def in_fence(text: str) -> dict[str, str]:
    """A text that cannot end the message, and a fence that is longer than any in it."""
    longest = max((len(run) for run in _FENCES.findall(text)), default=2)
    return {"material": defused(text), "fence": "`" * (longest + 1)}


def fill(name: str, /, **values: str) -> str:
    """A prompt file with its places filled; what is filled in is never read for places itself."""
    return _PROMPTS.fill(name, **values)


def text_of(name: str) -> str:
    """A prompt file."""
    return _PROMPTS.text(name)
