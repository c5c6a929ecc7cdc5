"""Free mode: the model invents the web from the world's premise, and the ledger holds it to what it has said.

Each observation is read for what it asserts and judged against what has been asserted before; plain code looks for what
the reading has passed over. What contradicts the ledger or the schema, or cannot be read, is asked for again with the
reasons, and where that does not help the agent is told that there is nothing. An instruction may ask for a fault: what
it brings holds for that call alone.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from unicodedata import normalize
from urllib.parse import urlsplit

from worldgen.audit.claims.dates import days
from worldgen.facts.given import is_chinese
from worldgen.llm.model import Message
from worldgen.records import Hit, Link, Page, Written
from worldgen.schema import Schema
from worldgen.search.address import canonical_url
from worldgen.search.engine import STRICT_CAP, Faulted, Withholding
from worldgen.search.shown import show_document, show_page
from worldgen.search.world_model.extraction import extraction_messages, extraction_shape, read_extraction
from worldgen.search.world_model.ledger import Assertion, Entry, Ledger, Shown
from worldgen.search.world_model.prompt import fill, in_fence, read_again
from worldgen.search.world_model.session import Judged, Objection, Session
from worldgen.search.world_model.turns import read_results
from worldgen.search.world_model.uncovered import uncovered, unjoined

RESERVED = (".example", ".test")
"""The endings that an invented address may have: no real host has them."""
READINGS = 2
"""How often a text is read at most before the model has to write it anew."""
_LONGEST_ERROR = 300
_NOTHING = re.compile(r"\W*no results found", re.IGNORECASE)
_ERROR = re.compile(r"\W*error\b", re.IGNORECASE)
_STATUS = re.compile(r"\A\W*error\W+(?:HTTP\W+)?\d{3}\b", re.IGNORECASE)
_PART = re.compile(r"\[part \d+ of \d+[^\]\n]*\]\W*\Z", re.IGNORECASE)
_UNREAD = {
    "not-json": "what it asserts could not be listed; say each property in a plain sentence",
    "outside-schema": "a kind of thing or a property is none of this world's",
    "no-quote": "a quote does not stand in the text",
    "no-subject": "a subject is not named in the text",
    "no-value": "a value is none of its property, or its words do not stand in the quote",
    "denied": "a sentence denies a value; say what is so",
    "no-period": "a period is not one of the property's, or the text does not name it",
}
_TITLE = re.compile(r"\A\s*# +(.+?)\s*(?:\n|\Z)")
_PUBLISHED = re.compile(r"\A\s*Site: *([^|\n]*)\| *Date: *([^|\n]*)(?:\| *Author: *([^|\n]*))?(?:\n|\Z)")
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\((https?://[^)\s]{1,500})\)")


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer that stands, and what it adds to the ledger; ``passing``: it holds for that call alone."""

    entries: tuple[Entry, ...] = ()
    hits: tuple[Hit, ...] = ()
    page: Page | None = None
    passing: bool = False
    fault: str = ""


