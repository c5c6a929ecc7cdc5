"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

WorldPath = Annotated[Path, typer.Argument(help="Folder of a built world.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
ModelUrl = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(help="Address of a model's server, up to and with /v1.  [default: WORLDGEN_MODEL_URL]"),
]
ModelName = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--model", help="The model's name on its server.  [default: WORLDGEN_MODEL_NAME]"),
]
ModelCache = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(help="Folder of the model's replies.  [default: ~/.cache/worldgen/replies]"),
]
NoModelCache = Annotated[bool, typer.Option("--no-model-cache", help="Ask the model anew each time.")]
AnswersSearches = Annotated[
    Literal["index", "world-model"],
    typer.Option("--backend", help="What answers searches: the world's index, or a language world model."),
]
ModelMode = Annotated[
    Literal["grounded", "free"],
    typer.Option(
        "--mode", help="grounded: the index decides, the model writes, an audit judges; free: the model invents."
    ),
]
ModelAttempts = Annotated[
    int, typer.Option("--attempts", min=1, max=10, help="Replies of the model to one action, at most.")
]
ModelInstructions = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option("--instruction", help="Simulation instruction for the model, by name; repeat for several."),
]
ModelTokens = Annotated[
    int,
    typer.Option("--max-tokens", min=16, help="Tokens of one reply of the model; less where its context is small."),
]
ModelAudit = Annotated[
    Literal["strict", "lenient"],
    typer.Option(
        "--audit", help="Of grounded mode; lenient takes words that are neither the material's nor plain ones."
    ),
]
Out = Annotated[
    Optional[Path], typer.Option(help="Folder in which the world's folder is made.  [default: worlds]")  # noqa: UP045
]
Languages = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option("--language", help="en or zh; repeat for both.  [default: the schema's]"),
]
Haystack = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(help="Pages of sibling worlds searched along, in each language.  [default: 300]"),
]
Force = Annotated[bool, typer.Option("--force", help="Build again, or replace another world there.")]
Withholding = Literal["none", "light", "strict"]
SnippetsWithhold = Annotated[
    Withholding, typer.Option(help="How much the snippets hold back; strict: three facts a result page, none: nothing.")
]
