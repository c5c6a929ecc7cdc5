"""A whole question in words: a reason, the request, the columns, the conventions, the form of the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldgen.facts.tables import EPOCH, Facts
from worldgen.language import ValueSpec, join_list, plain, said_scope, unit
from worldgen.seeds import Stream
from worldgen.tasks.cells import category_text
from worldgen.tasks.frame import Frame
from worldgen.tasks.meaning import NUMBERS, Meaning, meaning
from worldgen.tasks.query import Agg, Attr, Order, TableQuery, Term
from worldgen.tasks.wording.clauses import Speaker
from worldgen.tasks.wording.headings import headings
from worldgen.tasks.wording.lexicon import Lexicon, sayable
from worldgen.tasks.words import words


@dataclass(frozen=True, slots=True)
class Wording:
    """A question, its column headings, and the words a first search can be made of: the noun and the setting."""

    question: str
    headings: tuple[str, ...]
    noun: str
    scope: str


def write_question(query: TableQuery, frame: Frame, language: str, rng: Stream) -> Wording | None:
    """Put a query into words; None where its columns cannot be told apart, or an aggregate of one makes no sense."""
    facts = frame.facts
    if not sayable(query, facts, language):
        return None
    speaker = Speaker(Lexicon(facts, language, rng), query.subject)
    many = speaker.lexicon.noun(query.subject)[1]
    told = headings(query, speaker)
    if told is None:
        return None
    tables = words(language).tables
    scope = scope_phrase(facts, language, many)
    kind = _Rules(query, told, frame, language, rng)
    between = "、" if language == "zh" else ", "
    question = rng.choice(tables["voices"]).format(
        reason=rng.choice(_reasons(facts, query.subject, language)),
        target=_target(query, speaker, many, scope),
        columns=between.join(kind.quoted(list(told))),
        rules=("" if language == "zh" else " ").join(kind.sentences()),
        format=rng.choice(tables["format"]).format(first=told[0]),
    )
    return Wording(question, told, many, scope)


def scope_phrase(facts: Facts, language: str, many: str) -> str:
    """The world's setting in words that go with a noun."""
    phrases = facts.schema.scope.phrase
    text = phrases.get(language) or phrases.get("en") or "{name}"  # type: ignore[call-overload]
    return said_scope(str(text), facts.scope.say(language), [many], language)


def _reasons(facts: Facts, subject: str, language: str) -> list[str]:
    node = facts.schema.tasks.subjects.get(subject)
    own = list(node.reasons.get(language, [])) if node is not None else []  # type: ignore[call-overload]
    return own or list(words(language).tables["reasons"])


def _target(query: TableQuery, speaker: Speaker, many: str, scope: str) -> str:
    tables, rng, zh = speaker.tables, speaker.rng, speaker.language == "zh"
    clause, exception = speaker.clauses(query.where)
    clause = clause and next(before for start, before in tables["after"].items() if clause.startswith(start)) + clause
    fields: dict[str, Any] = {"nouns": many, "scope": scope, "clauses": clause}
    if query.order is None:
        kind = "all" if clause or not zh else "plain"
        return str(rng.choice(tables["target"][kind]).format(**fields)) + exception
    found = meaning(speaker.facts, query.subject, query.order.term)
    fields |= {
        "k": query.limit,
        "label": speaker.label(query.order.term),
        "superlative": _superlative(query.order, found, tables["superlatives"]),
        "order": _superlative(query.order, found, tables["orders"]),
    }
    kind = "both" if clause or exception else "top"
    if found.hops or (zh and not isinstance(query.order.term, Attr)):
        kind += "_reached"
    return str(rng.choice(tables["target"][kind]).format(**fields)) + exception


def _superlative(order: Order, found: Meaning, said: Mapping[str, Sequence[str]]) -> str:
    kind = "number" if found.type in NUMBERS else "time"
    counted = isinstance(order.term, Agg) and order.term.how == "count"
    if counted or (found.unit is not None and unit(found.unit).dimension == "count"):
        kind = "count"
    return said[kind][int(order.descending)]


class _Rules:
    """The conventions that the columns of a query call for."""

    def __init__(self, query: TableQuery, told: Sequence[str], frame: Frame, language: str, rng: Stream) -> None:
        self.query = query
        self.told = told
        self.frame = frame
        self.language = language
        self.rng = rng
        self.tables = words(language).tables
        self.meanings = [frame.meaning(query.subject, term) for term in query.terms]

    def quoted(self, texts: list[str]) -> list[str]:
        return [self.tables["quote"].format(heading=text) for text in texts]

    def say(self, rule: str, **fields: object) -> str:
        return str(self.rng.choice(self.tables["rules"][rule]).format(**fields))

    def sentences(self) -> list[str]:
        as_of = (self.frame.facts.schema.as_of - EPOCH).days + EPOCH.toordinal()
        said = [self.say("rows", as_of=plain(ValueSpec("date"), as_of, 0, self.language))]
        if len(self.query.keys) > 1:
            keys = join_list(self.quoted(list(self.told[: len(self.query.keys)])), self.language)
            said.append(self.say("keys", keys=keys))
        else:
            said.append(self.say("key"))
        form = [*self._by_type(), *self._by_column()]
        said += self.rng.shuffled(form)
        said.append(self.say("undisclosed", text=words(self.language).undisclosed))
        said.append(self.say("conflict"))
        return said

    def _by_type(self) -> list[str]:
        types = {found.type for found in self.meanings}
        said = []
        if types & {"name", "ref"}:
            said.append(self.say("names"))
        if "date" in types:
            said.append(self.say("dates"))
        if "year" in types:
            said.append(self.say("years"))
        for found in self.meanings:
            if found.type == "period" and found.column is not None:
                said.append(self.say(f"periods_{found.column.every}"))
        if types & {"integer", "decimal", "money"}:
            said.append(self.say("numbers"))
        if "percent" in types:
            said.append(self.say("percents"))
        return list(dict.fromkeys(said))

    def _by_column(self) -> list[str]:
        said = []
        means: dict[int, list[str]] = {}
        booleans = []
        for term, found, heading in zip(self.query.terms, self.meanings, self.told, strict=True):
            if isinstance(term, Agg) and term.how == "mean":
                means.setdefault(term.decimals, []).append(heading)
            elif found.type == "boolean":
                booleans.append(heading)
            elif found.type == "category" and found.column is not None:
                said.append(self._choices(term, found, heading))
        for decimals in sorted(means):
            listed = join_list(self.quoted(means[decimals]), self.language)
            said.append(self.say("mean", headings=listed, places=self.tables["places"][decimals]))
        if booleans:
            listed = join_list(self.quoted(booleans), self.language)
            said.append(self.say("yes_no", headings=listed, yes=words(self.language).yes, no=words(self.language).no))
        return said

    def _choices(self, term: Term, found: Meaning, heading: str) -> str:
        assert found.column is not None
        values = [category_text(found.column, key, self.language) for key in found.column.categories]
        return self.say("choices", heading=self.quoted([heading])[0], values=self.tables["join"]["comma"].join(values))
