"""What a world is called in one epoch: its text, addresses, pages, hits, facts and questions in the epoch's words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldgen.errors import CallerError
from worldgen.language import transliterate
from worldgen.records import Hit, Page, Statement, Task
from worldgen.reskin.calendar import Calendar
from worldgen.reskin.coined import Coined, read_coined
from worldgen.reskin.drawing import draw_words
from worldgen.reskin.swap import Moved, Swap
from worldgen.schema import from_canonical
from worldgen.search.snippets import Span
from worldgen.seeds import stream
from worldgen.store import read_manifest
from worldgen.store.reader import FactRow

if TYPE_CHECKING:
    from worldgen.world import World

_LATEST = 2**31
_LETTERS = "ABCDEFGHIJKLMNOPRSTUVW"
_HEAD = 2
_KEPT = 500


class Skin:
    """The words of one epoch; made by `of`. Safe to use from several threads.

    Attributes:
        epoch: Which.
        calendar: Its calendar.
    """

    def __init__(self, swap: Swap, epoch: int, calendar: Calendar) -> None:
        self.epoch = epoch
        self.calendar = calendar
        self._swap = swap
        self._bodies = lru_cache(maxsize=_KEPT)(swap.moved)
        self._pages = lru_cache(maxsize=_KEPT)(self._page)
        self.dated = lru_cache(maxsize=_KEPT)(calendar.page)

    @classmethod
    def of(cls, world: World, epoch: int) -> Skin:
        """The words of an epoch of a world, drawn once a process.

        Raises:
            CallerError: The epoch is no whole number from 1 on.
        """
        if type(epoch) is not int or not 1 <= epoch < _LATEST:
            raise CallerError(
                "reskin.epoch", "the epoch is wrong", expected="a whole number from 1 to 2**31 - 1", got=repr(epoch)
            )
        return _skin(world.path.resolve(), world.manifest.digest, epoch)

    def text(self, text: str) -> str:
        """A text of the world's in the epoch's words."""
        return self._swap.text(text)

    def query(self, text: str) -> str:
        """A query in the epoch's words and years as one in the world's."""
        return self.calendar.query(self._swap.query(text))

    def url(self, url: str) -> str:
        """An address of the epoch as one of the world, and the reverse."""
        return self._swap.url(url)

    def hit(self, hit: Hit, page: Page, spans: Iterable[Span]) -> Hit:
        """A search result.

        Args:
            hit: As the world has it.
            page: Its page, as the world has it.
            spans: The spans of the page's body that its snippet was made of.
        """
        hit = self.calendar.hit(hit, self.dated(page), spans)
        return replace(hit, url=self.url(hit.url), title=self.text(hit.title), snippet=self.text(hit.snippet))

    def page(self, page: Page) -> Page:
        """A page with its statements at their places."""
        return self._pages(page)

    def _page(self, page: Page) -> Page:
        page = self.dated(page).page
        body = self.moved(page.body)
        return replace(
            page,
            url=self.url(page.url),
            site=self.text(page.site),
            title=self.text(page.title),
            author=self.text(page.author),
            body=body.text,
            links=tuple(link._replace(url=self.url(link.url), text=self.text(link.text)) for link in page.links),
            statements=tuple(self._statement(statement, body) for statement in page.statements),
        )

    def _statement(self, statement: Statement, body: Moved) -> Statement:
        return statement._replace(
            start=body.place(statement.start),
            end=body.place(statement.end),
            value_start=body.place(statement.value_start),
            value_end=body.place(statement.value_end),
            claimed=self.text(statement.claimed),
        )

    def fact(self, fact: FactRow) -> FactRow:
        """A fact, of which a coined name is told in the epoch's words."""
        fact = self.calendar.fact(fact)
        return fact if fact.value is None or fact.type != "name" else replace(fact, value=self.text(fact.value))

    def task(self, task: Task, pages: Mapping[str, Page]) -> Task:
        """A question with gold, evidence and plan.

        Args:
            task: As the world has it.
            pages: The world's, for the places of the evidence.
        """
        task = self.calendar.task(task)
        evidence = tuple(
            replace(
                found,
                url=self.url(found.url),
                start=self._place(pages[found.url], found.start),
                end=self._place(pages[found.url], found.end),
            )
            for found in task.evidence
        )
        return replace(
            task,
            question=self.text(task.question),
            columns=tuple(map(self.text, task.columns)),
            rows=tuple(tuple(map(self.text, row)) for row in task.rows),
            evaluation=self._inside(task.evaluation),
            query=self._inside(task.query),
            plan=self._inside(task.plan),
            evidence=evidence,
            difficulty=self._inside(task.difficulty),
        )

    def _place(self, page: Page, offset: int) -> int:
        """Where a place of a page's body has gone."""
        dated = self.dated(page)
        return self.moved(dated.page.body).place(dated.body.place(offset))

    def moved(self, body: str) -> Moved:
        """A page's body, with where its places have gone."""
        return self._bodies(body)

    def _inside(self, value: Any) -> Any:
        """Plain JSON with every text in it, keys included, in the epoch's words."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self._inside(inner) for key, inner in value.items()}
        return [self._inside(inner) for inner in value] if isinstance(value, (list, tuple)) else value


@lru_cache(maxsize=16)
def _skin(path: Path, digest: str, epoch: int) -> Skin:
    coined, cultures = _coined(path, digest)
    seed = int(digest[:16], 16)
    words = draw_words(coined, cultures, seed, epoch)
    spelled = {transliterate(old): transliterate(new) for old, new in words.items()}
    plain = Swap(words, {}, spelled, seed=seed, epoch=epoch)
    spelled |= _contracted(coined, words, spelled, plain)
    initials = _initials(coined, plain, seed, epoch)
    swap = Swap(words, initials, spelled, seed=seed, epoch=epoch)
    return Skin(swap, epoch, Calendar.of(path, digest, seed, epoch))


@lru_cache(maxsize=16)
def _coined(path: Path, digest: str) -> tuple[Coined, tuple[str, ...]]:
    schema = from_canonical((path / "schema.json").read_text("utf-8"))
    return read_coined(path, bodies=read_manifest(path).prose is None), tuple(schema.cultures)


def _contracted(coined: Coined, words: dict[str, str], spelled: dict[str, str], plain: Swap) -> dict[str, str]:
    """Chinese short forms that keep only the head of a word, each with that of the new word, as long as is needed."""
    taken = {*spelled, *spelled.values(), *coined.names, *map(plain.text, coined.names)}
    found: dict[str, str] = {}
    for short, own in sorted(coined.contracted.items()):
        if plain.text(short) != short:
            continue
        roots = [word for word in re.findall("[a-z]+", own.lower()) if word in words]
        named = [word for word in roots if transliterate(word)[:_HEAD] == short[:_HEAD]]
        for word in named[:1]:
            new = transliterate(words[word])
            heads = [*(new[:size] for size in range(_HEAD, len(new) + 1)), new[0], new[1:], new + new[0], new + new]
            free = next((form for head in heads if (form := head + short[_HEAD:]) not in taken), None)
            if free is not None:
                found[short] = free
                taken.add(free)
    return found


def _initials(coined: Coined, plain: Swap, seed: int, epoch: int) -> dict[str, str]:
    """Names that are initials, each with the new name's, or with drawn letters where those are taken."""
    taken = coined.capitals | set(coined.initials) | {word.upper() for word in coined.ordinary}
    found: dict[str, str] = {}
    for old, own in sorted(coined.initials.items()):
        new = "".join(word[0] for word in re.findall("[A-Za-z']+", plain.text(own)) if word[0].isupper())
        for turn in count():
            if len(new) >= len(old) and new not in taken:
                break
            rng = stream(seed, "reskin", epoch, "initials", old, turn)
            new = "".join(rng.choice(_LETTERS) for _ in range(len(old) + turn // 100))
        found[old] = new
        taken = taken | {new}
    return found
