"""Banks with a code of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import ClassVar

from worldgen.disjoint.gazetteer import Gazetteer, NameKind, folder_of, gazetteers


@gazetteers.register("banks")
class Banks(Gazetteer):
    """The national registers that schwifty ships."""

    name = "banks"
    package = "schwifty"
    holds: ClassVar[tuple[NameKind, ...]] = ("organisation",)

    def names(self) -> Iterator[tuple[NameKind, str]]:
        """Register by register, each bank's name and short name."""
        for path in sorted((folder_of("schwifty") / "bank_registry").glob("*.json")):
            document = json.loads(path.read_text("utf-8"))
            for bank in document if isinstance(document, list) else document["entries"]:
                for field in ("name", "short_name"):
                    if bank.get(field):
                        yield "organisation", bank[field]
