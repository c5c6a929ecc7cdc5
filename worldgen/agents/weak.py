"""Weak agents: each uses a shortcut that must not pay.

They gather observations; an ideal reader then writes whatever could be read in them, so that a ceiling that holds
here holds for any model that takes the same shortcut.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from worldgen.agents.reading import Reader
from worldgen.agents.session import Answer, Entry, Session
from worldgen.records import Page, Task


def nothing(task: Task) -> Answer:
    """No row at all."""
    return Answer(task.columns, ())


def guess(task: Task) -> Answer:
    """Names found in the question as keys, the commonest value of each column everywhere else."""
    names = re.findall(r"\b[A-Z][\w'-]+(?: [A-Z][\w'-]+)*", task.question) or [task.question[:8]]
    common = [Counter(row[i] for row in task.rows).most_common(1)[0][0] for i in range(len(task.columns))]
    keys = set(task.evaluation["unique_columns"])
    rows = []
    for name in dict.fromkeys(names):
        rows.append(
            tuple(
                name if column.replace(" ", "").lower() in keys else common[i] for i, column in enumerate(task.columns)
            )
        )
    return Answer(task.columns, tuple(rows))


def titles_only(task: Task, session: Session, pages: Mapping[str, Page], budget: int) -> Answer:
    """As many queries as the oracle needed; reads titles, opens nothing."""
    entries = _search(task, session, budget)
    reader = Reader(task, pages)
    facts = {f for e in entries for f in reader.facts_in_entry(Entry(e.url, e.title, "", ""))}
    return reader.answer(facts, "\n".join(entry.title for entry in entries))


def search_only(task: Task, session: Session, pages: Mapping[str, Page], budget: int) -> Answer:
    """Twice the oracle's queries; reads titles and snippets, opens nothing."""
    entries = _search(task, session, 2 * budget)
    reader = Reader(task, pages)
    facts = {fact for entry in entries for fact in reader.facts_in_entry(entry)}
    return reader.answer(facts, "\n".join(f"{entry.title}\n{entry.snippet}" for entry in entries))


def newest_only(task: Task, session: Session, pages: Mapping[str, Page], budget: int) -> Answer:
    """As many queries as the oracle needed; of each it opens the result with the newest date and no other."""
    reader = Reader(task, pages)
    facts: set[str] = set()
    entries = _search(task, session, budget)
    for start in range(0, len(entries), _RESULTS):
        dated = [e for e in entries[start : start + _RESULTS] if e.url in pages and pages[e.url].date]
        if dated:
            url = max(dated, key=lambda entry: (pages[entry.url].date, entry.url)).url
            facts |= reader.facts_on(url, session.open(url))
    return reader.answer(facts, "\n".join(call.observation for call in session.calls))


def crawl(task: Task, session: Session, pages: Mapping[str, Page], opens: int) -> Answer:
    """Three times the oracle's opens, breadth first from the results of the question's words, following every link."""
    reader = Reader(task, pages)
    facts: set[str] = set()
    for query in task.plan["queries"]:
        session.search(query)
    opened: set[str] = set()
    while len(opened) < CRAWLS * opens:
        url = next((url for url in session.urls if url not in opened), None)
        if url is None:
            break
        opened.add(url)
        facts |= reader.facts_on(url, session.open(url))
    return reader.answer(facts, "\n".join(call.observation for call in session.calls))


def best_page(task: Task, pages: Mapping[str, Page]) -> Answer:
    """The one page that states most cells, read whole."""
    reader = Reader(task, pages)
    wanted = {evidence.fact for evidence in task.evidence}
    counted = Counter({url: len(wanted & {s.fact for s in page.statements}) for url, page in pages.items()})
    best, found = Answer(task.columns, ()), -1
    for url, _ in counted.most_common(_BEST_PAGES):
        body = pages[url].body
        answer = reader.answer(reader.facts_on(url, body), body)
        cells = sum(bool(cell) for row in answer.rows for cell in row)
        if cells > found:
            best, found = answer, cells
    return best


_RESULTS = 10
_BEST_PAGES = 5
CRAWLS = 3
"""How many times the oracle's opens a crawler has."""
WEAK_AGENTS = {
    "nothing": 0.05,
    "guess": 0.05,
    "titles_only": 0.3,
    "best_page": 0.3,
    "newest_only": 0.3,
    "search_only": 0.3,
    "crawl": 0.5,
}
"""Name → ceiling of the mean non-key item F1 over a world's tasks."""


def _search(task: Task, session: Session, budget: int) -> list[Entry]:
    """The results of the question's own queries, then of names that titles have shown, up to the budget."""
    entries: list[Entry] = []
    queries = list(task.plan["queries"])
    asked: set[str] = set()
    while queries and len(asked) < budget:
        query = queries.pop(0)
        if query in asked:
            continue
        asked.add(query)
        found = session.search(query)
        entries += found
        queries += [entry.title for entry in found]
    return entries
