"""Small YAML files, chosen by the name of a shipped one or by a path: plans of faults, simulation instructions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from worldgen.errors import CallerError, did_you_mean, expect_path


@dataclass(frozen=True, slots=True)
class Shelf:
    """The files of one kind.

    Attributes:
        folder: Where the shipped ones lie.
        kind: What one is called.
        area: First part of the codes of errors.
        most: Bytes of a file at most.
    """

    folder: Path
    kind: str
    area: str
    most: int

    def shipped(self) -> dict[str, Path]:
        """Those that come with worldgen, by name."""
        return {path.stem: path for path in sorted(self.folder.glob("*.yaml"))}

    def path(self, source: str | os.PathLike[str]) -> Path:
        """Where that lies which is named, or which is a path."""
        expect_path(source, self.kind)
        return self.shipped().get(str(source), Path(source))

    def text(self, source: str | os.PathLike[str]) -> str:
        """The text of a shipped one, by name, or of a file.

        Raises:
            CallerError: ``….unreadable``: it cannot be read; ``….too-large``.
        """
        path, known = self.path(source), self.shipped()
        try:
            if not path.is_file():
                raise OSError("there is no such file")
            if path.stat().st_size > self.most:
                raise CallerError(
                    f"{self.area}.too-large", f"the {self.kind} is too large", path=path,
                    expected=f"{self.most // 1_000} kB at most",
                )  # fmt: skip
            return path.read_bytes().decode("utf-8")
        except (OSError, ValueError) as error:
            raise CallerError(
                f"{self.area}.unreadable",
                f"the {self.kind} cannot be read: {getattr(error, 'strerror', None) or error}",
                path=str(source)[:200],
                expected=f"a YAML file, or {' or '.join(known)}",
                fix=did_you_mean(str(source)[:200], known),
            ) from error
