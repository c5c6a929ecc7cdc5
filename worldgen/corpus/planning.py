"""Which page states what: articles and the other pages on entities, so that no page answers a wide question.

An article states about two thirds of what is known of its entity; the pages of other genres state the rest and repeat
some of it in other words. Rows that join entities (offers, results) are spread over the pages of both ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from worldgen.corpus.dice import Dice
from worldgen.corpus.plan import MOST_ROWS, Block, Item, PagePlan, Row, Setting, chunks

Children = tuple[str, str, dict[int, list[int]]]
"""A table, a ref attribute of it, its rows by what they refer to."""

ARTICLE_SHARE = 0.65
REPEATED = 0.75
AGAIN = 0.8
THIN = 4
"""A page with fewer statements takes in the next entity as well."""
SECONDARY = ("organisation", "news", "review", "thread")
GROUP = {"organisation": 1, "news": 3, "review": 2, "thread": 3}
"""How many entities a page of the genre covers at most."""
JOINED = ("organisation", "statistics", "news", "thread", "review")
ROWS_A_PAGE = (5, 10, 10)
"""Joined rows a page, one of these; short pages may be set in prose."""
FEW = 4
"""Up to so many joined rows stand in the article itself."""


def plan_entities(setting: Setting) -> list[PagePlan]:
    """Articles and secondary pages of every named table, the joined rows included."""
    plans: list[PagePlan] = []
    articles: dict[Row, PagePlan] = {}
    for table in setting.named:
        dice = setting.dice("entities", table)
        for row in range(setting.facts.tables[table].size):
            articles[table, row] = _article(setting, (table, row), dice)
        plans.extend(_secondary(setting, table, articles, dice))
    plans[:0] = articles.values()
    for table in setting.keyed:
        plans.extend(_joined(setting, table, articles, setting.dice("joined", table)))
    return plans


def _article(setting: Setting, row: Row, dice: Dice) -> PagePlan:
    genre, site = "encyclopedia", setting.site_for("encyclopedia", [row[0]], dice, anywhere=True)
    if site is None:
        genre, site = "organisation", setting.site_for("organisation", [row[0]], dice, anywhere=True)
    if site is None:
        genre, site = "news", setting.site_for("news", [row[0]], dice, anywhere=True) or 0
    attributes = dice.shuffled(setting.stated(row[0]))
    if any(setting.site_for(g, [row[0]], dice) is not None for g in SECONDARY):
        attributes = attributes[: -(-int(len(attributes) * ARTICLE_SHARE * 100) // 100) or 1]
    cells, prose = [], []
    for i, attribute in enumerate(attributes):
        item = (*row, attribute)
        form = setting.voices[row[0], attribute].forms[row[1]]
        if form in ("plain", "unit") and i % 2 == 0:
            cells.append(item)
            if dice.chance(0.15):
                prose.append(item)
        else:
            prose.append(item)
    blocks = [Block("infobox", cells)] if cells else []
    blocks.append(Block("prose", prose))
    return PagePlan(genre, site, blocks, topics=[row])


def _secondary(setting: Setting, table: str, articles: dict[Row, PagePlan], dice: Dice) -> list[PagePlan]:
    genres = [g for g in SECONDARY if setting.site_for(g, [table], dice) is not None]
    if not genres:
        return []
    plans: list[PagePlan] = []
    children = _children(setting, table, dice)
    rows: list[Row] = dice.shuffled([(table, row) for row in range(setting.facts.tables[table].size)])
    if "organisation" in genres and children:
        for row in rows:
            plan = _page(setting, "organisation", [row], articles, dice, full=True)
            plan.blocks.extend(_family(setting, row, children, dice))
            plans.append(plan)
    else:
        plans.extend(_grouped(setting, rows, genres, articles, dice, full=True))
    again = [row for row in rows if dice.chance(AGAIN)]
    others = [genre for genre in genres if genre != "organisation"] or genres
    plans.extend(_grouped(setting, again, others, articles, dice, full=False))
    return plans


def _grouped(
    setting: Setting,
    rows: Sequence[Row],
    genres: list[str],
    articles: dict[Row, PagePlan],
    dice: Dice,
    *,
    full: bool,
) -> list[PagePlan]:
    plans, at = [], 0
    wide = bool(rows) and len(setting.stated(rows[0][0])) > 7
    while at < len(rows):
        genre = dice.choice(genres)
        size = 1 + dice.below(min(GROUP[genre], 2) if wide else GROUP[genre])
        plan = _page(setting, genre, list(rows[at : at + size]), articles, dice, full=full)
        while len(plan.items()) < THIN and size < MOST_ROWS // 2 and at + size < len(rows):
            size += 1
            plan = _page(setting, genre, list(rows[at : at + size]), articles, dice, full=full)
        plans.append(plan)
        at += size
    return plans


def _page(
    setting: Setting, genre: str, rows: list[Row], articles: dict[Row, PagePlan], dice: Dice, *, full: bool
) -> PagePlan:
    site = setting.site_for(genre, [rows[0][0]], dice, anywhere=True)
    blocks = []
    for row in rows:
        known = {item[2] for item in articles[row].items()}
        items: list[Item] = []
        for attribute in dice.shuffled(setting.stated(row[0])):
            needed = full and attribute not in known
            event = genre == "news" and setting.voices[row[0], attribute].shape == "date"
            if needed or event or dice.chance(REPEATED if full else 0.5):
                items.append((*row, attribute))
        items = items or [(*row, setting.stated(row[0])[0])] if setting.stated(row[0]) else items
        if genre == "organisation" and len(items) > 5 and dice.chance(0.5):
            cells = [it for it in items if setting.voices[it[0], it[2]].forms[it[1]] in ("plain", "unit")][:4]
            blocks.append(Block("infobox", cells))
            items = [item for item in items if item not in cells]
        blocks.append(Block("prose", items))
    return PagePlan(genre, site or 0, blocks, topics=rows)


def _children(setting: Setting, table: str, dice: Dice) -> list[Children]:
    """Every ref of a named table that points here."""
    out = []
    for child in setting.named:
        source = setting.facts.tables[child]
        for attribute in source.stated():
            column = source.columns[attribute]
            if column.type != "ref" or column.target != table:
                continue
            by: dict[int, list[int]] = {}
            for row, target in enumerate(column.values.tolist()):
                if target >= 0 and column.given[row]:
                    by.setdefault(target, []).append(row)
            out.append((child, attribute, {target: dice.shuffled(found) for target, found in by.items()}))
    return out


def _family(setting: Setting, row: Row, children: list[Children], dice: Dice) -> list[Block]:
    blocks = []
    for child, attribute, by in children:
        rows = by.get(row[1], [])[:MOST_ROWS]
        if rows:
            items: list[Item] = [(child, r, attribute) for r in rows]
            blocks.append(Block("entries", items, rows=[(child, r) for r in rows], columns=[attribute], about=child))
    return dice.shuffled(blocks)


def _joined(setting: Setting, table: str, articles: dict[Row, PagePlan], dice: Dice) -> list[PagePlan]:
    """Rows with a key: by the first entity of the key, then by the last, or at random where there is only one."""
    facts = setting.facts.tables[table]
    attributes = facts.stated()
    rows: list[Row] = dice.shuffled([(table, row) for row in range(facts.size)])
    refs = [key for key in facts.key if facts.columns[key].type == "ref"]
    first: dict[Row, list[str]] = {}
    for row in rows:
        mixed = dice.shuffled(attributes)
        first[row] = mixed[: max(1, int(len(mixed) * 0.6 + 0.5))]
    rest = {row: [a for a in dice.shuffled(attributes) if a not in first[row] or dice.chance(0.4)] for row in rows}
    # Where there is one attribute or none, a row may have nothing to tell, and a page of such rows would be empty.
    told, retold = ([row for row in rows if what[row]] for what in (first, rest))
    plans: list[PagePlan] = []
    if refs:
        plans.extend(_by_owner(setting, told, refs[0], first, articles, dice))
    if len(refs) > 1:
        plans.extend(_by_owner(setting, retold, refs[-1], rest, articles, dice))
    else:
        for piece in chunks(retold, MOST_ROWS - 2):
            plans.append(_joined_page(setting, None, piece, rest, dice))
    return plans


def _by_owner(
    setting: Setting, rows: list[Row], key: str, what: dict[Row, list[str]], articles: dict[Row, PagePlan], dice: Dice
) -> list[PagePlan]:
    column = setting.facts.tables[rows[0][0]].columns[key] if rows else None
    by: dict[int, list[Row]] = {}
    for row in rows:
        if column is not None and column.values[row[1]] >= 0:
            by.setdefault(int(column.values[row[1]]), []).append(row)
    plans = []
    for target in sorted(by):
        owner = (column.target or "" if column is not None else "", target)
        found = by[target]
        if len(found) <= FEW and owner in articles:
            articles[owner].blocks.append(_joined_block(setting, found, what, dice))
            continue
        for piece in chunks(found, dice.choice(ROWS_A_PAGE)):
            plans.append(_joined_page(setting, owner, piece, what, dice))
    return plans


def _joined_page(
    setting: Setting, owner: Row | None, rows: list[Row], what: dict[Row, list[str]], dice: Dice
) -> PagePlan:
    table = rows[0][0]
    found = [(genre, setting.site_for(genre, [table], dice)) for genre in JOINED]
    able = [(genre, site) for genre, site in found if site is not None]
    genre, site = dice.choice(able) if able else ("encyclopedia", None)
    if site is None:
        site = setting.site_for(genre, [table], dice, anywhere=True) or 0
    block = _joined_block(setting, rows, what, dice, prose=len(rows) <= ROWS_A_PAGE[0] and genre != "statistics")
    topics = [owner] if owner is not None else []
    return PagePlan(genre, site, [block], topics=topics, table=table, attribute=block.items[0][2])


def _joined_block(
    setting: Setting, rows: list[Row], what: dict[Row, list[str]], dice: Dice, *, prose: bool = True
) -> Block:
    table = rows[0][0]
    items: list[Item] = [(*row, attribute) for row in rows for attribute in what[row]]
    if len(rows) < 2 or (prose and dice.chance(0.6)):
        return Block("prose", items, about=table)
    columns = [a for a in setting.stated(table) if any(item[2] == a for item in items)]
    return Block("grid", items, rows=rows, columns=columns, about=table)
