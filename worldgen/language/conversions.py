"""Says a value in another way that means exactly the same: other units, thousands and millions, fractions.

A reader must compute to get back to the value as asked; so every form here is exact, and a value that has none that
reads well gives None.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from worldgen.language.formats import counted
from worldgen.language.units import Unit, convert, scales, unit
from worldgen.language.values import ValueSpec, digits
from worldgen.language.words import words_of

_LARGEST_PARTS = 20
_MOST_DIGITS = 7
_MOST_SCALED_DIGITS = 6
_LEAST_PERCENT = 5
"""Shares below it may be told per thousand."""
_MOST_SMALLER = {"months": 100, "time": 100, "area": 10_000}
"""By dimension, below what a value may be told in a smaller unit: 48 months, never 64,000 MB; 1,000 for others."""


def in_other_unit(spec: ValueSpec, scaled: int, language: str = "en", choice: int = 0) -> str | None:
    """The value in another unit, exactly, or None where no other form reads well.

    Args:
        spec: What the integer means.
        scaled: The value.
        language: ``en`` or ``zh``.
        choice: Which of the forms of `other_forms`, counted round.

    >>> in_other_unit(ValueSpec("integer", unit="mAh"), 5000), in_other_unit(ValueSpec("integer"), 1250000, "zh")
    ('5 Ah', '125万')
    """
    forms = other_forms(spec, scaled, language)
    return forms[choice % len(forms)] if forms else None


def in_other_unit_column(spec: ValueSpec, values: Sequence[int], language: str = "en") -> list[str | None]:
    """`in_other_unit` for a column."""
    return [in_other_unit(spec, scaled, language) for scaled in values]


def other_forms(spec: ValueSpec, scaled: int, language: str = "en") -> list[str]:
    """All exact other forms of a value, the most natural first; each differs from the plain ones."""
    table = words_of(language)
    match spec.type:
        case "integer" | "decimal":
            used = unit(spec.unit) if spec.unit is not None else None
            if used is None or used.dimension == "count":
                return _scaled_up(spec, scaled, language, used)
            return _converted(spec, scaled, language, used)
        case "money":
            return _scaled_up(spec, scaled, language, None)
        case "percent":
            return _as_parts(Fraction(scaled, 100 * 10**spec.decimals), language)
        case "quarter":
            return [_as_months(scaled, language, table["months"] if language == "en" else [])]
        case "time":
            return [_half_day(scaled, language)]
        case _:
            return []


def exact_decimal(value: Fraction, most: int) -> tuple[int, int] | None:
    """The scaled integer and the least number of decimals that write a fraction exactly, or None beyond ``most``.

    >>> exact_decimal(Fraction(12437, 1000), 3), exact_decimal(Fraction(1, 3), 3)
    ((12437, 3), None)
    """
    for decimals in range(most + 1):
        shifted = value * 10**decimals
        if shifted.denominator == 1:
            return shifted.numerator, decimals
    return None


def _scaled_up(spec: ValueSpec, scaled: int, language: str, used: Unit | None) -> list[str]:
    value = Fraction(scaled, 10**spec.decimals)
    for scale in scales(language):
        if abs(value) < scale.size * scale.least or abs(value) >= scale.size * scale.below:
            continue
        exact = exact_decimal(value / scale.size, scale.decimals)
        if exact is None or len(str(abs(exact[0]))) > _MOST_SCALED_DIGITS:
            continue
        number = digits(exact[1], grouped=False)(exact[0])
        return [_named(number, scale.name, spec, language, used)]
    return []


def _named(number: str, scale: str, spec: ValueSpec, language: str, used: Unit | None) -> str:
    if language == "zh":
        noun = spec.currency.zh if spec.currency else used.zh if used else ""
        return f"{number}{scale}{noun}"
    if spec.currency and spec.currency.symbol:
        sign = "-" if number.startswith("-") else ""
        return f"{sign}{spec.currency.symbol}{number.lstrip('-')} {scale}"
    noun = spec.currency.many if spec.currency else used.many if used else ""
    return f"{number} {scale} {noun}".rstrip()


def _converted(spec: ValueSpec, scaled: int, language: str, used: Unit) -> list[str]:
    value = Fraction(scaled, 10**spec.decimals)
    forms = []
    for target, most in used.others:
        exact = exact_decimal(convert(value, used.id, target), most)
        if exact is None or scaled == 0 or len(str(abs(exact[0]))) > _MOST_DIGITS:
            continue
        if abs(exact[0]) < 10 ** exact[1]:
            continue  # nobody says 0.02 TB for 20 GB
        smaller = unit(target).factor < used.factor
        if smaller and abs(exact[0]) >= _MOST_SMALLER.get(used.dimension, 1_000) * 10 ** exact[1]:
            continue
        forms.append(_with_unit(exact[0], exact[1], unit(target), language))
    whole = _compound(value, used, language)
    return [whole, *forms] if whole else forms


def _with_unit(scaled: int, decimals: int, used: Unit, language: str) -> str:
    write = digits(decimals, grouped=language == "en")
    if language == "zh":
        return write(scaled) + used.zh
    if used.prefer_symbol:
        return f"{write(scaled)} {used.symbol}"
    return counted(write, used.one, used.many, 1 if decimals == 0 else 0)(scaled)


def _compound(value: Fraction, used: Unit, language: str) -> str | None:
    if not used.compound or value.denominator != 1 or value < 0:
        return None
    larger = unit(used.compound)
    whole, rest = divmod(value.numerator, int(larger.factor / used.factor))
    if whole == 0 or rest == 0:
        return None
    parts = [_with_unit(whole, 0, larger, language), _with_unit(rest, 0, used, language)]
    return ("" if language == "zh" else " ").join(parts)


def _as_parts(share: Fraction, language: str) -> list[str]:
    if not 0 < share < 1:
        return []
    forms = []
    if share.denominator <= _LARGEST_PARTS:
        a, b = share.numerator, share.denominator
        forms.append(f"{b}分之{a}" if language == "zh" else f"{a} in {b}")
    exact = exact_decimal(share * 1000, 2)
    if exact is not None and share * 100 < _LEAST_PERCENT:
        number = digits(exact[1], grouped=False)(exact[0])
        forms.append(f"千分之{number}" if language == "zh" else f"{number} per thousand")
    return forms


def _as_months(scaled: int, language: str, months: list[str]) -> str:
    year, first = scaled // 4, scaled % 4 * 3
    if language == "zh":
        return f"{year}年{first + 1}月至{first + 3}月"
    return f"{months[first]} to {months[first + 2]} {year}"


def _half_day(scaled: int, language: str) -> str:
    hour, minute = divmod(scaled, 60)
    twelve = (hour + 11) % 12 + 1
    if language == "zh":
        part = next(name for before, name in words_of("zh")["parts_of_day"] if hour < before)
        return f"{part}{twelve if hour else 0}点" + (f"{minute:02}分" if minute else "")
    return f"{twelve}:{minute:02} {'a.m.' if hour < 12 else 'p.m.'}"
