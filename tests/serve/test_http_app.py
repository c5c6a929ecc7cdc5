"""The application and the pool beneath it, in this process: what no request from outside can bring about."""

import asyncio
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import httpx
import pytest

from worldgen.errors import CallerError
from worldgen.records import Written
from worldgen.search import IndexEngine
from worldgen.serve.app import make_app
from worldgen.serve.episodes import EpisodeStore, TooManyEpisodes, UnknownEpisode
from worldgen.serve.keys import Keys
from worldgen.serve.pool import WorldPool
from worldgen.serve.server import Server, ServerLimits

KEYS = Keys.make("trainer-key-1", None)
TRAINER = {"Authorization": "Bearer trainer-key-1"}


def ask(server: Server, *requests: tuple[str, str, dict]) -> list[httpx.Response]:
    """The responses of an application to some requests, one after another."""

    async def run() -> list[httpx.Response]:
        transport = httpx.ASGITransport(make_app(server), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://a") as client:
            return [await client.request(method, path, **more) for method, path, more in requests]

    return asyncio.run(run())


@pytest.fixture
def server(tiny_world):
    opened = Server([tiny_world], keys=KEYS, limits=ServerLimits(episodes=1))
    yield opened
    opened.close()


@pytest.fixture
def copies(tiny_world, tmp_path):
    """One world under four names."""
    folders = [tmp_path / f"copy-{number}" for number in range(4)]
    for folder in folders:
        shutil.copytree(tiny_world, folder)
    return folders


def test_a_record_is_told_whatever_it_holds(server):
    (world,) = server.pool.names()
    running = server.start(world, None)
    running.episode.call("dict_memory", {"operation": "retrieve_all"})
    odd = Written("search", "fallback", (), ("\ud800 Paris",))
    running.episode._steps[0] = replace(running.episode._steps[0], written=(odd,))
    (told,) = ask(server, ("GET", f"/episodes/{running.id}/trajectory", {"headers": TRAINER}))
    assert told.status_code == 200
    assert told.json()["steps"][0]["written"][0]["replies"] == ["\ud800 Paris"]


def test_a_defect_is_a_500_that_tells_nothing(server, monkeypatch, caplog):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(IndexEngine, "search", broken)
    monkeypatch.setattr(Server, "start", broken)
    hot, slow = ask(server, ("GET", "/search?q=a", {}), ("POST", "/episodes", {"json": {}, "headers": TRAINER}))
    for reply in (hot, slow):
        assert reply.status_code == 500
        assert reply.json()["error"]["code"] == "http.internal-server-error"
        assert "secret" not in reply.text
    assert caplog.text.count("RuntimeError: a secret") == 2


@pytest.mark.parametrize("first", [[], [{"type": "http.request", "body": b"{", "more_body": True}]])
def test_a_body_that_does_not_come_is_not_waited_for(server, monkeypatch, first):
    monkeypatch.setattr("worldgen.serve.http.front._BODY_SECONDS", 0.05)
    sent: list[dict] = []

    async def receive() -> dict:
        if first:
            return first.pop()
        await asyncio.sleep(60)
        raise AssertionError("it was waited for")

    async def send(message: dict) -> None:
        sent.append(message)

    async def run() -> None:
        scope = {"type": "http", "method": "POST", "path": "/search", "query_string": b"", "headers": []}
        await asyncio.wait_for(make_app(server)(scope, receive, send), 20)

    asyncio.run(run())
    assert sent[0]["status"] == 408


def test_a_server_answers_to_any_name_unless_told_its_own(tiny_world):
    for hosts, statuses in ((None, [200, 200]), (["a"], [200, 421])):
        opened = Server([tiny_world], keys=KEYS, hosts=hosts)
        requests = [("GET", "/search?q=a", {"headers": {"Host": name}}) for name in ("a", "b")]
        assert [reply.status_code for reply in ask(opened, *requests)] == statuses
        opened.close()


def test_no_more_episodes_than_allowed(server):
    start = ("POST", "/episodes", {"json": {}, "headers": TRAINER})
    first, second = ask(server, start, start)
    assert first.status_code == 201
    assert second.status_code == 503
    assert second.json()["error"]["code"] == "serve.too-many-episodes"
    server.episodes.delete(first.json()["episode"])
    assert ask(server, start)[0].status_code == 201


def test_worlds_are_opened_when_asked_for_and_closed_beyond_the_most(copies):
    pool = WorldPool(copies, most_open=2)
    assert pool.open_count() == 0
    held = pool.hold("copy-0")
    for name in ("copy-1", "copy-2", "copy-3"):
        with pool.lease(name) as world:
            assert world.search("ferry")
    assert pool.open_count() == 2
    assert pool.is_open("copy-0")  # it is in use
    assert held.search("ferry")
    pool.release("copy-0")
    with pool.lease("copy-1"), pool.lease("copy-2"), pool.lease("copy-3"):
        assert pool.open_count() == 3
    assert pool.open_count() == 2
    pool.close()
    assert pool.open_count() == 0


def test_a_world_is_opened_once_by_many_at_a_time(copies):
    pool = WorldPool(copies)
    with ThreadPoolExecutor(8) as threads:
        worlds = list(threads.map(lambda _: pool.hold("copy-0"), range(8)))
    assert len({id(world) for world in worlds}) == 1
    assert pool.close_idle() == 0
    pool.close()


def test_idle_worlds_are_closed_unless_in_use(copies):
    pool = WorldPool(copies, idle_seconds=0)
    pool.hold("copy-0")
    pool.hold("copy-1")
    pool.release("copy-1")
    time.sleep(0.01)
    assert pool.close_idle() == 1
    assert pool.is_open("copy-0")
    pool.close()
    pool.release("copy-0")


def test_the_pool_knows_its_worlds(copies, tiny_world):
    with pytest.raises(CallerError, match="two worlds"):
        WorldPool([copies[0], copies[0]])
    with pytest.raises(CallerError, match="no world"):
        WorldPool([])
    with pytest.raises(CallerError, match="copy-9") as error:
        WorldPool(copies).hold("copy-9")
    assert error.value.fix == "did you mean 'copy-3'?"


def test_idle_episodes_are_forgotten_and_let_their_world_go(tiny_world):
    pool = WorldPool([tiny_world], idle_seconds=0)
    store = EpisodeStore(pool, most=2, idle_seconds=0)
    name = pool.names()[0]
    from worldgen.env import Episode

    ids = [store.add(name, Episode.start(pool.hold(name))).id for _ in range(2)]
    with pytest.raises(TooManyEpisodes):
        store.add(name, Episode.start(pool.hold(name)))
    pool.release(name)
    assert len(set(ids)) == 2
    assert min(map(len, ids)) >= 24
    time.sleep(0.01)
    assert store.drop_idle() == 2
    with pytest.raises(UnknownEpisode):
        store.get(ids[0])
    time.sleep(0.01)
    assert pool.close_idle() == 1


def test_keys_are_checked_whole():
    keys = Keys.make("trainer-key-1", "agent-key-22")
    assert keys.is_trainer("trainer-key-1")
    assert keys.is_agent("agent-key-22")
    assert keys.is_agent("trainer-key-1")
    for wrong in ("", "trainer-key-", "trainer-key-11", "agent-key-22", "\udc00"):
        assert not keys.is_trainer(wrong)
    assert not keys.is_agent("")
    assert len(Keys.make(None, None).trainer) >= 32
