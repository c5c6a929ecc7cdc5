"""The words in which a model is asked for a piece of a schema, and told what is wrong with one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from worldgen.draft.documents import Document
from worldgen.draft.pieces import Details, Frame
from worldgen.errors import SchemaError, WorldgenError
from worldgen.language import currencies, kinds, units
from worldgen.llm.model import Reply
from worldgen.llm.prompts import LANGUAGES, Prompts
from worldgen.schema import Schema, sql_columns
from worldgen.search.world_model.prompt import fenced
from worldgen.search.world_model.turns import defused

if TYPE_CHECKING:
    from worldgen.draft.drafter import Drafting

PROMPTS = Prompts(Path(__file__).parent / "prompts")
_MOST_SAID = 600


def lists(entities: Sequence[str]) -> dict[str, list[str]]:
    """The texts of which one is chosen, by what they list; an empty one stands for no unit and no currency."""
    return {
        "kinds": kinds(),
        "units": ["", *sorted(units())],
        "currencies": ["", *sorted(currencies())],
        "entities": list(entities),
    }


def system() -> str:
    """The rules."""
    return PROMPTS.text("system").strip()


def frame(premise: str, documents: Sequence[Document], languages: Sequence[str]) -> str:
    """The request for a frame."""
    parts = [f"The premise: {defused(' '.join(premise.split()))}"] if premise.strip() else []
    if documents:
        shown = [f"Document {number}:\n\n{fenced(each.text)}" for number, each in enumerate(documents, 1)]
        parts.append(PROMPTS.fill("documents", count=str(len(documents)), documents="\n\n".join(shown)))
    return PROMPTS.fill("frame", material="\n\n".join(parts), languages=_spoken(languages))


def details(frame: Frame, entity: str, before: Mapping[str, Details], languages: Sequence[str]) -> str:
    """The request for the details of one kind of thing."""
    about = next(thing.about for thing in frame.entities if thing.name == entity)
    told = _world(frame, {name: _outline(each) for name, each in before.items()})
    return PROMPTS.fill(
        "details", world=told, entity=entity, about=defused(about).rstrip(". "), languages=_spoken(languages)
    )


def rules(frame: Frame, schema: Schema) -> str:
    """The request for rules, over the tables that the schema makes."""
    tables = [
        f"{table}: {', '.join(f'{column} {kind}' for column, kind in columns.items())}"
        for table, columns in sql_columns(schema).items()
    ]
    example = f"{frame.entities[0].name}/3"
    return PROMPTS.fill("rules", world=_world(frame, {}), tables="\n".join(tables), example=example)


def again(problems: Sequence[str]) -> str:
    """The request for a piece once more."""
    return PROMPTS.fill("again", problems="\n".join(f"- {defused(each)}" for each in problems))


def problem(error: WorldgenError) -> str:
    """An error in one line, without the name and the line of a file that the model never sees."""
    parts = [f"[{error.code}] {error.message}"]
    parts += [f"expected {error.expected}"] if error.expected else []
    parts += [f"got {error.got}"] if error.got else []
    parts += [f"to mend it: {error.fix}"] if error.fix else []
    said = " ".join("; ".join(parts).split())
    return said if len(said) <= _MOST_SAID else said[: _MOST_SAID - 1] + "…"


def unreadable(error: ValidationError, reply: Reply) -> Iterator[SchemaError]:
    """What is wrong with a reply that is no such piece."""
    if reply.finish == "length":
        yield SchemaError(
            "draft.cut-off", "the reply was cut off", expected="a whole JSON object", fix="be brief: fewer attributes"
        )
        return
    for each in error.errors(include_url=False):
        where = ".".join(str(part) for part in each["loc"])
        if each["type"] == "json_invalid":
            yield SchemaError("draft.not-json", "the reply is not JSON", expected="one JSON object, nothing else")
        else:
            got = f"{each['input']!r:.60}"
            yield SchemaError("draft.wrong-form", f"{where}: {each['msg']}" if where else each["msg"], got=got)


def head(model: str, told: Drafting) -> list[str]:
    """The comment at the head of a drafted file: from what it was made, and how it is made again."""
    lines = [
        f"Drafted by {model} at temperature {told.temperature:g} with seed {told.seed}; prompts {PROMPTS.version()}.",
        *([f"Premise: {told.premise}"] if told.premise.strip() else []),
    ]
    for each in told.documents:
        part = f", the first {len(each.text):,} of {each.characters:,} characters" if each.cut else ""
        lines.append(f"Document: {each.name}, sha256 {each.digest[:16]}{part}.")
    return ["".join(sign if sign.isprintable() else " " for sign in line) for line in lines]


def _spoken(languages: Sequence[str]) -> str:
    return " and ".join(f"{LANGUAGES[language]} (`{language}`)" for language in languages)


def _world(frame: Frame, outlines: Mapping[str, str]) -> str:
    lines = [
        f"Premise: {frame.premise}",
        f"Now is {frame.as_of}.",
        "Kinds of things:",
        *(
            f"- `{thing.name}`, {thing.count} of them: {thing.about}{outlines.get(thing.name, '')}"
            for thing in frame.entities
        ),
    ]
    return defused("\n".join(lines))


def _outline(each: Details) -> str:
    said = [f"`{attribute.name}` ({attribute.kind})" for attribute in each.attributes]
    return f" Its attributes: {', '.join(said)}."
