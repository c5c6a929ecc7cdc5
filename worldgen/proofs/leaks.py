"""Does a result page answer? Under strict withholding it states at most three facts, whatever is asked.

A fact counts as stated where a snippet holds its value with more of the sentence that states it, and where a title, an
address or words outside every labelled sentence give a figure of something that the entry names, in the words by which
any page of the world gives it: a fact that the catalogue does not know of on that page is no less shown for that.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from worldgen.proofs.excerpts import Source, pieces, stated_in, unlabelled
from worldgen.proofs.files import Files, Leaf, Said
from worldgen.proofs.questions import tasks_of
from worldgen.proofs.report import ProofResult, result
from worldgen.proofs.statements import key_parts
from worldgen.scoring.verifiers import ENTRY
from worldgen.seeds import Stream, stream
from worldgen.world import World

CAP = 3
RANDOM_QUERIES = 1_000
_WORDS = re.compile(r"[^\W_]+")
_CHINESE = re.compile("[\u2e81-\U0010ffff]")
_BLANK = "\N{MIDDLE DOT}"
_LEAST = 3  # characters of a figure that can be told from any other number


class Shown(NamedTuple):
    """What result pages showed.

    Attributes:
        asked: How many queries were asked.
        most: The most facts on a result page.
        failures: Where there were too many, and what else was wrong.
    """

    asked: int
    most: int
    failures: list[str]


def prove_cap(files: Files, world: World, random: int = RANDOM_QUERIES) -> ProofResult:
    """The cap holds for each task's own words and for a thousand random and adversarial queries."""
    return judged([ask(files, world, fishing(files, random))])


def fishing(files: Files, random: int = RANDOM_QUERIES) -> list[str]:
    """The queries that are asked, in their order."""
    asked = [query for task in tasks_of(files) for query in [*task["plan"]["queries"], task["question"][:300]]]
    return asked + _adversarial(files, stream(int(files.manifest["seed"]), "proofs", "leaks"), random)


def ask(files: Files, world: World, queries: Sequence[str]) -> Shown:
    """Ask some of them and read what is shown."""
    reader = ResultReader(files)
    failures = []
    most = 0
    tools = world.toolbox(withholding="strict")
    for query in queries:
        stated, strange = reader.read(tools.call("web_search", {"query": query}))
        most = max(most, len(stated))
        failures += [f"{query[:60]!r}: {problem}" for problem in strange]
        if len(stated) > CAP:
            failures.append(f"{query[:60]!r} states {len(stated)} facts: {sorted(stated)[:5]}")
    return Shown(len(queries), most, failures)


def judged(shares: Sequence[Shown]) -> ProofResult:
    """The proof's result from what its queries showed, wherever they were asked."""
    most = max(share.most for share in shares)
    failures = [failure for share in shares for failure in share.failures]
    asked = sum(share.asked for share in shares)
    return result("search.fact-cap", asked, failures, f"at most {most} facts on a result page")


