"""`mcp`: a world's tools on standard input and output."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from worldgen.cli.backend import BackendName, ModelOptions, make_backend
from worldgen.env import Episode
from worldgen.errors import CallerError
from worldgen.reskin import reskin
from worldgen.tools import Perturbation, Toolbox, read_plan
from worldgen.tools.perturbation import plan_file
from worldgen.world import Withholding, World


@dataclass(frozen=True, slots=True)
class Options:
    """What `worldgen mcp` was told."""

    world: Path
    profile: str
    task: str | None
    seed: int
    perturb: str | None
    withholding: Withholding
    backend: BackendName = "index"
    model: ModelOptions = field(default_factory=ModelOptions)
    epoch: int = 0


def serve(options: Options) -> None:
    """Serve until the client is gone or the process is told to end."""
    try:
        from worldgen.serve.mcp.stdio import serve_stdio
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("worldgen"):
            raise
        raise CallerError(
            "serve.no-mcp", "MCP needs a package that is missing", got=error.name, fix="pip install 'worldgen[mcp]'"
        ) from error
    if options.perturb is not None:
        read_plan(options.perturb)
    with World.load(options.world) as world:
        serve_stdio(world, options.profile, _tools(world, options))


def _tools(world: World, options: Options) -> Toolbox | Episode:
    """The tools of the one session; with a question or a model it is an episode, whose limits apply."""
    backend = make_backend(options.backend, options.model)
    if options.task is None and backend is None:
        faults = None if options.perturb is None else Perturbation(read_plan(options.perturb), options.seed)
        return reskin(world, options.epoch).toolbox(
            options.profile, withholding=options.withholding, perturbation=faults
        )
    return Episode.start(
        world,
        options.task,
        seed=options.seed,
        profile=options.profile,
        withholding=options.withholding,
        perturbation="" if options.perturb is None else plan_file(options.perturb),
        backend=backend,
        epoch=options.epoch,
    )
