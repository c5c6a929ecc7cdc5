"""Pages that go over many entities: directories that enumerate, rankings, statistics."""

from __future__ import annotations

from worldgen.corpus.dice import Dice
from worldgen.corpus.plan import MOST_ROWS, Block, Item, PagePlan, Row, Setting, chunks
from worldgen.corpus.voice import NUMERIC

RANKED = 10
SERIES_ENTITIES = 4
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letters(number: int) -> str:
    """Sections are lettered (A to Z, AA, AB), since a digit in a title could be taken for a value."""
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        text = _LETTERS[digit] + text
    return text


def plan_lists(setting: Setting) -> list[PagePlan]:
    """The directories: every row of every table that can be asked, in an order that tells nothing."""
    plans: list[PagePlan] = []
    for table in [*setting.named, *setting.keyed]:
        dice = setting.dice("lists", table)
        genre, site = "list", setting.site_for("list", [table], dice, anywhere=True)
        if site is None:
            genre, site = "encyclopedia", setting.site_for("encyclopedia", [table], dice, anywhere=True)
        if site is None:
            continue
        rows: list[Row] = [(table, row) for row in range(setting.facts.tables[table].size)]
        order = setting.names[table]
        rows = sorted(rows, key=lambda r: order[r[1]]) if dice.chance(0.3) else dice.shuffled(rows)
        for part, piece in enumerate(chunks(rows, MOST_ROWS)):
            items, columns = _entry_items(setting, table, piece, dice)
            block = Block("entries", items, rows=piece, columns=columns, about=table)
            plans.append(PagePlan(genre, site, [block], table=table, part=letters(part)))
    return plans


def _entry_items(setting: Setting, table: str, rows: list[Row], dice: Dice) -> tuple[list[Item], list[str]]:
    """What an entry states: the far end of a relation, sometimes one thing more; of a named entity nothing."""
    source = setting.facts.tables[table]
    if source.named:
        return [], []
    columns: list[str] = []
    if source.kind == "relation":
        columns.append(source.key[-1])
    others = [a for a in source.stated() if a not in columns]
    if others and (not columns or dice.chance(0.5)):
        columns.append(dice.choice(others))
    items: list[Item] = [(*row, column) for row in rows for column in columns]
    return [item for item in items if not setting.peers([item])], columns


def plan_rankings(setting: Setting) -> list[PagePlan]:
    """The leading rows by a number, with their values."""
    plans = []
    for table in setting.named:
        source = setting.facts.tables[table]
        if source.size < 2 * RANKED:
            continue
        dice = setting.dice("rankings", table)
        for attribute in source.stated():
            column = source.columns[attribute]
            if column.type not in NUMERIC or (column.spec is not None and column.spec.rank is not None):
                continue
            site = setting.site_for("ranking", [table], dice)
            if site is None:
                continue
            values = column.values.tolist()
            given = [row for row in range(source.size) if column.given[row]]
            if len({values[row] for row in given}) < RANKED:
                continue
            top = sorted(given, key=lambda row: (-values[row], row))[: RANKED - dice.below(3)]
            items: list[Item] = [(table, row, attribute) for row in top]
            rows: list[Row] = [(table, row) for row in top]
            block = Block("ranking", items, rows=rows, columns=[attribute], about=table)
            plans.append(PagePlan("ranking", site, [block], table=table, attribute=attribute))
    return plans


def plan_statistics(setting: Setting) -> list[PagePlan]:
    """Tables of one or two attributes over some rows, and values over time."""
    plans: list[PagePlan] = []
    for table in setting.named:
        dice = setting.dice("statistics", table)
        if setting.site_for("statistics", [table], dice) is not None:
            plans.extend(_crossed(setting, table, dice))
    for table in setting.series:
        plans.extend(_over_time(setting, table, setting.dice("series", table)))
    return plans


def _crossed(setting: Setting, table: str, dice: Dice) -> list[PagePlan]:
    attributes = setting.stated(table)
    rows: list[Row] = [(table, row) for row in range(setting.facts.tables[table].size)]
    plans = []
    for _ in range(max(1, len(attributes) // 5)):
        columns = dice.shuffled(attributes)[:2]
        for piece in chunks(dice.shuffled(rows), MOST_ROWS - 2):
            site = setting.site_for("statistics", [table], dice) or 0
            items: list[Item] = [(*row, column) for row in piece for column in columns]
            block = Block("grid", items, rows=piece, columns=columns, about=table)
            plans.append(PagePlan("statistics", site, [block], table=table, attribute=columns[0]))
    return plans


def _over_time(setting: Setting, table: str, dice: Dice) -> list[PagePlan]:
    source = setting.facts.tables[table]
    of, _ = source.key
    value = source.stated()[0]
    by: dict[int, list[int]] = {}
    for row, target in enumerate(source.columns[of].values.tolist()):
        by.setdefault(target, []).append(row)
    owner_table = source.columns[of].target or ""
    owners: list[Row] = dice.shuffled([(owner_table, target) for target in sorted(by)])
    plans: list[PagePlan] = []
    genre = next(
        (g for g in ("statistics", "news", "organisation") if setting.site_for(g, [table], dice) is not None),
        "encyclopedia",
    )
    for piece in chunks(owners, SERIES_ENTITIES if genre == "statistics" else 1):
        for span in _spans(len(by[piece[0][1]])):
            items: list[Item] = [(table, row, value) for _, target in piece for row in by[target][span]]
            site = setting.site_for(genre, [table], dice, anywhere=True) or 0
            block = Block("series", items, rows=piece, columns=[value], about=table)
            topics = list(piece) if genre != "statistics" else []
            plans.append(PagePlan(genre, site, [block], topics=topics, table=table, attribute=value))
    plans.extend(_reports(setting, table, owners, by, dice))
    return plans


def _spans(periods: int) -> list[slice]:
    return [slice(at, at + MOST_ROWS) for at in range(0, periods, MOST_ROWS)]


def _reports(setting: Setting, table: str, owners: list[Row], by: dict[int, list[int]], dice: Dice) -> list[PagePlan]:
    """Reports on one entity that repeat some of its values over time in prose."""
    value = setting.stated(table)[0]
    plans = []
    for owner in owners:
        genre = dice.choice(["organisation", "news"])
        site = setting.site_for(genre, [table], dice)
        if site is None:
            genre = "news" if genre == "organisation" else "organisation"
            site = setting.site_for(genre, [table], dice)
        if site is None:
            continue
        some = [row for row in by[owner[1]] if dice.chance(0.7)][: MOST_ROWS - 2] or by[owner[1]][:1]
        items: list[Item] = [(table, row, value) for row in dice.shuffled(some)]
        plans.append(PagePlan(genre, site, [Block("prose", items, about=table)], topics=[owner], table=table))
    return plans
