"""A player of the free mode: it invents a web for any schema, from nothing but what the prompt tells it.

`invents` is as a good model is: its web is a function of the world's description and the seed of the request, what the
ledger has established stands above it, and its structured readings find each of its own sentences again. `forgets`
invents anew at every turn, so that the ledger catches it. Both are behaviours of `worldgen.llm.FakeServer`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from worldgen.facts.given import is_chinese
from worldgen.language import ValueSpec, name_key, plain, styles, with_article
from worldgen.records import Language
from worldgen.search.engine import STRICT_CAP
from worldgen.search.world_model.imagined import Imagined, Thing, imagine
from worldgen.search.world_model.prompt import text_of
from worldgen.search.world_model.turns import MARKER
from worldgen.seeds import stream

RESULTS = 5
"""How many results a page of them has at most."""
_READS = text_of("extraction").split("\n", 1)[0]
_FENCED = re.compile(r"^(?P<fence>`{3,})\n(?P<text>.*?)\n(?P=fence)", re.DOTALL | re.MULTILINE)
_ACTION = re.compile(r"### Turn (?P<turn>\d+)\n\*\*Action:\*\*\n```json\n(?P<call>.*?)\n```", re.DOTALL)
_FACT = re.compile(r"(?m)^(?P<name>.+?) \((?P<kind>\w+)\): (?P<attribute>[\w ]+?) = (?P<value>.+)$")
_SHOWN = re.compile(r"(?m)^(?P<url>https?://\S+): (?P<title>.+?)(?: \((?P<date>\d{4}-\d\d-\d\d)\))?$")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Turn:
    """What is asked, and what is so: the web, and of the ledger what the turn is told of it."""

    web: Imagined
    number: int
    name: str
    arguments: Mapping[str, str]
    facts: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    addresses: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    strangers: tuple[Thing, ...] = ()


def invents(request: Mapping[str, Any]) -> str:
    """Invent results, pages and readings that hold to the description and to what has been established."""
    return _played(request, forgetful=False)


def forgets(request: Mapping[str, Any]) -> str:
    """Invent other values at each turn, whatever has been established."""
    return _played(request, forgetful=True)


def _played(request: Mapping[str, Any], *, forgetful: bool) -> str:
    messages = request["messages"]
    if str(messages[0]["content"]).startswith(_READS):
        return _reading(str(messages[0]["content"]))
    turn = _turn(request)
    if turn is None:
        return f"{MARKER}\nError: there is no call to answer."
    draw = turn.number if forgetful else 0
    if turn.name == "web_search":
        return f"{MARKER}\n{_results(turn, draw)}"
    return f"{MARKER}\n{_page(turn, draw)}"


def _turn(request: Mapping[str, Any]) -> _Turn | None:
    messages = request["messages"]
    asked = (_ACTION.search(str(each["content"])) for each in reversed(messages) if each["role"] == "user")
    action = next((found for found in asked if found is not None), None)
    if action is None:
        return None
    web = imagine(str(messages[0]["content"]), int(request.get("seed") or 0))
    call = json.loads(action["call"])
    told = _FENCED.search(action.string, action.end())
    known = told["text"] if told is not None else ""
    facts = {(f["kind"], name_key(f["name"]), f["attribute"].replace(" ", "_")): f["value"]
             for f in _FACT.finditer(known)}  # fmt: skip
    own = {(thing.kind, name_key(thing.name)) for thing in web.things}
    named = {(f["kind"], name_key(f["name"])): f["name"] for f in _FACT.finditer(known)}
    strangers = tuple(
        Thing(kind, name, len(web.things), name_key(name)) for (kind, key), name in named.items()
        if (kind, key) not in own and kind in web.kinds
    )  # fmt: skip
    addresses = {f["url"]: (f["title"], f["date"] or "") for f in _SHOWN.finditer(known)}
    arguments = {name: str(value) for name, value in call.get("arguments", {}).items()}
    return _Turn(web, int(action["turn"]), call.get("name", ""), arguments, facts, addresses, strangers)


def _facts(turn: _Turn, thing: Thing, draw: int) -> Iterator[tuple[str, str]]:
    """(property, sentence) of what is so of a thing."""
    for name, known in turn.web.kinds[thing.kind].items():
        held = turn.facts.get((thing.kind, name_key(thing.name), name)) if not draw else None
        value = held if held is not None else turn.web.value(thing, name, draw)
        if value is not None and known.type:
            label = name.replace("_", " ")
            words = {"attribute": label[:1].upper() + label[1:], "value": known.said(value, turn.web.language)}
            yield name, _sentence(turn.web, "fact", thing, **words)


def _sentence(web: Imagined, form: str, thing: Thing, **words: str) -> str:
    kind = thing.kind.replace("_", " ")
    said = with_article(kind) if web.language == "en" else kind
    return forms()[web.language][form].format(name=thing.name, kind=said, **words)


def _results(turn: _Turn, draw: int) -> str:
    query = turn.arguments.get("query", "")
    found = sorted(
        (*turn.web.things, *turn.strangers),
        key=lambda thing: (-_score(turn, thing, query), stream(turn.web.seed, "order", query, thing.name).integer(999)),
    )
    entries = []
    for number, thing in enumerate(found[:RESULTS], 1):
        told = dict(_facts(turn, thing, draw)) if number <= STRICT_CAP else {}
        wanted = [name for name in told if set(name.split("_")) & _words(query)]
        about = _sentence(turn.web, "teaser", thing)
        snippet = told[wanted[0]] if wanted else next(iter(told.values()), about)
        url, date = _address(turn, thing)
        entries.append(f"[{number}] {url}\nTitle: {thing.name}\nSnippet: {snippet}\nDate: {date}")
    return "\n\n".join(entries) or f'No results found for "{query}". Try other or fewer words.'


def _score(turn: _Turn, thing: Thing, query: str) -> int:
    """How much a thing has to do with a query: its name counts most, then its kind, then its properties."""
    asked = _words(query)
    kind = set(thing.kind.split("_"))
    attributes = {word for name in turn.web.kinds[thing.kind] for word in name.split("_")}
    named = name_key(thing.name) in name_key(query) or bool(_words(thing.name) & asked)
    return 20 * named + 5 * len((kind | {f"{word}s" for word in kind}) & asked) + len(attributes & asked)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _page(turn: _Turn, draw: int) -> str:
    url = turn.arguments.get("url", "")
    title, _ = turn.addresses.get(url, ("", ""))
    things = (*turn.web.things, *turn.strangers)
    thing = next((each for each in things if _address(turn, each)[0] == url or each.name == title), None)
    if thing is None:
        return f"Error: {url} could not be reached."
    sentences = [sentence for _, sentence in _facts(turn, thing, draw)]
    near = [each for each in turn.web.things if each.kind == thing.kind and each != thing]
    if near:
        links = ", ".join(f"[{each.name}]({_address(turn, each)[0]})" for each in near)
        sentences.append(forms()[turn.web.language]["more"].format(links=links))
    body = "\n\n".join(sentences) or _sentence(turn.web, "teaser", thing)
    return f"# {thing.name}\n\nSite: {url.split('/')[2]} | Date: {_address(turn, thing)[1]}\n\n{body}"


def _address(turn: _Turn, thing: Thing) -> tuple[str, str]:
    """The address and the date of a thing's page."""
    url = f"https://{thing.kind.replace('_', '-')}.example/{thing.slug}"
    days = 1 + stream(turn.web.seed, "dates", thing.kind, thing.name).integer(700)
    day = (turn.web.today - timedelta(days=days)).toordinal()
    return url, plain(ValueSpec("date"), day, styles("date", "en").index("short"))


