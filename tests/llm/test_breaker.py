"""A model that is down is not waited for, and found again once it is well."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldgen.errors import CallerError
from worldgen.llm import Blocking, Breaker, Message, ModelClient, ModelError, Request, Shape
from worldgen.llm.fake import FakeReply, FakeServer, dead, echo

ASKED = Request((Message("user", "How many stops are there?"),))
CODES = {"u": "model.unreachable", "t": "model.timeout", "o": "model.overloaded", "r": "model.refused"}


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self):
        return self.now


def after(breaker, how):
    """The code of what comes of a call that ends in one way: a letter of `CODES`, ``.`` well, ``c`` cancelled."""
    try:
        with breaker.call():
            if how in CODES:
                raise ModelError(CODES[how], "it failed")
            if how == "c":
                raise asyncio.CancelledError
    except ModelError as error:
        return error.code
    except asyncio.CancelledError:
        return "cancelled"
    return "well"


@pytest.mark.parametrize("calls", ["uto", "uuu", "cucuccu", "u.uuu", "ruruuu", "oorooo"])
def test_only_failures_in_a_row_take_a_model_for_down(calls):
    breaker = Breaker(3, clock=Clock())
    for place, how in enumerate(calls, 1):
        assert breaker.down is False
        assert after(breaker, how) != "model.down", place
    assert (breaker.down, breaker.trips) == (True, 1)
    assert after(breaker, ".") == "model.down"


def test_the_pause_doubles_up_to_its_bound_and_begins_anew():
    clock = Clock()
    breaker = Breaker(1, 2.0, 10.0, clock=clock)
    assert after(breaker, "u") == "model.unreachable"
    for pause in (2, 4, 8, 10, 10):
        clock.now += pause - 0.5
        assert after(breaker, "u") == "model.down"
        clock.now += 0.5
        assert after(breaker, "u") == "model.unreachable"
    clock.now += 10
    assert after(breaker, "c") == "cancelled"
    assert after(breaker, "r") == "model.refused"
    assert (breaker.down, breaker.trips) == (False, 1)
    after(breaker, "u")
    clock.now += 2
    assert after(breaker, ".") == "well"
    assert breaker.trips == 2


def test_one_call_tries_at_a_time():
    clock = Clock()
    breaker = Breaker(1, 1.0, clock=clock)
    after(breaker, "u")
    clock.now = 1.0
    with breaker.call() as trial:
        assert trial
        assert after(breaker, ".") == "model.down"
        breaker.check(trial=True)
        with pytest.raises(ModelError, match=r"taken for down.*model\.down"):
            breaker.check(trial=False)
    with breaker.call() as trial:
        assert not trial


@given(st.text("u.rc+", max_size=60), st.integers(1, 4))
def test_a_model_that_gets_well_is_always_found_again(calls, failures):
    clock = Clock()
    breaker = Breaker(failures, 1.0, 8.0, clock=clock)
    for how in calls:
        if how == "+":
            clock.now += 1
        else:
            after(breaker, how)
    clock.now += 8
    assert after(breaker, ".") == "well"
    assert not breaker.down


def test_never_is_never():
    breaker = Breaker(0)
    assert {after(breaker, "u") for _ in range(50)} == {"model.unreachable"}


@pytest.mark.parametrize("told", [{"failures": -1}, {"pause": 0.0}, {"pause": 9.0, "longest": 8.0}, {"failures": True}])
def test_arguments_are_checked(told):
    with pytest.raises(CallerError):
        Breaker(**told)


def code(model, request=ASKED):
    try:
        return model.complete(request).text
    except ModelError as error:
        return error.code


def test_a_client_ends_calls_at_once_and_counts_them(tmp_path):
    with FakeServer(echo) as server:
        client = ModelClient(server.url, "fake", retries=0, breaker=Breaker(2, 0.3), cache=tmp_path)
        with Blocking(client) as model:
            assert code(model) == ASKED.messages[0].content
            other = replace(ASKED, messages=(Message("user", "And landings?"),))
            server.behaviour = dead()
            assert [code(model, other) for _ in range(4)] == ["model.unreachable"] * 2 + ["model.down"] * 2
            assert code(model) == ASKED.messages[0].content, "what is stored needs no server"
            assert len(server.requests) == 3
            time.sleep(0.35)
            assert [code(model, other) for _ in range(2)] == ["model.unreachable", "model.down"]
            server.behaviour = echo
            time.sleep(0.65)
            assert code(model, other) == "And landings?"
            usage = model.usage
    assert (usage.requests, usage.failures, usage.skipped, usage.trips) == (5, 6, 3, 1)


def test_a_try_may_have_to_find_out_first_what_the_server_can_do():
    with FakeServer() as server:
        url, port = server.url, int(server.url.split(":")[2].split("/")[0])
    shaped = replace(ASKED, shape=Shape("regex", "qx7[ab]z"))
    with Blocking(ModelClient(url, "fake", retries=0, breaker=Breaker(1, 0.1))) as model:
        assert [code(model, shaped) for _ in range(2)] == ["model.unreachable", "model.down"]
        time.sleep(0.15)
        with FakeServer(lambda request: "qx7az", port=port):
            assert code(model, shaped) == "qx7az"


def test_calls_that_wait_for_their_turn_or_for_another_try_end_as_well():
    with FakeServer(lambda request: FakeReply("busy", status=503, delay=0.05)) as server:

        async def call():
            breaker = Breaker(1, 60.0)
            async with ModelClient(server.url, "fake", concurrency=2, retries=1, breaker=breaker) as client:
                asked = (client.complete(ASKED) for _ in range(20))
                return await asyncio.gather(*asked, return_exceptions=True)

        begun = time.monotonic()
        codes = [error.code for error in asyncio.run(call())]
        assert time.monotonic() - begun < 10
        assert len(server.requests) <= 4
    assert set(codes) == {"model.overloaded", "model.down"}
    assert codes.count("model.down") >= 18


def test_a_stream_that_fails_counts_as_a_call():
    with FakeServer(lambda request: FakeReply("Eight stops and a half, or nine.", pieces=1)) as server:

        async def call():
            async with ModelClient(server.url, "fake", retries=0, breaker=Breaker(1, 60.0)) as client:
                for _ in range(2):
                    with suppress(ModelError):
                        async for _ in client.stream(ASKED):
                            pass
                return client.usage

        usage = asyncio.run(call())
    assert (usage.requests, usage.failures, usage.skipped) == (1, 2, 1)


def test_threads_and_loops_share_one_breaker():
    clock = Clock()
    breaker = Breaker(1, 1.0, clock=clock)
    after(breaker, "u")
    clock.now = 1.0
    gate, told = threading.Barrier(8), []

    def work():
        gate.wait()
        try:
            with breaker.call() as trial:
                told.append(trial)
                while len(told) < 8:
                    time.sleep(0.001)
        except ModelError as error:
            told.append(error.code)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, told)) == ["True"] + ["model.down"] * 7
