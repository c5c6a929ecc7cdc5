"""From a name or a file to a checked `Schema`: the only door by which schemas come in."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from worldgen.errors import CallerError, did_you_mean, expect_path
from worldgen.schema.catalogue import shipped
from worldgen.schema.checks import Check, check_schema
from worldgen.schema.model import Schema
from worldgen.schema.problems import Report
from worldgen.schema.strict import read_yaml
from worldgen.schema.validation import report_invalid
from worldgen.schema.vocabulary import Vocabulary

MAX_BYTES = 2_000_000
_SUFFIXES = (".yaml", ".yml")


def load_schema(
    source: str | os.PathLike[str], *, vocabulary: Vocabulary | None = None, further: Sequence[Check] = ()
) -> Schema:
    """Read and check a schema.

    Args:
        source: Name of a shipped schema, or path of a `.yaml` or `.yml` file.
        vocabulary: Units, cultures, kinds of names and processes that exist; None leaves them unchecked, which
            `worldgen.facts.reading.read_schema` does not.
        further: See `check_schema`.

    Raises:
        SchemaErrors: What is wrong with the schema, each problem with file, line, what was expected and what came.
        CallerError: There is no such schema, or its file cannot be read.

    >>> load_schema("smartphone-market").strategy
    'time_shifted'
    """
    path = find(source)
    return parse_schema(_text(path), file=os.fspath(path), vocabulary=vocabulary, further=further)


def parse_schema(
    text: str, *, file: str | None = None, vocabulary: Vocabulary | None = None, further: Sequence[Check] = ()
) -> Schema:
    """Read and check a schema given as YAML text.

    Args:
        text: The YAML.
        file: Name to give in messages.
        vocabulary: As in `load_schema`.
        further: See `check_schema`.

    Raises:
        SchemaErrors: What is wrong with it.
    """
    document = read_yaml(text, file)
    report = Report(file, document.lines)
    if not isinstance(document.value, dict):
        report.add("wrong-type", "the file is not a schema", (), expected="key: value lines that begin with `world:`")
        report.raise_if_any()
    try:
        schema = Schema.model_validate_json(json.dumps(document.value), strict=True)
    except ValidationError as error:
        report_invalid(error, document.value, report)
        report.raise_if_any()
        raise
    check_schema(schema, vocabulary=vocabulary, lines=document.lines, file=file, further=further)
    return schema


def find(source: str | os.PathLike[str]) -> Path:
    """The file of a schema, by shipped name or by path.

    Raises:
        CallerError: There is none.
    """
    expect_path(source, "schema")
    text = os.fspath(source)
    known = shipped()
    if isinstance(source, str) and source in known:
        return known[source]
    if not isinstance(source, str) or text.endswith(_SUFFIXES) or os.sep in text:
        return Path(text)
    raise CallerError(
        "schema.unknown",
        f"no schema is called {text[:80]!r}",
        expected=" or ".join(known) + " or the path of a .yaml file" if known else "the path of a .yaml file",
        fix=did_you_mean(text, known),
    )


def _text(path: Path) -> str:
    data = _bytes(path)
    report = Report(os.fspath(path))
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        report.add("encoding", "the file begins with a byte order mark", (), expected="plain UTF-8", line=1)
        report.raise_if_any()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        report.add("encoding", "the file is not UTF-8", (), got=f"byte 0x{data[error.start]:02x}", line=line)
        report.raise_if_any()
        raise


def _bytes(path: Path) -> bytes:
    name = os.fspath(path)
    try:
        mode = path.stat()
        if stat.S_ISDIR(mode.st_mode):
            raise CallerError("schema.file", "a folder is not a schema", path=name, expected="a .yaml file")
        if not stat.S_ISREG(mode.st_mode):
            raise CallerError("schema.file", "not a regular file", path=name, expected="a .yaml file")
        if not name.endswith(_SUFFIXES):
            raise CallerError("schema.file", "the file's name does not end in .yaml or .yml", path=name)
        if mode.st_size > MAX_BYTES:
            raise CallerError("schema.file", f"the file is larger than {MAX_BYTES:,} bytes", path=name)
        return path.read_bytes()
    except FileNotFoundError as error:
        close = did_you_mean(path.stem, shipped())
        raise CallerError("schema.file", "there is no such file", path=name, fix=close) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CallerError("schema.file", f"the file cannot be read: {reason}", path=name) from error