class ResultReader:
    """Reads result pages: which facts do they state?"""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._parts = key_parts(files)
        self._said: dict[str, list[Said]] = defaultdict(list)
        wordings: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for said in files.statements:
            page = files.pages.get(said.url)
            if page is None:
                continue
            self._said[said.url].append(said)
            words = page.body[said.value_start : said.value_end].strip()
            if said.fact in files.facts and _telling(words):
                wordings[files.facts[said.fact].subject][said.fact].add(words)
        self._wordings = {
            subject: [(fact, sorted(words)) for fact, words in sorted(facts.items())]
            for subject, facts in wordings.items()
        }
        self._owners = self._named()
        self._rows_of: dict[str, list[str]] = defaultdict(list)
        for row, parts in self._parts.items():
            for part in parts:
                self._rows_of[part].append(row)
        self._sources: dict[str, Source] = {}
        self._seen: dict[tuple[str, str, str], tuple[frozenset[str], str]] = {}

    def read(self, text: str) -> tuple[set[str], list[str]]:
        """The facts that a result page states, and what is wrong with it otherwise."""
        found: set[str] = set()
        strange = []
        for url, title, snippet, _ in ENTRY.findall(text):
            page = self._files.pages.get(url)
            if page is None:
                continue
            key = (url, title, snippet)
            if key not in self._seen:
                self._seen[key] = self._entry(page, title, snippet)
            facts, problem = self._seen[key]
            found |= facts
            strange += [problem] if problem else []
        return found, strange

    def _entry(self, page: Leaf, title: str, snippet: str) -> tuple[frozenset[str], str]:
        source = self._sources.get(page.url) or self._sources.setdefault(page.url, Source.of(page.body))
        said = self._said[page.url]
        stated = set()
        loose = [title, re.sub(r"\W+|_", " ", page.url.partition("://")[2])]
        problem = ""
        for piece in pieces(snippet):
            spans = list(source.spans(piece))
            if not spans:
                loose.append(piece)
                if not _announced(piece, page):
                    problem = f"{page.url} is shown with {piece[:60]!r}, which is not on the page"
                continue
            # A reader cannot tell which of two like stretches was meant, so the one that states least counts.
            best = min(spans, key=lambda span: len(stated_in(span, said, page.body)))
            stated |= stated_in(best, said, page.body)
            loose.append(unlabelled(best, said, page))
        return frozenset(stated | self._figures(page, title, loose)), problem

    def _figures(self, page: Leaf, title: str, texts: list[str]) -> set[str]:
        """Facts whose figure stands in loose text beside the name of what it is about."""
        found: set[str] = set()
        for text in texts:
            folded = f"{title} / {text}".casefold()
            for subject in self._subjects({page.subject} | self._named_in(folded)):
                bare = _without(text, self._names_of(subject))
                found.update(fact for fact, figures in self._wordings.get(subject, ()) if _holds(bare, figures))
        return found

    def _subjects(self, named: set[str]) -> list[str]:
        """What the named entities are the subjects of: themselves, and rows all of whose key they make up."""
        rows = {row for entity in named for row in self._rows_of.get(entity, ()) if set(self._parts[row]) <= named}
        return sorted(entity for entity in named | rows if entity in self._wordings)

    def _named_in(self, folded: str) -> set[str]:
        """The entities that a text names; a name is looked for only where its first word stands."""
        found: set[str] = set()
        pairs = [folded[match.start() : match.start() + 2] for match in _CHINESE.finditer(folded)]
        for start in {*_WORDS.findall(folded), *pairs}:
            for name, entities in self._owners.get(start, ()):
                if name in folded:
                    found.update(entities)
        return found

    def _names_of(self, subject: str) -> list[str]:
        return sorted(
            (name for part in self._parts.get(subject, [subject]) for name in self._files.surfaces.get(part, ())),
            key=len,
            reverse=True,
        )

    def _named(self) -> dict[str, list[tuple[str, list[str]]]]:
        """The start of a name (its first word, or two characters in Chinese) → names and what they name."""
        owners: dict[str, list[str]] = defaultdict(list)
        for entity, surfaces in sorted(self._files.surfaces.items()):
            if entity not in self._parts:
                for surface in sorted(surfaces):
                    owners[surface].append(entity)
        found: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
        for name, entities in owners.items():
            first = _WORDS.search(name)
            found[name[:2] if name[:1] > "\u2e80" or first is None else first.group()].append((name, entities))
        return found


def _telling(words: str) -> bool:
    """Whether words are a figure that tells a fact: digits, and more of them than any count or year has."""
    digits = sum(char.isdigit() for char in words)
    return len(words) >= _LEAST and digits > 0 and not (words.isdigit() and digits <= 4)


def _holds(text: str, figures: list[str]) -> bool:
    """Whether a text holds one of the figures, and not as a part of a longer figure or word."""
    for figure in figures:
        at = text.find(figure)
        while at >= 0:
            before, after = text[at - 1 : at], text[at + len(figure) : at + len(figure) + 1]
            if not (before and (_joins(before) or before in ".,")) and not _joins(after):
                return True
            at = text.find(figure, at + 1)
    return False


def _joins(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _without(text: str, names: list[str]) -> str:
    folded = text.casefold()
    for name in names:
        if name not in folded or len(folded) != len(text):
            continue
        at = folded.find(name)
        while at >= 0:
            text = f"{text[:at]}{_BLANK * len(name)}{text[at + len(name) :]}"
            folded = f"{folded[:at]}{_BLANK * len(name)}{folded[at + len(name) :]}"
            at = folded.find(name, at + len(name))
    return text


def _announced(piece: str, page: Leaf) -> bool:
    """Whether a piece is made of what an entry tells of its page anyway: site, genre and title."""
    parts = [part.strip().casefold() for part in re.split(r" · ", piece)]
    known = {page.site.casefold(), page.genre.replace("_", " ").casefold(), page.title.casefold()}
    return all(part in known for part in parts) or piece.casefold() in page.title.casefold()


def _adversarial(files: Files, rng: Stream, n: int) -> list[str]:
    """Queries that fish: exact sentences, names with attributes, values, words of pages, and plain noise."""
    names = sorted(text for pair in files.names.values() for text in pair)
    labels = sorted({f.attribute.replace("_", " ") for f in files.facts.values()})
    values = sorted({f.value for f in files.facts.values() if f.value})
    pages = sorted(files.pages)
    noise = ["", "?", '"', "AND OR NOT", "🏔", 'C++ "', "O'Brien", "Foo (1990", "的", "*:*", "\x00", "a" * 3_000]
    queries: list[str] = list(noise)
    while len(queries) < n:
        page = files.pages[rng.choice(pages)] if pages else None
        kind = rng.integer(5)
        if page is None or kind == 0:
            queries.append(f"{rng.choice(names)} {rng.choice(labels)}" if names and labels else "nothing")
        elif kind == 1:
            start = rng.integer(max(1, len(page.body) - 120))
            queries.append(page.body[start : start + 120])
        elif kind == 2:
            queries.append(" ".join(rng.sample(names, 3)))
        elif kind == 3:
            queries.append(f"{rng.choice(labels)} {rng.choice(values)}" if values else page.title)
        else:
            queries.append(" ".join(rng.sample(page.body.split(), 6)))
    return queries
