"""Seeded walks through a world: what agents do there, well and badly, recorded as episodes.

A world model must answer whatever an agent does, so a walk is not only a solution: agents search in detours, ask the
same again, keep notes, misspell calls, follow dead addresses and meet services that fail. Each kind of walk is a
function that plays one part; all draws come from the walk's own stream.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, TypeAdapter

from worldgen.agents import Session, solve
from worldgen.env import Episode, EpisodeEnded, Limits, Trajectory
from worldgen.records import Task
from worldgen.seeds import Stream, stream
from worldgen.tools.perturbation.plan import shipped_plans
from worldgen.world import World

Domain = Literal["search", "mcp"]
MOST_TURNS = 24
MOST_CHARACTERS = 120_000
_NOWHERE = "https://nowhere.example/"


@dataclass(frozen=True, slots=True)
class Walk:
    """A recorded walk.

    Attributes:
        kind: One of `KINDS`.
        domain: ``search`` for the tools of the web, ``mcp`` for typed tools.
        number: Its place among the walks of its world.
        trajectory: The record.
        task: The question that it set out to answer; None where it only looked around.
        tools: The function schemas of what it could call.
    """

    kind: str
    domain: Domain
    number: int
    trajectory: Trajectory
    task: Task | None
    tools: tuple[Mapping[str, Any], ...]


class _Hand:
    """What a walker needs: the episode, a session over it, and its draws."""

    def __init__(self, world: World, episode: Episode, drawn: Stream) -> None:
        self.world = world
        self.episode = episode
        self.drawn = drawn
        self.session = Session(self, episode.task.question if episode.task else "")
        self.urls = sorted(world.pages)

    def specs(self) -> list[dict[str, Any]]:
        return self.episode.tools

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        return self.episode.call(name, arguments).text

    def again(self) -> None:
        """Repeat an earlier call."""
        steps = self.episode.trajectory().steps
        step = self.drawn.choice(steps)
        self.call(step.name, step.arguments)

    def happens(self, what: str) -> bool:
        """Draw whether a walker does what is a matter of chance."""
        return self.drawn.chance(chances()[what])

    def title(self) -> str:
        return self.world.pages[self.drawn.choice(self.urls)].title


@cache
def chances() -> Mapping[str, float]:
    """How often walkers do what is a matter of chance, by name, as ``chances.yaml`` says."""
    raw = yaml.safe_load((Path(__file__).parent / "chances.yaml").read_text("utf-8"))
    return TypeAdapter(dict[str, Annotated[float, Field(ge=0, le=1)]]).validate_python(raw)


def record(world: World, number: int, *, seed: int = 0) -> Walk:
    """Walk through a world.

    Args:
        world: Where.
        number: Which walk, from 0; the kinds take turns.
        seed: Decides what the walk does.
    """
    kind = KINDS[number % len(KINDS)]
    domain, play, perturbed = _WALKS[kind]
    drawn = stream(seed, "lwm", world.manifest.digest, number)
    task = drawn.choice(world.tasks) if world.tasks and domain == "search" and drawn.chance(_asked(kind)) else None
    episode = Episode.start(
        world,
        None if task is None else task.instance_id,
        seed=drawn.integer(2**31),
        profile="search" if domain == "search" else "api",
        perturbation=_plan(domain, drawn) if perturbed else "",
        limits=Limits(calls=MOST_TURNS, characters=MOST_CHARACTERS),
    )
    with suppress(EpisodeEnded):  # long enough
        play(_Hand(world, episode, drawn))
    return Walk(kind, domain, number, episode.trajectory(), task, tuple(episode.tools))


def _asked(kind: str) -> float:
    return 1.0 if kind.startswith("oracle") else chances()["have-question"]


def _plan(domain: Domain, drawn: Stream) -> str:
    """A shipped plan of faults; typed tools know only refusals."""
    return drawn.choice(sorted(shipped_plans())) if domain == "search" else "flaky"


def _solve(hand: _Hand) -> None:
    """As an agent that knows the way."""
    if hand.episode.task is None:
        _browse(hand)
    else:
        solve(hand.episode.task, hand.session, hand.world.pages)


def _browse(hand: _Hand) -> None:
    """As an agent that looks around: detours, several queries at once, links, the same again."""
    drawn, session = hand.drawn, hand.session
    for _ in range(3 + drawn.integer(3)):
        if hand.happens("batch"):
            session.batch([hand.title() for _ in range(2 + drawn.integer(2))])
        found = session.search(_query(hand))
        for entry in drawn.sample(found, 1 + drawn.integer(2)):
            session.open(entry.url)
            if hand.happens("follow-link"):
                session.open(drawn.choice(list(session.urls)))
        if hand.happens("repeat-call"):
            hand.again()
    if hand.happens("end-in-mistake"):
        _blunder(hand)


def _query(hand: _Hand) -> str:
    title = hand.title()
    task = hand.episode.task
    if task is not None and hand.happens("query-of-plan"):
        return str(hand.drawn.choice(task.plan["queries"] or [title]))
    words = title.split()
    return " ".join(hand.drawn.sample(words, 3)) if len(words) > 3 and hand.happens("query-of-few-words") else title


def _note(hand: _Hand) -> None:
    """As an agent that keeps notes of what it reads, and tidies them up."""
    drawn, session = hand.drawn, hand.session
    kept: dict[str, str] = {}
    for _ in range(3 + drawn.integer(2)):
        for entry in session.search(_query(hand))[:1]:
            said = [line for line in session.open(entry.url).split("\n") if len(line) > 40] or [entry.title]
            note = {entry.title: drawn.choice(said)[:200]}
            _memory(hand, "update" if entry.title in kept and hand.happens("note-update") else "add", dict=note)
            kept.update(note)
        if kept and hand.happens("look-up"):
            wanted = drawn.sample(sorted(kept), 2)
            _memory(hand, "retrieve", key_list=[*wanted, "nothing"] if hand.happens("look-up-missing") else wanted)
    _memory(hand, "retrieve_all")
    if kept and hand.happens("forget-one"):
        _memory(hand, "remove", key_list=[drawn.choice(sorted(kept))])
        _memory(hand, "retrieve_all")
    if hand.happens("forget-all"):
        _memory(hand, "remove_all")
        _memory(hand, "retrieve_all")


def _memory(hand: _Hand, operation: str, **rest: Any) -> None:
    hand.call("dict_memory", {"operation": operation, **rest})


def _stumble(hand: _Hand) -> None:
    """As an agent that makes mistakes, and mends them."""
    for _ in range(4 + hand.drawn.integer(4)):
        _blunder(hand)
        if hand.happens("mend"):
            found = hand.session.search(_query(hand))
            if found and hand.happens("open-after-mend"):
                hand.session.open(hand.drawn.choice(found).url)


def _blunder(hand: _Hand) -> None:
    title, url = hand.title(), hand.drawn.choice(hand.urls)
    mistakes: list[tuple[str, dict[str, Any]]] = [
        ("web_search", {}),
        ("web_search", {"q": title}),
        ("web_search", {"query": ""}),
        ("web_search", {"query": len(title)}),
        ("web_search", {"queries": [title] * 6}),
        ("web_search", {"query": "".join(hand.drawn.shuffled("qzxvkwjy"))}),
        ("search_web", {"query": title}),
        ("web_extractor", {}),
        ("web_extractor", {"url": title}),
        ("web_extractor", {"url": f"{_NOWHERE}{hand.drawn.integer(10_000)}"}),
        ("web_extractor", {"url": f"{url}-{hand.drawn.integer(100)}"}),
        ("web_extractor", {"urls": [url]}),
        ("dict_memory", {"operation": "recall"}),
        ("dict_memory", {"operation": "retrieve", "key_list": [title]}),
        ("dict_memory", {"operation": "update", "dict": {title: "?"}}),
    ]
    name, arguments = hand.drawn.choice(mistakes)
    hand.call(name, arguments)


def _ask_tables(hand: _Hand) -> None:
    """As an agent with typed tools: lists and their next pages, counts, rows, ways back, values over time."""
    drawn = hand.drawn
    lists = [tool for tool in hand.world.tools.values() if tool.action == "list"]
    for _ in range(3 + drawn.integer(3)):
        tool = drawn.choice(lists)
        first = _json(hand.call(tool.name, {"limit": 2 + drawn.integer(4)}))
        rows = first.get("items") or []
        if first.get("next_cursor") and hand.happens("next-page"):
            hand.call(tool.name, {"limit": len(rows), "cursor": first["next_cursor"]})
        if not rows:
            continue
        row = drawn.choice(rows)
        given = _conditions(row, tool.parameters, drawn)
        hand.call(tool.name, {**given, "limit": 3})
        hand.call(tool.name.removesuffix("list") + "count", given)
        if "name" in row:
            _ask_row(hand, tool.table.name, row)
        if hand.happens("repeat-table-call"):
            hand.again()


def _conditions(row: Mapping[str, Any], parameters: Mapping[str, Any], drawn: Stream) -> dict[str, Any]:
    """One or two conditions that a row meets."""
    usable = [name for name, value in row.items() if name in parameters and isinstance(value, str | int | float)]
    found: dict[str, Any] = {}
    for name in drawn.sample(usable, 1 + drawn.integer(2)):
        bounds = [name + suffix for suffix in ("_min", "_max") if name + suffix in parameters]
        found[drawn.choice(bounds) if bounds else name] = row[name]
    return found


def _ask_row(hand: _Hand, table: str, row: Mapping[str, Any]) -> None:
    tools = hand.world.tools
    hand.call(f"{table}_get", {"id": row["name"] if hand.happens("get-by-name") else row["id"]})
    onward = [name for name, tool in tools.items() if tool.action == "traverse" and name.startswith(f"{table}_to_")]
    onward += [name for name, tool in tools.items() if tool.action == "range" and name.startswith(f"{table}_")]
    if onward:
        hand.call(hand.drawn.choice(sorted(onward)), {"id": row["name"]})


def _misuse_tables(hand: _Hand) -> None:
    """As an agent that does not read what a tool takes."""
    names = sorted(hand.world.tools)
    for _ in range(5 + hand.drawn.integer(4)):
        tool = hand.world.tools[hand.drawn.choice(names)]
        mistakes: list[tuple[str, dict[str, Any]]] = [
            (tool.name, {"where": "everywhere"}),
            (f"{tool.table.name}_find", {"id": hand.title()}),
            (tool.name, {"id": "".join(hand.drawn.shuffled("nobody"))}),
            (tool.name, {"limit": "many"}),
            (tool.name, {"limit": -1}),
            (tool.name, {"cursor": "next"}),
        ]
        hand.call(*hand.drawn.choice(mistakes))
        if hand.happens("count-after-misuse"):
            hand.call(hand.drawn.choice([n for n in names if n.endswith("_count")]), {})


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


_WALKS: dict[str, tuple[Domain, Callable[[_Hand], None], bool]] = {
    "oracle": ("search", _solve, False),
    "browse": ("search", _browse, False),
    "tables": ("mcp", _ask_tables, False),
    "notes": ("search", _note, False),
    "mistakes": ("search", _stumble, False),
    "browse-perturbed": ("search", _browse, True),
    "table-mistakes": ("mcp", _misuse_tables, False),
    "oracle-perturbed": ("search", _solve, True),
    "tables-perturbed": ("mcp", _ask_tables, True),
}
KINDS: tuple[str, ...] = tuple(_WALKS)
"""The kinds of walks, in the order in which they take turns."""
