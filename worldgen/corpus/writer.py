"""From facts to pages: plans every language, dates and addresses the pages, then writes them."""

from __future__ import annotations

import datetime as dt
import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import pairwise

from worldgen.corpus.body import Body
from worldgen.corpus.compose import Composer
from worldgen.corpus.dating import date_page
from worldgen.corpus.grammar import load_grammar
from worldgen.corpus.noise import add_background, add_mistakes, add_stale
from worldgen.corpus.plan import PagePlan, Row, Setting
from worldgen.corpus.planning import plan_entities
from worldgen.corpus.planning_tables import plan_lists, plan_rankings, plan_statistics
from worldgen.corpus.years import settled
from worldgen.facts.tables import EPOCH, Facts
from worldgen.language import coin
from worldgen.records import Page
from worldgen.seeds import stream

Related = Sequence[tuple[str, str, str]]
_AUTHORS = 40
# Least number of links to pages of no use: as many as keep a crawler from reading half of an answer.
_ELSEWHERE = 4
_ELSEWHERE_ON_LISTS = 9
_SIGNED = frozenset({"news", "review", "thread"})


def write_corpus(facts: Facts, languages: Sequence[str], *, related: Related = ()) -> list[Page]:
    """Write all pages of a world.

    Args:
        facts: The world.
        languages: Languages to write in; each gets pages for every fact.
        related: (url, title, language) of pages of the haystack, mixed into related links; see `marked_title`.

    Returns:
        The pages, sorted by address.
    """
    return [settled(page) for page in compose_corpus(facts, languages, related=related)]


def compose_corpus(facts: Facts, languages: Sequence[str], *, related: Related = ()) -> list[Page]:
    """`write_corpus` before the years of its pages are in plain digits."""
    pages: list[Page] = []
    with _uncollected():
        for language in languages:
            pages.extend(_write_language(Setting(facts, language), related))
    return sorted(pages, key=lambda page: page.url)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the garbage collector from going again and again over pages that hold no cycles."""
    on = gc.isenabled()
    try:
        gc.disable()
        yield
    finally:
        if on:
            gc.enable()


def plan_corpus(setting: Setting) -> list[PagePlan]:
    """All plans of one language, dated and addressed, the false ones last."""
    plans = [*plan_entities(setting), *plan_lists(setting), *plan_rankings(setting), *plan_statistics(setting)]
    for plan in plans:
        for block in plan.blocks:
            block.items = setting.unvoid(block.items)
    dice = setting.dice("dates")
    for plan in plans:
        date_page(setting, plan, dice, late=plan.genre == "encyclopedia")
    add_mistakes(setting, plans)
    stale = add_stale(setting, plans)
    plans.extend(stale)
    plans.extend(add_background(setting, len(plans)))
    for plan in plans:
        _address(setting, plan)
    _turn(plans)
    return plans


def _address(setting: Setting, plan: PagePlan) -> None:
    facts = setting.facts
    words = [facts.tables[table].names[row].en for table, row in plan.topics]
    if plan.coined:
        words = [plan.coined[0]]
    elif plan.table:
        words.append(plan.table.replace("_", " "))
        if plan.attribute and not plan.topics:
            words.append(plan.attribute.replace("_", " "))
    words.extend([plan.part] if plan.part else [])
    path = str(load_grammar(setting.language, plan.genre).settings["path"])
    plan.url = setting.directory.address(plan.site, path, " ".join(words))


def _turn(plans: Sequence[PagePlan]) -> None:
    """Join the sections of a list by links to the next and the previous one."""
    for before, after in pairwise(plans):
        if before.part and after.part and before.table == after.table:
            before.next, after.previous = after.url, before.url


def _write_language(setting: Setting, related: Related) -> list[Page]:
    plans = plan_corpus(setting)
    articles = {
        plan.topics[0]: plan.url
        for plan in reversed(plans)
        if plan.subject is not None and not plan.table and plan.kind != "stale" and plan.genre == "encyclopedia"
    }
    for plan in reversed(plans):
        if plan.subject is not None and plan.kind == "sound" and not plan.table:
            articles.setdefault(plan.subject, plan.url)
    composers = _composers(setting, plans, articles)
    by_url = {plan.url: plan for plan in plans}
    about = _about(setting, plans)
    distractors = [(url, title) for url, title, language in related if language == setting.language]
    distractors += [(plan.url, plan.title) for plan in plans if plan.kind == "background"]
    authors = _authors(setting)
    pages = []
    for composer in composers:
        see = [by_url[url] for url in _see_also(setting, composer.plan, articles, about)]
        body = composer.compose(see, _elsewhere(composer, distractors))
        pages.append(_page(setting, composer, body, authors))
    return pages


def _elsewhere(composer: Composer, distractors: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Some pages of no use, without the page itself."""
    if not distractors:
        return []
    url, draw, size = composer.plan.url, composer.dice.stock(), len(distractors)
    least = _ELSEWHERE_ON_LISTS if composer.plan.genre == "list" else _ELSEWHERE
    drawn = [distractors[draw() % size] for _ in range(least + draw() % (_ELSEWHERE + 1))]
    return [link for link in dict.fromkeys(drawn) if link[0] != url]


