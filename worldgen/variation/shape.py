"""The structure of a schema without its words, and how far two structures lie apart.

A schema is read as a graph: its tables, columns and sites, each told by what it is (an entity with a template name, a
date after another, a site of low trust that publishes reviews …), joined where one belongs to, refers to or writes
about the other. Two graphs are compared by their Weisfeiler-Lehman subtree features (Shervashidze et al. 2011), as the
weighted Jaccard distance of the two multisets. Identifiers, labels, counts and figures play no part.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from hashlib import blake2b

import networkx as nx

from worldgen.language import units
from worldgen.schema import Schema
from worldgen.schema.layout import Field, tables

_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class Shape:
    """What a schema is made of.

    Attributes:
        features: Subtree → how often it occurs.
        signature: 16 hex digits; equal where the features are.
    """

    features: Counter[str]
    signature: str


def shape_of(schema: Schema) -> Shape:
    """The structure of a schema."""
    graph = _graph(schema)
    features: Counter[str] = Counter(graph.nodes[node]["told"] for node in graph)
    deeper = nx.weisfeiler_lehman_subgraph_hashes(graph, node_attr="told", iterations=_ROUNDS)
    for found in deeper.values():
        features.update(found)
    text = "\n".join(f"{feature} {count}" for feature, count in sorted(features.items()))
    return Shape(features, blake2b(text.encode(), digest_size=8).hexdigest())


def distance(one: Shape, other: Shape) -> float:
    """0 where two structures are alike, 1 where they share nothing.

    >>> from collections import Counter
    >>> distance(Shape(Counter("aab"), ""), Shape(Counter("abc"), ""))
    0.5
    """
    shared = sum((one.features & other.features).values())
    together = sum((one.features | other.features).values())
    return 1 - shared / together if together else 0.0


def _graph(schema: Schema) -> nx.Graph[tuple[str, ...]]:
    graph: nx.Graph[tuple[str, ...]] = nx.Graph()
    layout = tables(schema)
    for table in layout:
        graph.add_node(("table", table), told=_table(schema, table))
    for table, fields in layout.items():
        for column, field in fields.items():
            if column == "id" or column.endswith("_zh"):
                continue
            graph.add_node(("column", table, column), told=_column(field))
            graph.add_edge(("column", table, column), ("table", table))
            if field.kind == "ref" and field.target is not None:
                graph.add_edge(("column", table, column), ("table", field.target))
    for site in schema.sites:
        told = f"site {site.trust} {' '.join(sorted(site.genres))} {' '.join(sorted(site.languages))}"
        graph.add_node(("site", site.host), told=told)
        for table in site.about if site.about is not None else layout:
            graph.add_edge(("site", site.host), ("table", table))
    return graph


def _table(schema: Schema, table: str) -> str:
    entity = schema.entities.get(table)
    if entity is not None:
        named = "keyed" if entity.name is None else "coined" if entity.name.kind is not None else "built"
        return f"entity {named}{' made' if entity.count is None else ''}"
    return "relation" if table in schema.relations else "series"


def _column(field: Field) -> str:
    spec = field.attribute
    if spec is None:
        return field.kind
    dimension = units()[spec.unit].dimension if spec.unit is not None else ""
    told = (field.kind, spec.source, dimension, spec.unit or spec.currency or "", "hidden" if spec.hidden else "")
    return " ".join(word for word in told if word)
