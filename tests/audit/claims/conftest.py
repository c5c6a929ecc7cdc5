from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from worldgen.audit.claims import Guard, Lexicon, Licence, page_licence
from worldgen.records import Language, Page
from worldgen.store import read_only
from worldgen.world import World


@dataclass(frozen=True)
class Judged:
    """A world with its guard in one language: a lenient one, so that each rule is tried in whatever words."""

    world: World
    lexicon: Lexicon
    guard: Guard

    def pages(self) -> list[Page]:
        return [page for page in self.world.pages.values() if page.language == self.lexicon.language]

    def licence(self, page: Page) -> Licence:
        return page_licence(self.lexicon, page, page.statements, text=page.body)


@pytest.fixture(scope="session")
def judged(tiny_world_in_two_languages: Path) -> Iterator[Callable[[Language], Judged]]:
    """The tiny world of two languages, with a guard for either."""
    made: dict[Language, Judged] = {}
    with ExitStack() as stack:
        world = stack.enter_context(World.load(tiny_world_in_two_languages))

        def of(language: Language) -> Judged:
            if language not in made:
                connection = read_only(tiny_world_in_two_languages / "world.db")
                try:
                    lexicon = Lexicon.read(connection, world.schema, language)
                finally:
                    connection.close()
                made[language] = Judged(world, lexicon, Guard(lexicon, strict=False))
            return made[language]

        yield of


def codes(guard: Guard, text: str, licence: Licence) -> list[str]:
    """The codes of a text's problems, each once."""
    return list(dict.fromkeys(problem.code for problem in guard.audit(text, licence).problems))
