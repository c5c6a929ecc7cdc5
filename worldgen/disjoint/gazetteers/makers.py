"""Makers of devices: the organisations with a block of hardware addresses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from worldgen.disjoint.gazetteer import Gazetteer, NameKind, folder_of, gazetteers

_MARK = "(hex)"


@gazetteers.register("makers")
class Makers(Gazetteer):
    """IEEE's register of organisations, as netaddr ships it."""

    name = "makers"
    package = "netaddr"
    holds: ClassVar[tuple[NameKind, ...]] = ("organisation",)

    def names(self) -> Iterator[tuple[NameKind, str]]:
        """One a block, so that large makers come often."""
        for line in (folder_of("netaddr") / "eui" / "oui.txt").read_text("utf-8").splitlines():
            _, mark, organisation = line.partition(_MARK)
            if mark:
                yield "organisation", organisation.strip()
