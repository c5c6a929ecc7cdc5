"""The commands that make schemas and worlds, as `commands` has the others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Optional

import typer

from worldgen.cli.options import (
    AsJson,
    Force,
    Haystack,
    Languages,
    ModelCache,
    ModelName,
    ModelTokens,
    ModelUrl,
    NoModelCache,
    Out,
)
from worldgen.errors import CallerError

if TYPE_CHECKING:
    from worldgen.pipeline import BuildOptions


def build(
    schema: Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(
            help="A shipped schema's name, or a path; none for a family over all shipped ones.", show_default=False
        ),
    ] = None,
    seed: Annotated[Optional[int], typer.Option(help="Seed of the (first) world.  [default: 7]")] = None,  # noqa: UP045
    out: Out = None,
    language: Languages = None,
    haystack: Haystack = None,
    force: Force = False,
    variant: Annotated[int, typer.Option(min=0, help="Build a variant of the schema, as `sample` shows it.")] = 0,
    count: Annotated[int, typer.Option(help="Worlds to build, with seeds SEED, SEED+1, …")] = 1,
    vary: Annotated[
        bool, typer.Option("--vary", help="Of a family: build the world of seed S from the variant S of its schema.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Of a family: worlds built at a time.")] = 1,
    engine: Annotated[
        Literal["local", "ray"], typer.Option(help="Of a family: processes of this machine, or a Ray cluster.")
    ] = "local",
    prove_every: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Of a family: prove every so-manieth world.  [default: 1; 25 with --vary]"),
    ] = None,
    proofs: Annotated[
        bool,
        typer.Option("--proofs/--no-proofs", help="Prove the world before it is kept; exit 1 where a proof fails."),
    ] = True,
    prose: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="MODEL", help="A model that rewrites sentences of pages; the audit judges each."),
    ] = None,
    model_url: ModelUrl = None,
    model_cache: ModelCache = None,
    as_json: AsJson = False,
) -> None:
    """Build a world from a schema: facts, corpus, index, questions, proofs."""
    from worldgen.cli import making
    from worldgen.cli.backend import prose_of

    options: BuildOptions = {
        "seed": seed,
        "out": out,
        "languages": language,
        "haystack": haystack,
        "force": force,
        "proofs": proofs,
        "prose": prose_of(prose, model_url, model_cache),
    }
    if schema is not None and count == 1 and not vary:
        making.one(schema, options, variant, as_json=as_json)
        return
    if variant:
        raise CallerError("build.variant", "a family has no one variant", expected="--vary", got=f"--variant {variant}")
    if schema is None and count == 1 and not vary:
        raise CallerError("build.schema", "no schema given", expected="a schema, or --count for a family over all")
    many = making.Many(count, jobs, vary, (25 if vary else 1) if prove_every is None else prove_every, engine)
    making.family(schema, options, many, as_json=as_json)


def sample(
    schema: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Argument(help="Shipped schemas, or paths; none means all shipped ones.", show_default=False),
    ] = None,
    variant: Annotated[int, typer.Option(min=0, help="The variant's number; 0 is the schema itself.")] = 1,
    variants: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, max=1000, help="Instead: sample so many of each schema, and tell how far they lie apart."),
    ] = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="File, or folder with --variants, for the variants as YAML."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draw variants of a schema: other tables, columns, units, sites and words of the same field."""
    from worldgen.cli import varying

    if variants is None:
        varying.one(schema or [], variant, out, as_json=as_json)
    else:
        varying.many(schema or [], variants, out, as_json=as_json)


def draft(
    premise: Annotated[
        str, typer.Option(help="What the world is to be: 'In 2030, 430 people have moved to Mars'.", show_default=False)
    ] = "",
    documents: Annotated[
        Optional[list[Path]],  # noqa: UP045
        typer.Option("--from", help="A document it is to be about (text, Markdown, HTML); repeat for several."),
    ] = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="File to write, ending in .yaml.  [default: the world's name]", show_default=False),
    ] = None,
    language: Languages = None,
    rounds: Annotated[int, typer.Option(min=0, max=50, help="How often the model may mend its draft.")] = 4,
    seed: Annotated[int, typer.Option(min=0, help="Of the model's draws, and of the world built on trial.")] = 7,
    temperature: Annotated[float, typer.Option(min=0, max=2, help="Of the model's draws.")] = 0.6,
    proofs: Annotated[
        bool, typer.Option("--proofs/--no-proofs", help="Build a world with all proofs before the draft is done.")
    ] = True,
    model_url: ModelUrl = None,
    model: ModelName = None,
    model_cache: ModelCache = None,
    no_model_cache: NoModelCache = False,
    max_tokens: ModelTokens = 8_192,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that stands there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Have a language model draft a schema, and mend it until it builds; exit 1 where it does not."""
    from worldgen.cli import drafting
    from worldgen.cli.backend import ModelOptions
    from worldgen.draft import Drafting, read_documents

    told = Drafting(
        premise=premise,
        documents=read_documents(documents or ()),
        languages=drafting.languages(language),
        rounds=rounds,
        seed=seed,
        temperature=temperature,
        max_tokens=max_tokens,
        prove=proofs,
    )
    asked = ModelOptions(url=model_url, name=model, cache=model_cache, no_cache=no_model_cache)
    drafting.run(told, asked, out, force=force, as_json=as_json)


def adopt(
    ledger: Annotated[
        Path,
        typer.Argument(help="A ledger of a session in free mode, or a file of trajectories.", show_default=False),
    ],
    schema: Annotated[str, typer.Option(help="The schema of the session: a shipped name, or a path.")],
    episode: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, help="Line of the episode, where a file has several in free mode.", show_default=False),
    ] = None,
    seed: Annotated[Optional[int], typer.Option(help="Decides what the ledger leaves open.  [default: 7]")] = None,  # noqa: UP045
    out: Out = None,
    language: Languages = None,
    haystack: Haystack = None,
    counts: Annotated[
        Literal["schema", "ledger"],
        typer.Option(help="schema: as many things as it says; ledger: of kinds that the ledger names, those alone."),
    ] = "schema",
    leave_computed: Annotated[
        bool, typer.Option("--leave-computed", help="Leave out facts that the schema computes: ranks, shares, sums.")
    ] = False,
    force: Force = False,
    proofs: Annotated[bool, typer.Option("--proofs/--no-proofs", help="Prove the world before it is kept.")] = True,
    as_json: AsJson = False,
) -> None:
    """Make a world from a ledger: its facts are kept, what the schema needs beyond them is drawn."""
    from worldgen.cli import making

    options: BuildOptions = {
        "seed": seed,
        "out": out,
        "languages": language,
        "haystack": haystack,
        "force": force,
        "proofs": proofs,
    }
    told = making.Adopting(ledger, schema, episode, counts, leave_computed)
    making.adopted(told, options, as_json=as_json)
