"""What a built world calls its things, each name with its role, and the addresses that its pages give."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from worldgen.disjoint.normal import parts
from worldgen.language.data import read_yaml
from worldgen.records import Language
from worldgen.schema import Schema, canonical, tables
from worldgen.store import read_only
from worldgen.world import World

Role = Literal["entity", "alias", "part", "setting", "author"]
LANGUAGES: tuple[Language, Language] = ("en", "zh")
# Names of hosts that nobody can register, by RFC 2606.
_RESERVED = ("example", "test", "invalid", "localhost", "example.com", "example.net", "example.org")
_ADDRESS = re.compile(r"[\w.+-]+@([\w-]+(?:\.[\w-]+)+)|https?://([^\s/)\]>\"'：，。]+)")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Called:
    """A name in a world.

    Attributes:
        text: The name.
        language: The language it is said in.
        role: What it is the name of.
        owner: Id of the entity or row; of an author a page's URL; empty for the setting.
        table: Type of the owner; empty where it has none.
    """

    text: str
    language: Language
    role: Role
    owner: str = ""
    table: str = ""


def names_in(world: World) -> list[Called]:
    """Every name of a world, in a fixed order; phrases of rows that have a key instead of a name are none."""
    return [name for name in _names_in(world) if name.text]


def _names_in(world: World) -> Iterator[Called]:
    schema = world.schema
    for language in LANGUAGES:
        yield Called(world.manifest.setting.get(language, ""), language, "setting")
    connection = read_only(world.path / "world.db", guarded=False)
    try:
        for owner, table, *names in connection.execute(
            "SELECT id, type, name, name_zh FROM wg_entity WHERE named = 1 ORDER BY type, ordinal"
        ):
            for language, text in zip(LANGUAGES, names, strict=True):
                yield Called(text, language, "entity", owner, table)
        for owner, table, language, text in connection.execute(
            "SELECT a.entity, e.type, a.language, a.text FROM wg_alias a"
            " JOIN wg_entity e ON e.id = a.entity ORDER BY a.id"
        ):
            yield Called(text, language, "alias", owner, table)
        for table, fields in tables(schema).items():
            owner = "id" if "id" in fields else "''"
            for column, field in fields.items():
                if field.kind == "name" and field.attribute is not None:
                    language = "zh" if column != field.origin[-1] else "en"
                    rows = connection.execute(f'SELECT {owner}, "{column}" FROM "{table}" ORDER BY rowid')
                    yield from (Called(text or "", language, "part", row or table, table) for row, text in rows)
        for text, language, url in connection.execute(
            "SELECT author, language, min(url) FROM wg_page WHERE author != '' GROUP BY author, language"
        ):
            yield Called(text, language, "author", url)
    finally:
        connection.close()


def own_words(schema: Schema) -> frozenset[str]:
    """The words that the schema and the patterns of coined names say themselves, in the form of `normal`."""
    said = _WORD.findall(f"{canonical(schema)} {_texts(read_yaml('kinds'))}")
    return frozenset(word for text in said for word in parts(text))


def _texts(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(_texts(item) for item in value.values())
    return " ".join(_texts(item) for item in value) if isinstance(value, list) else str(value)


def dated_tables(schema: Schema) -> frozenset[str]:
    """The entities that a date, a year or a series ties to a time."""
    dated = {series.of for series in schema.series.values()}
    dated.update(
        name
        for name, entity in schema.entities.items()
        if any(attribute.kind in ("date", "year") for attribute in entity.attributes.values())
    )
    return frozenset(dated)


def open_addresses(world: World) -> list[str]:
    """The hosts of pages, links and addresses of post in the text that somebody could register, sorted."""
    connection = read_only(world.path / "world.db", guarded=False)
    try:
        hosts = {urlsplit(url).hostname or url for (url,) in connection.execute("SELECT url FROM wg_page")}
        for (body,) in connection.execute("SELECT body FROM wg_page WHERE body LIKE '%@%' OR body LIKE '%://%'"):
            hosts.update((post or site).lower().rstrip(".") for post, site in _ADDRESS.findall(body))
    finally:
        connection.close()
    return sorted(host for host in hosts if not f".{host}".endswith(tuple(f".{name}" for name in _RESERVED)))
