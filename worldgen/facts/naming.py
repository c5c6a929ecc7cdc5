"""Gives every row its name or phrase, some rows other names, and the world its scope; no two things share a name.

Each type coins from its own streams without looking at the others; only where two types hit on the same name is the
later one coined again, so that the types do not shift one another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from worldgen.errors import GenerationError
from worldgen.facts.paths import Draft
from worldgen.facts.plan import placeholders
from worldgen.facts.tables import Facts, Table, Text
from worldgen.language import Name, aliases, coin, name_key
from worldgen.records import Language
from worldgen.schema.model import Entity
from worldgen.seeds import Stream, stream

_ROUNDS = 20
_PIECES = re.compile(r"\{[^{}]*\}")
_LANGUAGES: tuple[Language, Language] = ("en", "zh")
_ROMAN = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
_SHARED_KIND = "brand"


class Claims:
    """The names taken so far, in both languages."""

    def __init__(self, avoid: Iterable[str] = ()) -> None:
        self._taken = {name_key(text) for text in avoid}

    def take(self, name: Name | Text) -> bool:
        """Take a name; False where it is taken already."""
        en, zh = name_key(name.en), name_key(name.zh)
        if en in self._taken or zh in self._taken:
            return False
        self._taken.update((en, zh))
        return True


def coined(
    kind: str, cultures: Sequence[str], n: int, claims: Claims, *, seed: int, table: str, part: str
) -> list[Text]:
    """Coin ``n`` names that nothing else in the world has."""
    picks = stream(seed, "facts", table, part, "culture").below(n, len(cultures)).tolist()
    names: list[Text | None] = [None] * n
    rows = list(range(n))
    for again in range(_ROUNDS):
        for number, culture in enumerate(cultures):
            mine = [row for row in rows if picks[row] == number]
            rng = stream(seed, "facts", table, part, culture, again)
            for row, name in zip(mine, coin(kind, culture, rng, len(mine)), strict=True):
                if claims.take(name):
                    names[row] = Text(name.en, name.zh)
        rows = [row for row in rows if names[row] is None]
        if not rows:
            return [name for name in names if name is not None]
    raise GenerationError(
        "facts.names", f"{table}.{part}: names that nothing else has", expected=str(n), got=str(n - len(rows)),
        fix="lower the count or give more cultures",
    )  # fmt: skip


def entity_names(draft: Draft, table: str, claims: Claims) -> list[Text]:
    """The names of an entity's rows, or the phrases of rows that have a key instead."""
    entity, size = draft.schema.entities[table], draft.size(table)
    if entity.name is None:
        return phrases(draft, table, entity.phrase or {})
    if entity.name.kind is not None:
        cultures = entity.name.culture or draft.schema.cultures
        return coined(entity.name.kind, cultures, size, claims, seed=draft.seed, table=table, part="name")
    return [_numbered(name, claims) for name in phrases(draft, table, entity.name.template or {})]


def _numbered(name: Text, claims: Claims) -> Text:
    """The name, or its second, third … generation where it is taken."""
    candidate, generation = name, 1
    while not claims.take(candidate):
        generation += 1
        candidate = Text(f"{name.en} {roman(generation)}", f"{name.zh}{roman(generation)}")
    return candidate


