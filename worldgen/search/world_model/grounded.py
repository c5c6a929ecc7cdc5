"""Grounded mode: the index decides which pages and facts there are, the model writes them, the audit has the last word.

A result page keeps the index's addresses, titles and dates; only its snippets are the model's. Of a page only the body
is. What the audit refuses is asked for again with the reasons, and what it refuses to the end is the index's own text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from unicodedata import normalize

from worldgen.audit.claims import Guard, Licence, page_licence
from worldgen.audit.claims.lexicon import Lexicon
from worldgen.records import Hit, Language, Page, Statement, Written
from worldgen.search.engine import STRICT_CAP, Withholding
from worldgen.search.index import IndexEngine
from worldgen.search.shown import display_date, show_document, show_page
from worldgen.search.snippets import Excerpt
from worldgen.search.world_model.prompt import LONGEST_SNIPPET, page_material, results_material
from worldgen.search.world_model.session import Judged, Objection, Session
from worldgen.search.world_model.turns import Entry, read_results

LONGEST_BODY = 2.0
"""A page that a model writes may be this many times as long as the index's own, and as many characters more."""
_SLACK = 600


class GroundedEngine:
    """A search engine for one session over an index and a world model; not safe to use from several threads.

    Args:
        index: What decides.
        lexicon: The world's words in a language.
        session: The conversation with the model.
        strict: See `worldgen.audit.claims.Guard`.
    """

    def __init__(
        self, index: IndexEngine, lexicon: Callable[[Language], Lexicon], session: Session, *, strict: bool = True
    ) -> None:
        self._index = index
        self._lexicon = lexicon
        self.session = session
        self._strict = strict
        self._seen: list[Licence] = []

    def search(self, query: str, k: int = 10, *, withholding: Withholding = "strict") -> list[Hit]:
        """See `SearchEngine.search`."""
        cut = self._index.cut(query, k, withholding=withholding)
        pages = {hit.url: page for hit, _ in cut if (page := self._index.open(hit.url)) is not None}
        if not pages:
            return []
        arguments = {"query": query}
        results = _Results(self, cut, pages, capped=withholding == "strict")
        self.session.ask("search", "web_search", arguments, results.judge, material=results_material(results.hits))
        hits = results.written()
        self.session.shown("web_search", arguments, show_page(hits))
        self._remember(results.licences)
        return hits

    def open(self, url: str) -> Page | None:
        """See `SearchEngine.open`."""
        page = self._index.open(url)
        if page is None:
            return None
        arguments = {"url": page.url}
        document = _Document(page, *self.licence(page, page.statements, page.body))
        body = self.session.ask("open", "web_extractor", arguments, document.judge, material=page_material(page))
        if body is not None:
            kept = tuple(link for link in page.links if f"]({link.url})" in body)
            page = replace(page, body=body, statements=(), links=kept)
        self.session.shown("web_extractor", arguments, show_document(page))
        self._remember([document.licence])
        return page

    def look(self, url: str) -> Page | None:
        """The index's own page."""
        return self._index.open(url)

    def taken(self) -> tuple[Written, ...]:
        """See `Session.taken`."""
        return self.session.taken()

    def licence(self, page: Page, statements: Sequence[Statement], text: str) -> tuple[Guard, Licence]:
        """Who judges a text made from a page, and what it may say."""
        lexicon = self._lexicon("zh" if page.language == "zh" else "en")
        return Guard(lexicon, strict=self._strict), page_licence(lexicon, page, statements, text=text, seen=self._seen)

    def _remember(self, licences: Sequence[Licence]) -> None:
        # What was seen before that is in none of these again: a licence does not hold those of the past twice over.
        self._seen += [replace(licence, seen=()) for licence in licences]


