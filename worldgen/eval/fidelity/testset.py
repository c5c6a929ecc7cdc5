"""A test set of our own, in the benchmark's format: what a built world really answers along scripted walks.

A walk searches, opens, notes down, asks again much later, and makes the mistakes that agents make. What each turn must
hold to is known, and stands beside the samples as expectations for the rule verifiers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgen.env import Episode
from worldgen.errors import CallerError, expect
from worldgen.eval.fidelity.benchmark import Sample, write_benchmark
from worldgen.eval.fidelity.expected import Expected, write_expected
from worldgen.eval.fidelity.systems import mcp_system, search_system
from worldgen.records import Page
from worldgen.scoring.verifiers import ENTRY, Expectation
from worldgen.search.world_model.instructions import Instruction, shipped_instruction
from worldgen.search.world_model.prompt import turn_text
from worldgen.search.world_model.turns import observation_text
from worldgen.seeds import Stream, stream
from worldgen.tools.perturbation.refusal import refusal
from worldgen.tools.web_search import show_results
from worldgen.world import World

_WALKS = 4
_TIMED_OUT = refusal(504).text  # as the fault `timeout` says it
_REPEATS = Expectation("repeats")
_LONGEST = 20_000  # an error that lists all tools
_REFUSES = Expectation("refuses")
_AGREES = Expectation("agrees-with-snippet")
_PAGE = Expectation("entries", {"least": 1, "most": 10})


@dataclass(frozen=True, slots=True)
class TestSet:
    """Samples, and what is expected of each."""

    __test__ = False

    samples: tuple[Sample, ...]
    expected: tuple[Expected, ...]

    def write(self, folder: Path) -> None:
        """Write the benchmark's files and the expectations into a folder."""
        write_benchmark(folder, self.samples)
        write_expected(folder, self.expected)


def make_testset(world: World, *, seed: int = 0, walks: int = _WALKS) -> TestSet:
    """Walk through a world and record what it answers.

    Args:
        world: The world.
        seed: Decides which pages and rows the walks meet.
        walks: How many walks of each kind: on the web, over typed tools, and under a simulation instruction.

    Raises:
        CallerError: Not a world, or no number of walks.
    """
    expect(world, World, "world")
    if type(walks) is not int or not 1 <= walks <= 1_000:
        raise CallerError(
            "fidelity.walks", "walks is wrong", expected="a whole number from 1 to 1,000", got=repr(walks)
        )
    urls = list(world.pages)
    samples: list[Sample] = []
    expected: list[Expected] = []
    for number in range(walks):
        drawn = stream(seed, "fidelity", "walk", number)
        first, second = _telling(world, drawn.shuffled(urls))
        for walk in (
            _on_the_web(world, number, first, second),
            _over_tools(world, number, drawn),
            _withheld(world, number, first),
            _instructed(world, number, first, second),
        ):
            samples += walk.samples()
            expected += walk.expected
    return TestSet(tuple(samples), tuple(expected))


def _telling(world: World, urls: Sequence[str]) -> tuple[Page, Page]:
    """The first two pages that state something."""
    stating = (page for page in map(world.open, urls) if page.statements)
    first = next(stating)
    return first, next(stating, first)


class _Walk:
    """One episode as it is recorded."""

    def __init__(self, world: World, name: str, domain: str, profile: str) -> None:
        self.domain = domain
        self.id = f"{world.manifest.digest[:12]}-{name}"
        self.system = ""
        self.expected: list[Expected] = []
        self._episode = Episode.start(world, profile=profile)
        self._prompts: list[str] = []
        self._responses: list[str] = []

    @property
    def tools(self) -> list[dict[str, Any]]:
        return self._episode.tools

    def take(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *expectations: Expectation,
        determined: bool = False,
        told: Instruction | None = None,
        instead: str | None = None,
    ) -> str:
        """Make a call, and give what it brought.

        ``told`` is an instruction for this turn, and ``instead`` what is right under it.
        """
        seen = self._episode.call(name, arguments).text if instead is None else instead
        turn = len(self._prompts) + 1
        self._prompts.append(turn_text(turn, name, arguments, () if told is None else (told,)))
        self._responses.append(observation_text(seen))
        self.expected.append(Expected(f"{self.domain}/{self.id}/{turn}", determined, expectations))
        return seen

    def samples(self) -> list[Sample]:
        total = len(self._prompts)
        prompts, responses = tuple(self._prompts), tuple(self._responses)
        return [
            Sample(self.domain, self.id, turn, total, self.system, prompts, responses, prompts[turn - 1])
            for turn in range(1, total + 1)
        ]


