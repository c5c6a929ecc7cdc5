"""Do the world's files say what its database says? Corpus, graph, counts, and the links that pages show."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from worldgen.proofs.files import Files
from worldgen.proofs.report import ProofResult, result

_LINK = re.compile(r"(?<!!)\[([^\]\n]*)\]\(([^)\s]+)\)")
_GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
_PAGE = ("url", "site", "genre", "language", "title", "date", "author", "trust", "kind", "subject", "body")


def prove_corpus(files: Files) -> ProofResult:
    """``corpus.jsonl`` holds the catalogue's pages, with their links and statements, in the order of their URLs."""
    failures: list[str] = []
    records = _corpus(files)
    if [record.get("url") for record in records] != sorted(files.pages):
        failures.append(f"the file has {len(records)} pages in its order, the catalogue {len(files.pages)}")
    links = files.links
    statements: dict[str, list[list[object]]] = defaultdict(list)
    for said in files.statements:
        statements[said.url].append(list(said[1:]))
    for record in records:
        page = files.pages.get(record.get("url", ""))
        if page is None:
            continue
        url = page.url
        failures += [f"{url}: its {n} differs" for n in _PAGE if record.get(n) != getattr(page, n)]
        if [tuple(link) for link in record["links"]] != links.get(url, []):
            failures.append(f"{url}: its links differ")
        if record["statements"] != statements[url]:
            failures.append(f"{url}: its statements differ")
        if record.get("canary") != files.manifest["canary"]:
            failures.append(f"{url}: it does not carry the world's canary")
    return result("integrity.corpus", len(records), failures, "the corpus file says what the catalogue says")


def _corpus(files: Files) -> list[dict[str, Any]]:
    path = files.world / "corpus.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line] if path.is_file() else []


def prove_links(files: Files) -> ProofResult:
    """The links that the catalogue lists are those that a reader of the page sees, text and target."""
    failures = []
    counted = 0
    for url, page in files.pages.items():
        seen = sorted((target, text) for text, target in _LINK.findall(page.body))
        listed = sorted(files.links.get(url, []))
        counted += len(listed)
        if seen != listed:
            odd = sorted(set(seen) ^ set(listed))[:1] or "the number of its links"
            failures.append(f"{url}: text and catalogue differ in {odd}")
    return result("integrity.links", counted, failures, "pages show the links that the catalogue lists")


def prove_graph(files: Files) -> ProofResult:
    """``graph.graphml`` has a node for each entity, an edge for each ref, and every value at its node."""
    root = ElementTree.parse(files.world / "graph.graphml").getroot()
    nodes: dict[str, dict[str, str]] = {}
    for node in root.iter(f"{_GRAPHML}node"):
        nodes[node.attrib["id"]] = {d.attrib["key"]: d.text or "" for d in node.iter(f"{_GRAPHML}data")}
    drawn = list(root.iter(f"{_GRAPHML}edge"))
    edges = {(edge.attrib["source"], edge.attrib["target"], _type_of(edge)) for edge in drawn}
    failures = [] if len({edge.attrib.get("id") for edge in drawn}) == len(drawn) else ["two edges have one id"]
    failures += [f"{entity} is in graph or catalogue only" for entity in sorted(set(nodes) ^ set(files.names))]
    failures += list(_nodes(files, nodes))
    wanted = _edges(files)
    failures += [f"the edge {edge} is in graph or facts only" for edge in sorted(edges ^ wanted)]
    graph = root.find(f"{_GRAPHML}graph")
    marks = [] if graph is None else [data.text for data in graph.findall(f"{_GRAPHML}data")]
    if files.manifest["canary"] not in marks:
        failures.append("the graph does not carry the world's canary")
    return result("integrity.graph", len(nodes) + len(edges), failures, "the graph says what the facts say")


def _type_of(edge: ElementTree.Element) -> str:
    return next((data.text or "" for data in edge.iter(f"{_GRAPHML}data") if data.attrib["key"] == "type"), "")


def _nodes(files: Files, nodes: dict[str, dict[str, str]]) -> Iterator[str]:
    wanted: dict[str, dict[str, str]] = defaultdict(dict)
    for fact in files.facts.values():
        if fact.value is not None and fact.type != "ref":
            wanted[fact.subject][f"{fact.attribute}@{fact.time}" if fact.time else fact.attribute] = fact.value
    for entity, kind, name, name_zh in files.rows("SELECT id, type, name, name_zh FROM wg_entity"):
        said = {"name_zh": name_zh, "type": kind, "name": name} | wanted[entity]
        found = nodes.get(entity, {})
        odd = [key for key in sorted({*said, *found}) if said.get(key, "") != found.get(key, "")]
        if entity in nodes and odd:
            yield f"{entity}: {odd[0]} is {found.get(odd[0])!r} in the graph, {said.get(odd[0])!r} in the facts"


def _edges(files: Files) -> set[tuple[str, str, str]]:
    found = {(f.subject, f.value, f.attribute) for f in files.facts.values() if f.type == "ref" and f.value is not None}
    for (table,) in files.rows("SELECT DISTINCT type FROM wg_entity WHERE named = 0"):
        for row in files.table(table):
            found |= {(row["id"], cell, n) for n, cell in row.items() if n != "id" and cell in files.names}
    return found


def prove_counts(files: Files) -> ProofResult:
    """The manifest counts what is there, and names the world that the schema describes."""
    counts = files.manifest["counts"]
    series = {f"{s['of']}_{name}" for name, s in files.schema.get("series", {}).items()}
    found = {
        "tables": len(files.tables),
        "rows": sum(files.rows(f'SELECT count(*) FROM "{table}"')[0][0] for table in files.tables),
        "entities": sum(
            files.rows(f'SELECT count(*) FROM "{table}"')[0][0]
            for table in files.tables
            if table not in series and table not in files.schema.get("relations", {})
        ),
        "facts": len(files.facts),
        "pages": len(files.pages),
        "statements": len(files.statements),
        "haystack": files.rows("SELECT count(*) FROM wg_page WHERE kind = 'haystack'")[0][0],
        "tasks": len(files.task_lines),
    }
    failures = [
        f"{n}: the manifest says {counts.get(n)}, there are {found[n]}" for n in found if counts.get(n) != found[n]
    ]
    if files.manifest["world"] != files.schema["world"]:
        failures.append(f"the manifest is of {files.manifest['world']}, the schema of {files.schema['world']}")
    return result("integrity.counts", len(found), failures, "the manifest counts what is there")
