"""What makes a corpus hard to read: copies out of date, mistakes, pages about other things.

A wrong value is only ever claimed where a sound statement of the same fact wins by the world's rule.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from worldgen.corpus.dating import bound_of
from worldgen.corpus.dice import Dice
from worldgen.corpus.plan import Block, Item, PagePlan, Setting
from worldgen.corpus.sites import TRUST_RANK
from worldgen.facts.tables import Column
from worldgen.language import coin, kinds
from worldgen.seeds import stream

BACKGROUND_KINDS = ("organisation", "company", "brand", "project")
BACKGROUND_GENRES = ("encyclopedia", "news", "organisation", "thread", "review")
_CHANGEABLE = frozenset({"number", "date", "year", "category", "ref", "boolean"})

Standing = tuple[int, int]


def standing_of(setting: Setting, plan: PagePlan) -> Standing:
    """Class of the site, then date: what the rule looks at before the address."""
    return (TRUST_RANK[setting.directory.sites[plan.site].trust], -1 if plan.date is None else plan.date)


def add_stale(setting: Setting, plans: Sequence[PagePlan]) -> list[PagePlan]:
    """Copies of articles from an earlier date, on the same site, with some values as they were."""
    dice = setting.dice("stale")
    best = _best(setting, plans)
    able = [p for p in plans if p.subject is not None and not p.table and p.kind == "sound" and p.date is not None]
    able = [p for p in able if p.genre in ("encyclopedia", "organisation")]
    entities = sum(setting.facts.tables[table].size for table in setting.named)
    wanted = round(setting.facts.schema.noise.stale * entities)
    out: list[PagePlan] = []
    for plan in dice.shuffled(able):
        if len(out) == wanted:
            break
        copy = _copy(setting, plan, best, dice)
        if copy is not None:
            out.append(copy)
    return out


def _copy(setting: Setting, plan: PagePlan, best: dict[Item, Standing], dice: Dice) -> PagePlan | None:
    bound, forbidden = bound_of(setting, plan)
    assert plan.date is not None
    first, last = max(bound + 1, plan.date - 500), plan.date - 2
    if first > last:
        return None
    day = first + dice.below(last - first + 1)
    if day in forbidden:
        return None
    blocks = [
        dataclasses.replace(block, items=dice.shuffled(block.items)) for block in plan.blocks if block.kind != "entries"
    ]
    copy = dataclasses.replace(plan, blocks=blocks, kind="stale", date=day, claims={})
    mine = standing_of(setting, copy)
    able = [item for item in dict.fromkeys(copy.items()) if best.get(item, (-1, -1)) > mine]
    for item in dice.shuffled(able):
        if len(copy.claims) == 1 + dice.below(3):
            break
        other = _other(setting, item, dice, before=day)
        if other is not None:
            copy.claims[item] = (other, "stale")
    return copy if copy.claims else None


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