def _on_the_web(world: World, number: int, first: Page, second: Page) -> _Walk:
    walk = _Walk(world, f"web-{number}", "search", "search")
    host = second.url.split("/")[2]
    gone = [f"https://{host}/archive/{number}-nothing-here", f"https://archive-{number}.example/lost"]
    asked, key = {"queries": [first.title]}, f"page {number}"
    results = walk.take("web_search", asked, _PAGE)
    opened = {"url": _first_url(results, first)}
    walk.take("web_extractor", opened, _AGREES)
    walk.take("dict_memory", {"operation": "add", "dict": {key: first.title}})
    other = walk.take("web_search", {"queries": [second.title]}, _PAGE)
    walk.take("web_extractor", {"url": gone[0]}, _names(gone[0]), determined=True)
    walk.take("web_search", {}, _REFUSES)
    walk.take("dict_memory", _retrieve(key), _holds({key: first.title}), determined=True)
    walk.take("dict_memory", _retrieve("never noted"), _names("never noted"))
    walk.take("web_search", {"queries": [""]}, _REFUSES, determined=True)
    walk.take("web_extractor", {"url": _first_url(other, second)}, _AGREES)
    walk.take("dict_memory", {"operation": "update", "dict": {key: second.title}})
    walk.take("web_search", asked, _REPEATS, _PAGE, determined=True)
    walk.take("web_extractor", opened, _REPEATS, _AGREES, determined=True)
    walk.take("web_extractor", {"url": gone[1]}, _names(gone[1]), determined=True)
    walk.take("dict_memory", _retrieve(key), _holds({key: second.title}), determined=True)
    walk.system = search_system(world, walk.tools, _shown(world, [results, other], [first, second]))
    return walk


def _over_tools(world: World, number: int, drawn: Stream) -> _Walk:
    walk = _Walk(world, f"tools-{number}", "mcp", "api")
    names = [tool["function"]["name"] for tool in walk.tools]
    kinds = [name.removesuffix("_get") for name in names if name.endswith("_get") and f"{name[:-4]}_list" in names]
    kind = drawn.choice(kinds)
    rows = {"limit": 5}
    listed = json.loads(walk.take(f"{kind}_list", rows))["items"]
    row = {"id": drawn.choice(listed)["id"]}
    walk.take(f"{kind}_get", row)
    walk.take(f"{kind}_get", {"id": f"{kind}/none-such-{number}"}, _REFUSES)
    walk.take(f"{kind}_get", {}, _REFUSES)
    walk.take(f"{kind}_list", {"limit": "many"}, _REFUSES)
    walk.take(f"{kind}_erase", row, Expectation("refuses", {"says": [f"{kind}_erase", "tool"], "longest": _LONGEST}))
    walk.take(f"{kind}_count", {})
    walk.take(f"{kind}_get", row, _REPEATS, determined=True)
    walk.take(f"{kind}_list", rows, _REPEATS, determined=True)
    # All tools of a wide world would be most of the prompt.
    walk.system = mcp_system(world, [t for t in walk.tools if t["function"]["name"].startswith(f"{kind}_")])
    return walk


def _withheld(world: World, number: int, page: Page) -> _Walk:
    """A search in an episode whose instruction is to tease and not to answer."""
    walk = _Walk(world, f"withheld-{number}", "search", "search")
    call = {"queries": [page.title]}
    seen = Episode.start(world).call("web_search", call).text
    values = [page.body[s.value_start : s.value_end] for s in page.statements]
    # A title may say what a snippet must not.
    hidden = [value for value in dict.fromkeys(values) if value.strip() and value.casefold() not in seen.casefold()]
    followed = _followed("withhold-answers", texts=hidden[:20]) if hidden else ()
    results = walk.take("web_search", call, *followed, _PAGE)
    instructions = [shipped_instruction("withhold-answers")]
    walk.system = search_system(world, walk.tools, _shown(world, [results], [page]), instructions)
    return walk


def _instructed(world: World, number: int, first: Page, second: Page) -> _Walk:
    """Searches under instructions for single turns: a page that breaks off, nothing found, a service that fails."""
    walk = _Walk(world, f"instructed-{number}", "search", "search")
    call, other = {"queries": [first.title]}, {"queries": [second.title]}
    some = show_results([first.title], [world.search(first.title, 3)])
    for name, asked, right, expected in (
        ("partial-results", call, some, _followed("partial-results", least=1)),
        ("empty-result", other, show_results([second.title], [[]]), (*_followed("empty-result"), _REFUSES)),
        ("inject-fault", call, _TIMED_OUT, _followed("inject-fault")),
    ):
        walk.take("web_search", asked, *expected, told=shipped_instruction(name), instead=right)
    shown = _shown(world, [show_results([first.title], [world.search(first.title)])], [first, second])
    walk.system = search_system(world, walk.tools, shown)
    return walk


def _followed(name: str, **data: Any) -> tuple[Expectation, ...]:
    """What can tell whether an instruction was followed, as the instruction itself says."""
    rule = shipped_instruction(name).verifier
    return () if rule is None else (Expectation(rule.name, {**rule.data, **data}),)


def _retrieve(key: str) -> dict[str, Any]:
    return {"operation": "retrieve", "key_list": [key]}


def _holds(notes: Mapping[str, str]) -> Expectation:
    return Expectation("remembers", {"holds": dict(notes)})


def _names(what: str) -> Expectation:
    """An error that names what it is about."""
    return Expectation("refuses", {"says": [what]})


def _first_url(results: str, otherwise: Page) -> str:
    found = ENTRY.search(results)
    return otherwise.url if found is None else found["url"]


def _shown(world: World, results: Sequence[str], otherwise: Sequence[Page]) -> list[Page]:
    """The pages of result pages, each once, and the pages that were looked for."""
    urls = [found["url"] for text in results for found in ENTRY.finditer(text)]
    return list({page.url: page for page in [*otherwise, *(world.open(url) for url in urls)]}.values())
