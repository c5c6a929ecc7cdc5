"""`model serve`: a language model behind an OpenAI-compatible address until the process is told to end."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from time import monotonic, sleep
from typing import Any

from worldgen.address import listen
from worldgen.cli.console import print_json, program
from worldgen.draft.players import drafts
from worldgen.errors import CallerError, did_you_mean
from worldgen.eval.fidelity.comparer import compares
from worldgen.llm.engines import Launch, Plan, plan, visible_devices
from worldgen.llm.fake import FakeServer
from worldgen.llm.launch import follow, running
from worldgen.prose.players import PLAYERS as REWRITERS
from worldgen.search.world_model.players import FREE, PLAYERS
from worldgen.settings import Settings

_JUDGE = "compares"
"""The player that judges; others are world models, one drafts schemas, some rewrite prose."""
_DRAFTER = "drafts"


def launch(*, python: str, port: int, reasoning_parser: str, **told: Any) -> Launch:
    """What the options ask for, with what the environment adds."""
    if port == 0:
        with listen("127.0.0.1", 0) as free:
            port = free.getsockname()[1]
    return Launch(
        **told,
        python=python or sys.executable,
        port=port,
        reasoning_parser="" if reasoning_parser == "none" else reasoning_parser,
        key=Settings().model_key or None,
        devices=visible_devices(),
    )


def serve(launch: Launch, *, dry_run: bool, timeout: float, as_json: bool) -> None:
    """Print the commands, and unless that is all, run them until SIGTERM (exit 143) or Ctrl-C (exit 130)."""
    planned = plan(launch)
    told = {"url": planned.url, "model": planned.name, "commands": [one.shown() for one in planned.commands]}
    if dry_run:
        if as_json:
            print_json(told)
        else:
            print("\n\n".join(told["commands"]))
        return
    if not as_json:
        print("\n\n".join(told["commands"]), flush=True)
    since = monotonic()
    with running(planned, _log, timeout=timeout) as processes:
        if as_json:
            print_json(told)
        else:
            print(f"\n{planned.url} serves {planned.name} after {monotonic() - since:.0f} s. Next:")
            print("\n".join(f"  {command}" for command in _next(planned)))
        sys.stdout.flush()
        follow(processes)


def _next(planned: Plan) -> Sequence[str]:
    where = f"--model-url {planned.url} --model {shlex.quote(planned.name)}"
    key = "" if planned.key is None else "WORLDGEN_MODEL_KEY=… "
    return (
        f"{key}{program()} serve WORLD --backend world-model {where}",
        f"{key}{program()} fidelity WORLD {where}",
    )


def _log(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _played(player: str, url: str, name: str) -> str:
    """The command that a player is for."""
    if player == _JUDGE:
        return f"fidelity WORLD --model-url URL --model NAME --judge-url {url} --judge-model {name}"
    where = f"--model-url {url} --model {name}"
    if player in REWRITERS:
        return f"build SCHEMA --prose {name} --model-url {url}"
    if player == _DRAFTER:
        return f'draft --premise "In 2030, 430 people have moved to Mars" {where}'
    if player == "remembers":
        return f"fidelity WORLD {where}"
    return f"serve WORLD --backend world-model{' --mode free' if player in FREE else ''} {where}"


def fake(player: str, port: int) -> None:
    """Answer as a player does until SIGTERM or Ctrl-C."""
    players: dict[str, Callable[[dict[str, Any]], str]] = {**PLAYERS, _JUDGE: compares, _DRAFTER: drafts, **REWRITERS}
    if player not in players:
        raise CallerError(
            "model.unknown-player",
            f"no player is called {player!r}",
            expected=" or ".join(players),
            fix=did_you_mean(player, players),
        )
    # A name of its own for each, as replies are kept by the name of the model.
    name = f"fake-{player}"
    with FakeServer(players[player], model=name, port=port) as server:
        print(f"{name} answers at {server.url}. Next:")
        print(f"  {program()} {_played(player, server.url, name)}", flush=True)
        while True:
            sleep(3_600)
