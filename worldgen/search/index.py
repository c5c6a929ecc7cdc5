"""The embedded search engine: a tantivy index over the pages, kept as a cache beside the world.

Only words and a page number live in the index; titles, dates and bodies stay with the pages, which are looked up for
the hits alone. The directory carries a stamp written last, so that a missing, damaged or stale index is noticed and
rebuilt; a rebuilt index ranks alike, since ties are broken by address and never by where tantivy put a page.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from math import sqrt
from pathlib import Path
from threading import Lock

import tantivy

from worldgen.errors import CallerError, InternalError, ServiceError
from worldgen.records import Hit, Page
from worldgen.search.address import canonical_url
from worldgen.search.engine import STRICT_CAP, Withholding
from worldgen.search.snippets import Excerpt, PreparedPage, Term, excerpt, prepare
from worldgen.search.stamp import read_stamp, write_stamp
from worldgen.search.wording import analyzer, encodable, indexable, other_number, query_terms

_TOKENIZER = "worldgen"
_WRITER_HEAP = 256_000_000
_URLS = "urls.txt"

_TITLE_BOOST = 2.0
_PHRASE_BOOST = 1.5
_TITLE_PHRASE_BOOST = 2.0
_NUMBER_BOOST = 0.5
_QUANTUM = 1_000
_MARGIN = 14
_MAX_FETCH = 2_000
# Beyond this many pages a term tells little and costs much: it is left out when the query has rarer ones.
_COMMON = 20_000
_COMMON_SHARE = 4
_PHRASE_SHARE = 4
# Up to this many postings, adding all up is faster than asking twice.
_FEW = 2_000
_PREPARED = 2_048

_Clause = tuple[tantivy.Occur, tantivy.Query]


class IndexEngine:
    """A search engine over one tantivy index; made by `open_index`. Safe to use from several threads.

    Args:
        index: The index, its tokenizer registered.
        urls: Address of each page by its number in the index.
        pages: The pages by address.
    """

    def __init__(self, index: tantivy.Index, urls: list[str], pages: Mapping[str, Page]) -> None:
        self._schema = index.schema
        self._searcher = index.searcher()
        self._urls = urls
        self._pages = pages
        self._numbers = _page_numbers(self._searcher)
        self._prepared: OrderedDict[str, PreparedPage] = OrderedDict()
        self._lock = Lock()
        self._common = max(_COMMON, len(urls) // _COMMON_SHARE)

    def __len__(self) -> int:
        return self._searcher.num_docs

    def search(self, query: str, k: int = 10, *, withholding: Withholding = "strict") -> list[Hit]:
        """See `SearchEngine.search`."""
        return [hit for hit, _ in self.cut(query, k, withholding=withholding)]

    def cut(self, query: str, k: int = 10, *, withholding: Withholding = "strict") -> list[tuple[Hit, Excerpt]]:
        """The hits of `search`, each with the spans of its page that its snippet was made of."""
        terms = query_terms(query)
        if not terms or k < 1:
            return []
        wanted = self._wanted(terms)
        ranked = self._ranked(terms, wanted, k)
        looked_for = [
            Term(_stem(term), round(_QUANTUM * sqrt(len(self._urls) / (pages + 1)))) for term, pages in wanted.items()
        ]
        budget = STRICT_CAP
        hits: list[tuple[Hit, Excerpt]] = []
        for score, url in ranked:
            prepared = self._prepare(url)
            facts = None if withholding == "none" else 1 if withholding == "light" else min(1, budget)
            cut = excerpt(prepared, looked_for, facts=facts)
            budget -= cut.facts
            hits.append((Hit(url, prepared.page.title, cut.text, prepared.page.date, score), cut))
        return hits

    def open(self, url: str) -> Page | None:
        """See `SearchEngine.open`."""
        address = canonical_url(url)
        return None if address is None else self._pages.get(address)

    def page(self, url: str) -> Page:
        """The page at an address of a hit."""
        return self._pages[url]

    def _wanted(self, terms: list[str]) -> dict[str, int]:
        """The different terms worth asking for, each with the number of pages that have it."""
        count = {term: self._searcher.doc_freq("body", term) for term in dict.fromkeys(terms)}
        if any(0 < pages <= self._common for pages in count.values()):
            return {term: pages for term, pages in count.items() if pages <= self._common}
        return count

    def _ranked(self, terms: list[str], wanted: dict[str, int], k: int) -> list[tuple[int, str]]:
        words = self._word_clauses(wanted)
        phrases = self._phrase_clauses(terms, wanted)
        pruned = sum(wanted.values()) > _FEW
        limit = min(k + _MARGIN, _MAX_FETCH)
        while True:
            fetched, missed = self._fetch(words, phrases, limit, pruned=pruned)
            bar = sorted(fetched.values(), reverse=True)[k - 1] if len(fetched) >= k else -1
            # A tie that the limit cuts through would be broken by tantivy's order of pages.
            if missed < bar or missed < 0 or limit >= _MAX_FETCH:
                break
            limit = min(limit * 4, _MAX_FETCH)
        best = [(score, self._urls[number]) for number, score in fetched.items() if score >= bar]
        return sorted(best, key=lambda hit: (-hit[0], _tie(hit[1])))[:k]

    def _fetch(
        self, words: list[_Clause], phrases: list[_Clause], limit: int, *, pruned: bool
    ) -> tuple[dict[int, int], int]:
        """Scores by page number, and the best quantised score that a page not among them can have.

        A sum of single words is what tantivy prunes well, a phrase in it ends that. So where there is much to prune,
        words are asked alone, then words and phrases of the pages that have a phrase; the better of a page's two
        scores is the sum of both.
        """
        scores: dict[int, int] = {}
        numbers = self._numbers
        missed = -1
        queries = [tantivy.Query.boolean_query(words if pruned else [*words, *phrases])]
        if phrases and pruned:
            some = (tantivy.Occur.Must, tantivy.Query.boolean_query(phrases))
            queries.append(tantivy.Query.boolean_query([some, *words]))
        for query in queries:
            hits = self._searcher.search(query, limit, count=False).hits
            for score, address in hits:
                number = numbers[address.segment_ord][address.doc]
                quantised = round(score * _QUANTUM)
                if quantised > scores.get(number, -1):
                    scores[number] = quantised
            if len(hits) == limit:
                missed = max(missed, round(hits[-1][0] * _QUANTUM))
        return scores, missed

    def _word_clauses(self, wanted: Iterable[str]) -> list[_Clause]:
        clauses = []
        for term in wanted:
            clauses.append(self._word("body", term, 1.0))
            clauses.append(self._word("title", term, _TITLE_BOOST))
            for other in other_number(term):
                if 0 < self._searcher.doc_freq("body", other) <= self._common:
                    clauses.append(self._word("body", other, _NUMBER_BOOST))
                if self._searcher.doc_freq("title", other):
                    clauses.append(self._word("title", other, _NUMBER_BOOST * _TITLE_BOOST))
        return clauses

    def _phrase_clauses(self, terms: list[str], wanted: dict[str, int]) -> list[_Clause]:
        clauses = []
        for pair in dict.fromkeys(pairwise(terms)):
            # The rarer word of a pair decides what the phrase costs; two common words are seldom a name.
            rarer = min(wanted.get(term, self._common) for term in pair)
            if pair[0] != pair[1] and rarer <= self._common // _PHRASE_SHARE:
                for field, boost in (("body", _PHRASE_BOOST), ("title", _TITLE_PHRASE_BOOST)):
                    phrase = tantivy.Query.phrase_query(self._schema, field, list(pair))
                    clauses.append((tantivy.Occur.Should, tantivy.Query.boost_query(phrase, boost)))
        return clauses

    def _word(self, field: str, term: str, boost: float) -> _Clause:
        query = tantivy.Query.term_query(self._schema, field, term, "freq")
        return tantivy.Occur.Should, query if boost == 1.0 else tantivy.Query.boost_query(query, boost)

    def _prepare(self, url: str) -> PreparedPage:
        with self._lock:
            prepared = self._prepared.get(url)
            if prepared is not None:
                self._prepared.move_to_end(url)
                return prepared
        page = self._pages.get(url)
        if page is None:
            raise InternalError(
                "search.lost-page", "the index knows a page that the corpus does not", got=url, fix="rebuild the index"
            )
        prepared = prepare(page)
        with self._lock:
            self._prepared[url] = prepared
            if len(self._prepared) > _PREPARED:
                self._prepared.popitem(last=False)
        return prepared


def build_index(pages: Iterable[Page], directory: Path, *, key: str) -> None:
    """Write the index of some pages to a directory, in place of what is there.

    Args:
        pages: The pages, each address once.
        directory: Where the index goes; it is built beside that place and renamed.
        key: What the index is made from, usually the world's digest; `open_index` rebuilds when it differs.

    Raises:
        CallerError: Two pages have one address.
        ServiceError: The disk did not take it.
    """
    fresh = directory.with_name(f"{directory.name}.{os.getpid()}.building")
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        urls = _fill(tantivy.Index(_schema(), path=str(fresh)), pages)
        (fresh / _URLS).write_text("\n".join(urls), encoding="utf-8", newline="\n")
        write_stamp(fresh, key=key, pages=len(urls))
        _put(fresh, directory)
    except (OSError, ValueError) as error:
        raise ServiceError(
            "search.index-write", "the search index could not be written", path=directory, got=str(error)
        ) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def open_index(directory: Path | None, key: str, pages: Mapping[str, Page]) -> IndexEngine:
    """The search engine over some pages, from the index in a directory where that one is sound.

    A missing, damaged or stale index is rebuilt; where the place cannot be written or is full, it is built in memory.

    Args:
        directory: Where the index lies or will lie; None keeps it in memory.
        key: What the index must have been made from.
        pages: The pages by address; asked for the hits of each search, and gone through when an index is built.
    """
    if directory is not None:
        engine = _opened(directory, pages, key)
        if engine is None and _writable(directory):
            with suppress(ServiceError):  # a full disk is no reason not to search
                build_index(pages.values(), directory, key=key)
            engine = _opened(directory, pages, key)
        if engine is not None:
            return engine
    index = tantivy.Index(_schema())
    urls = _fill(index, pages.values())
    return IndexEngine(index, urls, pages)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("page", fast=True)
    builder.add_text_field("title", tokenizer_name=_TOKENIZER)
    builder.add_text_field("body", tokenizer_name=_TOKENIZER)
    return builder.build()


def _fill(index: tantivy.Index, pages: Iterable[Page]) -> list[str]:
    index.register_tokenizer(_TOKENIZER, analyzer())
    writer = index.writer(_WRITER_HEAP, 1)
    urls: list[str] = []
    try:
        for number, page in enumerate(pages):
            document = tantivy.Document()
            document.add_unsigned("page", number)
            document.add_text("title", indexable(page.title))
            document.add_text("body", indexable(page.body))
            writer.add_document(document)
            urls.append(page.url)
        _check_addresses(urls)
        writer.commit()
    finally:
        # Its threads write on while it lives, after a failure too.
        writer.wait_merging_threads()
    index.reload()
    return urls


def _check_addresses(urls: list[str]) -> None:
    if len(set(urls)) < len(urls):
        twice = Counter(urls).most_common(1)[0][0]
        raise CallerError("search.duplicate-page", "two pages have the same address", got=twice)
    odd = next((url for url in urls if "\n" in url or encodable(url) != url or canonical_url(url) != url), None)
    if odd is not None:
        raise CallerError(
            "search.page-address",
            "a page has an address that an agent could not give",
            expected="an http or https URL without fragment, its host in lower case",
            got=repr(odd),
        )


def _opened(directory: Path, pages: Mapping[str, Page], key: str) -> IndexEngine | None:
    count = read_stamp(directory, key=key)
    if count is None:
        return None
    try:
        text = (directory / _URLS).read_text(encoding="utf-8")
        urls = text.split("\n") if text else []
        index = tantivy.Index(_schema(), path=str(directory))
        index.register_tokenizer(_TOKENIZER, analyzer())
        index.reload()
        engine = IndexEngine(index, urls, pages)
    except (OSError, ValueError):
        # Whatever tantivy cannot read is rebuilt: the index is a cache, and no fault of the caller's.
        return None
    return engine if len(urls) == len(engine) == count else None


def _put(fresh: Path, directory: Path) -> None:
    former = directory.with_name(f"{directory.name}.{os.getpid()}.former")
    shutil.rmtree(former, ignore_errors=True)
    if directory.exists():
        directory.rename(former)
    fresh.rename(directory)
    shutil.rmtree(former, ignore_errors=True)


def _writable(directory: Path) -> bool:
    place = directory
    while not place.exists() and place != place.parent:
        place = place.parent
    return os.access(directory.parent if place == directory else place, os.W_OK)


def _page_numbers(searcher: tantivy.Searcher) -> list[list[int]]:
    """Page numbers by segment and place in it, read once: asking tantivy for each result costs more than the search."""
    numbers: list[list[int]] = [[] for _ in range(searcher.num_segments)]
    if searcher.num_docs:
        hits = searcher.search(tantivy.Query.all_query(), searcher.num_docs, count=False).hits
        addresses = sorted([address for _, address in hits], key=lambda address: (address.segment_ord, address.doc))
        for address, number in zip(addresses, searcher.fast_field_values("page", addresses), strict=True):
            numbers[address.segment_ord].append(int(number or 0))
    return numbers


@lru_cache(maxsize=1 << 14)
def _stem(term: str) -> str:
    """What a term and its other number both begin with, to find either in a text."""
    for other in other_number(term):
        while not other.startswith(term):
            term = term[:-1]
    return term


@lru_cache(maxsize=1 << 16)
def _tie(url: str) -> bytes:
    return blake2b(url.encode("utf-8"), digest_size=8).digest()
