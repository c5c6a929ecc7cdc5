"""Ours beside raw tantivy, on synthetic pages, in one run; prints a Markdown table.

    python benchmarks/search.py [--pages 100000] [--queries 300]

Raw tantivy: its default tokenizer, title and body indexed and stored, one writer thread; a search is its own query
parser over both fields, ten stored documents and ten of its snippets. Ours is the same pages under strict withholding,
each query asked once, so that no page is found prepared unless two queries share it. Searches are timed by the
processor time of their thread and builds by that of the process, which neighbours on the machine disturb less; the
best of two rounds of building counts. Two threads are timed by the clock: that line needs two idle cores.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import tantivy

sys.path.insert(0, str(Path(__file__).parents[1]))

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=300)
    options = parser.parse_args()
    words = _vocabulary()
    weights = np.cumsum(1 / np.arange(1, len(words) + 1))
    draws = stream(1, "benchmark", "search")
    pages = [_page(number, words, weights, draws) for number in range(options.pages)]
    rows = []
    with tempfile.TemporaryDirectory() as place:
        ours_at = Path(place) / "ours"
        raw = ours = 0.0
        for turn in range(2):
            built: list[tantivy.Index] = []
            raw = max(
                raw, _rate(len(pages), partial(_keep, built, pages, Path(place) / f"raw{turn}"), time.process_time)
            )
            ours = max(ours, _rate(len(pages), lambda: build_index(pages, ours_at, key="benchmark"), time.process_time))
        rows.append(("index build, docs per processor second", f"{raw:,.0f}", f"{ours:,.0f}", f"{ours / raw:.2f}x"))
        start = time.perf_counter()
        engine = open_index(ours_at, "benchmark", {page.url: page for page in pages})
        rows.append(("open a built index, ms", "", f"{(time.perf_counter() - start) * 1e3:.0f}", ""))
        for kind, queries in _queries(pages, options.queries, draws).items():
            theirs = _timed(lambda query: _raw_search(built[0], query), queries)
            mine = _timed(engine.search, queries)
            for name, a, b in zip(("p50", "p95"), theirs, mine, strict=True):
                rows.append((f"search + 10 snippets, {kind}, {name} ms", f"{a:.2f}", f"{b:.2f}", f"{b / a:.2f}x"))
            gains = [_threads_gain(act, queries) for act in (lambda query: _raw_search(built[0], query), engine.search)]
            rows.append((f"two threads, {kind}", f"{gains[0]:.2f}x", f"{gains[1]:.2f}x", ""))
    print(f"{len(pages):,} pages of about {_WORDS} words\n")
    print("| what | raw tantivy | worldgen | ratio |\n|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
