"""`serve`: worlds behind one address until the process is told to end."""

from __future__ import annotations

import glob
import os
import signal
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from worldgen.address import bracketed, is_loopback, listen
from worldgen.cli.backend import BackendName, ModelOptions, make_backend
from worldgen.cli.console import print_json
from worldgen.errors import CallerError
from worldgen.settings import Settings
from worldgen.world import Withholding

if TYPE_CHECKING:
    from worldgen.serve.server import Server

_GRACE = 5
_NONE = "none"
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class Options:
    """What `worldgen serve` was told; no profiles are those that are open by default."""

    worlds: Sequence[str]
    host: str
    port: int
    profiles: Sequence[str] | None
    withholding: Withholding
    perturb: str | None
    most_open: int
    backend: BackendName = "index"
    model: ModelOptions = field(default_factory=ModelOptions)


def serve(options: Options, *, as_json: bool) -> None:
    """Serve until SIGTERM (exit 0) or Ctrl-C (exit 130)."""
    try:
        import uvicorn

        from worldgen.serve.app import make_app
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("worldgen"):
            raise
        raise CallerError(
            "serve.missing-extra",
            f"serving needs {error.name}, which is not installed",
            fix="pip install 'worldgen[serve]'",
        ) from error
    settings = Settings()
    if settings.agent_key is None and not is_loopback(options.host):
        raise CallerError(
            "serve.no-agent-key",
            f"{options.host} is reached from outside, and agents need no key",
            fix="set WORLDGEN_AGENT_KEY, or serve on 127.0.0.1",
        )
    server = _server(options, settings)
    app = make_app(server)
    listening = listen(options.host, options.port)
    # uvicorn raises again, at its end, the signal that ended it: the end that SIGTERM asks for is no failure.
    signal.signal(signal.SIGTERM, _end)
    config = uvicorn.Config(
        app,
        http="httptools",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_GRACE,
        server_header=False,
    )

    class Announced(uvicorn.Server):
        # Said once uvicorn answers signals, so that whoever reads it may end the server at once.
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            _announce(server, options.host, listening, settings, as_json=as_json)

    Announced(config).run(sockets=[listening])


def _end(number: int, frame: FrameType | None) -> None:
    # An exception is lost where the signal comes amid a callback of the interpreter's own, and the server would go on.
    os._exit(0)


def _server(options: Options, settings: Settings) -> Server:
    from worldgen.serve.keys import Keys
    from worldgen.serve.server import Server
    from worldgen.tools.perturbation import plan_file, read_plan

    plan = ""
    if options.perturb is not None:
        read_plan(options.perturb)
        plan = plan_file(options.perturb)
    return Server(
        _folders(options.worlds),
        keys=Keys.make(settings.trainer_key, settings.agent_key),
        profiles=_profiles(options),
        withholding=options.withholding,
        most_open=options.most_open,
        perturbation=plan,
        backend=make_backend(options.backend, options.model),
        hosts={*_LOOPBACK, bracketed(options.host).lower()} if is_loopback(options.host) else None,
    )


def _profiles(options: Options) -> Sequence[str]:
    """The tools that are open without an episode; in free mode none can be, as a web is invented for each episode."""
    asked = ("search",) if options.profiles is None else () if list(options.profiles) == [_NONE] else options.profiles
    if options.backend == "world-model" and options.model.mode == "free":
        if asked and options.profiles is not None:
            raise CallerError(
                "serve.profile",
                "in free mode no tools are open without an episode, each of which has a web of its own",
                expected=f"--profile {_NONE}, or no --profile",
                got=f"--profile {asked[0]}",
                fix="leave --profile out, and name the profile as an episode is begun",
            )
        return ()
    return asked


def _folders(given: Sequence[str]) -> list[Path]:
    """The folders meant, patterns expanded; of several, plain files are passed over, as ``worlds/*`` may have some."""
    found: list[Path] = []
    for name in given:
        matched = sorted(glob.glob(name)) if not Path(name).exists() and glob.has_magic(name) else [name]
        found += map(Path, matched)
    folders = [path for path in found if not path.is_file()] if len(found) > 1 else found
    if not folders:
        raise CallerError(
            "serve.no-world", "no world to serve", expected="folders of built worlds", got=" ".join(given)
        )
    return folders


def _announce(server: Server, host: str, listening: socket.socket, settings: Settings, *, as_json: bool) -> None:
    port = listening.getsockname()[1]
    url = f"http://{bracketed(host)}:{port}"
    drawn = None if settings.trainer_key else server.keys.trainer
    names = server.pool.names()
    if as_json:
        told = {"url": url, "worlds": names, "profiles": list(server.profiles), "trainer_key": drawn}
        print_json({**told, **_simulated(server)})
    else:
        print(f"Serving {len(names)} world{'s' if len(names) != 1 else ''} at {url}: {_few(names)}")
        tools = ", ".join(server.profiles) or "only in episodes"
        print(f"  tools without an episode: {tools}; withholding {server.withholding}")
        if server.backend is not None:
            simulation = server.backend.simulation
            print(f"  searches and pages are written by {simulation.model}, {simulation.mode}; counts at {url}/metrics")
        print(f"  docs {url}/docs   health {url}/health   site {url}/site/")
        if len(names) > 1:
            print(f"  choose a world by path, {url}/w/{names[0]}/search, or by the header X-World")
        print(f"  agents need {'WORLDGEN_AGENT_KEY' if settings.agent_key else 'no key'}")
        how = f"{drawn} (set WORLDGEN_TRAINER_KEY for one of your own)" if drawn else "as in WORLDGEN_TRAINER_KEY"
        print(f"  the trainer's key is {how}")
    sys.stdout.flush()


def _simulated(server: Server) -> dict[str, str]:
    if server.backend is None:
        return {"backend": "index"}
    return {"backend": "world-model", "model": server.backend.simulation.model, "mode": server.backend.simulation.mode}


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f", … ({len(names)} in all)" if len(names) > 5 else "")
