"""A world under other names: nothing of the old ones shows, and everything is as solvable as before."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.agents import Session, solve, weak
from worldgen.env import Episode, read_trajectory
from worldgen.errors import CallerError, UnknownPage
from worldgen.language import article
from worldgen.records import Hit
from worldgen.reskin import Skin, reskin
from worldgen.reskin.coined import read_coined
from worldgen.reskin.drawing import PARTS
from worldgen.scoring import AliasJudge, ScoringTask, worldgen_f1

EPOCHS = st.integers(1, 2**31 - 1)


@pytest.fixture(scope="module")
def other(world):
    return reskin(world, 3)


def everything(world):
    """All pages of a world as it was built, haystack included."""
    after, found = "", []
    while listed := world.addresses(after=after):
        found += [world.open(url) for url, _ in listed]
        after = listed[-1][0]
    return found


def named(world) -> list[str]:
    """Names of entities and their aliases, and the setting."""
    rows = world.sql("SELECT name FROM wg_entity WHERE named = 1 UNION SELECT name_zh FROM wg_entity WHERE named = 1")
    rows += world.sql("SELECT text FROM wg_alias")
    return sorted({text for (text,) in rows} | set(world.manifest.setting.values()))


def scored(world, task, answer) -> float:
    gold = ScoringTask.of(task)
    return worldgen_f1(answer.markdown(), gold.gold, gold.spec, judge=AliasJudge(world.aliases(task.language))).value


def test_the_oracle_solves_every_question_with_the_tools_alone(world, other):
    assert len(other.tasks) == len(world.tasks) > 0
    for task in other.tasks:
        answer = solve(task, Session(other.toolbox(), task.question), other.pages)
        assert scored(other, task, answer) == 1.0, task.instance_id


def test_weak_agents_reach_no_further_than_before(world, other):
    for before, after in zip(world.tasks[:4], other.tasks[:4], strict=True):
        for agent in (weak.search_only, weak.newest_only):
            plain = agent(before, Session(world.toolbox(), before.question), world.pages, 5)
            told = agent(after, Session(other.toolbox(), after.question), other.pages, 5)
            assert scored(other, after, told) == pytest.approx(scored(world, before, plain)), agent


def test_no_built_name_shows_in_pages_addresses_hits_or_questions(world, other):
    old = named(world)
    latin = "|".join(re.escape(name) for name in old if name.isascii())
    hanzi = "|".join(re.escape(name) for name in old if not name.isascii())
    shown = re.compile(rf"(?<![A-Za-z])(?:{latin})(?![A-Za-z])|{hanzi}")
    slugs = re.compile(rf"(?<![a-z])(?:{latin.lower()})(?![a-z])".replace(r"\ ", "-"))
    pages = everything(world)
    assert any(shown.search(page.body) for page in pages), "the test sees names where there are some"
    assert any(slugs.search(page.url) for page in pages)
    for page in map(other.skin.page, pages):
        text = "\n".join([page.title, page.site, page.author, page.body, *(link.text for link in page.links)])
        assert not shown.search(text), page.url
        assert not any(slugs.search(url) for url in [page.url, *(link.url for link in page.links)]), page.url
    for task in other.tasks:
        assert not shown.search(f"{task.question} {task.rows} {task.plan} {task.query}"), task.instance_id
        hits = [hit for query in task.plan["queries"] for hit in other.search(query)]
        assert not any(shown.search(f"{hit.title} {hit.snippet}") for hit in hits)


def test_epochs_near_each_other_share_no_name(world):
    told = [{Skin.of(world, epoch).text(name) for name in named(world)} for epoch in range(1, PARTS + 1)]
    told.append(set(named(world)))
    assert all(len(names) == len(told[-1]) for names in told), "no two things come to share a name"
    assert sum(map(len, told)) == len(set().union(*told))


@settings(deadline=None, max_examples=5)
@given(EPOCHS)
def test_there_and_back_is_the_same(world, epoch):
    skin = Skin.of(world, epoch)
    for name in named(world):
        assert skin.text(name) != name
        assert skin.query(skin.query(name)) == skin.text(skin.text(name)) == name
        assert skin.query(skin.text(name).lower()) == name.lower()
    for url in world.pages:
        assert skin.url(skin.url(url)) == url != skin.url(url)


def test_where_a_model_wrote_the_bodies_names_and_heads_tell_what_is_coined(world):
    whole, heads = read_coined(world.path), read_coined(world.path, bodies=False)
    assert set(heads.words) < set(whole.words)
    seen = {word.lower() for name in named(world) for word in re.findall("[A-Z][a-z]{4,}", name)} - whole.ordinary
    seen |= {word for page in everything(world) for word in re.findall("[a-z]+", page.title.lower())} & set(whole.words)
    assert seen <= set(heads.words)


def test_the_same_epoch_is_told_alike(world, other):
    from worldgen.reskin import skin as module

    before = [other.skin.page(page) for page in world.pages.values()], other.tasks
    module._skin.cache_clear()
    module._coined.cache_clear()
    again = reskin(world, 3)
    assert ([again.skin.page(page) for page in world.pages.values()], again.tasks) == before


def test_statements_links_and_evidence_are_at_their_places(world, other):
    assert len(other.pages) == len(world.pages)
    moved = 0
    for page in world.pages.values():
        told = other.pages[other.skin.url(page.url)]
        assert all(f"[{link.text}]({link.url})" in told.body for link in told.links)
        page = other.skin.dated(page).page
        for before, after in zip(page.statements, told.statements, strict=True):
            assert told.body[after.start : after.end] == other.skin.text(page.body[before.start : before.end])
            value = page.body[before.value_start : before.value_end]
            assert told.body[after.value_start : after.value_end] == other.skin.text(value)
            moved += before.start != after.start
    assert moved
    for before, after in zip(world.tasks, other.tasks, strict=True):
        for one, two in zip(before.evidence, after.evidence, strict=True):
            dated, body = other.skin.dated(world.pages[one.url])
            sentence = dated.body[body.place(one.start) : body.place(one.end)]
            assert other.pages[two.url].body[two.start : two.end] == other.skin.text(sentence)


def test_built_addresses_and_names_lead_nowhere(world, other):
    page = next(page for page in world.pages.values() if page.subject and page.language == "en")
    with pytest.raises(UnknownPage, match=re.escape(page.url)):
        other.open(page.url)
    assert other.open(other.skin.url(page.url)).title == other.skin.text(page.title)
    (name,) = next(iter(world.sql("SELECT name FROM wg_entity WHERE named = 1")))
    words = re.findall("[A-Z][a-z]{4,}", name)
    root = next(word for word in words if other.skin.text(word) != word)
    assert world.search(root)
    assert other.search(root) == []
    assert [hit.url for hit in other.search(other.skin.text(root))] == [
        other.skin.url(hit.url) for hit in world.search(root) if isinstance(hit, Hit)
    ]


def test_names_read_as_the_old_ones_did(world, other):
    words = [word for name in named(world) for word in re.findall("[A-Z][a-z]{4,}", name)]
    changed = [(word, other.skin.text(word)) for word in words if other.skin.text(word) != word]
    assert changed
    for old, new in changed:
        assert old.endswith("s") == new.endswith("s")
        assert article(old) == article(new)


def test_an_episode_keeps_its_epoch_and_plays_again(world, other):
    task = other.tasks[0]
    episode = Episode.start(world, task.instance_id, epoch=3, perturbation="flaky", seed=5)
    assert (episode.question, episode.task.rows) == (task.question, task.rows)
    episode.call("web_search", {"query": task.plan["queries"][0]})
    for step in task.plan["open"][:2]:
        assert "could not be reached" not in episode.call("web_extractor", {"url": step["url"]}).text
    lines = [" | ".join(line) for line in (task.columns, ["---"] * len(task.columns), *task.rows)]
    episode.submit("\n".join(f"| {line} |" for line in lines))
    assert episode.reward.value == 1.0
    record = episode.trajectory().to_json()
    assert record["start"]["epoch"] == 3
    assert Episode.replay(world, read_trajectory(record)).trajectory() == episode.trajectory()
    with pytest.raises(CallerError, match="brings something else"):
        Episode.replay(world, read_trajectory({**record, "start": {**record["start"], "epoch": 2}}))
    with pytest.raises(CallerError, match="not the record"):
        read_trajectory({**record, "start": {**record["start"], "epoch": "3"}})


@pytest.mark.parametrize("epoch", [-1, 2**31, 1.0, "1", True, None])
def test_a_wrong_epoch_is_refused(world, epoch):
    with pytest.raises(CallerError, match="whole number from 1"):
        reskin(world, epoch)


def test_what_knows_the_built_names_alone_is_refused(world, other):
    refused = [
        lambda: other.sql("SELECT 1"), lambda: other.tools, lambda: other.tables, lambda: other.engine, other.graph,
        lambda: other.lexicon("en"), lambda: other.toolbox("api"), lambda: other.toolbox("sql"), other.addresses,
        lambda: other.simulator(None, None), lambda: Episode.start(world, profile="open", epoch=1),
    ]  # fmt: skip
    for call in refused:
        with pytest.raises(CallerError, match="built with alone"):
            call()
    with pytest.raises(CallerError, match="in an epoch already"):
        reskin(other, 2)


def test_epoch_0_is_the_world_itself(world, other):
    assert reskin(world, 0) is world
    assert (world.epoch, other.epoch) == (0, 3)
    assert other.manifest.setting != world.manifest.setting
    assert other.manifest.digest == world.manifest.digest
    other.close()
    assert pickle.loads(pickle.dumps(other)).tasks == other.tasks
    names = {fact.id: fact.value for fact in other.facts.values() if fact.type == "name"}
    assert all(names[key] != world.facts[key].value for key in names)
    assert set(other.names()).isdisjoint(named(world))