class _Results:
    """A result page being written: keeps of each reply the snippets that stand."""

    def __init__(
        self, engine: GroundedEngine, cut: Sequence[tuple[Hit, Excerpt]], pages: Mapping[str, Page], *, capped: bool
    ) -> None:
        self.hits = [hit for hit, _ in cut if hit.url in pages]
        self._capped = capped
        self._judges: list[tuple[Guard, Licence]] = []
        for hit, excerpt in cut:
            page = pages.get(hit.url)
            if page is None:
                continue
            told = [s for s in page.statements if any(a < s.value_end and s.value_start < b for a, b in excerpt.spans)]
            self._judges.append(engine.licence(page, told, hit.snippet))
        self._kept: dict[int, str] = {}
        self._stated: dict[int, frozenset[str]] = {}

    @property
    def licences(self) -> list[Licence]:
        """What the snippets may say."""
        return [licence for _, licence in self._judges]

    def written(self) -> list[Hit]:
        """The hits, with the snippets that stood."""
        return [replace(hit, snippet=self._kept.get(place, hit.snippet)) for place, hit in enumerate(self.hits)]

    def judge(self, text: str) -> Judged[int]:
        """Judge a reply; the value is how many snippets stand by now."""
        entries = read_results(text)
        places = {hit.url: place for place, hit in enumerate(self.hits)}
        found: dict[int, Entry] = {}
        objections: list[Objection] = []
        for entry in entries:
            place = places.get(entry.url)
            if place is None:
                objections.append(Objection("unknown-result", f"{entry.url[:120]!r} is no result; leave it out"))
            elif place in found:
                objections.append(Objection("repeated-result", f"{entry.url[:120]} stands twice; write it once"))
            else:
                found[place] = entry
        if list(found) != sorted(found):
            objections.append(Objection("order", "the results are out of order; keep the order of the material"))
        for place in range(len(self.hits)):
            if place not in self._kept:
                objections += self._entry(place, found.get(place))
        return Judged(len(self._kept), tuple(objections))

    def _entry(self, place: int, entry: Entry | None) -> list[Objection]:
        hit, (guard, licence) = self.hits[place], self._judges[place]
        which = f"result [{place + 1}]"
        if entry is None:
            return [Objection("missing-result", f"{which}, {hit.url}, is missing; write all results")]
        snippet = " ".join(normalize("NFC", entry.snippet).split())
        wrong: list[Objection] = []
        if entry.title and entry.title != hit.title:
            wrong.append(Objection("title", f"{which}: keep the title {hit.title!r}"))
        if entry.date and entry.date != display_date(hit.date):
            wrong.append(Objection("date", f"{which}: keep the date {display_date(hit.date)}"))
        if not snippet:
            wrong.append(Objection("empty-snippet", f"{which} has no snippet; write one"))
        elif len(snippet) > max(LONGEST_SNIPPET, len(hit.snippet)):
            wrong.append(Objection("long-snippet", f"{which}: a snippet has {LONGEST_SNIPPET} characters at most"))
        else:
            verdict = guard.audit(snippet, licence)
            wrong += [Objection(problem.code, f"{which}: {problem.message}") for problem in verdict.problems]
            if not verdict.problems and self._leaks(place, verdict.stated):
                wrong.append(Objection("leak", f"{which}: all results together state {STRICT_CAP} facts at most"))
        if not wrong:
            self._kept[place] = snippet
        return wrong

    def _leaks(self, place: int, stated: frozenset[str]) -> bool:
        others = sum(len(facts) for other, facts in self._stated.items() if other != place)
        if self._capped and others + len(stated) > STRICT_CAP:
            return True
        self._stated[place] = stated
        return False


class _Document:
    """A page being written."""

    def __init__(self, page: Page, guard: Guard, licence: Licence) -> None:
        self._page = page
        self._guard = guard
        self.licence = licence
        self._header = show_document(replace(page, body="")).strip()

    def judge(self, text: str) -> Judged[str]:
        """Judge a reply; a value is there only where all of it stands."""
        body = self._body(text)
        if not body:
            return Judged(None, (Objection("empty-page", "the page is empty; write it"),))
        if len(body) > LONGEST_BODY * len(self._page.body) + _SLACK:
            return Judged(None, (Objection("long-page", "the page is much longer than the material; be brief"),))
        verdict = self._guard.audit(body, self.licence)
        problems = [*verdict.problems, *self._guard.missing(verdict, self.licence)]
        objections = [Objection(problem.code, problem.message) for problem in problems]
        lost = [link for link in self._page.links if f"]({link.url})" not in body]
        objections += [Objection("lost-link", f"keep the link [{link.text}]({link.url})") for link in lost]
        return Judged(None if objections else body, tuple(objections))

    def _body(self, text: str) -> str:
        """The body alone, where the reply gives the page's head as well; it ends as the index's own does."""
        body = normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
        if body.startswith(self._header):
            body = body.removeprefix(self._header).strip()
        own = self._page.body
        return body and body + own[len(own.rstrip()) :]
