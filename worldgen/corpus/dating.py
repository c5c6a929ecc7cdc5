"""When a page was written: after everything it reports, never after the world's present.

A page that tells a date by its own date gets one from which the distance can be said exactly.
"""

from __future__ import annotations

import datetime as dt

from worldgen.corpus.amounts import distance, period_end
from worldgen.corpus.dice import Dice
from worldgen.corpus.plan import Block, Item, PagePlan, Row, Setting
from worldgen.facts.tables import EPOCH

UNDATED = 0.2
SPAN = 700
RECENT = 330
"""Pages that report nothing dated are from the last days before the present, so many."""
FRESH = 16
"""A report is from one of so many days after the newest thing that it tells."""
_A_NUMBER, _OLD = -1, -2
_TRIES = 24
_ENOUGH = 3
_DATED = frozenset({"date", "year", "period"})


def date_page(setting: Setting, plan: PagePlan, dice: Dice, *, late: bool = False) -> None:
    """Set the date of a plan, or leave it undated where nothing fits or the site dates nothing.

    Args:
        setting: Where the plan belongs.
        plan: The page.
        dice: Its draws.
        late: Whether the page is kept up to date, as an article is: dated in the last part of its range.
    """
    bound, forbidden = bound_of(setting, plan)
    if plan.genre == "organisation" and dice.chance(UNDATED):
        return
    first, last = bound + 1, setting.as_of
    if first > last:
        return
    first = max(first, last - (SPAN // 4 if late else SPAN if bound else RECENT))
    if not late:
        last = last if bound + SPAN < first else min(last, bound + SPAN)
    if plan.genre == "news" and first == bound + 1:
        last = min(last, bound + FRESH)
    days = [first + dice.below(last - first + 1) for _ in range(4)]
    days = _telling(setting, plan, first, last, dice) + days
    plan.date = next((day for day in days if day not in forbidden), None)


def bound_of(setting: Setting, plan: PagePlan) -> tuple[int, set[int]]:
    """The last day that the page reports or before which it could not know, and the days that it must not be dated."""
    items = plan.items()
    items += setting.peers(items)
    rows: set[Row] = {item[:2] for item in items}
    for block in plan.blocks:
        rows.update(block.rows)
    tables = setting.facts.tables
    for row in [row for row in rows if not tables[row[0]].named]:
        rows.update(setting.owners(row))
    bound, forbidden = 0, set()
    now, known = setting.as_of, setting.days
    for row in rows:
        for day, exact in known.get(row) or _days(setting, row):
            if bound < day <= now:
                bound = day
            if exact:
                forbidden.add(day)
    if setting.known:
        bound = max([bound, *(setting.known_since(item) - 1 for item in items)])
    return bound, forbidden


def since_when(setting: Setting, item: Item) -> int:
    """The first day on which a page that states nothing else may be dated."""
    return bound_of(setting, PagePlan("encyclopedia", 0, [Block("prose", [item])]))[0] + 1


def newest(setting: Setting, plan: PagePlan) -> Item | None:
    """What a report begins with: its latest dated item, or a number where nothing is dated."""
    best: tuple[int, Item] | None = None
    for item in [item for block in plan.blocks if block.kind == "prose" for item in block.items]:
        table, row, attribute = item
        voice = setting.voices[table, attribute]
        if voice.canonical[row] is None or item in plan.claims:
            continue
        if voice.series is not None:
            rank = voice.series.periods[row]
        elif voice.shape == "date":
            today = setting.as_of if plan.date is None else plan.date
            rank = voice.values[row] if 0 <= today - voice.values[row] <= SPAN else _OLD
        else:
            rank = _A_NUMBER if voice.shape == "number" else _OLD
        if best is None or rank > best[0]:
            best = (rank, item)
    return None if best is None else best[1]


def _days(setting: Setting, row: Row) -> list[tuple[int, bool]]:
    if row in setting.days:
        return setting.days[row]
    out = []
    for column in setting.facts.tables[row[0]].columns.values():
        if column.type not in _DATED:
            continue
        value = int(column.values[row[1]])
        if column.type == "date":
            out.append((value, True))
        elif column.type == "year":
            end = (dt.date(value, 12, 31) - EPOCH).days
            start = (dt.date(value, 1, 1) - EPOCH).days
            out.append((end if end <= setting.as_of else start, False))
        else:
            out.append((period_end(value, column.every or "year"), False))
    setting.days[row] = out
    return out


def _telling(setting: Setting, plan: PagePlan, first: int, last: int, dice: Dice) -> list[int]:
    """Days from which a date on this page that is told relative to it can be told."""
    wanted: list[Item] = []
    for item in plan.items():
        voice = setting.voices[item[0], item[2]]
        if voice.shape == "date" and voice.forms[item[1]] == "relative" and item not in plan.claims:
            wanted.append(item)
    if not wanted:
        return []
    table, row, attribute = dice.choice(wanted)
    told = int(setting.facts.tables[table].columns[attribute].values[row])
    out = []
    for months in dice.shuffled(list(range(1, _TRIES))):
        day = _months_later(told, months)
        if first <= day <= last and distance(told, day, setting.language) is not None:
            out.append(day)
            if len(out) == _ENOUGH:
                return out
    for days in (*range(1, 14), *range(14, 57, 7)):
        if first <= told + days <= last:
            out.append(told + days)
    return out


def _months_later(day: int, months: int) -> int:
    date = EPOCH + dt.timedelta(days=day)
    number = date.year * 12 + date.month - 1 + months
    return (dt.date(number // 12, number % 12 + 1, min(date.day, 28)) - EPOCH).days
