from __future__ import annotations

from collections.abc import Hashable

from hypothesis import given
from hypothesis import strategies as st

from worldgen.tasks import Attr, Cell, GoldRow, Overlap, TableQuery

_TERMS = [Attr(name) for name in ("a", "b", "c", "d")]


@st.composite
def answers(draw) -> tuple[TableQuery, list[GoldRow]]:
    """A query over ten rows and four columns, and its gold; cells of column `d` in different rows rest on one fact."""
    keys = tuple(Attr(f"key{n}") for n in range(draw(st.shared(st.integers(1, 3), key="keys"))))
    columns = tuple(draw(st.lists(st.sampled_from(_TERMS), min_size=1, unique=True)))
    ids = draw(st.lists(st.integers(0, 9), min_size=1, unique=True))
    rows = []
    for id_ in ids:
        others = [
            Cell("x", fact, fact) for fact in ((f"t/{id_ // 3 if c.path == 'd' else id_}/{c.path}",) for c in columns)
        ]
        rows.append(GoldRow(f"t/{id_}", (*(Cell("k", (), ()) for _ in keys), *others), ()))
    return TableQuery("t", keys, columns), rows


def cells(answer: tuple[TableQuery, list[GoldRow]], *, keys: bool) -> set[Hashable]:
    query, rows = answer
    found: set[Hashable] = {c.facts for row in rows for c in row.cells[len(query.keys) :]}
    return found | ({(row.id, key) for row in rows for key in query.keys} if keys else set())


@given(answers(), answers())
def test_the_share_is_the_larger_of_that_with_keys_and_that_without(one, other):
    overlap = Overlap()
    overlap.add(*one)
    shares = []
    for keys in (True, False):
        ours, theirs = cells(one, keys=keys), cells(other, keys=keys)
        shares.append(len(ours & theirs) / min(len(ours), len(theirs)))
    assert overlap.share(*other) == max(shares)


@given(answers(), answers())
def test_what_is_told_from_rows_and_columns_alone_is_never_told_wrongly(one, other):
    overlap = Overlap()
    overlap.add(*one)
    if not any(Attr("d") in query.columns for query, _ in (one, other)):
        same = {row.id for row in one[1]} == {row.id for row in other[1]}
        assert overlap.likely(other[0], [row.id for row in other[1]]) == (same or overlap.share(*other) > 0.5)


@given(answers())
def test_the_same_rows_with_other_columns_may_still_be_too_much(answer):
    query, rows = answer
    overlap = Overlap()
    overlap.add(query, rows)
    assert overlap.share(query, rows) == 1.0
    assert overlap.likely(query, [row.id for row in rows])
