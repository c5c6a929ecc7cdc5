"""The oracle: it knows the plan of a task, and reaches the answer with the three tools alone.

Knowing the plan, it knows which pages it wants; but it searches only with words of the question and strings it has
been shown, opens only URLs it has been shown, and writes a cell only when the sentences that state it stand in what it
was shown.
"""

from __future__ import annotations

from collections.abc import Mapping

from worldgen.agents.reading import Reader
from worldgen.agents.session import Answer, Session
from worldgen.records import Page, Task

_TRIES = 3


def solve(task: Task, session: Session, pages: Mapping[str, Page]) -> Answer:
    """Interpret the plan of a task.

    Args:
        task: With its plan: ``queries`` made of the question's words, pages to ``enumerate`` and to ``open``.
        session: Tools of a fresh episode.
        pages: The world's pages, for the sentences that state the facts.

    Returns:
        The table; cells that it was not shown are empty, rows without a key are left out.
    """
    plan = task.plan
    waiting: list[tuple[str, str]] = [(url, "") for url in plan["enumerate"]]
    waiting += [(step["url"], step.get("via", "")) for step in plan["open"]]
    for query in plan["queries"]:
        if any(url not in session.urls for url in plan["enumerate"][:1] or [waiting[0][0]] if waiting):
            session.search(query)
    tried: dict[str, int] = {}
    while waiting:
        ready = [url for url, _ in waiting if url in session.urls]
        if not ready:
            if not _look_for(waiting, session, tried, plan["queries"]):
                break
            continue
        for url in ready:
            session.open(url)
        waiting = [(url, via) for url, via in waiting if url not in set(ready)]
    return _write(task, session, pages)


def _look_for(waiting: list[tuple[str, str]], session: Session, tried: dict[str, int], queries: list[str]) -> bool:
    """Search for the first page not found yet; False where nothing is left to try."""
    for _, via in waiting:
        for query in [via, *(f"{via} {words}" for words in queries)][:_TRIES] if via else queries:
            if query in tried or not (not via or session.shown(via)):
                continue
            tried[query] = 1
            session.search(query)
            return True
    return False


def _write(task: Task, session: Session, pages: Mapping[str, Page]) -> Answer:
    reader = Reader(task, pages)
    facts = {fact for url, text in session.pages().items() for fact in reader.facts_on(url, text)}
    return reader.answer(facts, "\n".join(call.observation for call in session.calls))
