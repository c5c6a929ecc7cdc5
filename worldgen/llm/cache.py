"""Replies on disk by what was asked, so that a repeated run costs nothing and reads the same bytes."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from worldgen.errors import ServiceError, expect_path
from worldgen.llm.model import Reply, Request, Tokens

_VERSION = 1


def request_key(name: str, request: Request, extra: Mapping[str, Any] | None = None) -> str:
    """SHA-256, in hex, of what decides a reply: the model's name, the whole request, what is sent beside it.

    The server's address is no part of it: a model that moves keeps its replies. The seed is one: to draw one
    request several times, give each draw its own.
    """
    return sha256(_canonical(_asked(name, request, extra)).encode("ascii")).hexdigest()


def cacheable(request: Request) -> bool:
    """Whether a stored reply may stand for the next: not where each draw is to differ (no seed, above 0 degrees)."""
    return request.sampling.seed is not None or request.sampling.temperature == 0


class ReplyCache:
    """A folder of replies, one file a request; for several processes at once.

    The first reply to a request stands: whoever comes second reads it. A damaged file counts as none, and is replaced.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        expect_path(folder, "cache")
        self.folder = Path(folder)

    def path(self, key: str) -> Path:
        """Where the reply to a request lies."""
        return self.folder / key[:2] / f"{key}.json"

    def get(self, key: str) -> Reply | None:
        """The reply stored, or None."""
        try:
            entry = json.loads(self.path(key).read_bytes())
            told = entry["reply"]
            if entry["key"] != key or entry["digest"] != _digest(told):
                return None
            return Reply(
                told["text"], told["thinking"], told["finish"], told["model"], Tokens(*told["tokens"]), stored=True
            )
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def put(self, name: str, request: Request, reply: Reply, extra: Mapping[str, Any] | None = None) -> Reply:
        """Store a reply; returned is the one that stands, another's where that came first.

        Raises:
            ServiceError: The folder cannot be written to.
        """
        key = request_key(name, request, extra)
        told = {
            "text": reply.text,
            "thinking": reply.thinking,
            "finish": reply.finish,
            "model": reply.model,
            "tokens": list(reply.tokens),
        }
        entry = {"key": key, "asked": _asked(name, request, extra), "reply": told, "digest": _digest(told)}
        path = self.path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, beside = tempfile.mkstemp(prefix=f".{key[:8]}-", dir=path.parent)
            try:
                with os.fdopen(handle, "w", encoding="ascii") as file:
                    file.write(json.dumps(entry, indent=1, sort_keys=True) + "\n")
                return self._place(Path(beside), path, key) or reply
            finally:
                Path(beside).unlink(missing_ok=True)
        except OSError as error:
            raise ServiceError(
                "cache.unwritable", "a reply could not be stored", path=path.parent, got=error.strerror
            ) from error

    def _place(self, beside: Path, path: Path, key: str) -> Reply | None:
        try:
            os.link(beside, path)
        except FileExistsError:
            standing = self.get(key)
            if standing is not None:
                return standing
            os.replace(beside, path)
        except OSError:  # a file system without links: the last one stands
            os.replace(beside, path)
        return None


def _asked(name: str, request: Request, extra: Mapping[str, Any] | None) -> dict[str, Any]:
    # Numbers as they are sent: 1 and 1.0 are one temperature.
    sampling = asdict(request.sampling)
    sampling.update(temperature=float(request.sampling.temperature), top_p=float(request.sampling.top_p))
    sampling["stop"] = list(request.sampling.stop)
    shape = request.shape and {"kind": request.shape.kind, "value": request.shape.value, "name": request.shape.name}
    return {
        "version": _VERSION,
        "model": name,
        "messages": [list(message) for message in request.messages],
        "sampling": sampling,
        "shape": shape,
        "thinking": request.thinking,
        "extra": dict(extra or {}),
    }


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _digest(told: Any) -> str:
    return sha256(_canonical(told).encode("ascii")).hexdigest()
