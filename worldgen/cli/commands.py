"""The commands: what each takes, and which function carries it out, imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from worldgen.cli.making_commands import adopt, build, draft, sample
from worldgen.cli.model_commands import model
from worldgen.cli.options import (
    AnswersSearches,
    AsJson,
    ModelAttempts,
    ModelAudit,
    ModelCache,
    ModelInstructions,
    ModelMode,
    ModelName,
    ModelTokens,
    ModelUrl,
    NoModelCache,
    SnippetsWithhold,
    WorldPath,
)
from worldgen.version import __version__

if TYPE_CHECKING:
    pass

app = typer.Typer(
    name="worldgen",
    help="Build fictional worlds that search agents can be trained in.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(model, name="model")


def _version(asked: bool) -> None:
    if asked:
        print(f"worldgen {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


for _command in (build, sample, draft, adopt):
    app.command()(_command)


@app.command()
def check(
    world: WorldPath,
    perturb: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="Prove instead that this plan of faults leaves all tasks solvable; a name or a YAML file."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Prove a built world again with code that shares nothing with its generator; exit 1 on any failure."""
    from worldgen.cli import making

    if perturb:
        making.prove_perturbed(world, perturb, as_json=as_json)
    else:
        making.prove(world, as_json=as_json)


@app.command()
def disjoint(
    world: WorldPath,
    gazetteer: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="Ask this list of real names; repeat for several.  [default: all that are installed]"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Look a world's names up in lists of real names; exit 1 where one that must be invented is real."""
    from worldgen.cli import disjointing

    disjointing.disjoint(world, gazetteer, as_json=as_json)


@app.command()
def overlap(
    worlds: Annotated[list[Path], typer.Argument(help="Folders of built worlds, two or more.", show_default=False)],
    ceiling: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(min=0, max=1, help="Exit 1 where two worlds share this much or more, 0.2 for a fifth."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how much worlds say in the same words: runs of 8 words shared, names, values and dates taken out."""
    from worldgen.cli import overlapping

    overlapping.overlap(worlds, ceiling, as_json=as_json)


@app.command()
def show(
    world: WorldPath,
    samples: Annotated[int, typer.Option(min=1, max=100, help="Samples of each kind.")] = 3,
    variety: Annotated[
        bool, typer.Option("--variety", help="Show instead how alike pages read, by genre and language.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a world: its tables, and some facts, pages and questions."""
    from worldgen.cli import inspecting

    if variety:
        inspecting.variety(world, as_json=as_json)
    else:
        inspecting.show(world, samples, as_json=as_json)


@app.command()
def search(
    world: WorldPath,
    query: Annotated[str, typer.Argument(help="Any text.", show_default=False)],
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="Results.")] = 10,
    withholding: SnippetsWithhold = "strict",
    as_json: AsJson = False,
) -> None:
    """Search a world as an agent does; --withholding none shows snippets that hold nothing back."""
    from worldgen.cli import inspecting

    inspecting.search(world, query, k, withholding, as_json=as_json)


@app.command("open")
def open_page(world: WorldPath, url: Annotated[str, typer.Argument(help="A page's URL.", show_default=False)]) -> None:
    """Print a page as the web_extractor tool gives it."""
    from worldgen.cli import inspecting

    inspecting.open_page(world, url)


@app.command()
def schemas(as_json: AsJson = False) -> None:
    """List the shipped schemas with strategy and size."""
    from worldgen.cli import inspecting

    inspecting.schemas(as_json=as_json)


@app.command()
def validate(schema: Annotated[str, typer.Argument(help="A shipped name or a path.", show_default=False)]) -> None:
    """Check a schema without building it; every problem with its line."""
    from worldgen.cli import inspecting

    inspecting.validate(schema)


@app.command()
def score(
    tasks: Annotated[Path, typer.Argument(help="Folder in the WideSearch layout.", show_default=False)],
    answers: Annotated[
        Path, typer.Argument(help="JSON lines {instance_id, response, trial_idx?}.", show_default=False)
    ],
    world: Annotated[
        Optional[Path], typer.Option(help="World whose aliases count as equal.  [default: the tasks' own]")  # noqa: UP045
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score answers with the WideSearch metrics; exit 1 where the file answers none of the tasks."""
    from worldgen.cli import scoring

    scoring.score(tasks, answers, world, as_json=as_json)


@app.command()
def serve(
    worlds: Annotated[
        list[str], typer.Argument(help="Folders of built worlds, or a pattern: 'worlds/*'.", show_default=False)
    ],
    host: Annotated[str, typer.Option(help="Address; any but the machine's own needs WORLDGEN_AGENT_KEY.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port; 0 takes a free one and prints it.")] = 8848,
    profile: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="Tools open without an episode: search, api, sql, open; repeat, or none.  [default: search]"),
    ] = None,
    withholding: SnippetsWithhold = "strict",
    perturb: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Plan of faults of episodes that name none; a name or a YAML file."),
    ] = None,
    most_open: Annotated[int, typer.Option(min=1, help="Worlds open at once.")] = 48,
    backend: AnswersSearches = "index",
    model_url: ModelUrl = None,
    model: ModelName = None,
    mode: ModelMode = "grounded",
    attempts: ModelAttempts = 3,
    instruction: ModelInstructions = None,
    model_cache: ModelCache = None,
    no_model_cache: NoModelCache = False,
    max_tokens: ModelTokens = 8_192,
    audit: ModelAudit = "strict",
    as_json: AsJson = False,
) -> None:
    """Serve worlds over HTTP and MCP: search, tools, episodes, the site."""
    from worldgen.cli import serving
    from worldgen.cli.backend import ModelOptions

    told = ModelOptions(
        url=model_url,
        name=model,
        mode=mode,
        attempts=attempts,
        instructions=instruction or (),
        cache=model_cache,
        no_cache=no_model_cache,
        max_tokens=max_tokens,
        audit=audit,
    )
    options = serving.Options(worlds, host, port, profile, withholding, perturb, most_open, backend, told)
    serving.serve(options, as_json=as_json)


@app.command()
def mcp(
    world: WorldPath,
    profile: Annotated[str, typer.Option(help="The tools: search, api, sql or open.")] = "search",
    task: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Serve an episode on this question, by instance id."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides which calls meet faults, and in free mode the web.")] = 0,
    epoch: Annotated[int, typer.Option(help="Under which names and calendar; 0 for those of the build.")] = 0,
    perturb: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Faults: the name of a shipped plan, or a YAML file."),
    ] = None,
    withholding: SnippetsWithhold = "strict",
    backend: AnswersSearches = "index",
    model_url: ModelUrl = None,
    model: ModelName = None,
    mode: ModelMode = "grounded",
    attempts: ModelAttempts = 3,
    instruction: ModelInstructions = None,
    model_cache: ModelCache = None,
    no_model_cache: NoModelCache = False,
    max_tokens: ModelTokens = 8_192,
    audit: ModelAudit = "strict",
) -> None:
    """Serve a world's tools over MCP on standard input and output, for one client."""
    from worldgen.cli import serving_mcp
    from worldgen.cli.backend import ModelOptions

    told = ModelOptions(
        url=model_url,
        name=model,
        mode=mode,
        attempts=attempts,
        instructions=instruction or (),
        cache=model_cache,
        no_cache=no_model_cache,
        max_tokens=max_tokens,
        audit=audit,
    )
    serving_mcp.serve(serving_mcp.Options(world, profile, task, seed, perturb, withholding, backend, told, epoch))


@app.command()
def fidelity(
    world: Annotated[Optional[Path], typer.Argument(help="Folder of a built world.", show_default=False)] = None,  # noqa: UP045
    bench: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Folder of *_test.jsonl as AgentWorldBench publishes them, instead of a world."),
    ] = None,
    model_url: ModelUrl = None,
    model: ModelName = None,
    judge_url: Annotated[Optional[str], typer.Option(help="The judge's server; without one, rules alone.")] = None,  # noqa: UP045
    judge_model: Annotated[Optional[str], typer.Option(help="The judge's name.")] = None,  # noqa: UP045
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Folder of the run, which a rerun goes on with.  [default: fidelity/WORLD-MODEL]"),
    ] = None,
    limit: Annotated[Optional[int], typer.Option(min=1, help="Turns at most, shared by the domains.")] = None,  # noqa: UP045
    jobs: Annotated[int, typer.Option(min=1, max=1_000, help="Turns under way at once.")] = 8,
    max_tokens: Annotated[int, typer.Option(min=1, help="Length of a reply at most, thinking included.")] = 32_768,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try again what failed before.")] = False,
    model_cache: ModelCache = None,
    no_model_cache: NoModelCache = False,
    as_json: AsJson = False,
) -> None:
    """Measure how faithful a world model is: predict recorded turns, judge and verify them by rule."""
    from worldgen.cli import measuring
    from worldgen.cli.backend import named, reply_folder

    asked = measuring.Asked(
        world=world,
        bench=bench,
        model=named(model_url, model),
        judge=(judge_url, judge_model),
        out=out,
        limit=limit,
        jobs=jobs,
        max_tokens=max_tokens,
        retry_failed=retry_failed,
        cache=reply_folder(model_cache, no_cache=no_model_cache),
    )
    measuring.fidelity(asked, as_json=as_json)


@app.command()
def export(
    worlds: Annotated[list[Path], typer.Argument(help="Folders of built worlds.", show_default=False)],
    to: Annotated[str, typer.Option(help="Format: lwm, training data for world models.")],
    out: Annotated[Path, typer.Option(help="Folder to make.", show_default=False)],
    episodes: Annotated[int, typer.Option(help="Episodes of each world.")] = 27,
    seed: Annotated[int, typer.Option(help="Decides what is done in them, and what is learned.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace an export that stands there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Export training data from worlds, split by world; the same call writes the same bytes."""
    from worldgen.cli import exporting
    from worldgen.train import Options

    exporting.export(worlds, to, out, Options(episodes, seed), force=force, as_json=as_json)
