"""What may be asserted of a world: the properties that its schema has, and how words are read as a value of one.

A value that is read is canonical: a number in the schema's unit at its decimals, an ISO date, a category's key, a name
as it is written. Whatever is no value of the property, or none that the schema allows, is told apart by a code.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from worldgen.audit.claims.amounts import Amount, amounts
from worldgen.audit.claims.dates import days
from worldgen.facts.tables import period_text, scaled_text
from worldgen.language import exact_decimal, unit
from worldgen.records import Language
from worldgen.schema import Schema, entity_attributes
from worldgen.schema.model import Attribute, Series
from worldgen.schema.periods import ordinal

_YEAR = re.compile(r"(?<!\d)\d{3,4}(?!\d)")
_NUMBERS = ("integer", "decimal", "money", "percent")
_YES_NO = {"yes": ("yes", "true", "是"), "no": ("no", "false", "否")}


@dataclass(frozen=True, slots=True)
class Slot:
    """A property of a kind of thing, of which a value may be asserted.

    Attributes:
        entity: The kind of thing.
        attribute: The property.
        node: Its node in the schema.
        periods: Of a series: the periods for which it has values.
    """

    entity: str
    attribute: str
    node: Attribute | Series
    periods: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The type of its values."""
        return self.node.kind if isinstance(self.node, Attribute) else self.node.type

    @property
    def target(self) -> str | None:
        """The kind of thing that it refers to."""
        return self.node.ref if isinstance(self.node, Attribute) else None

    @property
    def once(self) -> str:
        """The key of the schema by which no two things share a value; empty where they may."""
        if not isinstance(self.node, Attribute):
            return ""
        keys = {"unique": self.node.unique, "distinct": self.node.distinct, "type": self.kind == "name"}
        return next((key for key, told in keys.items() if told), "")


@dataclass(frozen=True, slots=True)
class Unread:
    """Why words are no value.

    Attributes:
        code: ``no-value``, ``wrong-unit`` or ``out-of-range``.
        expected: What would be one.
        rule: The key of the property in the schema that says so.
    """

    code: str
    expected: str
    rule: str = "type"


def slots(schema: Schema) -> dict[tuple[str, str], Slot]:
    """(kind of thing, property) → what may be asserted; of named things only, and nothing that is hidden."""
    found: dict[tuple[str, str], Slot] = {}
    for entity, node in schema.entities.items():
        if node.name is None:
            continue
        for name, attribute in entity_attributes(schema, entity).items():
            named = attribute.ref is None or schema.entities[attribute.ref].name is not None
            if not attribute.hidden and named:
                found[entity, name] = Slot(entity, name, attribute)
    for name, series in schema.series.items():
        if schema.entities[series.of].name is not None:
            found.setdefault((series.of, name), Slot(series.of, name, series, _periods(series)))
    return found


def wordings(slot: Slot, language: Language = "en") -> list[str]:
    """How the values of a category are said in a language: the first wording of each, or its key."""
    values = slot.node.values if isinstance(slot.node, Attribute) else None
    said = {key: value.zh if language == "zh" else value.en for key, value in (values or {}).items()}
    return [words[0] if words else key.replace("_", " ") for key, words in said.items()]


def limits(slot: Slot) -> tuple[str, str]:
    """The least and greatest value, each empty where there is none.

    >>> limits(Slot("line", "founded", Attribute.model_validate({"type": "year", "normal": {"mean": 1960, "sd": 9}})))
    ('', '')
    """
    low, high = _bounds(slot.node)
    return _shown(slot.kind, low), _shown(slot.kind, high)


def _periods(series: Series) -> tuple[str, ...]:
    first, last = (ordinal(text, series.every) for text in (series.start, series.end))
    return tuple(period_text(number, series.every) for number in range(first, last + 1))


def read_value(slot: Slot, words: str, quote: str) -> str | Unread:
    """The canonical value that words in a quote give.

    Args:
        slot: Of what.
        words: The words that give the value; they stand in the quote.
        quote: A sentence or line, which may give a unit that the words lack.
    """
    language = "zh" if any("\u3400" <= letter <= "\u9fff" for letter in quote) else "en"
    at = quote.find(words)
    if at < 0 or not words.strip():
        return Unread("no-value", "words of the quote")
    span = (at, at + len(words))
    if slot.kind in _NUMBERS:
        found = [a for a in amounts(quote, language) if a.start < span[1] and span[0] < a.end]
        return _number(slot, found[0]) if len(found) == 1 else Unread("no-value", f"one number, a {slot.kind}")
    if slot.kind == "date":
        told = [d for d in days(quote, language) if d.start < span[1] and span[0] < d.end and d.precision == "day"]
        return checked(slot, told[0].spans[0][0].isoformat()) if len(told) == 1 else Unread("no-value", "a whole date")
    if slot.kind == "year":
        years = [year for year in _YEAR.findall(words) if _is_year(slot, year)]
        return checked(slot, years[0]) if len(years) == 1 else Unread("no-value", "a year of four digits")
    return checked(slot, " ".join(words.split()).strip(" .,;。，"))


