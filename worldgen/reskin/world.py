"""A world as it is in one epoch: pages, search, questions and facts, read from the built one as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn, TypeVar

from worldgen.errors import CallerError, UnknownPage, expect
from worldgen.records import Hit, Page, Task
from worldgen.reskin.skin import Skin
from worldgen.search import SearchEngine, Withholding, canonical_url
from worldgen.store.reader import FactRow
from worldgen.tools import Toolbox
from worldgen.tools.profile import profile as find_profile
from worldgen.world import World

_V = TypeVar("_V")


def reskin(world: World, epoch: int) -> World:
    """The world under the names of an epoch; epoch 0 is the world itself.

    Args:
        world: As it was built; it stays open as long as the other is used.
        epoch: From 0 on.

    Raises:
        CallerError: No such epoch.
    """
    return world if type(epoch) is int and epoch == 0 else Reskinned(world, epoch)


class Reskinned(World):
    """A world in an epoch's words; it shares the files of the built one, and closing it leaves those open.

    Typed tools, SQL, the graph and world models know the built names alone, so they are refused here.

    Attributes:
        skin: The epoch's words.
    """

    def __init__(self, world: World, epoch: int) -> None:
        expect(world, World, "world")
        if isinstance(world, Reskinned):
            raise CallerError("reskin.twice", "the world is in an epoch already", fix="take the world as it was built")
        self.skin = Skin.of(world, epoch)
        self.path = world.path
        setting = {language: self.skin.text(name) for language, name in world.manifest.setting.items()}
        title = self.skin.calendar.wording(self.skin.text(world.manifest.title))
        self.manifest = world.manifest.model_copy(update={"setting": setting, "title": title})
        self._world = world
        self._told: list[Task] | None = None

    @property
    def epoch(self) -> int:
        """Which epoch it is in."""
        return self.skin.epoch

    @property
    def facts(self) -> Mapping[str, FactRow]:
        """See `World.facts`."""
        return _Told(self._world.facts, str, self.skin.fact)

    @property
    def pages(self) -> Mapping[str, Page]:
        """See `World.pages`."""
        return _Told(self._world.pages, self.skin.url, self.skin.page)

    @property
    def tasks(self) -> list[Task]:
        """See `World.tasks`."""
        if self._told is None:
            self._told = list(map(self._task, self._world.tasks))
        return self._told

    def _task(self, task: Task) -> Task:
        return self.skin.task(task, self._world.pages)

    def is_warm(self, profile: str) -> bool:
        """See `World.is_warm`."""
        return self._world.is_warm(profile)

    def toolbox(self, profile: str = "search", *, engine: SearchEngine | None = None, **settings: Any) -> Toolbox:
        """See `World.toolbox`; the tools of the web alone."""
        wanted = find_profile(profile)
        if wanted.typed or wanted.sql or engine is not None:
            _refuse("the typed tools, SQL and world models know")
        return super().toolbox(profile, engine=_Engine(self._world, self.skin), **settings)

    def search(self, query: str, k: int = 10, *, withholding: Withholding = "strict") -> list[Hit]:
        """See `World.search`."""
        expect(query, str, "query")
        return _Engine(self._world, self.skin).search(query, k, withholding=withholding)

    def open(self, url: str) -> Page:
        """See `World.open`."""
        expect(url, str, "url")
        try:
            return self.skin.page(self._world.open(self.skin.url(canonical_url(url) or url)))
        except UnknownPage:
            raise UnknownPage(url) from None

    def aliases(self, language: str) -> dict[str, str]:
        """See `World.aliases`."""
        told = self._world.aliases(language)
        return {self.skin.text(text): self.skin.text(name) for text, name in told.items()}

    def names(self) -> list[str]:
        """See `World.names`."""
        return sorted(map(self.skin.text, self._world.names()))

    def close(self) -> None:
        """Do nothing: the files are the built world's."""

    def __reduce__(self) -> tuple[object, ...]:
        """It is pickled as the built world and its epoch."""
        return (reskin, (self._world, self.epoch))

    def __repr__(self) -> str:
        return f"{self._world!r} in epoch {self.epoch}"

    @property
    def engine(self) -> NoReturn:
        """Not in an epoch; `search` and `toolbox` are."""
        _refuse("the engine knows")

    @property
    def tables(self) -> NoReturn:
        """Not in an epoch."""
        _refuse("the typed tables know")

    @property
    def tools(self) -> NoReturn:
        """Not in an epoch."""
        _refuse("the typed tools know")

    def lexicon(self, language: Any) -> NoReturn:
        """Not in an epoch."""
        _refuse("the lexicon knows")

    def simulator(self, simulation: Any, asks: Any, *, seed: int = 0) -> NoReturn:
        """Not in an epoch."""
        _refuse("a world model knows")

    def addresses(self, *, after: str = "", limit: int = 100) -> NoReturn:
        """Not in an epoch, whose addresses have another order."""
        _refuse("the list of addresses knows")

    def sql(self, query: str, *, seconds: float = 10, limit: int = 100_000) -> NoReturn:
        """Not in an epoch."""
        _refuse("SQL knows")

    def graph(self) -> NoReturn:
        """Not in an epoch."""
        _refuse("the graph knows")


def _refuse(knows: str) -> NoReturn:
    raise CallerError(
        "reskin.built-names", f"{knows} the names that the world was built with alone",
        expected="the tools of the web", fix="use epoch 0",
    )  # fmt: skip


class _Engine:
    """The index behind an epoch's words."""

    def __init__(self, world: World, skin: Skin) -> None:
        self._engine = world.engine
        self._skin = skin

    def search(self, query: str, k: int = 10, *, withholding: Withholding = "strict") -> list[Hit]:
        """See `SearchEngine.search`."""
        found = self._engine.cut(self._skin.query(query), k, withholding=withholding)
        return [self._skin.hit(hit, self._engine.page(hit.url), cut.spans) for hit, cut in found]

    def open(self, url: str) -> Page | None:
        """See `SearchEngine.open`."""
        page = self._engine.open(self._skin.url(canonical_url(url) or url))
        return None if page is None else self._skin.page(page)


class _Told(Mapping[str, _V]):
    """A mapping in an epoch's words."""

    def __init__(self, built: Mapping[str, _V], key: Callable[[str], str], told: Callable[[_V], _V]) -> None:
        self._built = built
        self._key = key
        self._value = told

    def __getitem__(self, key: str) -> _V:
        try:
            return self._value(self._built[self._key(key)])
        except KeyError:
            raise KeyError(key) from None

    def __iter__(self) -> Iterator[str]:
        return map(self._key, self._built)

    def __len__(self) -> int:
        return len(self._built)
