"""YAML without its traps: what an author writes is what is read.

PyYAML turns ``no`` into False, ``12:30`` into 750, keeps the last of two equal keys and expands aliases without end.
Here a document is built from the parser's events instead: keys are always text, plain scalars are numbers in plain
decimal notation, ``true``, ``false``, ``null`` or text; ``yes``, ``Off`` and the like must be quoted; tags, anchors,
aliases and equal keys are errors. Dates stay text: the model gives them their type.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from worldgen.schema.problems import Lines, Path, Report

MAX_DEPTH = 40
_WORDS = {"yes", "no", "on", "off", "true", "false", "null"}
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:_[0-9]{3})+)")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file: plain values, and the line of each node."""

    value: Any
    lines: Lines


@dataclass(slots=True)
class _Open:
    """A mapping or sequence whose end has not come yet."""

    value: dict[str, Any] | list[Any]
    path: Path
    key: str | None = None
    lines: dict[str, int] = field(default_factory=dict)


class _Builder:
    def __init__(self, report: Report) -> None:
        self.report = report
        self.lines: dict[Path, int] = {(): 1}
        self.stack: list[_Open] = []
        self.documents = 0
        self.root: Any = None

    def take(self, event: Any) -> bool:
        """Take one event; False when there is no use in reading on."""
        line = event.start_mark.line + 1
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                self._wrong("yaml-documents", "a second document begins", line, expected="one document a file")
                return False
        elif isinstance(event, yaml.AliasEvent):
            self._wrong("yaml-alias", f"alias *{event.anchor}", line, expected="the value written out")
            return False
        elif isinstance(event, yaml.NodeEvent):
            return self._node(event, line)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self.stack.pop()
        return True

    def _node(self, event: Any, line: int) -> bool:
        if event.anchor is not None:
            self._wrong("yaml-alias", f"anchor &{event.anchor}", line, expected="the value written out")
            return False
        if event.tag is not None:
            self._wrong("yaml-tag", f"tag {event.tag}", line, expected="a value without a tag")
            return False
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line)
            return True
        if len(self.stack) >= MAX_DEPTH:
            self._wrong("yaml-depth", "nested too deeply", line, expected=f"at most {MAX_DEPTH} levels")
            return False
        value: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        if self.stack and isinstance(self.stack[-1].value, dict) and self.stack[-1].key is None:
            self._wrong("yaml-key", "a key is a mapping or a list", line, expected="text")
            return False
        self.stack.append(_Open(value, self._put(value, line)))
        return True

    def _scalar(self, event: Any, line: int) -> None:
        top = self.stack[-1] if self.stack else None
        if top is None or not isinstance(top.value, dict) or top.key is not None:
            self._put(self._resolved(event.value, line) if event.implicit[0] else event.value, line)
            return
        if event.value in top.lines:
            self._wrong(
                "duplicate-key",
                f"key {event.value!r} is given twice",
                line,
                fix=f"the first stands in line {top.lines[event.value]}",
            )
        top.lines[event.value] = line
        top.key = event.value

    def _put(self, value: Any, line: int) -> Path:
        if not self.stack:
            self.root = value
            self.lines[()] = line
            return ()
        top = self.stack[-1]
        if isinstance(top.value, list):
            path: Path = (*top.path, len(top.value))
            top.value.append(value)
        else:
            key = top.key or ""
            path = (*top.path, key)
            line = top.lines.get(key, line)
            top.value[key] = value
            top.key = None
        self.lines[path] = line
        return path

    def _resolved(self, text: str, line: int) -> Any:
        if text in ("", "~", "null"):
            return None
        if text in ("true", "false"):
            return text == "true"
        if text.lower() in _WORDS:
            self._wrong("yaml-implicit", f"{text} is ambiguous", line, expected="true, false, null or a quoted word")
            return text
        if _INTEGER.fullmatch(text) and len(text) <= 18:
            return int(text.replace("_", ""))
        if _FLOAT.fullmatch(text):
            number = float(text)
            if math.isfinite(number):
                return number
            self._wrong("yaml-number", "a number is too large", line, got=text[:40])
        return text

    def _wrong(self, code: str, message: str, line: int, **more: Any) -> None:
        self.report.add(code, message, (), line=line, **more)


def read_yaml(text: str, file: str | None = None) -> Document:
    """Parse YAML text strictly.

    Raises:
        SchemaErrors: Everything that this reader refuses, with lines.
    """
    report = Report(file, Lines({(): 1}))
    builder = _Builder(report)
    try:
        for event in _events(text):
            if not builder.take(event):
                break
    except yaml.YAMLError as error:
        _malformed(error, text, report)
    report.raise_if_any()
    if builder.documents == 0:
        report.add("empty", "the file holds nothing", (), expected="a schema that begins with `world:`")
        report.raise_if_any()
    return Document(builder.root, Lines(builder.lines))


def _events(text: str) -> Iterator[Any]:
    loader = _LOADER(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


def _malformed(error: yaml.YAMLError, text: str, report: Report) -> None:
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark is not None else 1
    rows = text.splitlines()
    row = rows[line - 1] if 0 < line <= len(rows) else ""
    if "\t" in row[: len(row) - len(row.lstrip())] or "'\\t'" in str(error):
        report.add(
            "yaml-tab", "a tab where YAML wants spaces", (), line=line, expected="spaces", fix="indent with two spaces"
        )
        return
    said = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    context = getattr(error, "context", None)
    report.add("yaml-syntax", f"not YAML: {said}" + (f" {context}" if context else ""), (), line=line)
