"""Is the world whole? Digests of every part, references between its tables, names that mean one thing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256

from worldgen.proofs.files import Files
from worldgen.proofs.report import ProofResult, result


def prove_digests(files: Files) -> ProofResult:
    """Every table and every text artefact has the digest that the manifest gives, and they add up to the world's."""
    failures: list[str] = []
    tables = dict(_table_digests(files))
    recorded = files.manifest["tables"]
    for name in sorted({*tables, *recorded}):
        if tables.get(name) != recorded.get(name):
            failures.append(f"table {name}: rows differ from the manifest's digest")
    artefacts = files.manifest["artefacts"]
    for name, digest in sorted(artefacts.items()):
        if not (files.world / name).is_file():
            failures.append(f"{name}: missing")
        elif files.file_digest(name) != digest:
            failures.append(f"{name}: bytes differ from the manifest's digest")
    lines = [f"table {n} {recorded[n]}" for n in sorted(recorded)]
    lines += [f"file {n} {artefacts[n]}" for n in sorted(artefacts)]
    if sha256("\n".join(lines).encode()).hexdigest() != files.manifest["digest"]:
        failures.append("the parts' digests do not add up to the world's")
    return result("integrity.digests", len(tables) + len(artefacts), failures, "tables and files match the manifest")


def _table_digests(files: Files) -> Iterator[tuple[str, str]]:
    for (name,) in files.rows("SELECT name FROM sqlite_master WHERE type = 'table'"):
        digest = sha256()
        for row in files.database.execute(f'SELECT * FROM "{name}" ORDER BY rowid'):
            digest.update(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode())
            digest.update(b",")
        yield name, digest.hexdigest()


_REFERENCES = (
    ("wg_alias", "entity", "wg_entity", "id"),
    ("wg_statement", "fact", "wg_fact", "id"),
    ("wg_statement", "url", "wg_page", "url"),
    ("wg_link", "url", "wg_page", "url"),
    ("wg_evidence", "fact", "wg_fact", "id"),
    ("wg_evidence", "url", "wg_page", "url"),
    ("wg_evidence", "instance_id", "wg_task", "instance_id"),
    ("wg_fact", "subject", "wg_entity", "id"),
)


def prove_references(files: Files) -> ProofResult:
    """Whatever is referred to exists; typed tables, entities and facts agree with each other cell by cell."""
    failures: list[str] = []
    checked = 0
    for table, column, target, key in _REFERENCES:
        checked += files.rows(f"SELECT count(*) FROM {table}")[0][0]
        lost = files.rows(f"SELECT {column} FROM {table} WHERE {column} NOT IN (SELECT {key} FROM {target}) LIMIT 3")
        failures += [f"{table}.{column}: {row[0]} is not in {target}" for row in lost]
    # A link may lead to a page of the haystack, which is a page too, but not out of the world.
    links = "target NOT IN (SELECT url FROM wg_page) AND url IN (SELECT url FROM wg_page WHERE kind <> 'haystack')"
    lost = files.rows(f"SELECT target FROM wg_link WHERE {links} LIMIT 3")
    failures += [f"wg_link: {row[0]} leads nowhere" for row in lost]
    failures += _entities(files)
    failures += _complete(files)
    agreement = list(_agreement(files))
    return result(
        "integrity.references", checked, failures + agreement, "every reference resolves, tables and facts agree"
    )


def _entities(files: Files) -> Iterator[str]:
    """Each row of a typed table (a series aside) is an entity of that name, and the other way round."""
    listed = {row[0]: row[1:] for row in files.rows("SELECT id, type, name, name_zh FROM wg_entity")}
    seen = set()
    series = {f"{s['of']}_{name}" for name, s in files.schema.get("series", {}).items()}
    for table in files.tables:
        if table in series:
            continue
        for row in files.table(table):
            seen.add(row["id"])
            if row["id"] not in listed:
                yield f"{row['id']} is missing in wg_entity"
            elif "name" in row and (table, row["name"], row["name_zh"]) != listed[row["id"]]:
                yield f"{row['id']} is called {row['name']!r} in its table, {listed[row['id']][1]!r} in wg_entity"
    yield from (f"{entity} of wg_entity is in no table" for entity in listed if entity not in seen)


