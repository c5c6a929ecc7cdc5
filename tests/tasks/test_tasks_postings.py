from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.tasks.postings import Postings


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text("abé/1", max_size=3)), st.text("abé/1", max_size=3))
def test_finds_every_place_in_order(strings, wanted):
    assert Postings(strings).find(wanted) == [place for place, text in enumerate(strings) if text == wanted]


def test_finds_among_more_strings_than_one_radix_sort_parts():
    strings = [f"phone/{number % 90_000}/price" for number in range(100_000)]
    found = Postings(strings)
    for number in (0, 1, 9_999, 10_000, 89_999):
        fact = f"phone/{number}/price"
        assert found.find(fact) == [place for place, text in enumerate(strings) if text == fact]
    assert found.find("phone/90000/price") == []
