"""Does a result page answer? Under strict withholding it states at most three facts, whatever is asked."""

from __future__ import annotations

import re
from collections import defaultdict

from worldgen.proofs.files import Files, Said
from worldgen.proofs.questions import tasks_of
from worldgen.proofs.report import ProofResult, result
from worldgen.proofs.statements import key_parts
from worldgen.seeds import Stream, stream
from worldgen.world import World

CAP = 3
RANDOM_QUERIES = 1_000
_ENTRY = re.compile(r"^\[\d+\] (\S+)\nTitle: (.*)\nSnippet: (.*)\nDate: (.*)$", re.MULTILINE)
_MARKS = re.compile(r"\]\([^)]*\)|[|*_`#\[\]>]")


def prove_cap(files: Files, world: World) -> ProofResult:
    """The cap holds for each task's own words and for a thousand random and adversarial queries."""
    index = _Index(files)
    asked = [query for task in tasks_of(files) for query in [*task["plan"]["queries"], task["question"][:300]]]
    asked += _adversarial(files, stream(int(files.manifest["seed"]), "proofs", "leaks"), RANDOM_QUERIES)
    failures = []
    most = 0
    tools = world.toolbox(withholding="strict")
    for query in asked:
        stated = index.stated(tools.call("web_search", {"query": query}))
        most = max(most, len(stated))
        if len(stated) > CAP:
            failures.append(f"{query[:60]!r} states {len(stated)} facts: {sorted(stated)[:5]}")
    return result("search.fact-cap", len(asked), failures, f"at most {most} facts on a result page")


class _Index:
    """Statements by page, each with the words that tell it from any other text."""

    def __init__(self, files: Files) -> None:
        self._marks: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
        self._files = files
        self._parts = key_parts(files)
        for said in files.statements:
            page = files.pages.get(said.url)
            if page is not None:
                self._marks[said.url].append((said.fact, _neighbourhoods(page.body, said)))

    def stated(self, text: str) -> set[str]:
        """Facts that a result page states.

        The entry names what the fact is about, and the value stands there beside a neighbour from its sentence.
        """
        found = set()
        for url, title, snippet, date in _ENTRY.findall(text):
            shown = f" {_plain(title)} / {_plain(snippet)} / {date} "
            folded = shown.casefold()
            for fact, marks in self._marks.get(url, ()):
                if any(mark in shown for mark in marks) and self._about(fact, folded):
                    found.add(fact)
        return found

    def _about(self, fact: str, folded: str) -> bool:
        subject = self._files.facts[fact].subject
        parts = self._parts.get(subject, [subject])
        return all(any(surface in folded for surface in self._files.surfaces.get(part, ())) for part in parts)


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub(" ", text).split())


def _neighbourhoods(body: str, said: Said) -> list[str]:
    value = _plain(body[said.value_start : said.value_end])
    before = _plain(body[said.start : said.value_start])
    after = _plain(body[said.value_end : said.end])
    marks = []
    if before:
        apart = body[said.value_start - 1 : said.value_start] in " |"
        marks.append(f"{before.split()[-1]} {value}" if apart else before[-2:] + value)
    if after:
        apart = body[said.value_end : said.value_end + 1] in " |"
        marks.append(f"{value} {after.split()[0]}" if apart else value + after[:2])
    return [mark for mark in marks if len(mark) > len(value)] if value else []


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
