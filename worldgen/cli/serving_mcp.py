"""`mcp`: a world's tools on standard input and output."""

from __future__ import annotations

from pathlib import Path

from worldgen.env import Episode
from worldgen.errors import CallerError
from worldgen.tools import Perturbation, Toolbox, read_plan
from worldgen.tools.perturbation import plan_file
from worldgen.world import Withholding, World


def serve(
    path: Path, profile: str, task: str | None, *, seed: int, perturb: str | None, withholding: Withholding
) -> None:
    """Serve until the client is gone or the process is told to end."""
    try:
        from worldgen.serve.mcp.stdio import serve_stdio
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("worldgen"):
            raise
        raise CallerError(
            "serve.no-mcp", "MCP needs a package that is missing", got=error.name, fix="pip install 'worldgen[mcp]'"
        ) from error
    plan = read_plan(perturb) if perturb else None
    with World.load(path) as world:
        tools: Toolbox | Episode
        if task is None:
            faults = None if plan is None else Perturbation(plan, seed)
            tools = world.toolbox(profile, withholding=withholding, perturbation=faults)
        else:
            text = plan_file(perturb) if perturb else ""
            tools = Episode.start(world, task, seed=seed, profile=profile, withholding=withholding, perturbation=text)
        serve_stdio(world, profile, tools)
