"""How values and names are said, per language: coined names, units, formats, words, labels.

Start with `coin` for names, `ValueSpec` and `plain` for values. Nothing is read or computed at import.
"""

from worldgen.language.aliases import aliases
from worldgen.language.conversions import exact_decimal, in_other_unit, in_other_unit_column, other_forms
from worldgen.language.formats import plain, plain_column, plain_renderer, styles
from worldgen.language.hanzi import transliterate
from worldgen.language.kinds import kinds
from worldgen.language.known import folded, known
from worldgen.language.labels import choose_label, choose_labels
from worldgen.language.names import Name, coin, name_key
from worldgen.language.relative import relative_date, relative_year
from worldgen.language.scopes import said_scope
from worldgen.language.sounds import cultures
from worldgen.language.units import Currency, Unit, convert, currencies, currency, unit, units
from worldgen.language.values import ValueSpec, ValueType, canonical, cell, cell_column, cell_renderer
from worldgen.language.words import article, join_list, number_words, ordinal, plural, with_article

__all__ = [
    "Currency",
    "Name",
    "Unit",
    "ValueSpec",
    "ValueType",
    "aliases",
    "article",
    "canonical",
    "cell",
    "cell_column",
    "cell_renderer",
    "choose_label",
    "choose_labels",
    "coin",
    "convert",
    "cultures",
    "currencies",
    "currency",
    "exact_decimal",
    "folded",
    "in_other_unit",
    "in_other_unit_column",
    "join_list",
    "kinds",
    "known",
    "name_key",
    "number_words",
    "ordinal",
    "other_forms",
    "plain",
    "plain_column",
    "plain_renderer",
    "plural",
    "relative_date",
    "relative_year",
    "said_scope",
    "styles",
    "transliterate",
    "unit",
    "units",
    "with_article",
]
