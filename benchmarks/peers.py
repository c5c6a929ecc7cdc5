"""Other generators, each in a virtual environment of its own, run as their users run them.

    python3.12 -m venv pw && pw/bin/pip install phantom-wiki==1.0.3     # and Debian's swi-prolog
    python3.12 -m venv pg && pg/bin/pip install pygraft-gen==0.0.11

Their start-up counts, as it does for whoever runs them. A peer that is not given, or fails, is named as missing.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmarks.measuring import Cost, command

_PEOPLE_A_TREE = 25


@dataclass(frozen=True, slots=True)
class PhantomWiki:
    """PhantomWiki in the environment whose ``bin`` this is: a universe of people, their articles and 80 questions."""

    bin: Path
    depth: int = 6
    timeout: float = 1800

    def build(self, people: int) -> Cost[int] | None:
        """Generate about so many people; ``value`` is the number of articles. None where it failed or took too long."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            cost = _run(
                [
                    str(self.bin / "pw-generate"), "--quiet", "--seed", "7", "--question-depth", str(self.depth),
                    "--num-family-trees", str(max(1, people // _PEOPLE_A_TREE)),
                    "--max-family-tree-size", str(_PEOPLE_A_TREE), "--output-dir", str(out),
                    "--article-format", "json", "--question-format", "json",
                ],
                folder,
                self.timeout,
            )  # fmt: skip
            if cost is None or cost.value != 0:
                return None
            articles = len(json.loads((out / "articles.json").read_text(encoding="utf-8")))
        return Cost(articles, cost.wall, cost.cpu, cost.peak_mb)


@dataclass(frozen=True, slots=True)
class PyGraft:
    """pygraft-gen in the environment whose ``bin`` this is: its own template of a schema, the reasoner left out."""

    bin: Path
    timeout: float = 1800

    def generate(self, entities: int, triples: int) -> Cost[int] | None:
        """Generate a graph; ``value`` is the number of triples written. None where it failed or took too long."""
        with tempfile.TemporaryDirectory() as folder:
            made = _run([str(self.bin / "pygraft"), "init", "yml"], folder, self.timeout)
            path = Path(folder) / "pygraft.config.yml"
            if made is None or not path.exists():
                return None
            config = yaml.safe_load(path.read_text(encoding="utf-8"))
            config["general"] |= {"project_name": "benchmark", "rdf_format": "nt", "rng_seed": 7}
            config["kg"] |= {"num_entities": entities, "num_triples": triples, "check_kg_consistency": False}
            path.write_text(yaml.safe_dump(config), encoding="utf-8")
            cost = _run([str(self.bin / "pygraft"), "build", str(path)], folder, self.timeout)
            if cost is None or cost.value != 0:
                return None
            written = sum(_lines(found) for found in Path(folder).rglob("kg*.nt"))
        return Cost(written, cost.wall, cost.cpu, cost.peak_mb)


def _run(arguments: list[str], folder: str, timeout: float) -> Cost[int] | None:
    try:
        return command(arguments, cwd=folder, timeout=timeout)
    except (OSError, subprocess.TimeoutExpired):
        return None


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)
