"""`disjoint`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import typer

from worldgen.cli.console import print_json, print_table, stages
from worldgen.disjoint import Disjointness, Match, disjointness, gazetteer_names
from worldgen.world import World

_SHOWN = 20


def disjoint(path: Path, gazetteers: Sequence[str] | None, *, as_json: bool) -> None:
    """Look the names up; exit 1 on a collision."""
    with World.load(path) as world, stages(gazetteers or gazetteer_names()) as report:
        found = disjointness(world, gazetteers or None, report=report)
    if as_json:
        print_json({"passed": found.passed, **asdict(found)})
    else:
        _print(found)
    if not found.passed:
        raise typer.Exit(1)


def _print(found: Disjointness) -> None:
    print(f"{found.world} ({found.strategy}): {found.asserts}\n")
    print_table(
        "Gazetteers asked",
        ["gazetteer", "package", "version", "names", "kinds"],
        [[each.gazetteer, each.package, each.version, each.names, ", ".join(each.holds)] for each in found.asked],
    )
    if found.not_asked:
        missing = ", ".join(f"{each.gazetteer} ({each.package})" for each in found.not_asked)
        print(f"\nNot asked, as not installed: {missing}; {found.not_asked[0].install}")
    _print_matches("Collisions: names that must be invented and are real", found.collisions)
    _print_matches("Real names that the strategy allows", found.allowed)
    _print_matches("Names of which a word is real", found.partial)
    if found.open_addresses:
        print(f"\nAddresses that are not under a reserved name: {', '.join(found.open_addresses[:_SHOWN])}")
    print(
        f"\n{found.checked:,} names checked, must be invented: {', '.join(found.roles)};"
        f" {len(found.collisions)} collisions, {len(found.allowed)} allowed, {len(found.partial)} in part"
    )


def _print_matches(title: str, matches: Sequence[Match]) -> None:
    if matches:
        more = f" (the first {_SHOWN} of {len(matches):,})" if len(matches) > _SHOWN else ""
        print_table(
            f"\n{title}{more}",
            ["name", "role", "of", "gazetteer", "real name", "kind"],
            [[m.name.text, m.name.role, m.name.owner, m.gazetteer, m.real, m.kind] for m in matches[:_SHOWN]],
        )
