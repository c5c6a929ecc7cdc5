"""Coined names: unique in both languages, distinct, clear of real words, the same under every hash seed."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.errors import CallerError, GenerationError
from worldgen.language import Name, aliases, coin, cultures, kinds, known, name_key, transliterate
from worldgen.language import names as names_module
from worldgen.language.distinct import Distinct
from worldgen.language.sounds import Culture, acceptable, culture, table_of, unwanted_words
from worldgen.seeds import stream

ROOT = Path(__file__).parents[2]
FEW = settings(max_examples=40, deadline=None)


def edits(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def spellings(word: str) -> set[str]:
    return {word, *(word[:i] + word[i + 1 :] for i in range(len(word)))}


def test_there_are_eight_cultures_and_the_kinds_schemas_need() -> None:
    assert len(cultures()) >= 8
    needed = "person place region country company brand product_series organisation street party club school bridge"
    assert set(needed.split()) | {"river", "project", "drug", "compound", "ship", "journal", "building"} <= set(kinds())


@pytest.mark.parametrize("kind", kinds())
def test_names_of_every_kind_are_unique_and_look_like_names(kind: str) -> None:
    for name_of_culture in cultures()[::3]:
        coined = coin(kind, name_of_culture, stream(7, "test", kind, name_of_culture), 120)
        assert len({name_key(name.en) for name in coined}) == 120
        assert len({name_key(name.zh) for name in coined}) == 120
        for name in coined:
            assert "{" not in name.en + name.zh
            assert name.en.isascii()
            assert name.en[0].isupper()
            assert not any("a" <= c.lower() <= "z" for c in name.zh)
            assert len(name.zh) >= 2


@FEW
@given(seed=st.integers(0, 10**6), n=st.integers(0, 60), where=st.sampled_from(cultures()))
def test_roots_are_two_edits_apart_and_not_real(seed: int, n: int, where: str) -> None:
    roots = [name.en.lower() for name in coin("brand", where, stream(seed, "brand"), n)]
    assert len(roots) == n
    assert all(edits(a, b) >= 2 for a, b in combinations(roots, 2))
    assert not any(known(roots))
    assert unwanted_words().isdisjoint(roots)


@FEW
@given(st.lists(st.text("abc", min_size=2, max_size=6), max_size=12))
def test_distinct_never_lets_a_near_word_in(words: list[str]) -> None:
    distinct = Distinct()
    half = len(words) // 2
    flags = distinct.add(words[:half]) + distinct.add(words[half:])
    kept = [word for word, flag in zip(words, flags, strict=True) if flag]
    assert all(edits(a, b) >= 2 for a, b in combinations(kept, 2))
    # Nor does it turn away a word that no kept one before it comes near, by an edit or by swapped neighbours.
    for i, word in enumerate(words):
        before = [words[j] for j in range(i) if flags[j]]
        assert flags[i] == all(not spellings(word) & spellings(other) for other in before)


def test_taken_names_and_roots_are_avoided_and_extended() -> None:
    taken: set[str] = set()
    first = coin("company", "veltic", stream(7, "same"), 200, taken=taken)
    second = coin("company", "veltic", stream(7, "same"), 200, taken=taken)
    assert {text for name in first + second for text in name} <= taken
    for index in (0, 1):
        assert len({name_key(name[index]) for name in first + second}) == 400
    blocked = {f"  {name.en.upper()} " for name in first}
    third = coin("company", "veltic", stream(7, "same"), 200, taken=blocked)
    assert {name_key(name.en) for name in first}.isdisjoint(name_key(name.en) for name in third)


def test_twenty_thousand_names_of_the_shortest_kind() -> None:
    coined = coin("product_series", "oshani", stream(7, "many"), 20_000)
    assert len(set(coined)) == len({name.zh for name in coined}) == 20_000


def test_a_culture_that_runs_dry_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    few = table_of({"kvest": 1})
    small = Culture("small", few, table_of({"a": 1}), table_of({"lm": 1}), table_of({"n": 1}), {})
    monkeypatch.setattr(names_module, "culture", lambda _: small)
    with pytest.raises(GenerationError, match="no more names") as caught:
        coin("brand", "small", stream(7, "dry"), 500)
    assert caught.value.code == "language.names-exhausted"


def test_unknown_names_are_told_with_a_suggestion() -> None:
    with pytest.raises(CallerError, match="did you mean 'company'"):
        coin("compny", "veltic", stream(7), 1)
    with pytest.raises(CallerError, match="did you mean 'veltic'"):
        coin("company", "veltik", stream(7), 1)
    with pytest.raises(CallerError, match="negative"):
        coin("company", "veltic", stream(7), -1)


def test_a_root_reads_the_same_in_every_name() -> None:
    assert transliterate("Dorvik") == transliterate("dorvik")
    assert transliterate("Anna") == transliterate("ana") or len(transliterate("Anna")) == 2
    for name in cultures():
        for root in coin("brand", name, stream(3, name), 50):
            assert transliterate(root.en) == root.zh


def test_real_and_rude_words_are_not_acceptable() -> None:
    assert not acceptable("paris")
    assert not acceptable("nokia")
    assert not acceptable("orange")
    assert not acceptable("kesexo")
    assert acceptable("kesmar")
    assert not acceptable("nairobi")
    assert not acceptable("satan")


def test_every_culture_has_its_own_sound() -> None:
    seen = {tuple(culture(name).medial.clusters[:12]) for name in cultures()}
    assert len(seen) == len(cultures())


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("person", Name("Kesma Dorvane", "克斯玛·多尔万"), {Name("K. Dorvane", "K·多尔万"), Name("Dorvane", "多尔万")}),
        ("company", Name("Kesmar Group", "克斯马尔集团"), {Name("Kesmar", "克斯马尔"), Name("Kesmar", "克斯集团")}),
        (
            "university",
            Name("University of Kesmar", "克斯马尔大学"),
            {Name("Kesmar", "克斯马尔"), Name("Kesmar", "克斯大")},
        ),
        ("brand", Name("Kesmar", "克斯马尔"), set()),
    ],
)
def test_aliases(kind: str, name: Name, expected: set[Name]) -> None:
    assert set(aliases(name, kind, stream(7, "alias"))) == expected


@pytest.mark.parametrize("kind", kinds())
def test_aliases_never_repeat_the_name(kind: str) -> None:
    for name in coin(kind, "lomandi", stream(11, kind), 40):
        short = aliases(name, kind, stream(11, "alias"))
        assert name not in short
        assert len(set(short)) == len(short)


def test_names_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from worldgen.language import aliases, coin, kinds\n"
        "from worldgen.seeds import stream\n"
        "made = [coin(k, 'sorani', stream(5, k), 30) for k in kinds()]\n"
        "short = [aliases(n, k, stream(5, k)) for k, ns in zip(kinds(), made) for n in ns]\n"
        "import hashlib; print(hashlib.sha256(repr((made, short)).encode()).hexdigest())\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1] != ""
