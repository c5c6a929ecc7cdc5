"""Tool profiles: what an episode may call, and nothing beside; the list of them is data."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from worldgen.errors import CallerError, did_you_mean, expect


class Profile(BaseModel):
    """Which groups of tools an episode has.

    Attributes:
        web: ``web_search``, ``web_extractor`` and ``dict_memory``.
        typed: The tools made from the schema.
        sql: Read-only SQL.
        pages: The pages can be listed.
        about: What it is for, in a sentence.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    about: str
    web: bool = False
    typed: bool = False
    sql: bool = False
    pages: bool = False


@cache
def profiles() -> dict[str, Profile]:
    """All profiles by name.

    >>> list(profiles())
    ['search', 'api', 'sql', 'open']
    """
    loaded = yaml.safe_load(Path(__file__).with_name("profiles.yaml").read_text("utf-8"))
    return {name: Profile(name=name, **settings) for name, settings in loaded.items()}


def profile(name: str) -> Profile:
    """The profile of that name; `CallerError` lists the valid ones."""
    expect(name, str, "profile")
    known = profiles()
    if name not in known:
        raise CallerError(
            "tools.unknown-profile",
            f"unknown tool profile {name!r}",
            expected=" or ".join(known),
            fix=did_you_mean(name, known),
        )
    return known[name]
