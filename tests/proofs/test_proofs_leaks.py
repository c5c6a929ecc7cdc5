"""The reader of result pages: it sees what is shown, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.proofs.excerpts import Source, pieces, stated_in, unlabelled
from worldgen.proofs.files import Files, Leaf, Said
from worldgen.proofs.leaks import CAP, ResultReader
from worldgen.world import World

BODY = (
    "# Orda\n\nThe **Orda** is a ferry of the [Lake Line](https://l.example/x). It has 154 seats, and 1,200 kW in all."
)
SEATS = Said("u", "ferry/0/seats", 66, 82, BODY.index("154"), BODY.index("154") + 9, "sound", "plain", "154")


def span_of(text: str) -> tuple[int, int]:
    return next(Source.of(BODY).spans(text))


def test_a_piece_is_found_whatever_its_marks():
    start, end = span_of("Orda is a ferry of the Lake Line")
    assert BODY[start:end] == "Orda** is a ferry of the [Lake Line"
    assert list(Source.of(BODY).spans("Orda is a yacht")) == []
    assert list(Source.of(BODY).spans("...")) == []


def test_a_value_counts_with_its_sentence_and_not_alone():
    said = [
        Said(
            "u", "f", BODY.index("It has"), len(BODY), BODY.index("154"), BODY.index("154") + 3, "sound", "plain", "154"
        )
    ]
    assert stated_in(span_of("It has 154 seats"), said, BODY) == {"f"}
    assert stated_in(span_of("154"), said, BODY) == set()
    assert stated_in(span_of("It has"), said, BODY) == set()


def test_what_no_statement_covers_is_left_over():
    page = Leaf("u", "s", "news", "en", "Orda", "", "", "high", "sound", "ferry/0", BODY)
    assert unlabelled(span_of("It has 154 seats, and 1,200 kW"), [SEATS], page).strip(" /.").endswith("1,200 kW")


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text("abc 0139.,|*\n-", min_size=1, max_size=20), min_size=1, max_size=6), st.data())
def test_any_stretch_of_a_body_is_found_where_it_is(lines, data):
    body = "\n".join(lines)
    start = data.draw(st.integers(0, len(body) - 1))
    end = data.draw(st.integers(start + 1, len(body)))
    piece = body[start:end]
    spans = list(Source.of(body).spans(piece))
    if any(char.isalnum() for char in piece):
        assert any(start <= s and e <= end for s, e in spans)


def test_pieces_are_cut_at_the_dots():
    assert pieces("One thing ... another ...") == ["One thing", "another"]
    assert pieces("...") == []


@pytest.fixture(scope="module")
def opened(tiny_world):
    files = Files(tiny_world)
    with World.load(tiny_world) as world:
        yield files, world
    files.close()


def test_without_withholding_the_same_queries_state_far_more(opened):
    files, world = opened
    reader = ResultReader(files)
    counts = {}
    for withholding in ("none", "strict"):
        tools = world.toolbox(withholding=withholding)
        found = [
            reader.read(tools.call("web_search", {"query": f"{n} capacity"}))
            for n, _ in list(files.names.values())[:30]
        ]
        assert not any(strange for _, strange in found)
        counts[withholding] = max(len(facts) for facts, _ in found)
    assert counts["strict"] <= CAP < counts["none"]


def test_a_snippet_from_elsewhere_is_strange(opened):
    files, _ = opened
    url = next(iter(files.pages))
    _, strange = ResultReader(files).read(f"[1] {url}\nTitle: T\nSnippet: words of no page at all\nDate: N/A")
    assert len(strange) == 1


def test_a_figure_in_a_title_states_its_fact(opened):
    files, _ = opened
    said = next(
        s for s in files.statements if s.fact.startswith("ferry/") and s.fact.endswith("/length") and s.form == "plain"
    )
    page = files.pages[said.url]
    name = files.names[said.fact.rpartition("/")[0]][0]
    words = page.body[said.value_start : said.value_end]
    for title, stated in ((f"{name}: {words}", {said.fact}), (name, set()), (words, set())):
        url = next(u for u, p in files.pages.items() if p.subject == "")
        text = f"[1] {url}\nTitle: {title}\nSnippet: {files.pages[url].title}\nDate: N/A"
        assert said.fact in ResultReader(files).read(text)[0] or not stated
        assert stated or said.fact not in ResultReader(files).read(text)[0]