class FreeEngine:
    """A search engine for one session over a world model alone; not safe to use from several threads.

    Args:
        session: The conversation with the model.
        schema: What may be invented.

    Attributes:
        ledger: What has been established.
        dropped: Reason → assertions that a reading brought and the text did not bear out.
        passing: Whether the last answer holds for that call alone, as an instruction has asked.
    """

    def __init__(self, session: Session, schema: Schema) -> None:
        self.session = session
        self.ledger = Ledger(schema)
        self.dropped: Counter[str] = Counter()
        self.passing = False
        self._as_of = schema.as_of
        self._shape = extraction_shape(self.ledger.slots)
        self._found: dict[tuple[str, int, Withholding], tuple[Hit, ...]] = {}
        self._pages: dict[str, Page | None] = {}
        self._linked: set[str] = set()

    def search(self, query: str, k: int = 10, *, withholding: Withholding = "strict") -> list[Hit]:
        """See `SearchEngine.search`.

        Raises:
            Faulted: An instruction has asked for an error.
        """
        self.passing = False
        if not re.search(r"\w", query):
            return []
        key = (query, k, withholding)
        if key not in self._found:
            arguments = {"query": query}
            found = self.session.ask(
                "search", "web_search", arguments, lambda text: self._results(text, k, withholding),
                material=self._established(query),
            )  # fmt: skip
            hits = () if found is None else found.hits
            if self._kept(found):
                self._found[key] = hits
            if hits or not self.passing:
                self.session.shown("web_search", arguments, show_page(hits) if hits else "No results found.")
            if self.passing:
                return list(hits)
        return list(self._found[key])

    def open(self, url: str) -> Page | None:
        """See `SearchEngine.open`; an address that nothing has shown has no page, and nobody is asked for one.

        Raises:
            Faulted: An instruction has asked for an error.
        """
        self.passing = False
        address = canonical_url(url)
        if address is None or (self.ledger.shown(address) is None and address not in self._linked):
            return None
        if address not in self._pages:
            arguments = {"url": address}
            found = self.session.ask(
                "open", "web_extractor", arguments, lambda text: self._document(text, address),
                material=self._established(address),
            )  # fmt: skip
            page = None if found is None else found.page
            if self._kept(found):
                self._pages[address] = page
            shown = "Error: the address could not be reached." if page is None else show_document(page)
            self.session.shown("web_extractor", arguments, shown)
            self._linked |= {link.url for link in page.links} if page is not None else set()
            return page
        return self._pages[address]

    def look(self, url: str) -> Page | None:
        """The page where it has been opened before."""
        return self._pages.get(canonical_url(url) or url)

    def taken(self) -> tuple[Written, ...]:
        """See `Session.taken`."""
        return self.session.taken()

    def _established(self, query: str) -> str:
        told = self.ledger.text(query)
        return fill("established", **in_fence(told)) if told else ""

    def _kept(self, answer: _Answer | None) -> bool:
        """Take over what an answer establishes; whether it is also the answer to the same call later."""
        for entry in answer.entries if answer is not None else ():
            self.ledger.add(entry)
        self.passing = answer is not None and answer.passing
        if answer is not None and answer.fault:
            raise Faulted(answer.fault)
        return not self.passing

    def _allowed(self, what: str) -> bool:
        return any(instruction.allows == what for instruction in self.session.told)

    # Judging

    def _results(self, text: str, k: int, withholding: Withholding) -> Judged[_Answer]:
        if _ERROR.match(text) and self._allowed("error"):
            return self._fault(text)
        if _NOTHING.match(text):
            return Judged(_Answer(passing=self._allowed("nothing")))
        listed = read_results(text)
        if not listed:
            return _objected("no-results", "no result can be read; write them in the form of the tool's output")
        hits: dict[str, Hit] = {}
        wrong: list[Objection] = []
        for number, entry in enumerate(listed[:k], 1):
            address = canonical_url(entry.url)
            if address is None or not _reserved(address):
                message = f"result [{number}]: addresses end in {' or '.join(RESERVED)}, with nothing else"
                wrong.append(Objection("address", message))
                continue
            if address in hits:
                wrong.append(Objection("repeated-result", f"{address} stands twice; write it once"))
            date, objection = self._date(entry.date, f"result [{number}]")
            wrong += objection
            title, snippet = (" ".join(normalize("NFC", part).split()) for part in (entry.title, entry.snippet))
            if not title or not snippet:
                wrong.append(Objection("empty-result", f"result [{number}] lacks a title or a snippet"))
            hits[address] = Hit(address, title, snippet, date)
        shown = [Shown(hit.url, hit.title, hit.date, turn=self.session.turn) for hit in hits.values()]
        if wrong:
            return Judged(None, tuple(wrong))
        read, wrong = self._read([(hit.title, f"{hit.title}: {hit.snippet}") for hit in hits.values()])
        placed = [replace(fact, url=_place(fact, hits.values())) for fact in read]
        wrong += self._contradicted([*shown, *placed]) + _told_too_much(placed, withholding)
        if wrong:
            return Judged(None, tuple(wrong))
        return Judged(_Answer((*shown, *placed), tuple(hits.values()), passing=self._allowed("part")))

    def _document(self, text: str, url: str) -> Judged[_Answer]:
        promised = self.ledger.shown(url)
        if _ERROR.match(text):
            if self._allowed("error"):
                return self._fault(text)
            if promised is None:
                return Judged(_Answer())
            return _objected("unreachable", "a result has shown this address, so it has a page; write it")
        page, wrong = self._page(normalize("NFC", text), url, promised)
        if wrong:
            return Judged(None, tuple(wrong))
        read, wrong = self._read([(page.title, f"{page.title}\n{page.body}")], url)
        entries: list[Entry] = [Shown(url, page.title, page.date, page.site, self.session.turn), *read]
        wrong += self._contradicted(entries)
        stated = {(fact.entity, fact.subject.casefold(), fact.attribute, fact.time) for fact in read}
        part = self._allowed("part") and _PART.search(page.body) is not None
        for fact in () if part else self.ledger.assertions:
            key = (fact.entity, fact.subject.casefold(), fact.attribute, fact.time)
            if fact.url == url and key not in stated and fact.quote not in page.body:
                message = f"its snippet promised: {fact.quote}"
                wrong.append(Objection("broken-promise", f"the page must say what {message}"))
        return Judged(None, tuple(wrong)) if wrong else Judged(_Answer(tuple(entries), page=page, passing=part))

    def _page(self, text: str, url: str, promised: Shown | None) -> tuple[Page, list[Objection]]:
        titled = _TITLE.match(text)
        rest = text[titled.end() :] if titled else text
        published = _PUBLISHED.match(rest)
        body = (rest[published.end() :] if published else rest).strip()
        title = " ".join(titled[1].split()) if titled else promised.title if promised else ""
        date, wrong = self._date(published[2] if published else "", "the page")
        if promised is not None and not date:
            date = promised.date
        if not title or not body:
            wrong.append(Objection("empty-page", "the page lacks a title (`# Title`) or a body"))
        host = urlsplit(url).hostname or ""
        links = tuple(Link(address, said) for said, address in _LINK.findall(body) if _reserved(address))
        author = (published[3] or "").strip() if published else ""
        language = "zh" if is_chinese(body) else "en"
        page = Page(url, host, "page", language, title, date, author, body, "medium", "sound", links=links)
        return page, wrong

    def _date(self, text: str, where: str) -> tuple[str, list[Objection]]:
        said = text.strip()
        if not said or said.upper() == "N/A":
            return "", []
        found = [day for language in ("en", "zh") for day in days(said, language) if day.precision == "day"]
        if not found:
            return "", [Objection("date", f"{where}: {said[:40]!r} is no date; write it as Jun 18, 2029, or N/A")]
        day: dt.date = found[0].spans[0][0]
        if day > self._as_of:
            message = f"{where} is dated {day.isoformat()}, which is after today, {self._as_of.isoformat()}"
            return "", [Objection("future", message)]
        return day.isoformat(), []

    def _fault(self, text: str) -> Judged[_Answer]:
        """An error that an instruction has asked for: a line, and no content in it."""
        line = text.strip()
        if "\n" in line or len(line) > _LONGEST_ERROR:
            return _objected("long-error", "an error is one short line, and nothing comes with it")
        wrong = self._passed_over([("", _STATUS.sub("", line))], ())
        return Judged(None, tuple(wrong)) if wrong else Judged(_Answer(passing=True, fault=line))

    def _read(self, texts: Sequence[tuple[str, str]], url: str = "") -> tuple[list[Assertion], list[Objection]]:
        """What texts with their titles assert, and what in them the schema does not allow or a reading does not give.

        A reading that misquotes or passes something over is asked for again, with what is wrong with it.
        """
        text = "\n".join(text for _, text in texts)
        messages = extraction_messages(self.ledger.slots, text)
        stated: dict[Assertion, None] = {}
        wrong: list[Objection] = []
        for _ in range(READINGS):
            reply = self.session.aside(messages, self._shape)
            found = read_extraction(reply, text, self.ledger.slots, turn=self.session.turn, url=url)
            stated |= dict.fromkeys(found.assertions)
            self.dropped += found.dropped
            for reason in found.dropped:
                self.session.note(f"dropped.{reason}")
            if found.refused:
                refused = [Objection(f"ledger.{u.code}", f"{said}: expected {u.expected}") for said, u in found.refused]
                return list(stated), refused
            wrong = [Objection("unread", _UNREAD[reason]) for reason in found.dropped]
            wrong += self._passed_over(texts, list(stated))
            if not wrong:
                break
            told = read_again([objection.message for objection in wrong])
            messages = (*messages, Message("assistant", reply), Message("user", told))
        return list(stated), wrong

    def _passed_over(self, texts: Sequence[tuple[str, str]], stated: Sequence[Assertion]) -> list[Objection]:
        """What stands in the texts beside a known name, and in no assertion."""
        names = {kind: dict(found) for kind, found in self.ledger.names().items()}
        for kind, found in Ledger(self.ledger.schema, stated).names().items():
            names[kind] = {**found, **names.get(kind, {})}
        message = "{1!r} beside {0!r} is given by no property that was read; say which it is in a plain sentence"
        found_values = [
            each for title, text in texts for each in uncovered(text, self.ledger.slots, names, stated, title)
        ]
        known = [*self.ledger.assertions, *stated]
        apart = [each for _, text in texts for each in unjoined(text, self.ledger.slots, names, known)]
        joins = "{0!r} and {1!r} stand in one sentence, and no property that was read joins them; say which does"
        return [
            *(Objection("unread-value", message.format(*each)) for each in dict.fromkeys(found_values)),
            *(Objection("unread-relation", joins.format(*each)) for each in dict.fromkeys(apart)),
        ]

    def _contradicted(self, entries: Sequence[Entry]) -> list[Objection]:
        """What contradicts the ledger, or something else in the same answer."""
        trial = Ledger(self.ledger.schema)
        found = [each for entry in entries for each in (*self.ledger.against(entry), *trial.add(entry))]
        return list(dict.fromkeys(Objection(each.code, each.message) for each in found))


