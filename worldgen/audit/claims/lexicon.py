"""What the words of a world mean in one language: names, attributes with their labels and units, and the facts."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldgen.audit.claims.names import Names
from worldgen.audit.claims.text import LINK, clean
from worldgen.audit.claims.traits import Trait, traits_of
from worldgen.audit.claims.words import stems, vocabulary
from worldgen.language import transliterate
from worldgen.records import Language
from worldgen.schema import Schema, tables
from worldgen.schema.layout import relation_ref

_HAN = re.compile(r"[\u3400-\u9fff]+")
_LOWER = re.compile(r"(?<![A-Za-z'])[a-z]+(?![A-Za-z])")


@dataclass(frozen=True, slots=True)
class Known:
    """A fact of the world: its value in canonical form, None where it is not disclosed or refers to nothing."""

    fact: str
    subject: str
    attribute: str
    time: str
    value: str | None


class Lexicon:
    """The words of one world in one language; make it with `read`. It never changes and may be shared by threads.

    Attributes:
        language: The language of the texts.
        names: Every name and alias of the world.
        types: Entity id → table.
        traits: Table → its attributes.
        facts: Subject → its facts.
        nouns: Table → nouns that speak of its rows, in lower case.
        phrased: Entity id without a name of its own → (ids named in its phrase, numbers in its phrase).
        common: Words in lower case that the world's pages use.
        bearing: Attribute → stems that no other attribute of its table has.
        spoken: All words of the schema, in lower case.
        letters: The Chinese characters of which names are made.
        pairs: Pairs of Chinese characters that the world's pages use.
        numbered: Finds wordings of categories that hold a number: `two-footed`; None where there is none.
        places: Where the world lies and what it is called, in lower case.
        persons: Tables of people.
    """

    def __init__(self, language: Language, schema: Schema, rows: _Rows) -> None:
        self.language = language
        self.types = rows.types
        self.traits = traits_of(schema, language)
        self.nouns = _nouns(schema, language)
        self.facts = rows.facts
        self.common = rows.common
        self.names = Names(rows.names, rows.common)
        own = Names([pair for pair in rows.names if pair[1] not in rows.phrases])
        self.phrased = {
            bearer: (
                frozenset(i for n in own.find(phrase) for i in n.ids),
                tuple(re.findall(r"\d+", _blank(phrase, own))),
            )
            for bearer, phrase in rows.phrases.items()
        }
        self.bearing = {trait.key: _bearing(trait, found) for found in self.traits.values() for trait in found}
        self.spoken = _spoken(self.traits, self.nouns, schema, language)
        self.letters = _letters(language)
        self.numbered = _numbered(self.traits, language)
        self.places = tuple(
            text.lower() for text in (schema.scope.phrase.get(language, ""), schema.title.get(language, "")) if text
        )
        self.persons = frozenset(
            name for name, entity in schema.entities.items() if entity.name is not None and entity.name.kind == "person"
        )
        self.pairs = rows.pairs
        self._by_key = {trait.key: trait for found in self.traits.values() for trait in found}

    @classmethod
    def read(cls, connection: sqlite3.Connection, schema: Schema, language: Language) -> Lexicon:
        """Read a world's words from its database.

        Args:
            connection: The world's database.
            schema: The schema it was built from.
            language: Of the texts to be judged.
        """
        return cls(language, schema, _read(connection, schema, language))

    def trait(self, subject: str, attribute: str) -> Trait | None:
        """The attribute of an entity."""
        return self._by_key.get((self.types.get(subject, subject.partition("/")[0]), attribute))

    def known(self, subject: str, attribute: str) -> tuple[Known, ...]:
        """The world's own values of an attribute of an entity."""
        return tuple(fact for fact in self.facts.get(subject, ()) if fact.attribute == attribute)


@dataclass(frozen=True, slots=True)
class _Rows:
    names: list[tuple[str, str]]
    types: dict[str, str]
    phrases: dict[str, str]
    facts: dict[str, tuple[Known, ...]]
    common: frozenset[str]
    pairs: frozenset[str]