def roman(n: int) -> str:
    """A Roman numeral.

    >>> roman(14)
    'XIV'
    """
    text = ""
    for value, letters in _ROMAN:
        text += letters * (n // value)
        n %= value
    return text


def phrases(draft: Draft, table: str, template: dict[Language, str]) -> list[Text]:
    """A template filled for every row, in both languages."""
    either = next(iter(template.values()), "")
    columns = [_filled(draft, table, template.get(language) or either, language) for language in _LANGUAGES]
    return [Text(en, zh) for en, zh in zip(*columns, strict=True)]


def _filled(draft: Draft, table: str, template: str, language: Language) -> list[str]:
    words = [draft.says(table, path, language) for path in placeholders(template)]
    pieces = [piece.replace("%", "%%") for piece in _PIECES.split(template)]
    pattern = "%s".join(pieces)
    if not words:
        return [template] * draft.size(table)
    return [" ".join((pattern % row).split()) for row in zip(*words, strict=True)]


def relation_phrases(draft: Draft, table: str) -> list[Text]:
    """The phrases of a relation's rows; without one of its own, both names."""
    relation = draft.schema.relations[table]
    source, target = relation.columns
    dash = f"{{{source}}} – {{{target}}}"
    return phrases(draft, table, relation.phrase or {"en": dash, "zh": dash})


def series_phrases(draft: Draft, table: Table) -> list[Text]:
    """The phrases of a series' rows: the entity's name and the period."""
    of, period = (table.columns[name] for name in table.key)
    names = draft.tables[of.target or ""].names
    periods = [text or "" for text in period.canonicals()]
    return [
        Text(f"{names[row].en}, {when}", f"{names[row].zh}{when}")
        for row, when in zip(of.values.tolist(), periods, strict=True)
    ]


def scope_name(draft: Draft, claims: Claims) -> Text:
    """The coined setting of the world."""
    scope = draft.schema.scope
    return coined(
        scope.kind, scope.culture or draft.schema.cultures, 1, claims, seed=draft.seed, table="", part="scope"
    )[0]


def scope_phrase(facts: Facts, language: Language) -> str:
    """The setting in words: `the Maruvia smartphone market`."""
    phrase = facts.schema.scope.phrase
    return (phrase.get(language) or next(iter(phrase.values()))).replace("{name}", facts.scope.say(language))


def add_aliases(draft: Draft, table: str, claims: Claims) -> None:
    """Give the declared share of rows another name, and pairs of rows a name that they share."""
    entity = draft.schema.entities.get(table)
    if entity is None or entity.name is None or not (entity.aliases or entity.ambiguous):
        return
    rng = stream(draft.seed, "facts", table, "aliases")
    others = draft.tables[table].aliases
    if entity.ambiguous:
        _ambiguous(draft, table, entity, claims)
    wanted = round(entity.aliases * draft.size(table))
    given = len(others)
    for row in rng.permutation(draft.size(table)).tolist():
        if given >= wanted:
            return
        if row in others:
            continue
        for alias in _candidates(draft, table, entity, row, rng):
            if claims.take(alias):
                others[row] = [alias]
                given += 1
                break


def _candidates(draft: Draft, table: str, entity: Entity, row: int, rng: Stream) -> list[Text]:
    assert entity.name is not None
    name = draft.tables[table].names[row]
    if entity.name.kind is not None:
        return [Text(a.en, a.zh) for a in aliases(Name(name.en, name.zh), entity.name.kind, rng)]
    short = []
    for language in _LANGUAGES:
        template = (entity.name.template or {}).get(language) or next(iter((entity.name.template or {}).values()))
        first = draft.says(table, placeholders(template)[0], language)[row] if placeholders(template) else ""
        short.append(name.say(language).removeprefix(first).strip())
    return [Text(*short)] if all(short) and short[0] != name.en and not short[0].isdigit() else []


def _ambiguous(draft: Draft, table: str, entity: Entity, claims: Claims) -> None:
    """Pairs of rows with one alias: a short form that both have by nature, otherwise one coined for the two."""
    size, others = draft.size(table), draft.tables[table].aliases
    pairs = min(max(round(entity.ambiguous * size / 2), 1), size // 2)
    rng = stream(draft.seed, "facts", table, "ambiguous")
    waiting: dict[str, tuple[int, Text]] = {}
    order = rng.permutation(size).tolist()
    for row in order:
        for alias in _candidates(draft, table, entity, row, rng) if pairs and entity.name and entity.name.kind else ():
            first = waiting.setdefault(name_key(alias.en), (row, alias))
            if first[0] != row and first[0] not in others and row not in others and claims.take(first[1]):
                others[first[0]], others[row] = [first[1]], [first[1]]
                pairs -= 1
                break
        if pairs == 0:
            return
    cultures = (entity.name.culture if entity.name is not None else None) or draft.schema.cultures
    shared = coined(_SHARED_KIND, cultures, pairs, claims, seed=draft.seed, table=table, part="ambiguous")
    left = [row for row in order if row not in others]
    for alias, one, two in zip(shared, left[::2], left[1::2], strict=False):
        others[one], others[two] = [alias], [alias]


def names_of(facts: Facts) -> frozenset[str]:
    """All names of a world, case folded: scope, entities, aliases and coined attributes, in both languages."""
    texts: list[Text] = [facts.scope]
    for table in facts:
        if table.named:
            texts.extend(table.names)
        texts.extend(alias for others in table.aliases.values() for alias in others)
        for column in table.columns.values():
            texts.extend(column.texts or ())
    return frozenset(form.casefold() for text in texts for form in (text.en, text.zh))


def row_numbers(n: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """What the values of a column of names are."""
    return np.arange(n, dtype=np.int64)
