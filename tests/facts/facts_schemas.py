"""Small schemas as plain data, and a digest of everything that was drawn."""

import copy
import hashlib
from typing import Any

import numpy as np

from worldgen.facts.tables import Facts
from worldgen.schema.model import Schema

NOUN = {"en": ["thing/things"]}

MARKET: dict[str, Any] = {
    "city": {
        "count": 12,
        "name": {"kind": "place"},
        "attributes": {"population": {"type": "integer", "pareto": {"min": 2000, "alpha": 1.1}, "max": 4000000}},
    },
    "maker": {
        "count": 20,
        "name": {"kind": "company"},
        "aliases": 0.5,
        "attributes": {
            "brand": {"name": "brand"},
            "headquarters": {"ref": "city", "degree": {"weight": "population"}},
            "founded": {"type": "year", "normal": {"mean": 1995, "sd": 9}, "min": 1970, "max": 2019},
            "staff": {"type": "integer", "lognormal": {"median": 900, "sigma": 0.9}, "unique": True},
            "share": {"type": "percent", "decimals": 1, "share": {"weight": "staff"}},
            "place": {"type": "integer", "rank": {"of": "staff"}},
            "phones": {"type": "integer", "aggregate": {"table": "phone", "by": "maker", "how": "count"}},
            "mean_price": {
                "type": "money", "decimals": 2,
                "aggregate": {"table": "phone", "by": "maker", "how": "mean", "of": "price"},
            },
        },
    },
    "phone": {
        "count": 150,
        "name": {"template": {"en": "{maker.brand} {model}", "zh": "{maker.brand}{model}"}},
        "attributes": {
            "maker": {"ref": "maker", "degree": {"zipf": 0.8}},
            "model": {"name": "product_series"},
            "released": {"type": "date", "uniform": ["2018-01-01", "2029-10-31"], "after": "maker.founded"},
            "tier": {"values": {"low": 3, "mid": {"weight": 2, "en": "middle", "zh": "中端"}, "high": 1}},
            "grade": {"type": "integer", "depends": {"on": "tier", "map": {"low": 1, "mid": 2, "high": 3}}},
            "ram": {"type": "integer", "empirical": {"4": 1, "8": 3, "16": 2}},
            "price": {"type": "money", "expr": "90 * grade + 12.5 * ram ** 0.8", "noise": 0.15, "round": 10, "min": 50},
            "weight": {"type": "integer", "normal": {"mean": 190, "sd": 15}, "undisclosed": 0.1},
            "fast": {"type": "boolean", "expr": "ram > 6 and tier != 'low'"},
            "predecessor": {"ref": "phone", "acyclic": True, "optional": 0.4, "distinct": True},
        },
    },
}  # fmt: skip

SALES: dict[str, Any] = {
    "of": "maker", "every": "quarter", "from": "2027-Q3", "to": "2029-Q2", "type": "integer", "label": NOUN,
    "initial": "staff * 40", "noise": 0.2, "growth": {"mean": 0.02, "sd": 0.04}, "season": [0.9, 1.0, 0.95, 1.15],
}  # fmt: skip

PARTNERS: dict[str, Any] = {
    "from": "maker", "to": "maker", "roles": ["one", "other"], "cardinality": "many_to_many", "symmetric": True,
    "degree": {"mean": 2}, "valid": {"from": "since", "to": "until"},
    "attributes": {
        "since": {"type": "year", "uniform": [2020, 2029]}, "until": {"type": "year", "uniform": [2021, 2035]},
    },
}  # fmt: skip


def market(**changes: Any) -> dict[str, Any]:
    """The whole document of a market, with top-level keys changed."""
    document: dict[str, Any] = {
        "world": "test-market",
        "title": {"en": "Test"},
        "strategy": "time_shifted",
        "as_of": "2029-11-30",
        "premise": "A market.",
        "cultures": ["veltic", "sorani"],
        "scope": {"phrase": {"en": "the {name} market"}},
        "sites": [{"name": {"en": "X"}, "host": "x", "genres": ["list"]}],
        "entities": copy.deepcopy(MARKET),
        "series": {"sales": copy.deepcopy(SALES)},
        "relations": {"partner": copy.deepcopy(PARTNERS)},
    }
    return document | changes


def schema(document: dict[str, Any]) -> Schema:
    """The schema of a document, entities labelled."""
    document = copy.deepcopy(document)
    for entity in document["entities"].values():
        entity.setdefault("label", NOUN)
    return Schema.model_validate(document)


def alone(attributes: dict[str, Any], count: int = 2000, **entity: Any) -> Schema:
    """A schema with one entity `row` that has those attributes."""
    row = {"count": count, "key": [next(iter(attributes), "none")], "phrase": {"en": "row"}, "attributes": attributes}
    return schema(market(entities={"row": row | entity}, series={}, relations={}))


def digest(facts: Facts, tables: list[str] | None = None) -> str:
    """A hash of the values and names of some tables, or of all."""
    sha = hashlib.sha256()
    for table in facts:
        if tables is None or table.name in tables:
            sha.update(repr([(n.en, n.zh) for n in table.names]).encode())
            sha.update(repr([(row, [a.en for a in others]) for row, others in table.aliases.items()]).encode())
            for column in table.columns.values():
                sha.update(column.name.encode() + column.values.tobytes() + column.given.tobytes())
                sha.update(repr([(t.en, t.zh) for t in column.texts or ()]).encode())
    return sha.hexdigest()


class PlainView:
    """What a process may read, over columns given as a dict."""

    def __init__(self, tables):
        self.tables = tables

    def size(self, table):
        return len(next(iter(self.tables[table].values())))

    def numbers(self, table, path):
        return np.asarray(self.tables[table][path], dtype=np.float64)

    def refs(self, table, path):
        return np.asarray(self.tables[table][path], dtype=np.int64)
