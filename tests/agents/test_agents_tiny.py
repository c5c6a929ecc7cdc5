"""Agents over a handmade world of four pages: they read what is shown, and nothing else."""

from __future__ import annotations

import pytest

from worldgen.agents import Answer, Reader, Session, solve, weak
from worldgen.records import Evidence, Hit, Link, Page, Statement, Task
from worldgen.tools import Toolbox

LIST, ORDA, VELT, HIDDEN = (f"https://a.example/{name}" for name in ("list", "orda", "velt", "hidden"))


def page(
    url: str, title: str, body: str, *facts: tuple[str, str, str], links: tuple[Link, ...] = (), date="2028-01-01"
):
    said = []
    for fact, sentence, value in facts:
        start = body.index(sentence)
        at = start + sentence.index(value)
        said.append(Statement(fact, start, start + len(sentence), at, at + len(value), "sound", "plain", value))
    return Page(url, "a.example", "news", "en", title, date, "", body, "high", "sound", "", links, tuple(said))


PAGES = {
    LIST: page(
        LIST, "Ferries", f"Ferries: [Orda]({ORDA}) and [Velt]({VELT}).", links=(Link(ORDA, "Orda"), Link(VELT, "Velt"))
    ),
    ORDA: page(ORDA, "Orda", "The Orda has 154 seats.", ("ferry/0/seats", "The Orda has 154 seats.", "154")),
    VELT: page(
        VELT, "Velt", "The Velt has 90 seats.", ("ferry/1/seats", "The Velt has 90 seats.", "90"), date="2028-05-01"
    ),
    HIDDEN: page(HIDDEN, "Both", "Nobody links here."),
}


class Four:
    """An engine that finds the list for any query, and more by name."""

    def __init__(self, found: tuple[str, ...] = (LIST,)) -> None:
        self.found = found

    def search(self, query: str, k: int = 10, *, withholding: str = "strict") -> list[Hit]:
        urls = [*self.found, *(u for u, p in PAGES.items() if p.title.lower() in query.lower() and u not in self.found)]
        return [Hit(url, PAGES[url].title, "Words about it ...", PAGES[url].date) for url in urls[:k]]

    def open(self, url: str) -> Page | None:
        return PAGES.get(url)


def task(**plan: object) -> Task:
    evidence = tuple(
        Evidence(row, "Seats", f"ferry/{row}/seats", url, 0, len(PAGES[url].body))
        for row, url in enumerate((ORDA, VELT))
    )
    steps = {"queries": ["ferries"], "enumerate": [LIST], "open": [{"url": ORDA, "via": ""}, {"url": VELT, "via": ""}]}
    return Task(
        "t-1", "en", "Which ferries are there, and how many seats has each?", ("Ferry", "Seats"),
        (("Orda", "154"), ("Velt", "90")), {"unique_columns": ["ferry"], "required": ["ferry", "seats"]}, {},
        {**steps, "conditions": [], **plan}, evidence,
    )  # fmt: skip


def session(found: tuple[str, ...] = (LIST,)) -> Session:
    return Session(Toolbox(Four(found)), task().question)


def test_a_session_reads_results_and_links_from_the_text_alone():
    here = session()
    entries = here.search("ferries")
    assert [(e.url, e.title, e.date) for e in entries] == [(LIST, "Ferries", "Jan 1, 2028")]
    assert list(here.urls) == [LIST]
    text = here.open(LIST)
    assert text.startswith("# Ferries")
    assert list(here.urls) == [LIST, ORDA, VELT]
    assert here.pages() == {LIST: text}
    assert (here.queries, here.opens, len(here.calls)) == (1, 1, 2)
    assert here.shown("Velt")
    assert here.shown("how many seats")
    assert not here.shown("154")


def test_a_page_that_is_not_there_shows_no_link():
    here = session()
    assert here.open("https://a.example/gone").startswith("Error:")
    assert not here.urls


