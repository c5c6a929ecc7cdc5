"""When two names count as the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldgen.disjoint.normal import normal, normals, parts, spelled

NAMES = st.text(st.sampled_from("aBé.'’ -&,·海公司有限Łß1\n"), max_size=14)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Société Générale S.A.", "SOCIETE GENERALE"),
        ("Acme GmbH & Co. KG", "acme"),
        ("Hewlett-Packard", "hewlett packard"),
        ("St. John's", "St Johns"),
        ("华为技术有限公司", "华为技术"),
        ("大卫·科波菲尔", "大卫科波菲尔"),
        ("Łódź", "Lodz"),
    ],
)
def test_two_spellings_of_one_name(one: str, other: str) -> None:
    assert normal(one) == normal(other) != ""


@pytest.mark.parametrize(("one", "other"), [("Acme North", "Acme"), ("Porto", "Port O"), ("Co", ""), ("公司", "")])
def test_names_that_are_not_the_same(one: str, other: str) -> None:
    assert normal(one) != normal(other)


@given(st.lists(NAMES, min_size=1, max_size=6))
def test_many_names_at_once_are_each_by_itself(names: list[str]) -> None:
    assert normals(names) == [normal(name) for name in names]


@given(NAMES)
def test_a_form_is_words_with_one_space_between(name: str) -> None:
    form = normal(name)
    assert form == form.strip()
    assert spelled(form).split() == form.split()


def test_the_parts_of_a_name() -> None:
    assert parts("Kesma Dorvane-Sahl Ltd") == ["kesma", "dorvane", "sahl"]
    assert parts("克斯玛·多尔万") == ["克斯玛", "多尔万"]