def _page(setting: Setting, composer: Composer, body: Body, authors: Sequence[str]) -> Page:
    plan, dice = composer.plan, composer.dice
    return Page(
        url=plan.url,
        site=setting.directory.names[plan.site],
        genre=plan.genre,
        language=setting.language,
        title=plan.title,
        date="" if plan.date is None else _iso(plan.date),
        author=dice.choice(authors) if plan.genre in _SIGNED and dice.chance(0.8) else "",
        body=body.text(),
        trust=setting.directory.sites[plan.site].trust,
        kind=plan.kind,
        subject="{}/{}".format(*plan.topics[0]) if len(plan.topics) == 1 else "",
        links=tuple(body.links),
        statements=tuple(body.statements),
    )


@cache
def _iso(day: int) -> str:
    return (EPOCH + dt.timedelta(days=day)).isoformat()


def _composers(setting: Setting, plans: Sequence[PagePlan], articles: dict[Row, str]) -> list[Composer]:
    """A composer a page, the titles drawn: links need them before any body is written."""
    dice = {genre: setting.dice("write", genre) for genre in sorted({plan.genre for plan in plans})}
    out = []
    for plan in plans:
        composer = Composer(setting, plan, articles, dice[plan.genre])
        plan.title = composer.title()
        out.append(composer)
    return out


def _about(setting: Setting, plans: Sequence[PagePlan]) -> dict[Row, list[str]]:
    """Named entity → the pages that state facts about it or enumerate it."""
    out: dict[Row, dict[str, None]] = {}
    for plan in plans:
        rows: dict[Row, None] = {}
        for block in plan.blocks:
            rows.update(dict.fromkeys([item[:2] for item in block.items]))
            rows.update(dict.fromkeys(block.rows))
        rows.update(dict.fromkeys([item[:2] for item in setting.peers(plan.items())]))
        url = plan.url
        for row in rows:
            for owner in setting.owners(row):
                found = out.get(owner)
                if found is None:
                    out[owner] = {url: None}
                else:
                    found[url] = None
    return {row: list(urls) for row, urls in out.items()}


def _see_also(setting: Setting, plan: PagePlan, articles: dict[Row, str], about: dict[Row, list[str]]) -> list[str]:
    """Where a page leads: an article to everything on its entity, other pages to the articles of what they name."""
    urls: dict[str, None] = {}
    subject = plan.subject
    if subject is not None and articles.get(subject) == plan.url:
        urls.update(dict.fromkeys(about.get(subject, [])))
        for attribute in setting.stated(subject[0]):
            column = setting.facts.tables[subject[0]].columns[attribute]
            target = (column.target or "", int(column.values[subject[1]]))
            if column.type == "ref" and target in articles and column.given[subject[1]]:
                urls[articles[target]] = None
    else:
        for row in plan.topics:
            if row in articles:
                urls[articles[row]] = None
    urls.pop(plan.url, None)
    return list(urls)


def _authors(setting: Setting) -> list[str]:
    schema = setting.facts.schema
    rng = stream(setting.facts.seed, "corpus", "authors")
    names = coin("person", schema.cultures[0], rng, _AUTHORS)
    return [name.zh if setting.language == "zh" else name.en for name in names]