def _read(connection: sqlite3.Connection, schema: Schema, language: Language) -> _Rows:
    names: list[tuple[str, str]] = []
    types: dict[str, str] = {}
    phrases: dict[str, str] = {}
    for bearer, table, en, zh, named in connection.execute(
        "SELECT id, type, name, name_zh, named FROM wg_entity ORDER BY id"
    ):
        name = clean(zh if language == "zh" else en)
        types[bearer] = table
        names.append((name, bearer))
        if not named:
            phrases[bearer] = name
    for bearer, text in connection.execute(
        "SELECT entity, text FROM wg_alias WHERE language = ? ORDER BY id", (language,)
    ):
        names.append((clean(text), bearer))
    for table, column in _named_columns(schema):
        shown = f"{column}_zh" if language == "zh" else column
        for en, said in connection.execute(f'SELECT "{column}", "{shown}" FROM "{table}"'):
            if en and said:
                names.append((clean(said), f"={en}"))
    grouped: dict[str, list[Known]] = {}
    for fact, subject, attribute, time, value, _ in connection.execute(
        "SELECT id, subject, attribute, time, value, disclosed FROM wg_fact ORDER BY rowid"
    ):
        grouped.setdefault(subject, []).append(Known(fact, subject, attribute, time, value))
    common, pairs = _written(connection, Names(names), language)
    return _Rows(names, types, phrases, {subject: tuple(facts) for subject, facts in grouped.items()}, common, pairs)


def _named_columns(schema: Schema) -> Iterator[tuple[str, str]]:
    for table, fields in tables(schema).items():
        for column, field in fields.items():
            if (
                field.kind == "name"
                and field.attribute is not None
                and not field.attribute.hidden
                and not column.endswith("_zh")
            ):
                yield table, column


def _written(connection: sqlite3.Connection, names: Names, language: Language) -> tuple[frozenset[str], frozenset[str]]:
    """The common words of the pages; in Chinese the pairs of characters outside names too."""
    words: set[str] = set()
    pairs: set[str] = set()
    for (body,) in connection.execute(
        "SELECT body FROM wg_page WHERE language = ? AND kind <> 'haystack'", (language,)
    ):
        words.update(_LOWER.findall(body))
        if language == "zh":
            for run in _HAN.findall(_blank(LINK.sub(" ", body), names)):
                pairs.update(run[i : i + 2] for i in range(len(run) - 1))
    return frozenset(words), frozenset(pairs)


def _letters(language: Language) -> frozenset[str]:
    """The Chinese characters in which coined names are spelt."""
    if language != "zh":
        return frozenset()
    consonants = ("", *"bpmfdtnlgkhjqxrzcsywv", "zh", "ch", "sh", "ts")
    vowels = ("", "a", "e", "i", "o", "u", "ai", "au", "an", "en", "in", "on", "un", "ia", "ar", "el")
    own = frozenset(c for a in consonants for b in vowels for c in transliterate(a + b) if c >= "\u3400")
    return own.union(*vocabulary("name_letters", language))


def _blank(text: str, names: Names) -> str:
    out = list(text)
    for named in names.find(text):
        out[named.start : named.end] = " " * (named.end - named.start)
    return "".join(out)


def _nouns(schema: Schema, language: Language) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, entity in schema.entities.items():
        found[name] = tuple(part.strip().lower() for word in entity.label.get(language, []) for part in word.split("/"))
    for name, relation in schema.relations.items():
        if relation_ref(relation) is None:
            found[name] = tuple(
                part.strip().lower() for word in relation.label.get(language, []) for part in word.split("/")
            )
    return found


_NUMERAL = re.compile(
    r"\d|[零一二两三四五六七八九十百千万]|"
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|half|double|first|second|third)\b"
)


def _numbered(traits: Mapping[str, tuple[Trait, ...]], language: Language) -> re.Pattern[str] | None:
    words = {
        word.lower() for found in traits.values() for trait in found for ws in trait.categories.values() for word in ws
    }
    kept = sorted((w for w in words if _NUMERAL.sub("", w) and _NUMERAL.search(w)), key=lambda w: (-len(w), w))
    inner = "|".join(re.escape(word) for word in kept)
    edge = "" if language == "zh" else r"(?![\w'])"
    return re.compile(f"(?:{inner}){edge}") if kept else None


def _bearing(trait: Trait, others: tuple[Trait, ...]) -> frozenset[str]:
    told = {word for label in trait.labels for word in label} | {w for text in trait.says for w in stems(text, "en")}
    shared = {cue for other in others if other is not trait for cue in other.cues}
    generic = {w for word in vocabulary("generic", "en") for w in stems(word, "en")}
    return frozenset(word for word in told if word not in shared and word not in generic)


def _spoken(
    traits: dict[str, tuple[Trait, ...]], nouns: dict[str, tuple[str, ...]], schema: Schema, language: Language
) -> frozenset[str]:
    texts = [noun for found in nouns.values() for noun in found]
    texts += [text for found in traits.values() for trait in found for text in (*trait.phrases, *trait.says)]
    texts += [
        word for found in traits.values() for trait in found for words in trait.categories.values() for word in words
    ]
    texts += [
        schema.title.get(language, ""),
        schema.scope.phrase.get(language, ""),
        *(site.name.get(language, "") for site in schema.sites),
    ]
    return frozenset(word for text in texts for word in re.findall(r"[a-z0-9&']+", text.lower()))
