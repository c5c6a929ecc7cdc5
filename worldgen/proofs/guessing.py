"""Can pages be opened by guessing their addresses? Of no way of guessing may one try in twenty hit.

The one who guesses has seen half of the pages, with their tokens, and knows of each other page all that its address is
made from: host, folder and words, since these are its title or the names of what it is about.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice

from worldgen.proofs.files import Files, Leaf
from worldgen.proofs.report import ProofResult, result
from worldgen.seeds import Stream, stream
from worldgen.world import World

TRIES = 4_000
MOST_HIT = 0.05
_SEEN_TOKENS = 3
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def prove_guessed(files: Files, world: World, tries: int = TRIES) -> ProofResult:
    """Addresses that were not shown are not found by trying."""
    dice = stream(int(files.manifest["seed"]), "proofs", "guessing")
    urls = dice.shuffled(sorted(files.pages))
    shown = set(urls[: len(urls) // 2])
    tools = world.toolbox()
    tried: dict[str, set[str]] = defaultdict(set)
    hits: dict[str, list[str]] = defaultdict(list)
    for way, url in islice(_guesses(files, shown, urls[len(shown) :], dice), tries):
        if url in shown or url in tried[way]:
            continue
        tried[way].add(url)
        if tools.open(url) is not None:
            hits[way].append(url)
    found = [
        f"{len(hits[way])} of {len(urls)} addresses guessed {way} open, e.g. {hits[way][0]}"
        for way, urls in tried.items()
        if len(hits[way]) > MOST_HIT * len(urls)
    ]
    if urls[1:] and not tried:
        found.append("no address could be guessed at: no page has a title")
    shares = [f"{len(hits[way]) / len(urls):.1%} {way}" for way, urls in tried.items()]
    checked = sum(map(len, tried.values()))
    return result("search.guessed-urls", checked, found, f"open when guessed: {', '.join(shares) or 'none tried'}")


def _guesses(files: Files, shown: set[str], others: list[str], dice: Stream) -> Iterator[tuple[str, str]]:
    """Addresses to try and the way of guessing, for every page that was not shown."""
    tokens = sorted({url.rpartition("-")[2].rpartition("/")[2] for url in shown})
    for url in others:
        folder = url.rpartition("/")[0]
        for words in _words(files, files.pages[url]):
            yield "by their words", f"{folder}/{words}"
            yield "with a number", f"{folder}/{words}-{1 + dice.integer(3)}"
            for _ in range(_SEEN_TOKENS if tokens else 0):
                yield "with a token seen elsewhere", f"{folder}/{words}-{dice.choice(tokens)}"


def _words(files: Files, page: Leaf) -> Iterable[str]:
    """What the last part of an address may be made of: the title, the subject's name, the names in the title."""
    named = files.names.get(page.subject, ("",))[0]
    titled = sorted((page.title.find(en), en) for en, _ in files.names.values() if en in page.title)
    texts = (page.title, named, " ".join(en for _, en in titled))
    return dict.fromkeys(words for words in map(_slug, texts) if words)


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    return _NOT_SLUG.sub("-", plain.lower()).strip("-")
