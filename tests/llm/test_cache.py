from __future__ import annotations

import json
import multiprocessing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldgen.errors import ServiceError
from worldgen.llm import Message, Reply, Request, Sampling, Shape, Tokens
from worldgen.llm.cache import ReplyCache, cacheable, request_key

ASKED = Request((Message("system", "Be brief."), Message("user", "How many?")))
SAID = Reply("Eight. 八\ud800", "7, 8", "stop", "m", Tokens(3, 2, 1))

requests = st.builds(
    Request,
    st.lists(st.builds(Message, st.sampled_from(["system", "user"]), st.text()), max_size=3).map(tuple),
    st.builds(Sampling, st.floats(0, 2), st.floats(0.1, 1), st.integers(1, 9), st.none() | st.integers(0, 3)),
    st.none() | st.builds(Shape, st.sampled_from(["regex", "ebnf"]), st.text()),
    st.none() | st.booleans(),
)


@given(requests, requests)
def test_keys_are_alike_only_where_requests_are(one, two):
    assert (request_key("m", one) == request_key("m", two)) == (one == two)


@pytest.mark.parametrize(
    "other",
    [
        replace(ASKED, messages=ASKED.messages[::-1]),
        replace(ASKED, sampling=Sampling(seed=1)),
        replace(ASKED, sampling=Sampling(seed=None)),
        replace(ASKED, sampling=Sampling(temperature=0.7)),
        replace(ASKED, sampling=Sampling(stop=("x",))),
        replace(ASKED, shape=Shape("json_schema", {"type": "null"})),
        replace(ASKED, thinking=False),
    ],
)
def test_everything_that_decides_a_reply_is_in_its_key(other):
    assert request_key("m", other) != request_key("m", ASKED)


def test_the_name_and_what_is_sent_beside_are_in_the_key():
    keys = {request_key("m", ASKED), request_key("n", ASKED), request_key("m", ASKED, {"top_k": 1})}
    assert len(keys) == 3
    assert request_key("m", replace(ASKED, sampling=Sampling(top_p=1))) == request_key("m", ASKED)


def test_draws_without_a_seed_are_not_made_one():
    assert cacheable(ASKED)
    assert cacheable(replace(ASKED, sampling=Sampling(temperature=0, seed=None)))
    assert not cacheable(replace(ASKED, sampling=Sampling(seed=None)))


def test_a_stored_reply_comes_back_and_the_first_one_stands(tmp_path):
    cache, key = ReplyCache(tmp_path), request_key("m", ASKED)
    assert cache.get(key) is None
    assert cache.put("m", ASKED, SAID) == SAID
    assert cache.get(key) == replace(SAID, stored=True)
    before = cache.path(key).read_bytes()
    assert cache.put("m", ASKED, replace(SAID, text="Nine.")).text == SAID.text
    assert cache.path(key).read_bytes() == before
    assert json.loads(before)["asked"]["sampling"]["temperature"] == 0.6
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [f"{key}.json"]


@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b.replace(b"Eight", b"Seven")])
def test_a_damaged_entry_is_none_and_is_replaced(tmp_path, damage):
    cache, key = ReplyCache(tmp_path), request_key("m", ASKED)
    cache.put("m", ASKED, SAID)
    cache.path(key).write_bytes(damage(cache.path(key).read_bytes()))
    assert cache.get(key) is None
    cache.put("m", ASKED, SAID)
    assert cache.get(key) == replace(SAID, stored=True)


def _put(folder, number):
    return ReplyCache(folder).put("m", ASKED, Reply(str(number))).text


def test_processes_that_store_at_once_agree(tmp_path):
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        said = pool.starmap(_put, [(tmp_path, number) for number in range(8)])
        pool.close()
        pool.join()
    assert len(set(said)) == 1


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ServiceError, match=r"cache\.unwritable"):
        ReplyCache(tmp_path / "file").put("m", ASKED, SAID)