def _objected(code: str, message: str) -> Judged[_Answer]:
    return Judged(None, (Objection(code, message),))


def _reserved(url: str) -> bool:
    """Whether an address lies under a reserved ending, without a user or a port in it."""
    try:
        parts = urlsplit(url)
        return parts.netloc == (parts.hostname or "") and (parts.hostname or "").endswith(RESERVED)
    except ValueError:
        return False


def _place(fact: Assertion, hits: Iterable[Hit]) -> str:
    """The address of the result that an assertion stands in; empty where it reaches over several."""
    return next((hit.url for hit in hits if fact.quote in f"{hit.title}: {hit.snippet}"), "")


def _told_too_much(facts: Sequence[Assertion], withholding: Withholding) -> list[Objection]:
    """Snippets that give away more than they may."""
    stated = {(fact.entity, fact.subject.casefold(), fact.attribute, fact.time, fact.url) for fact in facts}
    most = max(Counter(url for *_, url in stated).values(), default=0)
    if withholding == "strict" and len(stated) > STRICT_CAP:
        return [Objection("leak", f"the snippets state {len(stated)} properties; leave all but {STRICT_CAP} out")]
    if withholding == "light" and most > 1:
        return [Objection("leak", f"a snippet states {most} properties; leave all but one out")]
    return []
