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
