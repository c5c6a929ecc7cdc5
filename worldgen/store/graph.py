"""The facts as a graph: entities are nodes, refs and relation rows are edges, other values are node attributes."""

from __future__ import annotations

import io
import sqlite3
from pathlib import Path

import networkx as nx


def build_graph(connection: sqlite3.Connection) -> nx.MultiDiGraph:
    """The graph of a world.

    A node is an entity id with ``type``, ``name``, ``name_zh`` and its attributes as canonical text; a ref is an edge
    keyed by the attribute. A row without a name of its own (a relation's, a keyed entity's) is a node too, so that its
    values have a home. A series' value stands at its entity as ``name@period``. Undisclosed values are left out.
    """
    graph = nx.MultiDiGraph()
    for entity, kind, name, name_zh in connection.execute(
        "SELECT id, type, name, name_zh FROM wg_entity ORDER BY rowid"
    ):
        graph.add_node(entity, type=kind, name=name, name_zh=name_zh)
    refs = _key_refs(connection)
    for subject, attribute, time, kind, value in connection.execute(
        "SELECT subject, attribute, time, type, value FROM wg_fact WHERE value IS NOT NULL ORDER BY rowid"
    ):
        if kind == "ref":
            if not graph.has_edge(subject, value, key=attribute):
                graph.add_edge(subject, value, key=attribute, type=attribute)
        else:
            graph.nodes[subject][f"{attribute}@{time}" if time else attribute] = value
    for subject, attribute, value in refs:
        if not graph.has_edge(subject, value, key=attribute):
            graph.add_edge(subject, value, key=attribute, type=attribute)
    return graph


def _key_refs(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Refs that are a row's key and so no facts of their own: (row, column, target)."""
    found: list[tuple[str, str, str]] = []
    types = [t for (t,) in connection.execute("SELECT DISTINCT type FROM wg_entity WHERE named = 0 ORDER BY type")]
    entities = {e for (e,) in connection.execute("SELECT id FROM wg_entity")}
    for kind in types:
        cursor = connection.execute(f'SELECT * FROM "{kind}" ORDER BY rowid')
        columns = [d[0] for d in cursor.description]
        for row in cursor:
            cells = zip(columns[1:], row[1:], strict=True)
            found.extend((row[0], c, v) for c, v in cells if isinstance(v, str) and v in entities)
    return found


def write_graphml(connection: sqlite3.Connection, path: Path, canary: str) -> None:
    """Write the graph as GraphML, with the world's canary as a graph attribute."""
    # In the file a key is the edge's id, and ids are unique there.
    graph = nx.MultiDiGraph(canary=canary)
    built = build_graph(connection)
    graph.add_nodes_from(built.nodes(data=True))
    for number, (source, target, data) in enumerate(built.edges(data=True)):
        graph.add_edge(source, target, key=f"e{number}", **data)
    buffer = io.BytesIO()
    nx.write_graphml(graph, buffer, named_key_ids=True)
    path.write_bytes(buffer.getvalue().replace(b"\r\n", b"\n"))
