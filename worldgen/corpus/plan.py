"""What a page is going to say, before a word is written: blocks of items, a subject, a date, an address."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from worldgen.corpus.dice import Dice
from worldgen.corpus.forms import choose_forms
from worldgen.corpus.grammar import genres, settings_of
from worldgen.corpus.knowing import known_days, may_change
from worldgen.corpus.sites import Directory
from worldgen.corpus.voice import Mention, Voice, nouns_of, sort_of, voices
from worldgen.corpus.years import marked_wording, said_names
from worldgen.facts.tables import Facts
from worldgen.language import said_scope
from worldgen.records import Label, PageKind

Row = tuple[str, int]
"""A table and a row of it."""
Item = tuple[str, int, str]
"""A table, a row and an attribute: a fact that can be stated."""
BlockKind = Literal["infobox", "prose", "grid", "entries", "ranking", "series"]

MOST_ROWS = 12
"""No page states the same attribute of more rows than this."""


@dataclass(slots=True)
class Block:
    """A part of a page that states items.

    Attributes:
        kind: How it is set.
        items: What it states, in order; a grid is filled row by row.
        rows: For entries and grids: the rows, also those of which nothing is stated.
        columns: For grids and rankings: the attributes.
        about: The table it is about, for its heading.
    """

    kind: BlockKind
    items: list[Item]
    rows: list[Row] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    about: str = ""


@dataclass(slots=True)
class PagePlan:
    """A page to be written.

    Attributes:
        topics: Named entities that its title names, the subject first.
        table: Table of a list, ranking or statistics page.
        part: Which section of a list it is: A, B, …
        claims: Items stated with another value, by item: that value and the label.
    """

    genre: str
    site: int
    blocks: list[Block]
    topics: list[Row] = field(default_factory=list)
    table: str = ""
    attribute: str = ""
    part: str = ""
    kind: PageKind = "sound"
    url: str = ""
    title: str = ""
    date: int | None = None
    claims: dict[Item, tuple[int, Label]] = field(default_factory=dict)
    previous: str = ""
    next: str = ""
    nouns: list[tuple[str, str]] = field(default_factory=list)
    coined: tuple[str, ...] = ()

    @property
    def subject(self) -> Row | None:
        """The one entity that the page is about, if there is one."""
        return self.topics[0] if len(self.topics) == 1 else None

    def items(self) -> list[Item]:
        """All items of all blocks."""
        if len(self.blocks) == 1:
            return list(self.blocks[0].items)
        out: list[Item] = []
        for block in self.blocks:
            out += block.items
        return out


class Setting:
    """A world seen from one language: its voices, names, sites and what refers to what.

    Args:
        facts: The world.
        language: The language of all pages planned in this setting.
    """

    def __init__(self, facts: Facts, language: str) -> None:
        self.facts = facts
        self.language = language
        self.directory = Directory(facts, language)
        self.voices: dict[tuple[str, str], Voice] = voices(facts, language)
        choose_forms(facts, self.voices, language)
        now = facts.schema.as_of.year
        self.nouns = {table.name: nouns_of(facts, table.name, language) for table in facts}
        self.sorts = {table.name: sort_of(facts, table.name) for table in facts}
        self.names = {table.name: [_mended(name) for name in said_names(facts, table, language)] for table in facts}
        self.aliases = self._aliases()
        self.genres = frozenset(genres(language))
        self.named = [table.name for table in facts if table.named]
        self.keyed = [table.name for table in facts if not table.named and table.kind != "series"]
        self.series = [table.name for table in facts if table.kind == "series"]
        schema = facts.schema
        self.as_of = schema.as_of.toordinal() - 719163
        phrase = marked_wording(schema.scope.phrase.get(language) or "{name}", now)  # type: ignore[call-overload]
        self.scope = phrase.replace("{name}", facts.scope.say(language))
        self.scopes = {
            table: said_scope(phrase, facts.scope.say(language), [many for _, many in nouns], language)
            for table, nouns in self.nouns.items()
        }
        self.days: dict[Row, list[tuple[int, bool]]] = {}
        known = known_days(facts)
        self.known = {step: days.tolist() for step, days in known.items() if step[0] not in self.series}
        self._changing: dict[tuple[str, str], bool] = {}
        self.mentions: dict[tuple[str, bool], Mention] = {}
        tidy = [old for old, _ in settings_of(language).get("tidy", [])]
        self.untidy = tuple(old[:-1] for old in tidy if old.endswith(" ") and old.strip())
        self._peers: dict[Item, Item] = {
            (table, row, attribute): (table, peer, attribute)
            for (table, attribute), voice in self.voices.items()
            for row, peer in voice.peers.items()
        }
        self._void = frozenset(item for voice in self.voices.values() for item in voice.void())
        self.nouns_all: dict[str, str] = {}
        self._stated: dict[str, list[str]] = {}
        self._owners: dict[str, list[tuple[Row, ...]]] = {}

    def dice(self, *names: object) -> Dice:
        """The draws of that name, for this language."""
        return Dice(self.facts.seed, self.language, *names)

    def stated(self, table: str) -> list[str]:
        """Attributes of a table that pages state."""
        found = self._stated.get(table)
        if found is None:
            found = self._stated[table] = self.facts.tables[table].stated()
        return found

    def unvoid(self, items: list[Item]) -> list[Item]:
        """The items without refs that refer to nothing: there is no fact to state."""
        if not self._void or not any(item in self._void for item in items):
            return items
        return [item for item in items if item not in self._void]

    def peers(self, items: Iterable[Item]) -> list[Item]:
        """What some of the items are compared with: a page that states them states it as well."""
        known = self._peers
        return [known[item] for item in items if item in known]

    def known_since(self, item: Item) -> int:
        """The first day on which a page may state the item, 0 where it may on any."""
        days = self.known.get((item[0], item[2]))
        return 0 if days is None else max(0, days[item[1]])

    def may_change(self, item: Item) -> bool:
        """Whether an old page may give another value of the item."""
        step = (item[0], item[2])
        if step not in self._changing:
            self._changing[step] = may_change(self.facts, *step)
        return self._changing[step]

    def owners(self, row: Row) -> tuple[Row, ...]:
        """The named entities that a row is about: itself, or those its key refers to."""
        table = self.facts.tables[row[0]]
        if table.named:
            return (row,)
        if row[0] not in self._owners:
            keys = [table.columns[key] for key in table.key if table.columns[key].type == "ref"]
            columns = [(column.target or "", column.values.tolist()) for column in keys]
            self._owners[row[0]] = [
                tuple((target, values[i]) for target, values in columns if values[i] >= 0) for i in range(table.size)
            ]
        found: list[Row] = []
        for owner in self._owners[row[0]][row[1]]:
            found.extend(self.owners(owner))
        return tuple(dict.fromkeys(found)) if len(found) > 1 else tuple(found)

    def site_for(self, genre: str, tables: list[str], dice: Dice, *, anywhere: bool = False) -> int | None:
        """A site for a page, or None where nobody publishes that genre about those tables in this language."""
        if genre not in self.genres:
            return None
        found = self.directory.publishing(genre, tables)
        if not found and anywhere:
            found = self.directory.publishing(genre, [])
            found = found or [
                i
                for i, site in enumerate(self.directory.sites)
                if genre in site.genres and self.language in site.languages
            ]
        return dice.choice(found) if found else None

    def _aliases(self) -> dict[Row, list[str]]:
        """Aliases that no other entity shares, by row."""
        counts: dict[str, int] = {}
        for table in self.facts:
            for names in table.aliases.values():
                for text in names:
                    alias = text.say(self.language)
                    counts[alias] = counts.get(alias, 0) + 1
        out: dict[Row, list[str]] = {}
        for table in self.facts:
            for row, names in table.aliases.items():
                own = [text.say(self.language) for text in names]
                out[table.name, row] = [alias for alias in own if counts[alias] == 1]
        return out


def _mended(name: str) -> str:
    """A phrase that holds a possessive: `Lewis's earlier spell` as `Lewis' earlier spell`."""
    return name.replace("s's ", "s' ")


def chunks(rows: list[Row], most: int) -> list[list[Row]]:
    """The rows in pieces of nearly equal size, none longer than ``most``."""
    if not rows:
        return []
    pieces = -(-len(rows) // most)
    size, extra = divmod(len(rows), pieces)
    out, at = [], 0
    for i in range(pieces):
        step = size + (1 if i < extra else 0)
        out.append(rows[at : at + step])
        at += step
    return out
