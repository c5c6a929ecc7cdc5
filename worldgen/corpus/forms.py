"""Which form each fact takes: told as asked, in another unit, by a distance, beside another row, or put right.

Few facts are told as a correction: people compare, convert and count days far oftener than they take back a figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from worldgen.corpus import amounts
from worldgen.corpus.dice import Dice
from worldgen.corpus.voice import Voice
from worldgen.facts.tables import Facts, Table
from worldgen.records import Form

_MOST = 0.85
_CORRECTED = 6
"""Of a hundred indirect values so many are told as corrections of an earlier figure."""
_CONVERTED = 50
_BY_PAGE_DATE = 55
_LOOKED_AT = 8
"""How many rows with neighbouring values are looked at for one to compare with."""
_LONGEST_GAP = 56
_MOST_YEARS = 12


def choose_forms(facts: Facts, voices: Mapping[tuple[str, str], Voice], language: str) -> None:
    """Draw a form for every fact, so often that the world's share of indirect ones is met over all facts."""
    total = sum(len(voice.canonical) for voice in voices.values())
    able = sum(len(voice.canonical) for voice in voices.values() if _eligible(voice))
    rate = max(0.15, facts.schema.noise.indirect)
    chance = min(_MOST, rate * total / able) if able else 0.0
    for (table, attribute), voice in voices.items():
        voice.forms = ["plain"] * len(voice.canonical)
        if not _eligible(voice):
            continue
        dice = Dice(facts.seed, "forms", table, attribute)
        voice.steps = [dice.draw() for _ in voice.canonical]
        wanted = {row for row, value in enumerate(voice.canonical) if dice.chance(chance) and value is not None}
        peers = Peers(facts.tables[table], voice, wanted)
        for row in sorted(wanted):
            voice.forms[row] = _form(voice, row, dice, peers, language)


def _eligible(voice: Voice) -> bool:
    spec = voice.column.spec
    if voice.shape in ("date", "year"):
        return True
    return voice.shape == "number" and not (spec is not None and spec.rank is not None)


def _form(voice: Voice, row: int, dice: Dice, peers: Peers, language: str) -> Form:
    kind, corrected = dice.below(100), dice.below(100) < _CORRECTED
    if voice.shape == "number" and not corrected and kind < _CONVERTED and _convert(voice, row, language):
        return "unit"
    found = {} if corrected else peers.of(row)
    if found:
        voice.peers.update(found)
        # A page from whose date the distance cannot be told compares instead.
        return "relative" if voice.shape == "date" and kind < _BY_PAGE_DATE else "two_step"
    if voice.shape == "number" and not corrected and _convert(voice, row, language):
        return "unit"
    return "two_step" if corrected and abs(voice.values[row]) >= 2 else "plain"


def _convert(voice: Voice, row: int, language: str) -> bool:
    voice.unit[row] = amounts.in_other_unit(voice.column, voice.values[row], language)
    return voice.unit[row] is not None


class Peers:
    """Rows that the values of one column can be compared with: those told as they are.

    Args:
        table: The table.
        voice: The column.
        wanted: The rows that are not told as they are.
    """

    def __init__(self, table: Table, voice: Voice, wanted: set[int]) -> None:
        self._voice = voice
        self._order = sorted(
            (row for row, value in enumerate(voice.canonical) if value is not None), key=voice.values.__getitem__
        )
        self._at = {row: at for at, row in enumerate(self._order)}
        self._wanted = wanted
        self._keys = [table.columns[key].values.tolist() for key in table.key]
        self._before: dict[tuple[int, int], int] = {}
        if voice.series is not None:
            owners, periods = voice.series.owners, voice.series.periods
            self._before = {(owners[row], periods[row]): row for row in self._order}

    def of(self, row: int) -> dict[int, int]:
        """The row itself and the row to compare it with; empty where there is none."""
        for other in self._candidates(row):
            if other not in self._wanted and self._fits(self._voice.values[row] - self._voice.values[other]):
                return {row: other}
        return {}

    def _candidates(self, row: int) -> Iterator[int]:
        series = self._voice.series
        if series is not None:
            found = self._before.get((series.owners[row], series.periods[row] - 1))
            if found is not None:
                yield found
            return
        at, last = self._at[row], len(self._order)
        for step in range(1, _LOOKED_AT + 1):
            for place in (at - step, at + step):
                if 0 <= place < last and self._related(row, self._order[place]):
                    yield self._order[place]

    def _related(self, row: int, other: int) -> bool:
        """Whether rows that have keys share a part of them; rows with names of their own always may be compared."""
        return not self._keys or any(values[row] == values[other] for values in self._keys)

    def _fits(self, gap: int) -> bool:
        shape = self._voice.shape
        if shape == "year":
            return 0 <= abs(gap) <= _MOST_YEARS
        if shape == "date":
            return 0 < abs(gap) < 14 or (0 < abs(gap) <= _LONGEST_GAP and gap % 7 == 0)
        return gap != 0
