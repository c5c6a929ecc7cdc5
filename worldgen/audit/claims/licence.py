"""What one text may say: the index's own text, the claims of its statements, and the names and words in it."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from worldgen.audit.claims.amounts import amounts
from worldgen.audit.claims.dates import days
from worldgen.audit.claims.lexicon import Lexicon
from worldgen.audit.claims.text import LINK, Piece, clean, key, links, pieces, table_key, urls
from worldgen.audit.claims.traits import Trait
from worldgen.audit.claims.words import stems
from worldgen.records import Page, Statement

_SPARE = re.compile(r"[\W_]+")
_CAPITAL = re.compile(r"[A-Z][\w&']*(?:-\w+)*")


@dataclass(frozen=True, slots=True)
class Claim:
    """A value that a text may state: what the page claims, which a stale page goes on claiming.

    Attributes:
        fact: Id of the fact.
        subject: The entity.
        trait: The attribute.
        time: The period, or "".
        value: Canonical text; "" where it is stated as not disclosed.
        number: The value as a number in the base of its dimension, for numbers and years.
        day: The value as a date.
        source: The sentence that states it in the index's own text, as a key.
        words: What gives the value in that sentence.
        derived: Whether the sentence needs arithmetic.
    """

    fact: str
    subject: str
    trait: Trait
    time: str
    value: str
    number: Fraction | None
    day: dt.date | None
    source: str
    words: str
    derived: bool


@dataclass(frozen=True, slots=True)
class Licence:
    """What one text may say; make it with `page_licence`.

    Attributes:
        text: The index's own text, cleaned.
        subject: The entity that the page is about, or "".
        date: The page's date.
        claims: What may be stated.
        sentences: Key of each sentence of the text → the claims that it states.
        tables: Key of each table → the claims in it.
        names: Ids that may be named.
        words: Capitalised words that may be used, in lower case.
        foreign: Names in links of which the world's facts say nothing, in lower case.
        links: Text and URL of the links.
        urls: All addresses.
        order: Keys of sentences that follow one another.
        loose: Numbers and dates outside the statements → stems of the sentences they stand in.
        seen: What the session was shown before.
        plain: The text in lower case, names and links blanked out.
    """

    text: str
    subject: str
    date: dt.date | None
    claims: tuple[Claim, ...]
    sentences: dict[str, tuple[Claim, ...]]
    tables: dict[str, tuple[Claim, ...]]
    names: frozenset[str]
    words: frozenset[str]
    foreign: frozenset[str]
    links: frozenset[tuple[str, str]]
    urls: frozenset[str]
    order: frozenset[tuple[str, str]] = frozenset()
    loose: Mapping[str, tuple[frozenset[str], ...]] = field(default_factory=dict)
    seen: tuple[Licence, ...] = ()
    plain: str = ""


def page_licence(
    lexicon: Lexicon,
    page: Page,
    statements: Iterable[Statement],
    *,
    text: str,
    names: Iterable[str] = (),
    seen: Iterable[Licence] = (),
) -> Licence:
    """The licence of a text made from a page.

    Args:
        lexicon: The world's words in the page's language.
        page: The page.
        statements: Those of the page that the text may state: all for a page, for a snippet those that it touches.
        text: The index's own text: the page's body, or the snippet.
        names: Further texts whose names and words may be used, e.g. the search's own words.
        seen: Licences of what the session was shown before, for the reasons alone.
    """
    own = clean(text)
    claims = tuple(claim for claim in (_claim(lexicon, page, s) for s in statements) if claim is not None)
    cut = pieces(own)
    told = "\n".join([own, *(clean(extra) for extra in (page.title, page.site, page.author, *names))])
    ids = {i for named in lexicon.names.find(told) for i in named.ids} | {claim.subject for claim in claims}
    ids |= {claim.value for claim in claims if claim.trait.kind == "ref"} | ({page.subject} if page.subject else set())
    ids |= {part for bearer in list(ids) for part in lexicon.phrased.get(bearer, ((), ()))[0]}
    sentences: dict[str, tuple[Claim, ...]] = {}
    tables: dict[str, tuple[Claim, ...]] = {}
    for piece in cut:
        if piece.kind == "table":
            tables[table_key(piece.text)] = _within(claims, table_key(piece.text), rows=True)
        else:
            sentences[key(piece.text)] = _within(claims, key(piece.text), rows=False)
    if page.title:
        sentences.setdefault(key(clean(page.title)), ())
    sequence = ["" if piece.kind == "table" else key(piece.text) for piece in cut]
    return Licence(
        text=own,
        subject=page.subject,
        date=_date(page.date),
        claims=claims,
        sentences=sentences,
        tables=tables,
        names=frozenset(ids),
        words=frozenset(word for match in _CAPITAL.finditer(told) for word in _parts(match[0])),
        foreign=frozenset(label.lower() for label, _ in links(own) if not lexicon.names.find(label)),
        links=frozenset(links(own)),
        urls=frozenset(urls(own)),
        order=frozenset(zip(["", *sequence], sequence, strict=False)),
        loose=_loose(lexicon, cut, claims),
        seen=tuple(seen),
        plain=_plain(lexicon, own),
    )


def _plain(lexicon: Lexicon, text: str) -> str:
    rest = LINK.sub(lambda m: " " * len(m[0]), text)
    out = list(rest)
    for named in lexicon.names.find(rest):
        out[named.start : named.end] = " " * (named.end - named.start)
    return "".join(out).lower()


def _parts(word: str) -> list[str]:
    lower = word.lower().removesuffix("'s")
    return [lower, *lower.split("-")]


def _date(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        return None


def _within(claims: tuple[Claim, ...], own: str, *, rows: bool) -> tuple[Claim, ...]:
    if rows:
        lines = set(own.split("\n"))
        return tuple(claim for claim in claims if claim.source in lines)
    return tuple(claim for claim in claims if claim.source and (claim.source in own or _gives(own, claim)))


def _gives(own: str, claim: Claim) -> bool:
    """Whether a sentence is the part of a longer statement that gives its value; a name or the value alone is not."""
    values = [key(part.text) for part in pieces(claim.words)]
    bare = _SPARE.sub("", own)
    return own in claim.source and any(value in own and _SPARE.sub("", value) != bare for value in values)


def _claim(lexicon: Lexicon, page: Page, statement: Statement) -> Claim | None:
    place, _, time = statement.fact.partition("@")
    subject, _, attribute = place.rpartition("/")
    trait = lexicon.trait(subject, attribute)
    if trait is None:
        return None
    sentence = clean(page.body[statement.start : statement.end])
    parts = pieces(sentence)
    is_row = bool(parts) and parts[0].kind == "table"
    value = statement.claimed
    return Claim(
        fact=statement.fact,
        subject=subject,
        trait=trait,
        time=time,
        value=value,
        number=number_of(trait, value),
        day=_date(value) if trait.kind == "date" else None,
        source=table_key(sentence) if is_row else key(" ".join(part.text for part in parts)),
        words=clean(page.body[statement.value_start : statement.value_end]),
        derived=statement.form == "two_step" and not is_row,
    )


def number_of(trait: Trait, value: str | None) -> Fraction | None:
    """A canonical value as a number in the base of its dimension; None where it is none."""
    if not value or trait.kind not in ("integer", "decimal", "money", "percent", "year"):
        return None
    try:
        return Fraction(value) * trait.factor
    except (ValueError, ZeroDivisionError):
        return None


def _loose(lexicon: Lexicon, cut: list[Piece], claims: tuple[Claim, ...]) -> dict[str, tuple[frozenset[str], ...]]:
    found: dict[str, list[frozenset[str]]] = {}
    said_words = {claim.words for claim in claims if claim.words}
    said_words |= {part.text for words in said_words for part in pieces(words)}
    words = sorted(said_words, key=lambda word: (-len(word), word))
    for piece in cut:
        if piece.kind == "table" or not re.search(r"[\d一二三四五六七八九十]", piece.text):
            continue
        rest = piece.text
        for word in words:
            rest = rest.replace(word, " ")
        said: list[tuple[int, int]] = [(d.start, d.end) for d in days(rest, lexicon.language)]
        said += [(a.start, a.end) for a in amounts(rest, lexicon.language)]
        for start, end in said:
            told = frozenset(stems(rest[:start] + " " + rest[end:], lexicon.language))
            found.setdefault(rest[start:end].strip().lower(), []).append(told)
    return {number: tuple(told) for number, told in found.items()}