def _number(slot: Slot, amount: Amount) -> str | Unread:
    node, value = slot.node, amount.value
    used = unit(node.unit) if node.unit is not None else None
    wanted = f"money:{node.currency}" if slot.kind == "money" else "percent" if slot.kind == "percent" else ""
    if used is not None and used.dimension != "count":
        wanted = used.dimension
    if amount.dimension not in ("", wanted) or amount.ordinal:
        return Unread("wrong-unit", node.unit or node.currency or f"a plain {slot.kind}", "unit")
    if used is not None and amount.dimension == used.dimension:
        value /= used.factor
    exact = exact_decimal(Fraction(value), node.decimals)
    if exact is None:
        return Unread("out-of-range", f"a number of at most {node.decimals} decimals", "decimals")
    return checked(slot, scaled_text(exact[0] * 10 ** (node.decimals - exact[1]), node.decimals))


def checked(slot: Slot, value: str) -> str | Unread:
    """A value in its canonical form where the schema allows it.

    >>> from worldgen.schema.model import Attribute
    >>> staff = Slot("line", "staff", Attribute.model_validate({"type": "integer", "uniform": [12, 900]}))
    >>> checked(staff, "40"), checked(staff, "4")
    ('40', Unread(code='out-of-range', expected='12 to 900', rule='uniform'))
    """
    try:
        return _checked(slot, value)
    except (ValueError, ArithmeticError):
        return Unread("no-value", f"a {slot.kind}")


def _checked(slot: Slot, value: str) -> str | Unread:
    kind, node = slot.kind, slot.node
    if kind == "ref" or kind == "name":
        return value if 0 < len(value) <= _LONGEST_NAME else Unread("no-value", "a name")
    if isinstance(node, Attribute) and kind in ("category", "boolean"):
        return _worded(node, value)
    if kind == "date":
        return _between(slot, dt.date.fromisoformat(value).toordinal(), value)
    if kind == "year" and not _is_year(slot, value):
        return Unread("no-value", "a year of four digits")
    number = Decimal(value)
    scaled = number.scaleb(node.decimals)
    if scaled != int(scaled) or (node.round is not None and number % Decimal(str(node.round))):
        step = node.round or Decimal(1).scaleb(-node.decimals)
        return Unread("out-of-range", f"a multiple of {step}", "decimals" if node.round is None else "round")
    return _between(slot, number, scaled_text(int(scaled), node.decimals))


_LONGEST_NAME = 120


def _is_year(slot: Slot, text: str) -> bool:
    """Whether digits are a year: four of them, or three where the schema reaches back so far."""
    low, _ = _bounds(slot.node)
    return _YEAR.fullmatch(text) is not None and (len(text) == 4 or (low is not None and low[0] < 1000))


def _worded(node: Attribute, value: str) -> str | Unread:
    """The key of a category or boolean that is said in one of its wordings."""
    wordings: Mapping[str, tuple[str, ...]] = _YES_NO
    if node.kind == "category":
        mapped = node.depends.map.values() if node.depends is not None else ()
        wordings = {str(key): () for key in mapped}
        for key, said in (node.values or {}).items():
            wordings = {**wordings, key: (*(said.en or ()), *(said.zh or ()))}
    for key, words in wordings.items():
        if value.casefold() in {key.casefold(), key.replace("_", " ").casefold(), *(word.casefold() for word in words)}:
            return key
    return Unread("out-of-range", " or ".join(wordings), "values" if node.kind == "category" else "type")


def _between(slot: Slot, number: Decimal | int, value: str) -> str | Unread:
    low, high = _bounds(slot.node)
    for bound, passed in ((low, low is not None and number < low[0]), (high, high is not None and number > high[0])):
        if bound is not None and passed:
            least, most = limits(slot)
            return Unread("out-of-range", f"{least or 'any'} to {most or 'any'}", bound[1])
    listed = slot.node.empirical if isinstance(slot.node, Attribute) else None
    if listed is not None and Decimal(number) not in {Decimal(str(each)) for each in listed}:
        return Unread("out-of-range", " or ".join(f"{each:g}" for each in listed), "empirical")
    return value


_Bound = tuple[Decimal, str]


def _bounds(node: Attribute | Series) -> tuple[_Bound | None, _Bound | None]:
    """The least and greatest value, each with the key of the schema that gives it; dates by their ordinals."""
    least, greatest = [(node.min, "min")], [(node.max, "max")]
    if isinstance(node, Attribute) and node.uniform is not None:
        low, high = node.uniform
        least.append((low.toordinal() if isinstance(low, dt.date) else low, "uniform"))
        greatest.append((high.toordinal() if isinstance(high, dt.date) else high, "uniform"))
    lows = [(Decimal(str(bound)), key) for bound, key in least if bound is not None]
    highs = [(Decimal(str(bound)), key) for bound, key in greatest if bound is not None]
    return max(lows, default=None), min(highs, default=None)


def _shown(kind: str, bound: _Bound | None) -> str:
    if bound is None:
        return ""
    value = bound[0]
    return dt.date.fromordinal(int(value)).isoformat() if kind == "date" else f"{value:f}".removesuffix(".0")
