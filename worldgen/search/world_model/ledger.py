"""The ledger of a session in free mode: what a model has asserted, and what contradicts what.

Entries are only ever added. Two entries contradict each other or not, whichever came first, so that the contradictions
of a ledger do not depend on the order of its entries. Every page is held to be sound: neither the trust of its site nor
its date excuses a model that says one thing here and another there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

from worldgen.errors import CallerError
from worldgen.language import name_key
from worldgen.schema import Schema
from worldgen.search.world_model.slots import Slot, Unread, checked, slots

_WORD = re.compile(r"\w+")
MAX_BYTES = 20_000_000
_WHENCE = "a ledger, as `GET /episodes/{id}/ledger` gives it"
_LONGEST_NAME = 120
_MARKUP = frozenset("<>[]|#*`\\_~{}@")
RENDERED = 6_000
"""Characters of a ledger that a turn is told at most."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """A fact that a model has asserted.

    Attributes:
        subject: The name of what it is about, as written.
        entity: What kind of thing that is.
        attribute: The property.
        value: The value in its canonical form; the name of what is referred to.
        time: The period of a series' value; empty otherwise.
        url: The page that says so.
        turn: The turn in which it was said, from 1.
        quote: The words that say so.
    """

    subject: str
    entity: str
    attribute: str
    value: str
    time: str = ""
    url: str = ""
    turn: int = 0
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """How a result or a page presented itself; parts that were not told are empty."""

    url: str
    title: str
    date: str = ""
    site: str = ""
    turn: int = 0


Entry = Assertion | Shown
_KINDS: dict[str, type[Assertion] | type[Shown]] = {"assertion": Assertion, "shown": Shown}


class Contradiction(NamedTuple):
    """What is wrong with an entry.

    Attributes:
        code: Stable identifier.
        message: Words for it.
        entry: What is wrong.
        held: The entry that it contradicts, if any.
        rule: The rule of the schema that it breaks, if any: kind of thing, property and key.
    """

    code: str
    message: str
    entry: Entry
    held: Entry | None = None
    rule: str = ""


class Ledger:
    """What has been established in one session.

    Args:
        schema: What may be asserted at all.
    """

    def __init__(self, schema: Schema, entries: Iterable[Entry] = ()) -> None:
        self.schema = schema
        self.slots = slots(schema)
        self._entries: list[Entry] = []
        self._index: dict[tuple[str, ...], list[Entry]] = {}
        for entry in entries:
            self.add(entry)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    @property
    def assertions(self) -> list[Assertion]:
        """The facts, in the order in which they were asserted; what is said twice stands twice."""
        return [entry for entry in self._entries if isinstance(entry, Assertion)]

    def shown(self, url: str) -> Shown | None:
        """How an address was first shown; None where it was not."""
        found = self._index.get(("url", url), [])
        return found[0] if found and isinstance(found[0], Shown) else None

    def add(self, entry: Entry) -> tuple[Contradiction, ...]:
        """Add an entry; what is wrong with it is told, and it stands all the same."""
        found = self.against(entry)
        self._entries.append(entry)
        for key in self._keys(entry):
            self._index.setdefault(key, []).append(entry)
        return found

    def against(self, entry: Entry) -> tuple[Contradiction, ...]:
        """What would be wrong with an entry: by itself, and beside each that is held."""
        found = list(self._alone(entry)) if isinstance(entry, Assertion) else []
        seen: set[int] = set()
        for key in self._keys(entry):
            for held in self._index.get(key, ()):
                if id(held) not in seen:
                    seen.add(id(held))
                    found += self._pair(entry, held)
        return tuple(found)

    def contradictions(self) -> tuple[Contradiction, ...]:
        """All contradictions, as they came up."""
        fresh = Ledger(self.schema)
        return tuple(found for entry in self._entries for found in fresh.add(entry))

    def names(self) -> dict[str, dict[str, str]]:
        """Kind of thing → key of a name → the name as first written, in order; what is referred to included."""
        found: dict[str, dict[str, str]] = {}
        for entry in self.assertions:
            for kind, name in self._named(entry):
                found.setdefault(kind, {}).setdefault(name_key(name), name)
        return found

    def text(self, query: str = "", longest: int = RENDERED) -> str:
        """What has been established, a line an entry, within so many characters; what the query is about comes first.

        Args:
            query: What is asked: its words are looked for in the entries.
            longest: Characters at most.
        """
        asked = query.casefold()
        words = set(_WORD.findall(asked))
        lines: dict[str, int] = {}
        for number, entry in enumerate(self._entries):
            line = _line(entry)
            score = len(words & set(_WORD.findall(line.casefold()))) + 3 * (_head(entry).casefold() in asked)
            lines[line] = max(lines.get(line, -1), score * len(self._entries) + number)
        kept: list[str] = []
        for line in sorted(lines, key=lambda line: -lines[line]):
            if sum(len(each) + 1 for each in kept) + len(line) > longest:
                break
            kept.append(line)
        return "\n".join(kept)

    def to_lines(self) -> str:
        """The ledger as JSON lines: first what it is of, then an entry a line."""
        head = {"kind": "ledger", "world": self.schema.world}
        rows = [head, *({"kind": _kind(entry), **asdict(entry)} for entry in self._entries)]
        return "".join(json.dumps(row, ensure_ascii=True, sort_keys=True) + "\n" for row in rows)

    def _named(self, entry: Assertion) -> Iterator[tuple[str, str]]:
        yield entry.entity, entry.subject
        slot = self.slots.get((entry.entity, entry.attribute))
        if slot is not None and slot.target is not None:
            yield slot.target, entry.value

    def _keys(self, entry: Entry) -> Iterator[tuple[str, ...]]:
        """Under which an entry stands; two entries can only contradict each other where they share one."""
        if isinstance(entry, Shown):
            yield "url", entry.url
            return
        for _, name in self._named(entry):
            yield "name", name_key(name)
        slot = self.slots.get((entry.entity, entry.attribute))
        if slot is not None and slot.once:
            yield "once", entry.entity, entry.attribute, _key(slot, entry.value)

    def _alone(self, entry: Assertion) -> Iterator[Contradiction]:
        for kind, name in self._named(entry):
            if not is_name(name):
                yield Contradiction("ledger.name", f"{name[:60]!r} can be no name of a {kind}", entry)
        slot = self.slots.get((entry.entity, entry.attribute))
        if slot is None:
            kinds = {kind for kind, _ in self.slots}
            what = f"a {entry.entity} has no {entry.attribute}" if entry.entity in kinds else f"no kind {entry.entity}"
            yield Contradiction("ledger.unknown", f"{what} in this world", entry)
            return
        if (entry.time or "") not in (slot.periods or ("",)):
            expected = f"{slot.periods[0]} to {slot.periods[-1]}" if slot.periods else "no period"
            message = f"{_about(entry)}: expected {expected}, got {entry.time!r}"
            yield Contradiction("ledger.period", message, entry, rule=_rule(entry, "start and end"))
        read = checked(slot, entry.value)
        if isinstance(read, Unread):
            message = f"{_about(entry)}: expected {read.expected}"
            yield Contradiction(f"ledger.{read.code}", message, entry, rule=_rule(entry, read.rule))
        if slot.target not in (None, entry.entity) and name_key(entry.subject) == name_key(entry.value):
            message = f"{entry.subject} is both a {entry.entity} and a {slot.target}"
            yield Contradiction("ledger.other-kind", message, entry)

    def _pair(self, entry: Entry, held: Entry) -> Iterator[Contradiction]:
        if isinstance(entry, Shown) and isinstance(held, Shown):
            for part in ("title", "date", "site"):
                one, other = getattr(entry, part), getattr(held, part)
                if one and other and one != other:
                    message = f"{entry.url}: its {part} is {other!r} since turn {held.turn}, not {one!r}"
                    yield Contradiction("ledger.page", message, entry, held)
        elif isinstance(entry, Assertion) and isinstance(held, Assertion):
            yield from self._facts(entry, held)

    def _facts(self, entry: Assertion, held: Assertion) -> Iterator[Contradiction]:
        here, there = list(self._named(entry)), list(self._named(held))
        apart = [(k, n, o) for k, n in here for o, m in there if k != o and name_key(n) == name_key(m)]
        if apart:
            kind, name, other = apart[0]
            message = f"{name} is a {other} since turn {held.turn}, not a {kind}"
            yield Contradiction("ledger.other-kind", message, entry, held)
        slot = self.slots.get((entry.entity, entry.attribute))
        if slot is None or (entry.entity, entry.attribute) != (held.entity, held.attribute):
            return
        same = name_key(entry.subject) == name_key(held.subject)
        alike = _key(slot, entry.value) == _key(slot, held.value)
        if same and entry.time == held.time and not alike:
            message = f"{_about(entry)} is {held.value} since turn {held.turn}"
            yield Contradiction("ledger.other-value", message, entry, held)
        if alike and not same and slot.once:
            message = f"{_about(entry)}: {held.subject} has that value since turn {held.turn}, and no two share one"
            yield Contradiction("ledger.shared-value", message, entry, held, _rule(entry, slot.once))


def is_name(text: str) -> bool:
    """Whether a thing can be called so: one line of letters, digits and plain marks, not too long.

    >>> is_name("Kestrel Packet"), is_name("O'Brien & Sons (1990)"), is_name("a|b"), is_name("\u202eabc"), is_name("")
    (True, True, False, False, False)
    """
    return (
        0 < len(text.strip()) <= _LONGEST_NAME
        and text.isprintable()
        and not _MARKUP & set(text)
        and any(character.isalnum() for character in text)
    )


def read_ledger(source: str | Path, schema: Schema) -> Ledger:
    """A ledger from its file, or from the text of one.

    Raises:
        CallerError: A line is none of a ledger's, or the ledger is of another world; names file and line.
    """
    name, text = (source, _text(source)) if isinstance(source, Path) else (None, source)
    ledger = Ledger(schema)
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            raw: Any = json.loads(line)
            kind = raw.pop("kind")
            if kind == "ledger":
                if raw["world"] != schema.world:
                    raise CallerError(
                        "ledger.other-world", "the ledger is of another world", path=name or "ledger", line=number,
                        expected=schema.world, got=str(raw["world"])[:80], fix="name the schema of its session",
                    )  # fmt: skip
                continue
            ledger.add(_entry(kind, raw))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            why = str(error) if type(error) is ValueError else "it cannot be read"
            raise CallerError(
                "ledger.line", f"this is no line of a ledger: {why}", path=name or "ledger", line=number,
                expected=f"an entry in JSON, of {_WHENCE}", got=f"{line[:80]!r}",
            ) from error  # fmt: skip
    return ledger


def _entry(kind: object, raw: dict[str, Any]) -> Entry:
    made = _KINDS.get(str(kind))
    if made is None:
        raise ValueError(f"its kind is none of ledger, {', '.join(_KINDS)}")
    names = {field.name: field.default is MISSING for field in fields(made)}
    for name, needed in names.items():
        if needed and name not in raw:
            raise ValueError(f"it has no {name!r}")
    for name, value in raw.items():
        if name not in names:
            raise ValueError(f"an entry has no {name!r}")
        if not isinstance(value, int if name == "turn" else str) or isinstance(value, bool):
            raise ValueError(f"{name!r} has the wrong type")
    if not raw["subject" if made is Assertion else "url"].strip():
        raise ValueError("it is about nothing")
    told: dict[str, Any] = {k: normalize("NFC", v) if isinstance(v, str) else v for k, v in raw.items()}
    return made(**told)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise CallerError(
                "ledger.file", "the file is too large", path=path, expected=f"at most {MAX_BYTES:,} bytes",
                got=f"{path.stat().st_size:,}",
            )  # fmt: skip
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not in UTF-8"
        raise CallerError("ledger.file", f"the file cannot be read: {why}", path=path, expected=_WHENCE) from error


def _kind(entry: Entry) -> str:
    return "assertion" if isinstance(entry, Assertion) else "shown"


def _key(slot: Slot, value: str) -> str:
    return name_key(value) if slot.kind in ("ref", "name") else value


def _about(entry: Assertion) -> str:
    return f"{entry.subject}, {entry.attribute}" + (f" {entry.time}" if entry.time else "")


def _rule(entry: Assertion, key: str) -> str:
    return f"{entry.entity}.{entry.attribute}: {key}"


def _head(entry: Entry) -> str:
    """What an entry is about: a name, or an address."""
    return entry.subject if isinstance(entry, Assertion) else entry.url


def _line(entry: Entry) -> str:
    if isinstance(entry, Shown):
        return f"{entry.url}: {entry.title}" + (f" ({entry.date})" if entry.date else "")
    return (
        f"{entry.subject} ({entry.entity}): {entry.attribute.replace('_', ' ')}"
        + (f" {entry.time}" if entry.time else "")
        + f" = {entry.value}"
    )
