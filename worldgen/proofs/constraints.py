"""Do the facts obey the schema? Its SQL checks, that each check can fail, and what the attributes promise."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import pairwise
from typing import Any

from worldgen.proofs.files import Files
from worldgen.proofs.report import ProofResult, result
from worldgen.store.connection import CHECK_SECONDS, time_limit


def prove_checks(files: Files) -> ProofResult:
    """Each SQL check of the schema returns no row."""
    failures = []
    checks = files.schema.get("checks", {})
    for name, check in checks.items():
        with time_limit(files.database, CHECK_SECONDS):
            found = files.database.execute(check["sql"]).fetchmany(1)
        failures += [f"{name}: {row}" for row in found]
    return result("constraints.checks", len(checks), failures, f"{len(checks)} SQL checks return no row")


def prove_checks_can_fail(files: Files) -> ProofResult:
    """After the damage that each check names, the check returns a row: none is a check that cannot fail."""
    failures = []
    checks = files.schema.get("checks", {})
    copy = sqlite3.connect(":memory:")
    copy.create_function("year", 1, lambda text: None if text is None else int(str(text)[:4]))
    files.database.backup(copy)
    copy.isolation_level = None
    for name, check in checks.items():
        copy.execute("BEGIN")
        try:
            with time_limit(copy, CHECK_SECONDS):
                copy.execute(check["breaks"])
                if copy.execute(check["sql"]).fetchone() is None:
                    failures.append(f"{name}: still returns no row after {check['breaks']}")
        except sqlite3.Error as error:
            failures.append(f"{name}: its damage cannot be done: {error}")
        copy.execute("ROLLBACK")
    copy.close()
    return result("constraints.checks-can-fail", len(checks), failures, "every check notices the damage it names")


def prove_attributes(files: Files) -> ProofResult:
    """What attributes promise: bounds, multiples, categories, order, ranks, shares, aggregates, dependencies."""
    failures: list[str] = []
    checked = 0
    for table, attribute, spec in _attributes(files.schema):
        rows = list(files.table(table))
        checked += len(rows)
        for rule in (_bounds, _categories, _order, _rank, _share, _depends, _distinct):
            failures += [f"{table}.{attribute}: {problem}" for problem in rule(files, rows, attribute, spec)]
        failures += [f"{table}.{attribute}: {problem}" for problem in _aggregate(files, rows, attribute, spec)]
    for name, series in files.schema.get("series", {}).items():
        table = f"{series['of']}_{name}"
        rows = list(files.table(table))
        checked += len(rows)
        failures += [f"{table}: {problem}" for problem in _bounds(files, rows, name, series)]
        failures += [f"{table}: {problem}" for problem in _series(rows, name, series)]
    return result("constraints.attributes", checked, failures, "bounds, ranks, shares, aggregates and orders hold")


def prove_relations(files: Files) -> ProofResult:
    """Pairs are unique, nothing relates to itself where the relation may not, validity runs forward, no cycle."""
    failures: list[str] = []
    checked = 0
    for name, relation in files.schema.get("relations", {}).items():
        if name not in files.tables:
            continue
        first, second = relation.get("roles") or (relation["from"], relation["to"])
        rows = list(files.table(name))
        checked += len(rows)
        pairs = Counter((row[first], row[second]) for row in rows)
        failures += [f"{name}: {a} and {b} are joined {n} times" for (a, b), n in pairs.items() if n > 1]
        if relation.get("symmetric"):
            failures += [f"{name}: {a} and {b} stand in one direction only" for a, b in pairs if (b, a) not in pairs]
        if relation.get("acyclic"):
            failures += [f"{name}: a cycle through {node}" for node in _cycle(list(pairs))]
        valid = relation.get("valid")
        if valid and valid.get("to"):
            for row in rows:
                start, end = row[valid["from"]], row[valid["to"]]
                if start is not None and end is not None and str(start) > str(end):
                    failures.append(f"{row['id']} ends ({end}) before it starts ({start})")
    return result("constraints.relations", checked, failures, "pairs are unique, validity runs forward, no cycle")


def _attributes(schema: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for kind in ("entities", "relations"):
        for table, node in schema.get(kind, {}).items():
            if kind == "relations" and node["cardinality"] != "many_to_many":
                continue
            for name, spec in node.get("attributes", {}).items():
                yield table, name, spec


def _exact(value: object) -> Decimal:
    return Decimal(str(value))


def _bounds(files: Files, rows: list[dict[str, Any]], name: str, spec: dict[str, Any]) -> Iterator[str]:
    """Stored values are multiples of ``round`` and lie between ``min`` and ``max``."""
    low, high, step = spec.get("min"), spec.get("max"), spec.get("round")
    decimals = spec.get("decimals", 0)
    for row in rows:
        value = row[name]
        if not isinstance(value, int | float):
            continue
        exact = _exact(value)
        if low is not None and exact < _exact(low):
            yield f"{row['id']} is {value}, below {low}"
        if high is not None and exact > _exact(high):
            yield f"{row['id']} is {value}, above {high}"
        if exact != round(exact, decimals):
            yield f"{row['id']} is {value}, finer than {decimals} decimals"
        if step is not None and exact % _exact(step) != 0:
            yield f"{row['id']} is {value}, no multiple of {step}"


def _categories(files: Files, rows: list[dict[str, Any]], name: str, spec: dict[str, Any]) -> Iterator[str]:
    values = spec.get("values")
    if values is not None:
        yield from (f"{r['id']} is {r[name]!r}" for r in rows if r[name] is not None and r[name] not in values)


def _order(files: Files, rows: list[dict[str, Any]], name: str, spec: dict[str, Any]) -> Iterator[str]:
    """``after`` and ``before``: dates and years, compared by year where one of them is only a year."""
    for word, sign in (("after", 1), ("before", -1)):
        bound = spec.get(word)
        if bound is None:
            continue
        for row in rows:
            here, there = row[name], _follow(files, row, str(bound))
            if here is None or there is None:
                continue
            a, b = str(here), str(there)
            if len(a) != len(b):
                a, b = a[:4], b[:4]
                wrong = a < b if sign > 0 else a > b
            else:
                wrong = a < b if sign > 0 else a > b
            if wrong:
                yield f"{row['id']} is {here}, not {word} {there}"


def _follow(files: Files, row: dict[str, Any], path: str) -> object:
    """The value at a path of refs; the path itself where it is a constant date or year."""
    if path[:1].isdigit():
        return path
    here: dict[str, Any] | None = row
    *steps, last = path.split(".")
    for step in steps:
        target = None if here is None else here[step]
        here = None if target is None else _row(files, target)
    return None if here is None else here.get(last)


def _row(files: Files, entity: str) -> dict[str, Any]:
    cache: dict[str, dict[str, dict[str, Any]]] = files.__dict__.setdefault("_rows", {})
    table = entity.split("/")[0]
    if table not in cache:
        cache[table] = {row["id"]: row for row in files.table(table)}
    return cache[table][entity]


def _rank(files: Files, rows: list[dict[str, Any]], name: str, spec: dict[str, Any]) -> Iterator[str]:
    rank = spec.get("rank")
    if rank is None:
        return
    if sorted(row[name] for row in rows) != list(range(1, len(rows) + 1)):
        yield "the ranks are no permutation of 1 … n"
        return
    values = [row[rank["of"]] for row in sorted(rows, key=lambda row: row[name])]
    values = list(reversed(values)) if rank.get("descending", True) else values
    if any(a is not None and b is not None and a > b for a, b in pairwise(values)):
        yield f"the ranks do not follow {rank['of']}"


def _share(files: Files, rows: list[dict[str, Any]], name: str, spec: dict[str, Any]) -> Iterator[str]:
    share = spec.get("share")
    if share is None:
        return
    sums: dict[object, Decimal] = defaultdict(Decimal)
    for row in rows:
        sums[row[share["within"]] if share.get("within") else ""] += _exact(row[name])
    total = _exact(share.get("total", 100))
    yield from (f"the shares of {group or 'all'} add up to {s}, not {total}" for group, s in sums.items() if s != total)


def _depends(files: Files, rows: list[dict[str, Any]], name: str, spec: dict[str, Any]) -> Iterator[str]:
    """A functional dependency: one value here for each value there, the one that the map gives."""
    depends = spec.get("depends")
    if depends is None:
        return
    for row in rows:
        there = _follow(files, row, depends["on"])
        key = {1: "yes", 0: "no"}.get(there, str(there)) if isinstance(there, int) else str(there)
        if there is None or row[name] is None or key not in depends["map"]:
            continue
        wanted = depends["map"][key]
        same = str(row[name]) == wanted if isinstance(wanted, str) else abs(row[name] - wanted) < 1e-9
        if not same:
            yield f"{row['id']} is {row[name]!r}, but {depends['on']} = {there} gives {wanted!r}"


def _distinct(files: Files, rows: list[dict[str, Any]], name: str, spec: dict[str, Any]) -> Iterator[str]:
    if spec.get("unique") or spec.get("distinct"):
        counted = Counter(row[name] for row in rows if row[name] is not None)
        yield from (f"{value!r} stands {n} times" for value, n in counted.items() if n > 1)
    if spec.get("acyclic"):
        pairs = [(row["id"], row[name]) for row in rows if row[name] is not None]
        yield from (f"a cycle through {node}" for node in _cycle(pairs))


def _aggregate(files: Files, rows: list[dict[str, Any]], name: str, spec: dict[str, Any]) -> Iterator[str]:
    aggregate = spec.get("aggregate")
    if aggregate is None:
        return
    groups: dict[object, list[Decimal]] = defaultdict(list)
    for row in files.table(aggregate["table"]):
        value = 1 if aggregate["how"] == "count" else row[aggregate["of"]]
        if row[aggregate["by"]] is not None and value is not None:
            groups[row[aggregate["by"]]].append(_exact(value))
    step = Decimal(1).scaleb(-int(spec.get("decimals", 0)))
    for row in rows:
        found = groups.get(row["id"], [])
        if aggregate["how"] in ("count", "sum"):
            wanted: Decimal | None = sum(found, Decimal(0))
        elif not found:
            wanted = None
        elif aggregate["how"] == "mean":
            wanted = (sum(found, Decimal(0)) / len(found)).quantize(step, ROUND_HALF_EVEN)
        else:
            wanted = min(found) if aggregate["how"] == "min" else max(found)
        if row[name] is not None and wanted is not None and _exact(row[name]) != wanted:
            yield f"{row['id']} is {row[name]}, but its rows give {wanted}"


def _series(rows: list[dict[str, Any]], name: str, spec: dict[str, Any]) -> Iterator[str]:
    """Every entity has each period once, and a monotone series never turns."""
    by_entity: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_entity[row[spec["of"]]].append(row)
    periods = {row["period"] for row in rows}
    for entity, observed in by_entity.items():
        if sorted(row["period"] for row in observed) != sorted(periods):
            yield f"{entity} lacks a period or has one twice"
        values = [r[name] for r in sorted(observed, key=lambda r: r["period"]) if r[name] is not None]
        steps = list(pairwise(values))
        if spec.get("monotone") == "increasing" and any(a > b for a, b in steps):
            yield f"{entity} falls"
        if spec.get("monotone") == "decreasing" and any(a < b for a, b in steps):
            yield f"{entity} rises"


def _cycle(pairs: list[tuple[str, str]]) -> list[str]:
    """A node on a cycle of the directed pairs, or none: remove leaves until nothing is left."""
    after: dict[str, set[str]] = defaultdict(set)
    for a, b in pairs:
        after[a].add(b)
    while True:
        leaves = [node for node, targets in after.items() if not any(t in after for t in targets)]
        if not leaves:
            return [min(after)] if after else []
        for node in leaves:
            del after[node]