def test_the_oracle_solves_what_it_can_reach_and_asks_nothing_else():
    here = session()
    assert solve(task(), here, PAGES).rows == (("Orda", "154"), ("Velt", "90"))
    opened = [call.arguments["url"] for call in here.calls if call.tool == "web_extractor"]
    assert sorted(opened) == sorted({LIST, ORDA, VELT})
    assert [call.arguments["query"] for call in here.calls if call.tool == "web_search"] == ["ferries"]


def test_the_oracle_opens_no_page_that_it_was_not_shown():
    here = session()
    answer = solve(task(open=[{"url": HIDDEN, "via": ""}]), here, PAGES)
    assert HIDDEN not in here.pages()
    assert all(cell == "" for row in answer.rows for cell in row[1:])


def test_the_oracle_searches_for_a_name_only_once_it_was_shown():
    shown = session()
    solve(task(open=[{"url": HIDDEN, "via": "Orda"}]), shown, PAGES)
    queries = [str(call.arguments["query"]) for call in shown.calls if call.tool == "web_search"]
    assert any("Orda" in query for query in queries[1:])
    unseen = session()
    solve(task(open=[{"url": HIDDEN, "via": "Both"}]), unseen, PAGES)
    assert not any("Both" in str(call.arguments["query"]) for call in unseen.calls if call.tool == "web_search")


def test_a_cell_is_written_only_where_its_sentence_was_shown():
    reader = Reader(task(), PAGES)
    assert reader.facts_on(ORDA, "# Orda\n\nThe Orda has 154 seats.") == {"ferry/0/seats"}
    assert reader.facts_on(ORDA, "# Orda\n\nThe Orda has") == set()
    assert reader.facts_on("https://elsewhere.example/", PAGES[ORDA].body) == set()
    assert reader.answer({"ferry/0/seats"}, "Orda and Velt").rows == (("Orda", "154"), ("Velt", ""))
    assert reader.answer({"ferry/0/seats"}, "Orda").rows == (("Orda", "154"),)


def test_a_row_waits_for_its_conditions():
    reader = Reader(task(conditions=[[0, ["ferry/0/seats"]]]), PAGES)
    assert [row[0] for row in reader.answer(set(), "Orda Velt").rows] == ["Velt"]


@pytest.mark.parametrize(
    ("words", "seen"), [("has 154 seats", True), ("1540", False), ("2,154", False), ("0.154", False)]
)
def test_an_entry_gives_a_fact_only_as_a_whole_word(words, seen):
    from worldgen.agents.session import Entry

    reader = Reader(task(), PAGES)
    assert bool(reader.facts_in_entry(Entry(ORDA, "Orda", words, ""))) is seen


def test_weak_agents_take_their_shortcut_and_no_other():
    everywhere = (LIST, ORDA, VELT)
    assert weak.nothing(task()).rows == ()
    assert weak.titles_only(task(), session(everywhere), PAGES, 2).rows == (("Orda", ""), ("Velt", ""))
    assert weak.search_only(task(), session(everywhere), PAGES, 2).rows == (("Orda", ""), ("Velt", ""))
    newest = session(everywhere)
    assert weak.newest_only(task(), newest, PAGES, 1).rows == (("Orda", ""), ("Velt", "90"))
    assert list(newest.pages()) == [VELT]
    best = weak.best_page(task(), PAGES)
    assert sum(bool(cell) for row in best.rows for cell in row[1:]) == 1


def test_a_crawler_stops_at_its_budget_and_follows_links():
    free = session()
    assert weak.crawl(task(), free, PAGES, 1).rows == (("Orda", "154"), ("Velt", "90"))
    assert free.opens == 3
    bound = session()
    weak.crawl(task(), bound, PAGES, 0)
    assert bound.opens == 0


def test_a_guess_uses_the_question_alone():
    asked = task()
    rows = weak.guess(asked).rows
    assert rows
    assert {row[0] for row in rows} <= {"Which"} | {asked.question[:8]}


def test_an_answer_is_written_as_a_markdown_table():
    text = Answer(("A", "B"), (("x|y", ""), ("z", "1"))).markdown()
    assert text == "```markdown\n| A | B |\n| --- | --- |\n| x\\|y |  |\n| z | 1 |\n```"
