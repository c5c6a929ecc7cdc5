"""Renames tables and columns throughout a schema: one new name for one old, wherever it is meant.

What a path, an expression, a placeholder or SQL calls by the old name it calls by the new one afterwards; texts in
quotes, categories and wordings are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from worldgen.facts.processes.process import process_of
from worldgen.schema.expressions import FUNCTIONS
from worldgen.schema.sql import tokens
from worldgen.seeds import Stream
from worldgen.variation.data import read
from worldgen.variation.drawing import between, taken
from worldgen.variation.outline import Outline, Plain

_WORD = re.compile(r"'(?:[^']|'')*'|[A-Za-z_][A-Za-z0-9_]*")
_PLACE = re.compile(r"\{([^{}]*)\}")
_ROW = re.compile(r"'([a-z][a-z0-9_]*)(?=/)")
_LONGEST = 30
_LONGEST_TABLE = 19  # the table of a series is called after two of them
_PATHS = frozenset(
    {"ref", "by", "of", "within", "on", "weight", "expr", "after", "before", "known", "initial", "table"}
)
_LISTS = frozenset({"key", "about", "columns", "where", "roles"})
_KEPT = frozenset(
    {"name", "value", "id", "period", "scope", "key", "rank", "order", "group", "index", "check", "table"}
)


def rename(outline: Outline, rng: Stream) -> None:
    """Rename tables and columns after other wordings of their labels."""
    share = between(read("plan")["rename"]["identifiers"], rng)
    held = _held(outline)
    used = {word for text in outline.texts() for word in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text)}
    mapping: dict[str, str] = {}
    tables = {name for section in ("entities", "relations", "series") for name in outline.plain.get(section, {})}
    for old, labels in taken(_candidates(outline), share, rng):
        if old in held:
            continue
        most = max(len(old), _LONGEST_TABLE) if old in tables else _LONGEST
        words = (_identifier(label) for label in rng.shuffled(labels))
        new = next((word for word in words if word and len(word) <= most and word not in used), None)
        if new is not None:
            mapping[old] = new
            used.add(new)
    if mapping:
        apply(outline, mapping)
        outline.changes.append("renamed: " + ", ".join(f"{old} to {new}" for old, new in mapping.items()))


def apply(outline: Outline, mapping: Mapping[str, str]) -> None:
    """Rename by a mapping of old names to new ones that nothing else is called by."""
    full = dict(mapping)
    for name, series in outline.plain.get("series", {}).items():
        table, of = f"{series['of']}_{name}", series["of"]
        full[table] = f"{mapping.get(of, of)}_{mapping.get(name, name)}"
    for _, name, attribute in outline.attributes():
        if "name" in attribute and name in mapping:
            full[f"{name}_zh"] = f"{mapping[name]}_zh"
    outline.plain = _schema(outline.plain, full)


def _schema(plain: Plain, mapping: Mapping[str, str]) -> Plain:
    found = dict(plain)
    for section in ("entities", "relations", "series"):
        if section in plain:
            found[section] = {mapping.get(name, name): _node(node, mapping) for name, node in plain[section].items()}
    if "checks" in plain:
        found["checks"] = {
            name: {key: _sql(text, mapping) if key in ("sql", "breaks") else text for key, text in check.items()}
            for name, check in plain["checks"].items()
        }
    if "processes" in plain:
        found["processes"] = [
            {**use, "fills": {own: mapping.get(name, name) for own, name in use["fills"].items()},
             "given": _given(use.get("given", {}), mapping)}
            for use in plain["processes"]
        ]  # fmt: skip
    found["sites"] = [_lists(site, mapping) for site in plain["sites"]]
    tasks = plain.get("tasks", {})
    if "subjects" in tasks:
        subjects = {mapping.get(name, name): _lists(node, mapping) for name, node in tasks["subjects"].items()}
        found["tasks"] = {**tasks, "subjects": subjects}
    return found


def _lists(node: Plain, mapping: Mapping[str, str]) -> Plain:
    return {key: [_path(one, mapping) for one in value] if key in _LISTS else value for key, value in node.items()}


def _node(node: Any, mapping: Mapping[str, str]) -> Any:
    """An entity, relation, series or attribute with its names changed."""
    if not isinstance(node, dict):
        return node
    found: Plain = {}
    for key, value in node.items():
        if key == "attributes":
            found[key] = {mapping.get(name, name): _node(one, mapping) for name, one in value.items()}
        elif key in ("template", "phrase"):
            found[key] = {lang: _PLACE.sub(_placed(mapping), text) for lang, text in value.items()}
        elif key in ("from", "to") and isinstance(value, str) and "cardinality" in node:
            found[key] = mapping.get(value, value)
        elif key in _LISTS and isinstance(value, list):
            found[key] = [_path(one, mapping) for one in value]
        elif key in _PATHS and isinstance(value, str):
            found[key] = _expression(value, mapping)
        elif key == "valid":
            found[key] = {end: mapping.get(name, name) for end, name in value.items()}
        elif key in ("name", "aggregate", "rank", "share", "depends", "degree"):
            found[key] = _node(value, mapping)
        else:
            found[key] = value
    return found


def _placed(mapping: Mapping[str, str]) -> Callable[[re.Match[str]], str]:
    return lambda match: "{" + _path(match[1], mapping) + "}"


def _path(path: str, mapping: Mapping[str, str]) -> str:
    return ".".join(mapping.get(word, word) for word in path.split("."))


def _expression(text: str, mapping: Mapping[str, str]) -> str:
    """The words of an expression or path; what stands in quotes stays."""
    return _WORD.sub(lambda match: mapping.get(match[0], match[0]), text)


def _sql(text: str, mapping: Mapping[str, str]) -> str:
    """The words of a statement, and the tables in ids of rows such as ``'phone/0'``."""
    rows = _ROW.sub(lambda match: "'" + mapping.get(match[1], match[1]), text)
    return _expression(rows, mapping)


def _given(value: Any, mapping: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return _path(value, mapping)
    if isinstance(value, dict):
        return {key: _given(one, mapping) for key, one in value.items()}
    return [_given(one, mapping) for one in value] if isinstance(value, list) else value


def _candidates(outline: Outline) -> list[tuple[str, list[str]]]:
    """Names that may change, with the wordings that a new one may be made of."""
    found = [(name, node["label"].get("en", [])) for name, node in outline.plain["entities"].items()]
    for section in ("relations", "series"):
        for name, node in outline.plain.get(section, {}).items():
            if section == "series" or node["cardinality"] == "many_to_many":
                found.append((name, node.get("label", {}).get("en", [])))
    found += [(name, attribute.get("label", {}).get("en", [])) for _, name, attribute in outline.attributes()]
    merged: dict[str, list[str]] = {}
    for name, labels in found:
        merged.setdefault(name, []).extend(labels)
    return list(merged.items())


def _held(outline: Outline) -> set[str]:
    """Names that must stay: columns of processes, functions, aliases and other words of SQL that are not ours."""
    held = set(FUNCTIONS) | set(_KEPT)
    for use in outline.plain.get("processes", ()):
        held |= {column for columns in process_of(use["use"]).tables.values() for column in columns}
    for check in outline.plain.get("checks", {}).values():
        words = [*tokens(check["sql"]), *tokens(check["breaks"])]
        held |= {after.text for word, after in pairwise(words) if word.low == "as"}
    return held


def _identifier(label: str) -> str:
    """A label as an identifier; empty where it makes none.

    >>> _identifier("mean price of public charging/prices")
    'mean_price_of_public_charging'
    """
    words = "" if "'" in label else re.sub(r"[^a-z0-9]+", "_", label.split("/")[0].lower()).strip("_")
    return words if re.fullmatch(r"[a-z][a-z0-9_]*", words) else ""