def _complete(files: Files) -> Iterator[str]:
    """Each cell of an attribute that is not hidden, and each observation of a series, is a fact of the catalogue."""
    for kind in ("entities", "relations"):
        for table, node in files.schema.get(kind, {}).items():
            if table not in files.tables:
                continue
            stated = [n for n, a in node.get("attributes", {}).items() if not a.get("hidden")]
            stated = [n for n in stated if n not in (node.get("key") or ())]
            for (row,) in files.rows(f'SELECT id FROM "{table}"'):
                lost = [name for name in stated if f"{row}/{name}" not in files.facts]
                yield from (f"{row}/{name} is no fact of the catalogue" for name in lost)
    for name, series in files.schema.get("series", {}).items():
        of = series["of"]
        for entity, period in files.rows(f'SELECT "{of}", period FROM "{of}_{name}"'):
            if f"{entity}/{name}@{period}" not in files.facts:
                yield f"{entity}/{name}@{period} is no fact of the catalogue"


def _agreement(files: Files) -> Iterator[str]:
    """Each typed cell says what its fact says, and refers to rows that exist."""
    series = {f"{s['of']}_{name}": (s["of"], name) for name, s in files.schema.get("series", {}).items()}
    for table in files.tables:
        for row in files.table(table):
            for column, cell in row.items():
                if column != "id" and _dangling(cell, files):
                    yield f"{row.get('id')}.{column} refers to {cell}, which does not exist"
                if table in series:
                    of, name = series[table]
                    fact = f"{row[of]}/{name}@{row['period']}" if column == name else None
                else:
                    fact = f"{row['id']}/{column}"
                known = files.facts.get(fact) if fact else None
                if known is not None and not _same(cell, known.value, known.type):
                    yield f"{known.id} is {known.value!r} as a fact and {cell!r} in its table"


def _dangling(cell: object, files: Files) -> bool:
    """Whether a cell reads as a row's id, ``table/ordinal``, of a row that does not exist."""
    if not isinstance(cell, str):
        return False
    table, _, ordinal = cell.partition("/")
    return table in files.tables and ordinal.isdigit() and cell not in files.names


def _same(cell: object, value: str | None, kind: str) -> bool:
    if cell is None or value is None:
        return cell is None and value is None
    if kind == "boolean":
        return ("yes" if cell else "no") == value
    if isinstance(cell, int | float):
        return abs(float(value) - float(cell)) <= 1e-9 * max(1.0, abs(float(cell)))
    return str(cell) == value


def prove_names(files: Files) -> ProofResult:
    """No two entities share a name; an alias that two entities share is declared ambiguous."""
    failures = []
    checked = 0
    for column in ("name", "name_zh"):
        rows = files.rows(f"SELECT {column} FROM wg_entity WHERE named = 1")
        checked += len(rows)
        counted = Counter(row[0].casefold() for row in rows)
        failures += [f"{name!r} is the name of {n} entities" for name, n in sorted(counted.items()) if n > 1]
    names = {
        text.casefold(): entity
        for entity, en, zh in files.rows("SELECT id, name, name_zh FROM wg_entity WHERE named = 1")
        for text in (en, zh)
    }
    owners: dict[tuple[str, str], set[str]] = {}
    declared: dict[tuple[str, str], bool] = {}
    for entity, language, text, ambiguous in files.rows("SELECT entity, language, text, ambiguous FROM wg_alias"):
        checked += 1
        key = (language, text.casefold())
        owners.setdefault(key, set()).add(entity)
        declared[key] = declared.get(key, True) and bool(ambiguous)
        if names.get(text.casefold(), entity) != entity:
            failures.append(f"alias {text!r} of {entity} is the name of {names[text.casefold()]}")
    for key, who in sorted(owners.items()):
        if len(who) > 1 and not declared[key]:
            failures.append(f"alias {key[1]!r} belongs to {', '.join(sorted(who))} and is not declared ambiguous")
        if len(who) == 1 and declared[key]:
            failures.append(f"alias {key[1]!r} is declared ambiguous and belongs to {min(who)} alone")
    return result("integrity.names", checked, failures, "names are unique, shared aliases are declared")
