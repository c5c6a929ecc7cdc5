"""Supply chains in tiers: who makes what of which inputs, and who supplies whom, with volumes that balance.

Tier 0 makes the final goods, the last tier raw ones; inputs always come from a deeper tier, so nothing goes in circles.
What a firm buys of an input is its output times the recipe, to the piece, as in a Leontief economy; work goes from the
final goods downwards, so that a supplier's deliveries are known before it orders itself.

References:
    W. Leontief, "Quantitative Input and Output Relations in the Economic System of the United States", *The Review of
    Economics and Statistics* 18, 1936.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from worldgen.errors import GenerationError
from worldgen.facts.derived import largest_remainder
from worldgen.facts.distributions import noise_factor, weighted, zipf_weights
from worldgen.facts.processes.process import (
    Given,
    Process,
    Produced,
    Span,
    View,
    int_column,
    processes,
    require_rows,
)
from worldgen.facts.settle import count_within
from worldgen.seeds import Stream

Ints = NDArray[np.int64]

_GREATEST_VOLUME = 2**50
_TIER_GROWTH = 0.4
_NEXT_TIER = 0.8
_TRIES = 10
_FIRM_SPREAD = 0.6
_SPLIT_SPREAD = 0.7
_OUTSIDE_SPREAD = 0.5


class SupplyGiven(Given):
    """Parameters of a supply chain."""

    firms: str = Field(description="The entity that makes and buys; at least one for each good.")
    goods: str = Field(description="The entity that is made; at least one for each tier.")
    tiers: int = Field(default=4, ge=2, le=8, description="Tiers, makers of final goods and of raw ones included.")
    inputs: Span = Field(default=(1, 3), description="Least and greatest number of goods that go into one.")
    per_unit: Span = Field(default=(1, 4), description="Least and greatest number of pieces of an input in a piece.")
    sources: Span = Field(default=(1, 3), description="Least and greatest number of suppliers of an input to a firm.")
    output: Span = Field(default=(2000, 40000), description="Least and greatest output of a maker of final goods.")
    outside: float = Field(
        default=0.2, ge=0, le=10, description="What a supplier sells outside the chain, per piece delivered within."
    )
    lead_time: Span = Field(default=(3, 90), description="Least and greatest number of days from order to delivery.")

    @model_validator(mode="after")
    def _possible(self) -> SupplyGiven:
        for name in ("inputs", "per_unit", "sources", "output", "lead_time"):
            least = getattr(self, name)[0]
            if least < 1:
                raise ValueError(f"{name}: 1 or more expected; got {least}")
        return self


@processes.register("supply_chain")
class SupplyChain(Process):
    """Each firm makes one good; volumes are pieces of one year, shares are of what a buyer needs of an input."""

    name: ClassVar[str] = "supply_chain"
    parameters: ClassVar[type[Given]] = SupplyGiven
    tables: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "good": {"tier": "integer", "output": "integer", "inputs": "integer", "makers": "integer"},
        "firm": {
            "tier": "integer", "good": "ref:goods", "output": "integer", "delivered": "integer",
            "sold_outside": "integer", "customers": "integer", "suppliers": "integer", "chain_days": "integer",
        },
        "recipe": {"good": "ref:goods", "input": "ref:goods", "quantity": "integer"},
        "supply": {
            "supplier": "ref:firms", "buyer": "ref:firms", "good": "ref:goods", "volume": "integer",
            "share": "percent", "lead_time": "integer", "sole": "boolean",
        },
    }  # fmt: skip

    def needs(self, given: SupplyGiven, fills: Mapping[str, str]) -> dict[str, list[str]]:
        """Firms and goods."""
        return {given.firms: [], given.goods: []}

    def run(self, given: SupplyGiven, view: View, fills: Mapping[str, str], rng: Stream) -> Produced:
        """Lay out the tiers, write the recipes, place the orders."""
        goods = require_rows(self.name, view, given.goods, given.tiers)
        firms = require_rows(self.name, view, given.firms, goods)
        tier = _tiers(goods, given.tiers, rng)
        makes = _makers(firms, goods, rng)
        recipe = _recipes(given, tier, rng)
        supply, output = _orders(given, tier, makes, recipe, rng)
        delivered = np.zeros(firms, dtype=np.int64)
        np.add.at(delivered, supply["supplier"], supply["volume"])
        made = np.zeros(goods, dtype=np.int64)
        np.add.at(made, makes, output)
        return {
            "good": {
                "tier": tier, "output": made, "inputs": np.bincount(recipe["good"], minlength=goods),
                "makers": np.bincount(makes, minlength=goods),
            },
            "firm": {
                "tier": tier[makes], "good": makes, "output": output, "delivered": delivered,
                "sold_outside": output - delivered, "customers": np.bincount(supply["supplier"], minlength=firms),
                "suppliers": np.bincount(supply["buyer"], minlength=firms),
                "chain_days": _chain_days(supply, tier[makes], given.tiers),
            },
            "recipe": recipe,
            "supply": supply,
        }  # fmt: skip


def _tiers(goods: int, tiers: int, rng: Stream) -> Ints:
    """The tier of each good: one or more in each, more further down."""
    alike = np.zeros(tiers, dtype=np.int64)
    growth = 1 + _TIER_GROWTH * np.arange(tiers, dtype=np.float64)
    sizes = 1 + largest_remainder(growth.astype(np.float64), goods - tiers, alike)
    tier = np.empty(goods, dtype=np.int64)
    tier[rng.permutation(goods)] = np.repeat(np.arange(tiers, dtype=np.int64), sizes)
    return tier


def _makers(firms: int, goods: int, rng: Stream) -> Ints:
    """The good that each firm makes; every good has a maker."""
    sizes = 1 + largest_remainder(
        noise_factor(goods, _FIRM_SPREAD, rng), firms - goods, np.zeros(goods, dtype=np.int64)
    )
    makes = np.empty(firms, dtype=np.int64)
    makes[rng.permutation(firms)] = np.repeat(np.arange(goods, dtype=np.int64), sizes)
    return makes


def _recipes(given: SupplyGiven, tier: Ints, rng: Stream) -> dict[str, Ints]:
    """What goes into what: a good of the next tier goes into something as long as there is room for it."""
    least, most = given.inputs
    into: list[dict[int, None]] = [{} for _ in tier]
    for above in range(given.tiers - 1):
        users = np.flatnonzero(tier == above)
        users = users[rng.permutation(len(users))].tolist()
        below = np.flatnonzero(tier == above + 1)
        for number, good in enumerate(below[rng.permutation(len(below))].tolist()[: len(users) * most]):
            into[users[number % len(users)]][good] = None
        deeper = np.flatnonzero(tier > above)
        wanted = (least + rng.below(len(users), most - least + 1)).tolist()
        for user, number in zip(users, wanted, strict=True):
            _fill_up(into[user], number, min(least, len(deeper)), (below, deeper), rng)
    good = np.repeat(np.arange(len(tier), dtype=np.int64), [len(inputs) for inputs in into])
    return {
        "good": good, "input": int_column([each for inputs in into for each in inputs]),
        "quantity": given.per_unit[0] + rng.below(len(good), given.per_unit[1] - given.per_unit[0] + 1),
    }  # fmt: skip


def _fill_up(inputs: dict[int, None], wanted: int, least: int, pools: tuple[Ints, Ints], rng: Stream) -> None:
    """Draw further inputs, mostly of the next tier; never fewer than the least."""
    below, deeper = pools
    for _ in range(_TRIES):
        if len(inputs) >= wanted:
            return
        inputs[rng.choice((below if rng.chance(_NEXT_TIER) else deeper).tolist())] = None
    for good in deeper.tolist():
        if len(inputs) >= least:
            return
        inputs[good] = None


def _orders(
    given: SupplyGiven, tier: Ints, makes: Ints, recipe: Mapping[str, Ints], rng: Stream
) -> tuple[dict[str, NDArray[Any]], Ints]:
    """All supplies, and the output of each firm."""
    by_maker, by_input = np.argsort(makes, kind="stable"), np.argsort(recipe["input"], kind="stable")
    goods = np.arange(len(tier) + 1)
    maker_at = np.searchsorted(makes[by_maker], goods).tolist()
    input_at = np.searchsorted(recipe["input"][by_input], goods).tolist()
    output = np.zeros(len(makes), dtype=np.int64)
    parts: list[dict[str, NDArray[Any]]] = []
    for good in np.argsort(tier, kind="stable").tolist():
        makers = by_maker[maker_at[good] : maker_at[good + 1]]
        rows = by_input[input_at[good] : input_at[good + 1]]
        buyers = [by_maker[maker_at[user] : maker_at[user + 1]] for user in recipe["good"][rows].tolist()]
        if not buyers:
            output[makers] = _final(given, len(makers), rng)
        else:
            buyer = np.concatenate(buyers)
            pieces = np.repeat(recipe["quantity"][rows], [len(each) for each in buyers])
            _bounded(given, output[buyer].astype(np.float64) * pieces)
            part = _shared_out(given, good, buyer, output[buyer] * pieces, makers[rng.permutation(len(makers))], rng)
            parts.append(part)
            output[makers] = _with_outside(given, _sums(part, makers, len(makes)), rng)
    empty: dict[str, NDArray[Any]] = {column: int_column([]) for column in SupplyChain.tables["supply"]}
    return {c: np.concatenate([part[c] for part in parts]) if parts else empty[c] for c in empty}, output


def _final(given: SupplyGiven, makers: int, rng: Stream) -> Ints:
    least, most = given.output
    drawn = rng.unit(makers)
    return least + np.floor(drawn * drawn * (most - least + 1)).astype(np.int64)


def _bounded(given: SupplyGiven, need: NDArray[np.float64]) -> None:
    total = float(need.sum()) * (1 + given.outside)
    if total > _GREATEST_VOLUME:
        raise GenerationError(
            "facts.supply-chain", "supply_chain: volumes grow from tier to tier", expected="less than 2**50 pieces",
            got=f"{total:.3g}", fix="lower `output`, `per_unit`, `inputs` or `tiers`",
        )  # fmt: skip


def _shared_out(
    given: SupplyGiven, good: int, buyer: Ints, need: Ints, makers: Ints, rng: Stream
) -> dict[str, NDArray[Any]]:
    """Who delivers how much of one good to each buyer: neighbours in a circle of its makers, the first more often."""
    least, most = given.sources
    sources = least + rng.below(len(buyer), most - least + 1)
    sources = np.minimum(np.minimum(sources, len(makers)), need)
    first = weighted(zipf_weights(len(makers), 0.5), len(buyer), rng)
    order = np.repeat(np.arange(len(buyer), dtype=np.int64), sources)
    supplier = makers[(first[order] + count_within(order)) % len(makers)]
    volume = 1 + largest_remainder(noise_factor(len(order), _SPLIT_SPREAD, rng), need - sources, order)
    shortest, longest = given.lead_time
    haste = rng.unit(len(order))
    return {
        "supplier": supplier, "buyer": buyer[order], "good": np.full(len(order), good, dtype=np.int64),
        "volume": volume, "share": largest_remainder(volume.astype(np.float64), 1000, order) / 10.0,
        "lead_time": shortest + np.floor(haste * haste * (longest - shortest + 1)).astype(np.int64),
        "sole": (sources[order] == 1).astype(np.int64),
    }  # fmt: skip


def _sums(part: Mapping[str, NDArray[Any]], makers: Ints, firms: int) -> Ints:
    delivered = np.zeros(firms, dtype=np.int64)
    np.add.at(delivered, part["supplier"], part["volume"])
    return delivered[makers]


def _with_outside(given: SupplyGiven, delivered: Ints, rng: Stream) -> Ints:
    """Output of the makers of a good: who delivers nothing within the chain sells to others what its peers deliver."""
    usual = np.maximum(np.where(delivered > 0, delivered, delivered.sum() // len(delivered)), 1)
    outside = np.floor(usual * given.outside * noise_factor(len(usual), _OUTSIDE_SPREAD, rng)).astype(np.int64)
    return np.where(delivered > 0, delivered + outside, usual + outside)


def _chain_days(supply: Mapping[str, NDArray[Any]], tier: Ints, tiers: int) -> Ints:
    """The longest time from an order of raw goods until a firm has all its inputs."""
    days = np.zeros(len(tier), dtype=np.int64)
    of = tier[supply["buyer"]]
    for each in range(tiers - 2, -1, -1):
        here = of == each
        supplier, buyer = supply["supplier"][here], supply["buyer"][here]
        np.maximum.at(days, buyer, supply["lead_time"][here] + days[supplier])
    return days
