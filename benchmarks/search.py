"""Index and search beside raw tantivy, on synthetic pages.

Raw tantivy: its default tokenizer, title and body indexed and stored, one writer thread; a search is its own query
parser over both fields, ten stored documents and ten of its snippets. Ours is the same pages under strict withholding,
each query asked once, so that no page is found prepared unless two queries share it. Searches are timed by the
processor time of their thread and builds by that of the process, which neighbours on the machine disturb less; the
best of two rounds of building counts. Two threads are timed by the clock: that line needs two idle cores.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import tantivy

from benchmarks.measuring import Row, times
from worldgen.records import Page, Statement
from worldgen.search import build_index, open_index
from worldgen.seeds import Stream, stream

_WORDS = 205
_VOCABULARY = 15_000
_ONSETS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "ch", "st")
_VOWELS = ("a", "e", "i", "o", "u")


def _vocabulary() -> list[str]:
    words = []
    for number in range(_VOCABULARY):
        rest, word = number, ""
        for _ in range(2 + number % 2):
            rest, onset = divmod(rest, len(_ONSETS))
            rest, vowel = divmod(rest, len(_VOWELS))
            word += _ONSETS[onset] + _VOWELS[vowel]
        words.append(word + ("n" if number % 3 else "") + ("" if rest == 0 else str(rest)))
    return list(dict.fromkeys(words))


def _page(number: int, words: list[str], weights: np.ndarray, draws: Stream) -> Page:
    chosen = [words[i] for i in np.searchsorted(weights, draws.unit(_WORDS) * weights[-1]).tolist()]
    name = f"{words[number % len(words)]} {words[number * 7 % len(words)]}"
    sentences = [" ".join(chosen[i : i + 12]).capitalize() + "." for i in range(0, _WORDS, 12)]
    sentences[2] = f"{name.title()} {sentences[2]}"
    body, statements = "", []
    for i, sentence in enumerate(sentences):
        if i % 3 == 0:
            fact = f"thing/{number}/a{i}"
            statements.append(Statement(fact, len(body), len(body) + len(sentence), 0, 1, "sound", "plain", ""))
        body += sentence + (" " if i % 4 else "\n\n")
    url = f"https://site{number % 40}.example/{number}"
    return Page(url, f"site{number % 40}.example", "article", "en", name.title(), "2029-06-18", "", body, "medium",
                "sound", statements=tuple(statements))  # fmt: skip


def _timed(act: Callable[[str], object], queries: list[str]) -> tuple[float, float]:
    seconds = []
    for query in queries:
        start = time.thread_time()
        act(query)
        seconds.append(time.thread_time() - start)
    seconds.sort()
    return seconds[len(seconds) // 2] * 1e3, seconds[len(seconds) * 95 // 100] * 1e3


def _raw_build(pages: list[Page], directory: str) -> tantivy.Index:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("title", stored=True)
    builder.add_text_field("body", stored=True)
    index = tantivy.Index(builder.build(), path=directory)
    writer = index.writer(256_000_000, 1)
    for page in pages:
        document = tantivy.Document()
        document.add_text("title", page.title)
        document.add_text("body", page.body)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def _keep(built: list[tantivy.Index], pages: list[Page], place: Path) -> None:
    place.mkdir()
    built.append(_raw_build(pages, str(place)))


def _raw_search(index: tantivy.Index, query: str) -> list[str]:
    searcher = index.searcher()
    parsed, _ = index.parse_query_lenient(query, ["title", "body"])
    snippets = tantivy.SnippetGenerator.create(searcher, parsed, index.schema, "body")
    hits = searcher.search(parsed, 10, count=False).hits
    return [snippets.snippet_from_doc(searcher.doc(address)).fragment() for _, address in hits]


def _rate(count: int, act: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    act()
    return count / (clock() - start)


def _threads_gain(act: Callable[[str], object], queries: list[str]) -> float:
    one = _rate(len(queries), lambda: [act(query) for query in queries])
    with ThreadPoolExecutor(2) as pool:
        two = _rate(len(queries), lambda: list(pool.map(act, queries)))
    return two / one


def _queries(pages: list[Page], count: int, draws: Stream) -> dict[str, list[str]]:
    runs, names, words = [], [], []
    for _ in range(count):
        page = pages[draws.integer(len(pages))]
        text = page.body.replace(".", "").split()
        at = draws.integer(len(text) - 3)
        runs.append(" ".join(text[at : at + 3]))
        names.append(pages[draws.integer(len(pages))].title)
        words.append(" ".join(text[draws.integer(len(text))] for _ in range(3)))
    return {"three words in a row": runs, "three words of a page": words, "a name": names}


def rows(count: int, asked: int) -> list[Row]:
    """Building, opening and searching an index of so many pages, each kind of query asked so many times."""
    words = _vocabulary()
    weights = np.cumsum(1 / np.arange(1, len(words) + 1))
    draws = stream(1, "benchmark", "search")
    pages = [_page(number, words, weights, draws) for number in range(count)]
    out = []
    with tempfile.TemporaryDirectory() as place:
        ours_at = Path(place) / "ours"
        raw = ours = 0.0
        for turn in range(2):
            built: list[tantivy.Index] = []
            keep = partial(_keep, built, pages, Path(place) / f"raw{turn}")
            raw = max(raw, _rate(count, keep, time.process_time))
            ours = max(ours, _rate(count, lambda: build_index(pages, ours_at, key="benchmark"), time.process_time))
        title = f"index build, {count:,} pages of {_WORDS} words, pages a second"
        out.append(Row(title, f"raw tantivy: {raw:,.0f}", f"{ours:,.0f}", times(ours, raw), "0.9×"))
        start = time.perf_counter()
        engine = open_index(ours_at, "benchmark", {page.url: page for page in pages})
        out.append(Row("opening a built index", "", f"{(time.perf_counter() - start) * 1e3:.0f} ms (wall)"))
        for kind, queries in _queries(pages, asked, draws).items():
            out += _searches(kind, queries, partial(_raw_search, built[0]), engine.search)
    return out


def _searches(kind: str, queries: list[str], raw: Callable[[str], object], ours: Callable[[str], object]) -> list[Row]:
    out = []
    for name, a, b in zip(("p50", "p95"), _timed(raw, queries), _timed(ours, queries), strict=True):
        wanted = "at least 0.67× (within 1.5 × of its time)" if name == "p50" else ""
        out.append(
            Row(
                f"search and 10 snippets, {kind}, {name}",
                f"raw tantivy: {a:.2f} ms",
                f"{b:.2f} ms",
                times(a, b),
                wanted,
            )
        )
    theirs, mine = _threads_gain(raw, queries), _threads_gain(ours, queries)
    out.append(Row(f"two threads (wall), {kind}", f"raw tantivy: {theirs:.2f}×", f"{mine:.2f}×", "", "1.8×"))
    return out
