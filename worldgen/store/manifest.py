"""The manifest: what a world is, by which key it was built, and the digest of every part.

``manifest.json`` is written once everything that it digests is: a folder without one is no world. What differs between
two builds of the same world (seconds, platform, versions) stands in ``build.json``, outside every digest, and follows;
the folder takes its place after that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from worldgen.errors import WorldFormatError
from worldgen.schema import Schema, schema_digest
from worldgen.version import __version__

FORMAT_VERSION = 1
MANIFEST = "manifest.json"


class Manifest(BaseModel):
    """What ``manifest.json`` holds.

    Attributes:
        format: Format version of the world; a reader refuses a higher one.
        worldgen: Lowest version of worldgen that reads this format.
        setting: The coined place or body that the world is set in, by language.
        build_key: Identity of the input; see `build_key`.
        digest: Identity of the output: every table and every text artefact.
        tables: Digest of each table's rows.
        artefacts: Relative path → sha256 of its bytes.
        counts: Entities, facts, pages, haystack pages, statements, tasks.
        adopted: Of a world made from a ledger: the ledger's sha256, and how many facts were taken from it.
        prose: Of a world whose sentences a model has rewritten: the model, its prompts and sampling.
        canary: A string no text outside this world's files contains; find it in a corpus and the world leaked.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int
    worldgen: str
    world: str
    title: str
    strategy: str
    setting: dict[str, str]
    seed: int
    languages: list[str]
    haystack: int
    build_key: str
    digest: str
    tables: dict[str, str]
    artefacts: dict[str, str]
    counts: dict[str, int]
    adopted: dict[str, str | int] | None = None
    prose: dict[str, str | int | float] | None = None
    canary: str


def build_key(
    schema: Schema,
    seed: int,
    languages: Sequence[str],
    haystack: int,
    ledger: str = "",
    prose: Mapping[str, str | int | float] | None = None,
) -> str:
    """The identity of a build's input: schema, seed, languages, size of the haystack, format version, any ledger.

    Where a model rewrites sentences, also what decides its words. A world that is made from no ledger and by no model
    has the key that it would have without there being any.
    """
    parts = [schema_digest(schema), str(seed), ",".join(languages), str(haystack), str(FORMAT_VERSION)]
    parts += [f"ledger {ledger}"] if ledger else []
    parts += [f"prose {json.dumps(dict(prose), sort_keys=True)}"] if prose else []
    return sha256("\n".join(parts).encode()).hexdigest()


def canary_of(key: str) -> str:
    """The canary string of the build with that key."""
    return f"worldgen-canary-{sha256(f'canary {key}'.encode()).hexdigest()[:32]}"


def world_digest(tables: Mapping[str, str], artefacts: Mapping[str, str]) -> str:
    """The digest over all parts' digests, by name."""
    lines = [f"table {name} {tables[name]}" for name in sorted(tables)]
    lines += [f"file {name} {artefacts[name]}" for name in sorted(artefacts)]
    return sha256("\n".join(lines).encode()).hexdigest()


def file_digest(path: Path) -> str:
    """The sha256 of a file's bytes."""
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def write_json(path: Path, value: Any) -> None:
    """Write JSON for people: indented, sorted, LF."""
    text = json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    path.write_bytes(text.encode())


def read_manifest(world: Path) -> Manifest:
    """Read a world's manifest.

    Raises:
        WorldFormatError: No world at that path, a damaged manifest, or a world of a newer version.
    """
    path = world / MANIFEST
    try:
        raw = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise WorldFormatError(
            "world.not-found",
            "no world here" if world.is_dir() else "no such world",
            path=world,
            expected=f"a folder with a {MANIFEST}, as `worldgen build` writes it",
        ) from None
    except (OSError, ValueError) as error:
        raise WorldFormatError(
            "world.damaged-manifest", f"the manifest cannot be read: {error}", path=path, fix="build the world again"
        ) from error
    version = raw.get("format") if isinstance(raw, dict) else None
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise WorldFormatError(
            "world.newer-format",
            "this world was built by a newer worldgen",
            path=path,
            expected=f"format {FORMAT_VERSION}",
            got=f"format {version}",
            fix=f"install a newer worldgen; this is {__version__}, the world names {raw.get('worldgen', 'none')}",
        )
    if isinstance(version, int) and version < FORMAT_VERSION:
        raise WorldFormatError(
            "world.older-format",
            "this world is of a format that is read no more",
            path=path,
            expected=f"format {FORMAT_VERSION}",
            got=f"format {version}",
            fix="build it again",
        )
    try:
        return Manifest.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        raise WorldFormatError(
            "world.damaged-manifest",
            f"the manifest is not valid: {first['msg']} at {'.'.join(str(p) for p in first['loc'])}",
            path=path,
            fix="build the world again",
        ) from error
