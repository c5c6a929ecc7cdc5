"""The commands of `worldgen model`, as `commands` has the others."""

from __future__ import annotations

from typing import Annotated, Literal, Optional

import typer

from worldgen.cli.options import AsJson

model = typer.Typer(help="Run the language models that worldgen asks.", no_args_is_help=True, rich_markup_mode=None)


@model.command("fake")
def fake(
    player: Annotated[
        str,
        typer.Option(
            help="How it behaves: copies, mends, contradicts, babbles, breaks-off or refuses; in free mode invents or "
            "forgets; for fidelity remembers, and as its judge compares; drafts writes a schema; of prose it "
            "paraphrases, lies, adds, omits or mumbles."
        ),
    ] = "copies",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port; 0 takes a free one and prints it.")] = 8000,
) -> None:
    """Play a world model without any model, to try `serve --backend world-model` out."""
    from worldgen.cli import models

    models.fake(player, port)


@model.command("serve")
def serve(
    name: Annotated[str, typer.Option("--model", help="A model's name on the hub, or its folder.", show_default=False)],
    engine: Annotated[Literal["sglang", "vllm"], typer.Option(help="What serves it.")] = "sglang",
    hub: Annotated[Literal["huggingface", "modelscope"], typer.Option(help="Where names come from.")] = "huggingface",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the commands.")] = False,
    host: Annotated[str, typer.Option(help="Address; any but the machine's own needs WORLDGEN_MODEL_KEY.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port; 0 takes a free one.")] = 8000,
    tensor_parallel: Annotated[int, typer.Option(min=1, help="GPUs that share one copy of the model.")] = 1,
    context_length: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=0, help="Tokens.  [default: the engine's own; 262144 for Qwen-AgentWorld]"),
    ] = None,
    reasoning_parser: Annotated[str, typer.Option(help="How the model marks its thinking; none.")] = "qwen3",
    replicas: Annotated[int, typer.Option(min=1, help="Copies of the model behind one address.")] = 1,
    served_name: Annotated[str, typer.Option(help="What requests call it.  [default: the model]")] = "",
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run Python code that comes with the model.")
    ] = False,
    python: Annotated[str, typer.Option(help="Interpreter that has the engine.  [default: this one]")] = "",
    ready_timeout: Annotated[float, typer.Option(min=1, help="Seconds until it must serve.")] = 1800,
    as_json: AsJson = False,
    flags: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Argument(metavar="[-- FLAGS]", help="Flags for the engine itself.", show_default=False),
    ] = None,
) -> None:
    """Serve a language model by SGLang or vLLM until told to end; prints the commands that it runs."""
    from worldgen.cli import models

    launch = models.launch(
        model=name,
        engine=engine,
        hub=hub,
        python=python,
        host=host,
        port=port,
        tensor_parallel=tensor_parallel,
        context_length=context_length,
        reasoning_parser=reasoning_parser,
        replicas=replicas,
        served_name=served_name,
        remote_code=trust_remote_code,
        extra=tuple(flags or ()),
    )
    models.serve(launch, dry_run=dry_run, timeout=ready_timeout, as_json=as_json)
