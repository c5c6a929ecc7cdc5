"""The pages of the shipped worlds: what they state, where, when, and how it is decided whom to believe."""

from __future__ import annotations

import datetime as dt
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from worldgen.audit.spans import check_spans
from worldgen.audit.variety import name_pattern, overlap
from worldgen.corpus import site_host, site_name, statements_by_fact, winner, write_corpus
from worldgen.corpus.plan import Setting
from worldgen.corpus.years import unmarked
from worldgen.facts.generate import generate
from worldgen.facts.tables import EPOCH, Facts
from worldgen.records import Page
from worldgen.schema.loader import load_schema

World = tuple[Facts, tuple[Page, ...]]


def all_facts(facts: Facts) -> dict[str, str | None]:
    """Fact → value, None where it is not disclosed; a ref that refers to nothing is no fact to state."""
    return {
        table.fact(row, attribute): value
        for table in facts
        for attribute in table.stated()
        for row, value in enumerate(table.columns[attribute].canonicals())
        if value is not None or not table.columns[attribute].given[row]
    }


def all_names(facts: Facts) -> list[str]:
    texts = [text for table in facts for text in table.names]
    texts += [text for table in facts for found in table.aliases.values() for text in found]
    names = [facts.scope.en, facts.scope.zh, *(text.en for text in texts), *(text.zh for text in texts)]
    return names + [site_name(facts, site, "en") for site in facts.schema.sites]


def test_spans_and_links_lie_where_they_say(world: World) -> None:
    for page in world[1]:
        check_spans(page)


def test_every_fact_is_stated_soundly_and_most_twice(world: World) -> None:
    facts, pages = world
    by = statements_by_fact(pages)
    truth = all_facts(facts)
    for fact, value in truth.items():
        found = [s for _, s in by.get(fact, []) if s.label in ("sound", "undisclosed")]
        assert found, fact
        assert all(s.claimed == (value or "") for s in found)
        assert all((s.label == "undisclosed") == (value is None) for s in found)
    assert set(by) <= set(truth)
    twice = sum(len({page.url for page, _ in by[fact]}) > 1 for fact in truth)
    assert twice > 0.55 * len(truth)


def test_wrong_statements_lose_by_the_rule(world: World) -> None:
    facts, pages = world
    truth = all_facts(facts)
    labels = Counter[str]()
    for fact, stated in statements_by_fact(pages).items():
        assert winner(stated)[1].label in ("sound", "undisclosed"), fact
        for page, statement in stated:
            labels[statement.label] += 1
            wrong = statement.label in ("stale", "mistaken")
            assert wrong == (statement.claimed != (truth[fact] or ""))
            assert not wrong or page.kind == statement.label
    assert labels["stale"] >= 5
    assert labels["mistaken"] >= 5


def test_pages_are_dated_after_what_they_report(world: World) -> None:
    facts, pages = world
    as_of = facts.schema.as_of.isoformat()
    truth = all_facts(facts)
    for page in pages:
        if not page.date:
            continue
        assert dt.date.fromisoformat(page.date)
        assert page.date <= as_of
        for statement in page.statements:
            for value in (statement.claimed, truth[statement.fact] or ""):
                if re.fullmatch(r"\d{4}-\d\d-\d\d", value) and value <= as_of:
                    assert value < page.date, (page.url, statement.fact)
            period = statement.fact.partition("@")[2]
            assert period[:4] <= page.date[:4]
    assert any(not page.date for page in pages)


def test_no_page_states_what_is_not_known_yet_and_old_copies_are_old(world: World) -> None:
    facts, pages = world
    setting = Setting(facts, "en")
    present: dict[str, str] = {}
    for page in pages:
        for statement in page.statements:
            table, row, attribute = statement.fact.partition("@")[0].split("/")
            item = (table, int(row), attribute)
            if page.date and "@" not in statement.fact:
                assert (dt.date.fromisoformat(page.date) - EPOCH).days >= setting.known_since(item), (page.url, item)
            if page.date and statement.label == "sound":
                present[statement.fact] = min(page.date, present.get(statement.fact, page.date))
            assert statement.label != "stale" or setting.may_change(item)
    for page in pages:
        for statement in page.statements:
            assert statement.label != "stale" or page.date < present.get(statement.fact, "9999")


def test_a_share_of_facts_takes_more_than_reading(world: World) -> None:
    by = statements_by_fact(world[1])
    indirect = [fact for fact, stated in by.items() if all(s.form != "plain" for _, s in stated if s.label == "sound")]
    indirect = [fact for fact in indirect if any(s.label == "sound" for _, s in by[fact])]
    assert len(indirect) >= 0.15 * len(by)
    plain = {f for f, stated in by.items() for _, s in stated if s.form == "plain" and s.label == "sound"}
    assert not plain & set(indirect)


def test_links_lead_to_pages(world: World) -> None:
    urls = {page.url for page in world[1]}
    assert len(urls) == len(world[1])
    for page in world[1]:
        assert {link.url for link in page.links} <= urls
        assert page.url not in {link.url for link in page.links}


