"""The export ``lwm``: rows by split, a split for whole worlds, and the card that tells how they came about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from string import Template
from typing import IO, Any

from worldgen.env import json_line
from worldgen.seeds import stream
from worldgen.train.exporting import EXPORTS, Options, Source
from worldgen.train.lwm.masks import CATEGORIES, rules
from worldgen.train.lwm.samples import Sample, sample_of
from worldgen.train.lwm.walks import record
from worldgen.version import __version__
from worldgen.world import World

FILES = ("trajectories", "turns", "messages", "rl")
FEWEST_TO_SPLIT = 3
_TENTH = 10


@EXPORTS.register("lwm")
def export_lwm(
    sources: Sequence[Source], folder: Path, options: Options, report: Callable[[str], None]
) -> Mapping[str, Any]:
    """Write the training data of worlds; see `Export`."""
    splits = split_worlds(sources, options.seed)
    counts: dict[str, Counter[str]] = {split: Counter() for split in sorted(set(splits.values()))}
    with ExitStack() as opened:
        files = {split: _open(folder / split, opened) for split in counts}
        for source in sources:
            report(source.name)
            split = splits[source.manifest.digest]
            with World.load(source.path) as world:
                for number in range(options.episodes):
                    sample = sample_of(world, record(world, number, seed=options.seed), seed=options.seed)
                    _write(sample, files[split], counts[split], options.seed)
    told = {split: dict(sorted(found.items())) for split, found in counts.items()}
    card = _card(sources, splits, told, options)
    (folder / "README.md").write_bytes(card.encode())
    return told


def split_worlds(sources: Sequence[Source], seed: int) -> dict[str, str]:
    """Digest → split: of ten worlds one is for validation and one for test, at least one each; of two none is.

    All turns of a world stand in one split: a fact that was learned in one would be known in the other. So do worlds of
    one schema and seed, which differ in languages or haystack and not in their facts.
    """
    names = [(source.manifest.world, source.manifest.seed) for source in sources]
    drawn = stream(seed, "lwm-split").shuffled(sorted(set(names)))
    held = 0 if len(drawn) < FEWEST_TO_SPLIT else max(1, round(len(drawn) / _TENTH))
    test, validation = drawn[:held], drawn[held : 2 * held]
    return {
        source.manifest.digest: "test" if name in test else "validation" if name in validation else "train"
        for source, name in zip(sources, names, strict=True)
    }


def _open(folder: Path, opened: ExitStack) -> dict[str, IO[bytes]]:
    folder.mkdir()
    return {name: opened.enter_context((folder / f"{name}.jsonl").open("wb")) for name in FILES}


def _write(sample: Sample, files: Mapping[str, IO[bytes]], counts: Counter[str], seed: int) -> None:
    kept = sample.kept
    rows: dict[str, list[dict[str, Any]]] = {
        "trajectories": [sample.trajectory()],
        "turns": [sample.turn(number) for number in kept],
        "messages": [sample.messages()],
        # Many turns of one trajectory are rewarded alike, and a group without variance teaches nothing.
        "rl": [sample.turn(stream(seed, "lwm-rl", sample.id).choice(kept))] if kept else [],
    }
    for name, made in rows.items():
        files[name].writelines(f"{json_line(row)}\n".encode() for row in made)
        counts[name] += len(made)
    counts[f"domain {sample.task}"] += 1
    counts["all turns"] += len(sample.turns)
    for turn in sample.turns:
        counts[f"category {turn.mask.category}"] += 1
        counts[f"kept {turn.mask.category}"] += turn.mask.keep


def _card(
    sources: Sequence[Source], splits: Mapping[str, str], counts: Mapping[str, Mapping[str, int]], options: Options
) -> str:
    worlds = [
        f"| {_named(s)} | {splits[s.manifest.digest]} | `{s.manifest.digest}` | `{s.manifest.canary}` |"
        for s in sources
    ]
    rows = [
        f"| {split} | {' | '.join(str(found.get(name, 0)) for name in (*FILES, 'all turns'))} |"
        f" {found.get('domain search', 0)} | {found.get('domain mcp', 0)} |"
        for split, found in counts.items()
    ]
    categories = [
        f"| {name} | {'published' if rules()[name].published else 'ours'} | {rules()[name].keep:.0%} |"
        f" {sum(c.get(f'category {name}', 0) for c in counts.values())} |"
        f" {sum(c.get(f'kept {name}', 0) for c in counts.values())} |"
        for name in CATEGORIES
    ]
    undivided = set(splits.values()) == {"train"}
    alone = f"Fewer than {FEWEST_TO_SPLIT} worlds of different schema or seed cannot be split: all are for training."
    divided = "Whole worlds are split, never turns: no fact stands in two splits."
    text = (Path(__file__).parent / "card.md").read_text("utf-8")
    return Template(text).substitute(
        version=__version__,
        episodes=options.episodes,
        seed=options.seed,
        split=alone if undivided else divided,
        worlds="\n".join(worlds),
        counts="\n".join(rows),
        categories="\n".join(categories),
    )


def _named(source: Source) -> str:
    named = f"{source.manifest.world}, seed {source.manifest.seed}"
    return f"{named}, from a ledger" if source.manifest.adopted else named
