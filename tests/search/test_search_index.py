"""The index: any string is a query, ranking is reproducible, and the cache mends itself."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.errors import CallerError, InternalError, ServiceError
from worldgen.records import Page
from worldgen.search import IndexEngine, build_index, canonical_url, open_index
from worldgen.search.stamp import NAME
from worldgen.search.wording import MAX_TERMS, other_number, query_terms

MAKERS = ("Velta", "Sorani", "Okuda", "Brimm", "Tessel")


def page(url: str, title: str, body: str, *, language: str = "en", date: str = "2029-06-18") -> Page:
    site = url.split("/")[2]
    return Page(url, site, "news", language, title, date, "", body, "medium", "sound")


def corpus() -> dict[str, Page]:
    pages = [
        page(
            f"https://site{i % 7}.example/{name.lower()}-{i}",
            f"{name} {series} {i}",
            f"The {name} {series} {i}"
            f" is a phone. Its maker {name} was busy in year {i % 13}. O'Brien wrote about C++ here.",
        )
        for i, (name, series) in enumerate((m, s) for m in MAKERS for s in ("Lume", "Arc", "Nori") for _ in range(8))
    ]
    pages.append(
        page("https://zh.example/a", "维尔塔 X5 手机", "维尔塔公司发布了新款手机，价格为三千元。", language="zh")
    )
    pages.append(page("https://zh.example/b", "索拉尼 城市", "索拉尼是一座安静的城市，没有工厂。", language="zh"))
    pages.append(page("https://cafe.example/", "Café Ørsted", "A café in the harbour. Cities nearby are small."))
    return {p.url: p for p in pages}


@pytest.fixture(scope="module")
def engine() -> IndexEngine:
    return open_index(None, "", corpus())


def ranking(engine: IndexEngine, query: str, k: int = 10) -> list[tuple[str, int]]:
    return [(hit.url, hit.score) for hit in engine.search(query, k)]


def test_a_name_finds_its_pages_first(engine: IndexEngine) -> None:
    hits = engine.search("Sorani Nori")
    assert len(hits) == 10
    assert all(hit.title.startswith("Sorani Nori") for hit in hits[:8])
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_phrase_outranks_its_words_apart() -> None:
    pages = [
        page("https://a.example/1", "One", "silver moon " + "filler words here " * 5),
        page("https://a.example/2", "Two", "moon shone on silver " + "filler words here " * 5),
    ]
    engine = open_index(None, "", {p.url: p for p in pages})
    assert ranking(engine, "silver moon")[0][0] == "https://a.example/1"
    assert ranking(engine, "silver moon")[0][1] > ranking(engine, "silver moon")[1][1]


@pytest.mark.parametrize(
    "query",
    [
        "O'Brien",
        'C++ "',
        "Foo (1990",
        "😀",
        "维尔塔手机多少钱？",
        "a\x00b",
        "word " * 2_000,
        "x" * 10_000,
        "\ud800 phone",
        "AND OR NOT",
        "title:velta",
        "*",
        "velta^5",
        "[a TO b]",
        "/re/",
        "\\",
        "-phone",
        "+phone",
        '"phone',
        "phone~9",
    ],
)
def test_no_query_is_an_error(engine: IndexEngine, query: str) -> None:
    assert len(engine.search(query)) <= 10


@pytest.mark.parametrize("query", ["", "   ", "?!", "\x00", "😀"])
def test_a_query_without_words_has_no_hits(engine: IndexEngine, query: str) -> None:
    assert engine.search(query) == []


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_query(query: str) -> None:
    hits = _SHARED.search(query)
    assert len({hit.url for hit in hits}) == len(hits) <= 10


_SHARED = open_index(None, "", corpus())


@pytest.mark.parametrize(
    ("query", "url"),
    [
        ("维尔塔", "https://zh.example/a"),
        ("手机价格", "https://zh.example/a"),
        ("安静的城市", "https://zh.example/b"),
        ("维尔塔 X5", "https://zh.example/a"),
        ("cafe orsted", "https://cafe.example/"),
        ("CAFÉ", "https://cafe.example/"),
        ("city", "https://cafe.example/"),
    ],
)
def test_chinese_accents_and_plurals_are_found(engine: IndexEngine, query: str, url: str) -> None:
    assert engine.search(query)[0].url == url


def test_titles_weigh_more_than_bodies(engine: IndexEngine) -> None:
    assert engine.search("Café")[0].title == "Café Ørsted"


def test_ranking_does_not_depend_on_the_order_of_pages(tmp_path: Path) -> None:
    pages = corpus()
    shuffled = list(pages.values())
    random.Random(3).shuffle(shuffled)
    first = open_index(tmp_path / "a", "k", pages)
    second = open_index(tmp_path / "b", "k", {p.url: p for p in shuffled})
    for query in ("phone", "Velta", "Okuda Arc", "maker busy year", "O'Brien C++"):
        for k in (3, 10, 40):
            assert ranking(first, query, k) == ranking(second, query, k)


def test_fewer_hits_are_the_first_of_more(engine: IndexEngine) -> None:
    assert ranking(engine, "phone maker", 60)[:7] == ranking(engine, "phone maker", 7)


def test_a_missing_index_is_built_and_then_reused(tmp_path: Path) -> None:
    open_index(tmp_path / "index", "k", corpus())
    stamp = (tmp_path / "index" / NAME).stat().st_mtime_ns
    again = open_index(tmp_path / "index", "k", corpus())
    assert (tmp_path / "index" / NAME).stat().st_mtime_ns == stamp
    assert len(again) == len(corpus())
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def damage_key(place: Path) -> None:
    stamp = json.loads((place / NAME).read_text())
    (place / NAME).write_text(json.dumps(stamp | {"key": "other"}))


def damage_stamp(place: Path) -> None:
    (place / NAME).write_text("{")


def put_in_place(path: Path, data: bytes) -> None:
    """Put other bytes in place of a file: an engine that has the former mapped into memory keeps them."""
    beside = path.with_name("beside")
    beside.write_bytes(data)
    beside.replace(path)


def damage_segment(place: Path) -> None:
    largest = max((path for path in place.iterdir() if not path.name.startswith(".")), key=lambda p: p.stat().st_size)
    put_in_place(largest, largest.read_bytes()[:-9])


def damage_bit(place: Path) -> None:
    largest = max((path for path in place.iterdir() if not path.name.startswith(".")), key=lambda p: p.stat().st_size)
    data = bytearray(largest.read_bytes())
    data[len(data) // 2] ^= 1
    put_in_place(largest, bytes(data))


def damage_meta(place: Path) -> None:
    (place / "meta.json").unlink()


def damage_urls(place: Path) -> None:
    (place / "urls.txt").write_text("https://a.example/")


@pytest.mark.parametrize("damage", [damage_key, damage_stamp, damage_segment, damage_bit, damage_meta, damage_urls])
def test_a_stale_or_damaged_index_is_rebuilt_and_ranks_alike(tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    place = tmp_path / "index"
    before = ranking(open_index(place, "k", corpus()), "phone maker year", 25)
    sound = (place / NAME).read_bytes()
    damage(place)
    damaged = {path.name: path.read_bytes() for path in place.iterdir()}
    engine = open_index(place, "k", corpus())
    assert ranking(engine, "phone maker year", 25) == before
    assert {path.name: path.read_bytes() for path in place.iterdir()} != damaged
    assert json.loads((place / NAME).read_text())["key"] == json.loads(sound)["key"]


def test_an_index_that_cannot_be_kept_is_held_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldgen.search.index.os.access", lambda *_: False)
    engine = open_index(tmp_path / "index", "k", corpus())
    assert len(engine.search("phone")) == 10
    assert list(tmp_path.iterdir()) == []


def test_a_failed_build_leaves_the_former_index(tmp_path: Path) -> None:
    place = tmp_path / "index"
    build_index(corpus().values(), place, key="k")
    files = sorted(path.name for path in place.iterdir())
    twice = [*corpus().values(), page("https://cafe.example/", "Again", "Again.")]
    with pytest.raises(CallerError, match=r"search\.duplicate-page"):
        build_index(twice, place, key="new")
    assert sorted(path.name for path in place.iterdir()) == files
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_a_place_that_is_no_folder_is_the_services_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServiceError, match=r"search\.index-write"):
        build_index(corpus().values(), tmp_path / "file" / "index", key="k")


def test_an_address_no_agent_could_give_is_refused() -> None:
    odd = page("https://Site.example/#a", "Odd", "Odd.")
    with pytest.raises(CallerError, match=r"search\.page-address"):
        open_index(None, "", {odd.url: odd})


def test_no_pages_are_an_answer() -> None:
    engine = open_index(None, "", {})
    assert engine.search("phone") == []
    assert engine.open("https://a.example/") is None


def test_an_index_that_knows_more_than_the_corpus_says_so(tmp_path: Path) -> None:
    build_index(corpus().values(), tmp_path / "index", key="k")
    engine = open_index(tmp_path / "index", "k", {})
    with pytest.raises(InternalError, match=r"search\.lost-page"):
        engine.search("phone")


def test_pages_open_by_any_spelling_of_their_address(engine: IndexEngine) -> None:
    opened = engine.open("HTTPS://Cafe.Example#menu")
    assert opened is not None
    assert opened.title == "Café Ørsted"
    assert engine.open("https://cafe.example/menu") is None
    assert engine.open("cafe.example") is None


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40) | st.text(max_size=20).map(lambda tail: f"https://{tail}"))
def test_canonical_addresses_stay_as_they_are(text: str) -> None:
    once = canonical_url(text)
    assert once is None or canonical_url(once) == once


def test_terms_are_capped() -> None:
    assert len(query_terms(" ".join(f"w{i}" for i in range(500)))) == MAX_TERMS
    assert query_terms("手机价格") == ["手机", "机价", "价格"]


@pytest.mark.parametrize(
    ("one", "many"), [("phone", "phones"), ("city", "cities"), ("box", "boxes"), ("match", "matches")]
)
def test_other_number_goes_both_ways(one: str, many: str) -> None:
    assert many in other_number(one)
    assert one in other_number(many)