def test_everything_on_an_entity_is_reached_from_lists(world: World) -> None:
    facts, pages = world
    setting = Setting(facts, "en")
    by_url = {page.url: page for page in pages}
    listed = {link.url for page in pages if page.genre == "list" for link in page.links}
    articles = {
        page.subject: page
        for page in pages
        if page.kind == "sound" and page.genre == "encyclopedia" and page.subject and page.url in listed
    }
    for table in facts:
        for row in range(table.size if table.named else 0):
            assert table.id(row) in articles, table.id(row)
    for page in pages:
        for statement in page.statements:
            table, row = statement.fact.split("/")[:2]
            owner = (table, int(row))
            for named in setting.owners(owner):
                article = articles[f"{named[0]}/{named[1]}"]
                assert page.url == article.url or page.url in {link.url for link in article.links}, statement.fact
    assert all(link.url in by_url for page in pages for link in page.links)


def test_no_page_states_an_attribute_of_many_rows(world: World) -> None:
    for page in world[1]:
        facts = {statement.fact for statement in page.statements if "@" not in statement.fact}
        counts = Counter((fact.split("/")[0], fact.split("/")[2]) for fact in facts)
        assert max(counts.values(), default=0) <= 12, page.url


def test_titles_and_addresses_give_no_value(world: World) -> None:
    facts, pages = world
    names, scope = name_pattern(all_names(facts)), unmarked(Setting(facts, "en").scope)
    for page in pages:
        bare = names.sub("", page.title.replace(scope, ""))
        for statement in page.statements:
            value = page.body[statement.value_start : statement.value_end]
            if any(letter.isdigit() for letter in value):
                assert value not in bare, page.url
        assert page.url.startswith("https://")
        assert page.url.isascii()


def test_hosts_are_reserved_names(market: World) -> None:
    facts, pages = market
    hosts = {site_host(facts, site) for site in facts.schema.sites}
    assert {page.url.split("/")[2] for page in pages} <= hosts
    assert all(host.endswith(".example") for host in hosts)


def test_kinds_are_not_told_in_the_text(world: World) -> None:
    for page in world[1]:
        assert not re.search(r"\b(stale|mistaken|haystack|hostile|outdated)\b", page.title + page.body, re.IGNORECASE)


def test_lists_enumerate_in_small_parts(market: World) -> None:
    facts, pages = market
    lists = [page for page in pages if page.genre == "list" and page.kind == "sound"]
    for table in ("phone", "maker"):
        nouns = [noun.split("/")[1] for noun in facts.schema.entities[table].label["en"]]
        own = [page for page in lists if all(noun in page.body for noun in nouns)]
        names = [text.en for text in facts.tables[table].names]
        assert own
        shown = [sum(f"[{name}](" in page.body for name in names) for page in own]
        assert sum(shown) >= len(names)
        assert max(shown) <= 12


def test_pages_do_not_read_alike(world: World) -> None:
    facts, pages = world
    names = all_names(facts) + [page.title for page in pages if page.kind == "background"]
    shares = overlap(pages, names)
    assert {genre for genre, _ in shares} >= {"encyclopedia", "organisation", "news", "list", "statistics"}
    assert {key: share for key, share in shares.items() if share >= 0.15} == {}


def test_distractors_are_mixed_into_related_links(market: World) -> None:
    facts, _ = market
    pages = write_corpus(facts, ["en"], related=[("https://other.example/x", "Another world", "en")])
    assert any(link.url == "https://other.example/x" for page in pages for link in page.links)


def test_the_same_bytes_twice_and_under_another_hash_seed(market: World, schemas: Path) -> None:
    facts, pages = market
    assert write_corpus(facts, ["en"]) == list(pages)
    code = (
        "import sys, hashlib; from worldgen.corpus import write_corpus; from worldgen.facts.generate import generate;"
        "from worldgen.schema.loader import load_schema;"
        "pages = write_corpus(generate(load_schema(sys.argv[1]), 7), ['en']);"
        "print(hashlib.sha256(repr(pages).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code, str(schemas / "smartphone-market.yaml")],
            capture_output=True,
            text=True,
            check=True,
            cwd=schemas.parent,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_another_seed_writes_another_corpus(market: World, schemas: Path) -> None:
    other = write_corpus(generate(load_schema(schemas / "smartphone-market.yaml"), 8), ["en"])
    assert not {page.url for page in other} & {page.url for page in market[1]}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_who_is_compared_with_another_is_named(world: World, language: str) -> None:
    """A noun or a pronoun beside the other's name might mean the other."""
    facts, pages = world
    if language == "zh":
        pages = tuple(write_corpus(facts, ["zh"]))
    compared = 0
    for page in pages:
        beside = {(said.start, said.end) for said in page.statements if said.form == "plain"}
        for said in page.statements:
            table, number = said.fact.split("/")[:2]
            if said.form != "two_step" or (said.start, said.end) not in beside or not facts.tables[table].named:
                continue
            sentence = page.body[said.start : said.end]
            if "@" not in said.fact and sentence[:1] not in "|-" and "](" not in sentence:
                compared += 1
                name = facts.tables[table].names[int(number)].say(language)
                assert name in sentence, (page.url, sentence)
    assert compared > 5
