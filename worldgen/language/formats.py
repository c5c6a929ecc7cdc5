"""Says a value as prose, tables and headlines do: several styles for each type and language.

Style 0 is the usual one. Every style is exact: reading it back gives the same integer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import cache

from worldgen.errors import CallerError
from worldgen.language.units import unit
from worldgen.language.values import Render, ValueSpec, ValueType, cell_renderer, clock, digits, label
from worldgen.language.words import words_of

_NUMBER = {"en": ("usual", "symbol", "word", "ungrouped"), "zh": ("usual", "symbol", "grouped")}
_STYLES: dict[str, dict[str, tuple[str, ...]]] = {
    "integer": _NUMBER,
    "decimal": _NUMBER,
    "money": {"en": ("usual", "word", "code"), "zh": ("usual", "grouped", "code")},
    "percent": {"en": ("sign", "percent", "per cent"), "zh": ("sign", "word")},
    "year": {"en": ("digits",), "zh": ("word", "digits")},
    "month": {"en": ("word", "short", "iso"), "zh": ("word", "iso")},
    "quarter": {"en": ("short", "word", "year first"), "zh": ("word", "brief", "short")},
    "date": {"en": ("day first", "month first", "short", "iso"), "zh": ("word", "iso", "slashes")},
    "time": {"en": ("digits",), "zh": ("digits", "word")},
    "category": {"en": ("label",), "zh": ("label",)},
    "boolean": {"en": ("label",), "zh": ("label",)},
}


def styles(value_type: ValueType, language: str) -> tuple[str, ...]:
    """The names of the styles of a type; a style is chosen by its index.

    >>> styles("percent", "en")
    ('sign', 'percent', 'per cent')
    """
    words_of(language)
    return _STYLES[value_type][language]


def plain(spec: ValueSpec, scaled: int, style: int = 0, language: str = "en") -> str:
    """Say one value.

    Args:
        spec: What the integer means.
        scaled: The value.
        style: Index into `styles`.
        language: ``en`` or ``zh``.

    >>> plain(ValueSpec("integer", unit="persons"), 12400), plain(ValueSpec("integer", unit="persons"), 12400, 0, "zh")
    ('12,400 people', '12400人')
    """
    return plain_renderer(spec, style, language)(scaled)


def plain_column(spec: ValueSpec, values: Sequence[int], style: int = 0, language: str = "en") -> list[str]:
    """`plain` for a column."""
    return list(map(plain_renderer(spec, style, language), values))


@cache
def plain_renderer(spec: ValueSpec, style: int = 0, language: str = "en") -> Render:
    """The function behind `plain`: compile once, say thousands."""
    names = styles(spec.type, language)
    if not 0 <= style < len(names):
        raise CallerError(
            "language.style",
            f"no such style of {spec.type} in {language}",
            expected=f"0 to {len(names) - 1}",
            got=str(style),
        )
    return _MAKERS[spec.type](spec, names[style], language)


def _number(spec: ValueSpec, style: str, language: str) -> Render:
    grouped = style == "grouped" or (language == "en" and style != "ungrouped")
    write = digits(spec.decimals, grouped=grouped)
    if language == "en" and style == "ungrouped":
        write = _short(digits(spec.decimals, grouped=True), write, 10 ** (spec.decimals + 4))
    if spec.unit is None:
        return write
    used = unit(spec.unit)
    by_symbol = used.symbol != "" and (style == "symbol" or (used.prefer_symbol and style != "word"))
    if language == "zh":
        ending = used.symbol if style == "symbol" and used.symbol else used.zh
        return lambda scaled: write(scaled) + ending
    if by_symbol:
        return lambda scaled: f"{write(scaled)} {used.symbol}"
    return counted(write, used.one, used.many, 1 if spec.decimals == 0 else 0)


def _short(grouped: Render, ungrouped: Render, least: int) -> Render:
    """Numbers without a comma up to four digits, with commas above."""
    return lambda scaled: (ungrouped if abs(scaled) < least else grouped)(scaled)


def counted(write: Render, one: str, many: str, singular: int) -> Render:
    """A function that puts a noun after a number; ``singular`` is the only integer that takes ``one``, 0 for none."""
    if not many:
        return write

    def say(scaled: int) -> str:
        return f"{write(scaled)} {one if singular and abs(scaled) == singular else many}"

    return say


def _money(spec: ValueSpec, style: str, language: str) -> Render:
    assert spec.currency is not None
    kind = spec.currency
    write = digits(spec.decimals, grouped=language == "en" or style == "grouped")
    if style == "code":
        return lambda scaled: f"{kind.code} {write(scaled)}" if language == "en" else f"{write(scaled)} {kind.code}"
    if language == "zh":
        return lambda scaled: write(scaled) + kind.zh
    if style == "usual" and kind.symbol:
        return lambda scaled: f"{'-' if scaled < 0 else ''}{kind.symbol}{write(abs(scaled))}"
    return counted(write, kind.one, kind.many, 1 if spec.decimals == 0 else 0)


def _percent(spec: ValueSpec, style: str, language: str) -> Render:
    write = digits(spec.decimals, grouped=False)
    if style == "sign":
        return lambda scaled: f"{write(scaled)}%"
    if language == "zh":
        return lambda scaled: f"百分之{write(scaled)}" if scaled >= 0 else f"负百分之{write(-scaled)}"
    return lambda scaled: f"{write(scaled)} {style}"


def _year(spec: ValueSpec, style: str, language: str) -> Render:
    return str if style == "digits" else lambda scaled: f"{scaled}年"


def _month(spec: ValueSpec, style: str, language: str) -> Render:
    if style == "iso":
        return cell_renderer(spec, language)
    if language == "zh":
        return lambda scaled: f"{scaled // 12}年{scaled % 12 + 1}月"
    names: list[str] = words_of("en")["months_short" if style == "short" else "months"]
    return lambda scaled: f"{names[scaled % 12]} {scaled // 12}"


def _quarter(spec: ValueSpec, style: str, language: str) -> Render:
    if language == "zh":
        if style == "short":
            return lambda scaled: f"{scaled // 4}年Q{scaled % 4 + 1}"
        rank = "第{}季度" if style == "word" else "{}季度"
        return lambda scaled: f"{scaled // 4}年{rank.format('一二三四'[scaled % 4])}"
    if style == "short":
        return lambda scaled: f"Q{scaled % 4 + 1} {scaled // 4}"
    if style == "year first":
        return lambda scaled: f"{scaled // 4} Q{scaled % 4 + 1}"
    names: list[str] = words_of("en")["ordinals"]
    return lambda scaled: f"the {names[scaled % 4 + 1]} quarter of {scaled // 4}"


def _date(spec: ValueSpec, style: str, language: str) -> Render:
    if style == "iso":
        return cell_renderer(spec, language)
    form = {
        "word": "{0}年{1}月{2}日",
        "slashes": "{0}/{1}/{2}",
        "day first": "{2} {3} {0}",
        "month first": "{3} {2}, {0}",
        "short": "{4} {2}, {0}",
    }[style]
    table = words_of("en")

    def say(scaled: int) -> str:
        day = date.fromordinal(scaled)
        month = day.month - 1
        return form.format(day.year, day.month, day.day, table["months"][month], table["months_short"][month])

    return say


def _time(spec: ValueSpec, style: str, language: str) -> Render:
    if style == "digits":
        return clock
    return lambda scaled: f"{scaled // 60}点{scaled % 60}分" if scaled % 60 else f"{scaled // 60}点整"


def _label(spec: ValueSpec, style: str, language: str) -> Render:
    return label(spec, language)


_MAKERS: dict[str, Callable[[ValueSpec, str, str], Render]] = {
    "integer": _number,
    "decimal": _number,
    "money": _money,
    "percent": _percent,
    "year": _year,
    "month": _month,
    "quarter": _quarter,
    "date": _date,
    "time": _time,
    "category": _label,
    "boolean": _label,
}
