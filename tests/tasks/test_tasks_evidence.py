from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.tasks.evidence import PageIndex

_RANKS = {"low": 0, "medium": 1, "high": 2}


@pytest.fixture(scope="module")
def contested(phones, holding):
    """The tiny world with wrong copies of some pages, of every trust and of several dates."""
    copies = []
    for number, page in enumerate(page for page in phones.pages if page.statements):
        if number % 7 == 0:
            wrong = tuple(s._replace(label="mistaken") for s in page.statements)
            trust = ("low", "medium", "high")[number % 3]
            date = "2020-01-01" if number % 2 else "2029-11-20"
            copies.append(dataclasses.replace(page, url=f"{page.url}-x", trust=trust, date=date, statements=wrong))
    pages = sorted([*phones.pages, *copies], key=lambda page: page.url)
    return pages, holding(phones, pages)


@given(data=st.data(), language=st.sampled_from(["en", "zh"]))
@settings(max_examples=40, deadline=None)
def test_what_the_database_finds_is_what_reading_all_pages_finds(contested, data, language):
    pages, connection = contested
    index = PageIndex(pages, connection, language)
    own = [page for page in pages if page.language == language]
    facts = sorted({s.fact for page in own for s in page.statements})
    some = data.draw(st.lists(st.sampled_from(facts), min_size=1, max_size=12, unique=True))
    if data.draw(st.booleans()):
        index.read([*some, *some, "phone/99999/price"])
    for fact in some:
        right, wrong = [], []
        for page in own:
            labels = [s.label for s in page.statements if s.fact == fact]
            if any(label in ("sound", "undisclosed") for label in labels):
                right.append(page)
            elif labels:
                wrong.append((_RANKS[page.trust], page.date))
        winning = [page for page in right if not wrong or (_RANKS[page.trust], page.date) > max(wrong)]
        assert [index.pages[page] for page in index.stating(fact)] == right
        assert [index.pages[page] for page in index.usable(fact)] == winning
        for page in index.stating(fact):
            assert index.statement(fact, page) == next(s for s in index.pages[page].statements if s.fact == fact)
    assert index.stating("phone/99999/price") == []


@given(data=st.data(), language=st.sampled_from(["en", "zh"]))
@settings(max_examples=25, deadline=None)
def test_subjects_and_links_are_looked_up_alike(contested, data, language):
    pages, connection = contested
    index = PageIndex(pages, connection, language)
    page = data.draw(st.sampled_from([page for page in index.pages if page.subject]))
    assert [index.pages[p] for p in index.about(page.subject)] == [p for p in index.pages if p.subject == page.subject]
    linking = [p for p in index.pages if any(link.url == page.url for link in p.links)]
    assert [index.pages[p] for p in index.linking(page.url)] == linking
