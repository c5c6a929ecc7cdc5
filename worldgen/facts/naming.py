"""Gives every row its name or phrase, some rows other names, and the world its scope; no two things share a name.

Each type coins from its own streams without looking at the others; only where two types hit on the same name is the
later one coined again, so that the types do not shift one another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from worldgen.errors import GenerationError
from worldgen.facts.given import named
from worldgen.facts.paths import Draft
from worldgen.facts.plan import placeholders
from worldgen.facts.tables import Facts, Table, Text
from worldgen.language import Name, aliases, coin, folded, known, name_key
from worldgen.records import Language
from worldgen.schema.model import Entity
from worldgen.seeds import stream

_ROUNDS = 20
_PIECES = re.compile(r"\{[^{}]*\}")
_LANGUAGES: tuple[Language, Language] = ("en", "zh")
_ROMAN = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
_SHARED_KIND = "brand"


class Claims:
    """The names taken so far, in both languages."""

    def __init__(self, avoid: Iterable[str] = ()) -> None:
        self._taken = {name_key(text) for text in avoid}

    def reserve(self, text: str) -> bool:
        """Take a name of one language; False where it is taken already."""
        key = name_key(text)
        free = key not in self._taken
        self._taken.add(key)
        return free

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
            if not mine:
                continue
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
    entity = draft.schema.entities[table]
    if entity.name is None:
        return phrases(draft, table, entity.phrase or {})
    given = draft.given.names.get(table, ())
    drawn = _drawn_names(draft, table, entity, claims)
    return [*(named(text, name) for text, name in zip(given, drawn, strict=False)), *drawn[len(given) :]]


def _drawn_names(draft: Draft, table: str, entity: Entity, claims: Claims) -> list[Text]:
    assert entity.name is not None
    size = draft.size(table)
    if entity.name.kind is not None:
        cultures = entity.name.culture or draft.schema.cultures
        return coined(entity.name.kind, cultures, size, claims, seed=draft.seed, table=table, part="name")
    names = phrases(draft, table, entity.name.template or {})
    return [_numbered(name, claims, real=real) for name, real in zip(names, _real(names), strict=True)]


def _real(names: Sequence[Text]) -> list[bool]:
    """Whether each is a name of the real world; only one of a single word may be, as a coined word never is."""
    single = [row for row, name in enumerate(names) if name.en.isalpha()]
    found = [False] * len(names)
    en, zh = known([folded(names[row].en) for row in single]), known([names[row].zh for row in single])
    for row, *told in zip(single, en, zh, strict=True):
        found[row] = any(told)
    return found


def _numbered(name: Text, claims: Claims, *, real: bool) -> Text:
    """The name, or its second, third … generation where it is real or taken."""
    candidate, generation = name, 1
    while (real and candidate is name) or not claims.take(candidate):
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
    """Give the declared share of rows another name, and pairs of rows a name that they share.

    Fewer rows get one where their names have no shorter form that is free.
    """
    entity = draft.schema.entities.get(table)
    if entity is None or entity.name is None or not (entity.aliases or entity.ambiguous):
        return
    forms = _Forms(draft, table, entity)
    if entity.ambiguous:
        _ambiguous(draft, table, entity, forms, claims)
    others = draft.tables[table].aliases
    wanted = round(entity.aliases * draft.size(table))
    for row in stream(draft.seed, "facts", table, "aliases").permutation(draft.size(table)).tolist():
        if len(others) >= wanted:
            return
        if row not in others:
            free = [alias for alias in forms.of(row) if forms.is_own(row, alias) or claims.take(alias)]
            others.update({row: free[:1]} if free else {})


class _Forms:
    """The shorter forms of a table's names."""

    def __init__(self, draft: Draft, table: str, entity: Entity) -> None:
        assert entity.name is not None
        self.kind = entity.name.kind
        self.names = draft.tables[table].names
        self.coined = [column.texts for column in draft.tables[table].columns.values() if column.texts is not None]
        self.rng = stream(draft.seed, "facts", table, "forms")
        self.first: list[list[str]] = []
        for language in _LANGUAGES if entity.name.template else ():
            template = (entity.name.template or {}).get(language) or next(iter((entity.name.template or {}).values()))
            paths = placeholders(template)
            self.first.append(draft.says(table, paths[0], language) if len(paths) > 1 else [])

    def of(self, row: int) -> list[Text]:
        """Of a coined name its customary short forms that are not real; of a built one what follows its first part."""
        name = self.names[row]
        if self.kind is not None:
            found = [Text(a.en, a.zh) for a in aliases(Name(name.en, name.zh), self.kind, self.rng)]
            return [alias for alias in found if not any(known([folded(alias.en), alias.zh]))]
        if not all(self.first):
            return []
        en, zh = (name.say(lang).removeprefix(self.first[i][row]).strip() for i, lang in enumerate(_LANGUAGES))
        return [Text(en, zh)] if en and zh and en != name.en and not en.isdigit() else []

    def is_own(self, row: int, alias: Text) -> bool:
        """Whether the alias is a coined attribute of the same row, which nothing else is called either."""
        return any(texts[row].en == alias.en and texts[row].zh == alias.zh for texts in self.coined)


def _ambiguous(draft: Draft, table: str, entity: Entity, forms: _Forms, claims: Claims) -> None:
    """Pairs of rows with one alias: a short form that both have by nature, otherwise one coined for the two."""
    size, others = draft.size(table), draft.tables[table].aliases
    pairs = min(max(round(entity.ambiguous * size / 2), 1), size // 2)
    waiting: dict[str, tuple[int, Text]] = {}
    order = stream(draft.seed, "facts", table, "ambiguous").permutation(size).tolist()
    for row in order if entity.name is not None and entity.name.kind is not None else ():
        for alias in forms.of(row):
            other, shared = waiting.setdefault(name_key(alias.en), (row, alias))
            if pairs and other != row and other not in others and row not in others and claims.take(shared):
                others[other], others[row] = [shared], [shared]
                pairs -= 1
        if pairs == 0:
            return
    cultures = (entity.name.culture if entity.name is not None else None) or draft.schema.cultures
    names = coined(_SHARED_KIND, cultures, pairs, claims, seed=draft.seed, table=table, part="ambiguous")
    left = [row for row in order if row not in others]
    for alias, one, two in zip(names, left[::2], left[1::2], strict=False):
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
