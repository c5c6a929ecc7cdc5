"""Does each statement say what it is about? Its sentence, or the heading of its column, has a label and the period."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from worldgen.proofs import parsing
from worldgen.proofs.files import Files, Known, Leaf, Said
from worldgen.proofs.report import ProofResult, result


def prove_labels(files: Files) -> ProofResult:
    """A sentence names the attribute by one of the schema's labels and the period; a cell's heading does."""
    labels = Labels(files.schema)
    failures: list[str] = []
    checked = 0
    for said in files.statements:
        page, fact = files.pages.get(said.url), files.facts.get(said.fact)
        if page is None or fact is None or not labels.of(fact):
            continue
        checked += 1
        failures += labels.faults(said, page, fact)
    return result("statements.labels", checked, failures, "every sentence or column names its attribute")


class Labels:
    """How a schema's attributes are named.

    Args:
        schema: The schema in its canonical form.
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        self._labels = _labels(schema)
        self._sentences = _sentences(schema)
        self._every = {name: node["every"] for name, node in schema.get("series", {}).items()}

    def of(self, fact: Known) -> list[str]:
        """The labels of a fact's attribute, case-folded; none where it is named in other ways."""
        return self._labels.get((fact.subject.split("/")[0], fact.attribute)) or []

    def own(self, fact: Known, sentence: str) -> bool:
        """Whether a sentence is one that the schema has for the attribute."""
        return _is_one_of(self._sentences.get((fact.subject.split("/")[0], fact.attribute), []), sentence)

    def faults(self, said: Said, page: Leaf, fact: Known) -> Iterator[str]:
        """What a statement does not say of what it is about."""
        sentence, heading = page.body[said.start : said.end], _heading(page, said)
        where = [sentence, heading]
        if heading and fact.time:
            where += [page.title, page.body[: said.start]]  # its columns are the periods
        named = any(word in text.casefold() for text in where for word in self.of(fact))
        if not named and not self.own(fact, sentence):
            yield f"{said.url}: {sentence!r} does not say that it is about the {fact.attribute}"
        if fact.time and fact.time not in _periods(heading or sentence, sentence, self._every[fact.attribute]):
            yield f"{said.url}: {sentence!r} under {heading!r} does not say that it is about {fact.time}"


def _labels(schema: dict[str, Any]) -> dict[tuple[str, str], list[str]]:
    """(table, attribute) → labels, case-folded."""
    found: dict[tuple[str, str], list[str]] = {}
    for kind in ("entities", "relations"):
        for table, node in schema.get(kind, {}).items():
            for name, spec in node.get("attributes", {}).items():
                found[table, name] = _folded(spec)
    for name, node in schema.get("series", {}).items():
        found[node["of"], name] = _folded(node)
    return found


def _sentences(schema: dict[str, Any]) -> dict[tuple[str, str], list[list[str]]]:
    """(table, attribute) → of each sentence that the schema has for it, the words around name and value."""
    found: dict[tuple[str, str], list[list[str]]] = {}
    for kind in ("entities", "relations"):
        for table, node in schema.get(kind, {}).items():
            for name, spec in node.get("attributes", {}).items():
                sentences = [text for texts in (spec.get("say") or {}).values() for text in texts]
                found[table, name] = [_around(text.casefold()) for text in sentences]
    return found


def _around(sentence: str) -> list[str]:
    """A distance in time takes the place of a preposition too: `on {value}` becomes `three weeks ago`."""
    pieces = re.split(r"(?:\b(?:on|in) )?\{value\}|\{name\}", sentence)
    return [piece.strip(" .。") for piece in pieces if piece.strip(" .。")]


def _is_one_of(sentences: list[list[str]], text: str) -> bool:
    """Whether a text has all words of one of the sentences, in their order."""
    folded = text.casefold()
    for pieces in sentences:
        at = 0
        for piece in pieces:
            at = folded.find(piece, at) + len(piece)
            if at < len(piece):
                break
        else:
            if pieces:
                return True
    return False


def _periods(heading: str, sentence: str, every: str) -> set[str]:
    """Periods named at the head of a table's column, or in the row or sentence itself."""
    return parsing.periods(heading, every) or parsing.periods(sentence, every)


def _folded(node: dict[str, Any]) -> list[str]:
    wordings = [word for words in (node.get("label") or {}).values() for word in words]
    return [word.casefold() for word in wordings]


def _heading(page: Leaf, said: Said) -> str:
    """The heading of the table column that a value stands in; empty outside tables."""
    line_start = page.body.rfind("\n", 0, said.value_start) + 1
    before = page.body[line_start : said.value_start]
    if not before.startswith("|"):
        return ""
    column = before.count("|")
    lines = page.body[:line_start].split("\n")
    for number in range(len(lines) - 1, 0, -1):
        if lines[number].startswith("| ---"):
            cells = lines[number - 1].split("|")
            return cells[column] if column < len(cells) else ""
    return ""
