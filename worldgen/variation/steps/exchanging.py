"""Tells measures in other units and sums in another currency."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from worldgen.language import currencies, units
from worldgen.language.units import Unit
from worldgen.seeds import Stream
from worldgen.variation.data import read
from worldgen.variation.drawing import between
from worldgen.variation.outline import Outline, Plain
from worldgen.variation.uses import Uses

_DIGITS = 6
_SCALED = ("min", "max", "round")


def exchange_units(outline: Outline, rng: Stream) -> None:
    """Give measures that nothing else is computed from another unit, their figures converted."""
    share = between(read("plan")["exchange"]["units"], rng)
    uses = Uses(outline.schema())
    for table, name, attribute in list(outline.attributes()):
        others = read("exchanges")["units"].get(attribute.get("unit"), [])
        if not others or not rng.chance(share) or not _alone(uses, table, name) or _names_unit(attribute):
            continue
        unit = rng.choice(others)
        if _convert(attribute, unit):
            outline.changes.append(f"{table}.{name} in {unit}")


def exchange_currency(outline: Outline, rng: Stream) -> None:
    """Put another currency of the same order in the place of the schema's own."""
    if not rng.chance(read("plan")["exchange"]["currency"]):
        return
    holders = [attribute for _, _, attribute in outline.attributes() if "currency" in attribute]
    holders += [series for series in outline.plain.get("series", {}).values() if "currency" in series]
    used = {holder["currency"] for holder in holders}
    group = next((codes for codes in read("exchanges")["currencies"] if used and used <= set(codes)), None)
    if len(used) != 1 or group is None or _speaks_of_money(outline, group):
        return
    code = rng.choice([code for code in group if code not in used])
    for holder in holders:
        holder["currency"] = code
    outline.changes.append(f"sums in {code}")


def _alone(uses: Uses, table: str, name: str) -> bool:
    node = (table, name)
    return not uses.users[node] and not uses.of_check(node) and node not in uses.fixed


def _names_unit(attribute: Plain) -> bool:
    """Whether a wording says the unit itself."""
    unit = units()[attribute["unit"]]
    texts = [text for key in ("label", "say") for words in attribute.get(key, {}).values() for text in words]
    names = [word for word in (unit.one, unit.many, unit.zh, unit.symbol) if word]
    return any(
        re.search(rf"(?<!\w){re.escape(word)}(?!\w)" if word.isascii() else re.escape(word), text)
        for word in names
        for text in texts
    )


def _convert(attribute: Plain, unit: str) -> bool:
    """Convert an attribute's figures; says whether that came out in plain figures."""
    old, new = units()[attribute["unit"]], units()[unit]
    ratio = _ratio(old, new)
    decimals = attribute.get("decimals", 0)
    attribute_type = attribute["type"]
    if ratio < 1:
        decimals = min(_DIGITS, decimals + len(str(int(1 / ratio))) - 1)
    elif ratio > 1:
        decimals = max(0, decimals - len(str(int(ratio))) + 1)
    if "expr" in attribute:
        attribute["expr"] = f"({attribute['expr']}) * {float(ratio):.9g}"
    elif not any(key in attribute for key in ("uniform", "normal", "lognormal", "pareto")):
        return False
    for key in ("uniform", "normal", "lognormal", "pareto"):
        if key in attribute:
            attribute[key] = _scaled(attribute[key], ratio)
    for key in _SCALED:
        if key in attribute:
            attribute[key] = _rounded(attribute[key] * ratio)
    if "round" in attribute:
        attribute["round"] = _power(max(attribute["round"], 10.0**-decimals))
    if decimals and attribute_type == "integer":
        attribute_type = "decimal"
    attribute |= {"type": attribute_type, "unit": unit, "decimals": decimals}
    return True


def _scaled(value: Any, ratio: Fraction) -> Any:
    if isinstance(value, dict):
        return {key: one if key in ("sigma", "alpha") else _rounded(one * ratio) for key, one in value.items()}
    return [_rounded(one * ratio) for one in value]


def _ratio(old: Unit, new: Unit) -> Fraction:
    return Fraction(old.factor) / Fraction(new.factor)


def _rounded(value: Any) -> float:
    return float(f"{float(value):.6g}")


def _power(step: float) -> float:
    """The power of ten at or below a step of rounding; a step below one is such a power already."""
    return float(10 ** (len(str(int(step))) - 1)) if step >= 1 else step


def _speaks_of_money(outline: Outline, codes: list[str]) -> bool:
    """Whether a wording names one of these currencies."""
    told = [currencies()[code] for code in codes]
    words = {name.split()[-1] for one in told for name in (one.one, one.many)}
    signs = {sign for one in told for sign in (one.symbol, one.zh) if sign}
    named = re.compile(rf"\b(?:{'|'.join(sorted(words))})\b|{'|'.join(map(re.escape, sorted(signs)))}")
    return any(named.search(text) for text in outline.texts())