def _reading(asked: str) -> str:
    """What a text asserts in the sentences of this player, as the structured reading wants it."""
    listed, _, rest = asked.partition("\n\nFor every sentence")
    kinds = {kind: attributes.split(", ") for kind, attributes in re.findall(r"(?m)^- (\w+): (.+)$", listed)}
    fenced = _FENCED.search(rest)
    text = fenced["text"] if fenced is not None else ""
    found = []
    for said in _reader("zh" if is_chinese(text) else "en", kinds).finditer(text):
        kind, attribute = (said[part].casefold().replace(" ", "_") for part in ("kind", "attribute"))
        if attribute in kinds[kind]:
            told = {"entity": kind, "subject": said["name"], "attribute": attribute, "value": said["value"]}
            found.append({**told, "time": "", "quote": said[0]})
    return json.dumps({"assertions": found}, ensure_ascii=False)


def _reader(language: Language, kinds: Mapping[str, Sequence[str]]) -> re.Pattern[str]:
    """The pattern of the sentences that state a fact of these kinds."""
    attributes = {name for listed in kinds.values() for name in listed}
    parts = {
        "attribute": rf"(?P<attribute>{_any_of(attributes)})",
        "kind": rf"(?:an? )?(?P<kind>{_any_of(kinds)})",
        "name": r"(?P<name>[^\n:：]+?)",
        "value": r"(?P<value>[^\n]+?)",
    }
    said = re.split(r"\{(\w+)\}", forms()[language]["fact"])
    pattern = "".join(parts[part] if place % 2 else re.escape(part) for place, part in enumerate(said))
    return re.compile(rf"{pattern}(?=\s|\Z)", re.IGNORECASE)


def _any_of(names: Iterable[str]) -> str:
    longest_first = sorted((name.replace("_", " ") for name in names), key=lambda name: (-len(name), name))
    return "|".join(map(re.escape, longest_first))


@cache
def forms() -> dict[str, dict[str, str]]:
    """Language → the sentences of the player by what they are for."""
    read: dict[str, dict[str, str]] = yaml.safe_load((Path(__file__).parent / "inventor.yaml").read_text("utf-8"))
    return read
