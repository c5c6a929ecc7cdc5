"""What makes a corpus hard to read: copies out of date, mistakes, pages about other things.

A wrong value is only ever claimed where a sound statement of the same fact wins by the world's rule.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from worldgen.corpus.dating import bound_of, since_when
from worldgen.corpus.dice import Dice
from worldgen.corpus.plan import Block, Item, PagePlan, Setting
from worldgen.corpus.sites import TRUST_RANK
from worldgen.facts.tables import Column
from worldgen.language import coin, kinds
from worldgen.seeds import stream

BACKGROUND_KINDS = ("organisation", "company", "brand", "project")
BACKGROUND_GENRES = ("encyclopedia", "news", "organisation", "thread", "review")
_CHANGEABLE = frozenset({"number", "date", "year", "category", "ref", "boolean"})

_EARLIER = 500
"""A copy out of date is from so many days, at most, before its values were told as they are now."""
_LEAST = 3
"""A page that told fewer things by then is not copied."""

Standing = tuple[int, int]


def standing_of(setting: Setting, plan: PagePlan) -> Standing:
    """Class of the site, then date: what the rule looks at before the address."""
    return (TRUST_RANK[setting.directory.sites[plan.site].trust], -1 if plan.date is None else plan.date)


def add_stale(setting: Setting, plans: Sequence[PagePlan]) -> list[PagePlan]:
    """Copies of articles from an earlier date, on the same site, with some values as they were."""
    dice = setting.dice("stale")
    history = _History(setting, plans)
    able = [p for p in plans if p.subject is not None and not p.table and p.kind == "sound" and p.date is not None]
    able = [p for p in able if p.genre in ("encyclopedia", "organisation")]
    entities = sum(setting.facts.tables[table].size for table in setting.named)
    wanted = round(setting.facts.schema.noise.stale * entities)
    out: list[PagePlan] = []
    for plan in dice.shuffled(able):
        if len(out) == wanted:
            break
        copy = _copy(setting, plan, history, dice)
        if copy is not None:
            out.append(copy)
            history.add(copy)
    return out


class _History:
    """When each item is told as it is, and until when as it was: dated pages only."""

    def __init__(self, setting: Setting, plans: Sequence[PagePlan]) -> None:
        self.setting = setting
        self.first: dict[Item, int] = {}
        self.outdated: dict[Item, int] = {}
        self.best = _best(setting, plans)
        for plan in plans:
            self.add(plan)

    def add(self, plan: PagePlan) -> None:
        if plan.date is None:
            return
        items = plan.items()
        for item in (*items, *self.setting.peers(items)):
            if item not in plan.claims:
                self.first[item] = min(plan.date, self.first.get(item, plan.date))
            elif plan.claims[item][1] == "stale":
                self.outdated[item] = max(plan.date, self.outdated.get(item, plan.date))

    def contradicts(self, item: Item, day: int) -> bool:
        """Whether a page of that day or later is out of date in what a page that states the item states."""
        return any(self.outdated.get(stated, -1) >= day for stated in (item, *self.setting.peers([item])))


def _copy(setting: Setting, plan: PagePlan, history: _History, dice: Dice) -> PagePlan | None:
    """A copy from before anybody told the present value of what it tells otherwise; what came later is left out."""
    blocks = [block for block in plan.blocks if block.kind != "entries"]
    items = dice.shuffled(list(dict.fromkeys(item for block in blocks for item in block.items)))
    since = {item: since_when(setting, item) for item in items}
    day = _day_before(setting, plan, items, since, history, dice)
    if day is None:
        return None
    told = {item for item in items if since[item] <= day and not history.contradicts(item, day)}
    copy = dataclasses.replace(plan, blocks=_without(blocks, told, dice), kind="stale", date=day, claims={})
    if len(told) < _LEAST or day in bound_of(setting, copy)[1]:
        return None
    mine, most = standing_of(setting, copy), 2 + dice.below(3)
    for item in items:
        if item not in told or not setting.may_change(item) or history.first.get(item, day) <= day:
            continue
        other = _other(setting, item, dice, before=day) if history.best.get(item, (-1, -1)) > mine else None
        if other is not None and len(copy.claims) < most:
            copy.claims[item] = (other, "stale")
    return copy if copy.claims else None


def _day_before(
    setting: Setting, plan: PagePlan, items: list[Item], since: dict[Item, int], history: _History, dice: Dice
) -> int | None:
    """A day when one of the items could be told, but nobody had told its present value yet."""
    assert plan.date is not None
    for item in items:
        last = min(plan.date - 2, history.first.get(item, plan.date) - 1)
        first = max(since[item], last - _EARLIER)
        if first <= last and setting.may_change(item) and _other(setting, item, dice, before=last) is not None:
            return first + dice.below(last - first + 1)
    return None


def _without(blocks: Sequence[Block], told: set[Item], dice: Dice) -> list[Block]:
    """The blocks with those items only, in another order."""
    out = []
    for block in blocks:
        items = dice.shuffled([item for item in block.items if item in told])
        kept, columns = {item[:2] for item in items}, {item[2] for item in items}
        if items:
            rows = [row for row in block.rows if row in kept]
            shown = [column for column in block.columns if column in columns]
            out.append(dataclasses.replace(block, items=items, rows=rows, columns=shown))
    return out


def add_mistakes(setting: Setting, plans: Sequence[PagePlan]) -> None:
    """Put one wrong value on some pages of low trust."""
    dice = setting.dice("mistakes")
    best = _best(setting, plans)
    entities = sum(setting.facts.tables[table].size for table in setting.named)
    wanted = round(setting.facts.schema.noise.mistaken * entities)
    low = [p for p in plans if p.kind == "sound" and setting.directory.sites[p.site].trust == "low"]
    for plan in dice.shuffled(low):
        if wanted == 0:
            break
        mine = standing_of(setting, plan)
        items = [item for item in dict.fromkeys(plan.items()) if best.get(item, (-1, -1)) > mine]
        for item in dice.shuffled(items):
            other = _other(setting, item, dice, before=plan.date if plan.date is not None else setting.as_of)
            if other is not None:
                plan.claims[item] = (other, "mistaken")
                plan.kind = "mistaken"
                wanted -= 1
                break


def _best(setting: Setting, plans: Sequence[PagePlan]) -> dict[Item, Standing]:
    """The highest standing at which each item is stated soundly."""
    best: dict[Item, Standing] = {}
    for plan in plans:
        mine, claims = standing_of(setting, plan), plan.claims
        for block in plan.blocks:
            for item in block.items:
                known = best.get(item)
                if (known is None or known < mine) and not (claims and item in claims):
                    best[item] = mine
    return best


def _other(setting: Setting, item: Item, dice: Dice, *, before: int) -> int | None:
    """Another plausible value of the fact, or None."""
    table, row, attribute = item
    voice = setting.voices[table, attribute]
    column = voice.column
    source = setting.facts.tables[table]
    if voice.canonical[row] is None or voice.shape not in _CHANGEABLE or source.kind == "series":
        return None
    if attribute in source.key:
        return None  # a row with another key would be another row
    value = int(column.values[row])
    if voice.shape == "boolean":
        return 1 - value
    if voice.shape in ("category", "ref"):
        size = len(column.categories) if voice.shape == "category" else setting.facts.tables[column.target or ""].size
        return None if size < 2 else (value + 1 + dice.below(size - 1)) % size
    if voice.shape == "date":
        other = value - 20 - dice.below(200)
        return other if other < before else None
    if voice.shape == "year":
        return value - 1 - dice.below(3)
    step = step_of(voice.column, value)
    other = value - step * (1 + dice.below(max(1, abs(value) // (5 * step) + 1)))
    return other if other > 0 else None


def step_of(column: Column, value: int) -> int:
    """A round amount by which a value of the column may plausibly differ."""
    if column.spec is not None and column.spec.round is not None:
        scale: int = 10**column.decimals
        return max(1, round(column.spec.round * scale))
    step: int = 10 ** max(0, len(str(abs(value))) - 2)
    return step


def add_background(setting: Setting, sound: int) -> list[PagePlan]:
    """Pages about coined things beside the world's subject, which no question asks for."""
    dice = setting.dice("background")
    wanted = round(setting.facts.schema.noise.background * sound)
    facts = setting.facts
    texts = [text for table in facts for text in table.names]
    texts += [text for table in facts for aliases in table.aliases.values() for text in aliases]
    taken = {name for text in texts for name in (text.en, text.zh)}
    known = [kind for kind in BACKGROUND_KINDS if kind in kinds()]
    culture = facts.schema.cultures[dice.below(len(facts.schema.cultures))]
    names = coin(known[0], culture, stream(facts.seed, "corpus", "background", setting.language), wanted, taken=taken)
    out = []
    for name in names:
        genres = [g for g in BACKGROUND_GENRES if setting.site_for(g, [], dice) is not None]
        if not genres:
            break
        genre = dice.choice(genres)
        plan = PagePlan(genre, setting.site_for(genre, [], dice) or 0, [Block("prose", [])], kind="background")
        plan.coined = (name.en, name.zh)
        plan.table = dice.choice(setting.named) if setting.named else ""
        plan.date = None if dice.chance(0.1) else setting.as_of - dice.below(900)
        out.append(plan)
    return out
