"""One fact, one sentence: picks the words for an item and tells where its value stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from worldgen.corpus import amounts
from worldgen.corpus.dice import Dice
from worldgen.corpus.grammar import Grammar, settings_of
from worldgen.corpus.noise import step_of
from worldgen.corpus.plan import MOST_ROWS, Item, PagePlan, Row, Setting
from worldgen.corpus.shapes import Pattern, tidied
from worldgen.corpus.voice import Mention, Series, Voice, Wording
from worldgen.facts.tables import canonical
from worldgen.language import join_list, with_article
from worldgen.records import Form, Label

_OWN = 0.6
"""How often a sentence is the schema's own, where there is one."""
_OPENED = 7
"""One in so many of them begins with an opener."""
_PRONOUN = 3
"""One in so many of them speaks of a thing as `it`."""
_GAPS = (*range(2, 14), *range(14, 57, 7))
"""Days between two dates that can be told in days or weeks."""


class Beside(NamedTuple):
    """A second fact that a sentence states as it is: the value of a row that its own is compared with."""

    fact: str
    start: int
    end: int
    claimed: str


class Sentence(NamedTuple):
    """A text that states a fact; ``start`` and ``end`` tell where in the text the words for its value stand."""

    text: str
    fact: str
    start: int
    end: int
    label: Label
    form: Form
    claimed: str
    beside: Beside | None = None


# A named tuple's own constructor is a Python function that costs more than all else about it.
_tuple: Any = tuple.__new__


class Scribe:
    """Writes the sentences of one page.

    Args:
        setting: The world in the page's language.
        grammar: The page's genre.
        plan: The page.
        dice: Its draws.
    """

    def __init__(self, setting: Setting, grammar: Grammar, plan: PagePlan, dice: Dice) -> None:
        self.setting = setting
        self.grammar = grammar
        self.plan = plan
        self._claims = plan.claims
        self.dice = dice
        self.used: set[Pattern] = set()
        self.slots: dict[str, str] = {}
        self._row: Row = ("", -1)
        self._named = False
        self._rows: dict[tuple[str, str], set[int]] = {}
        self._own = float(grammar.settings.get("own_words", _OWN))
        self._names: Sequence[str] = ()
        self._mention = Mention((), ())
        self._others = False
        self.sort = ""

    def text(self, rule: str, sort: str = "") -> str:
        """Render a rule that states nothing, of a sort of thing; by default of that which the page is about."""
        draw = self.dice.stock()
        return self.grammar.pick(self.grammar.fitting(rule, sort or self.sort), draw, self.used).render(
            self.slots, draw
        )[0]

    def speak_of(self, row: Row, *, named: bool) -> None:
        """Make a row the subject of what follows; ``named`` forbids pronouns and aliases."""
        self._speak_of(row, self.dice.stock(), named=named)

    def _speak_of(self, row: Row, draw: Callable[[], int], *, named: bool) -> None:
        if row != self._row or named != self._named:
            self._turn_to(row, named=named)
        elif named:
            return
        slots, names = self.slots, self._names
        slots["name"] = said = names[0]
        if not named:
            said = names[draw() % len(names)]
        subjects, possessives, _ = self._mention
        slots["s"] = subjects[draw() % len(subjects)].replace("{name}", said)
        owner = possessives[draw() % len(possessives)].replace("{name}", said)
        slots["ss"] = tidied(owner + " ", self.grammar.tidy)[:-1] if owner.endswith(self.setting.untidy) else owner

    def _turn_to(self, row: Row, *, named: bool) -> None:
        setting = self.setting
        table, number = row
        self._row, self._named = row, named
        self._mention = setting.mentions.get((table, named)) or self._mentions_of(table, named=named)
        name = setting.names[table][number]
        self._names = (name,) if named else (name, name, *setting.aliases.get(row, ()))

    def _mentions_of(self, table: str, *, named: bool) -> Mention:
        setting, settings = self.setting, settings_of(self.setting.language)
        kind = "_named"
        nouns = [""]
        if not named and setting.facts.tables[table].named:
            kind = "_person" if setting.sorts[table] == "person" else ""
            nouns = [one for one, _ in setting.nouns[table]]
        subjects, possessives = (
            tuple(text.replace("{noun}", noun) for noun in nouns for text in settings[role + kind])
            for role in ("subject", "possessive")
        )
        found = Mention(subjects, possessives, kind == "")
        setting.mentions[table, named] = found
        return found

    def state(self, item: Item, *, named: bool) -> Sentence:
        """A sentence that states the item; the subject is named after one that names another of its kind."""
        table, row, attribute = item
        voice = self.setting.voices[table, attribute]
        named = named or self._others
        self._others = voice.shape == "ref" and voice.column.target == table
        draw = self.dice.stock()
        if voice.series is None:
            self._speak_of((table, row), draw, named=named)
            wording = voice.wordings[draw() % len(voice.wordings)]
        else:
            wording = self._over_time(voice, voice.series, row, named=named)
        slots = self.slots
        slots["label"], slots["a_label"] = wording.label, wording.a_label
        if voice.key:
            return self._far_end(voice, row, wording)
        if self._claims and item in self._claims:
            return self._claimed(voice, item, wording)
        truth = voice.canonical[row]
        if truth is None:
            return self._made("undisclosed", voice, row, wording, "undisclosed", "plain", "")
        if voice.shape == "boolean":
            return self._made(truth, voice, row, wording, "sound", "plain", truth)
        form = voice.forms[row]
        if form == "unit":
            slots["value"] = voice.unit[row] or ""
        elif form != "plain":
            return self._indirect(voice, row, wording, truth)
        else:
            plain = voice.plain
            slots["value"] = plain[draw() % len(plain)](voice.values[row])
        if voice.said and self.dice.chance(self._own):
            return self._own_words(voice, row, self.dice.choice(voice.said), form, truth)
        return self._made(voice.shape, voice, row, wording, "sound", form, truth)

    def _far_end(self, voice: Voice, row: int, wording: Wording) -> Sentence:
        """What a relation leads to, told of what it comes from: `the deal of this phone is with that carrier`."""
        setting, slots = self.setting, self.slots
        table = setting.facts.tables[voice.table]
        near = [table.columns[key] for key in table.key if key != voice.attribute]
        names = [setting.names[column.target or ""][int(column.values[row])] for column in near]
        self.set_nouns(voice.table)
        self._row = ("", -1)
        slots["name"] = slots["s"] = join_list(names, setting.language)
        slots["value"] = self._say(voice, voice.values[row])
        truth = voice.canonical[row]
        return self._made("key_ref", voice, row, wording, "sound", "plain", truth or "")

    def _over_time(self, voice: Voice, series: Series, row: int, *, named: bool) -> Wording:
        """Speak of the entity that a row of a series is about, and give the label its period."""
        self.speak_of((series.target, series.owners[row]), named=named)
        draw = self.dice.stock()
        period = amounts.say_period(series.periods[row], series.every, self.setting.language, draw())
        self.slots["period"] = period
        wording = voice.wordings[draw() % len(voice.wordings)]
        patterns = self.grammar.settings["label_with_period"]
        pattern = patterns[draw() % len(patterns)].replace("{period}", period)
        label, a_label = (pattern.replace("{label}", text) for text in (wording.label, wording.a_label))
        return Wording(label, a_label, wording.suffix, wording.many)

    def _made(
        self, rule: str, voice: Voice, row: int, wording: Wording, label: Label, form: Form, claimed: str
    ) -> Sentence:
        draw = self.dice.stock()
        shape = self.grammar.pick(rule + wording.suffix, draw, self.used, wording.many)
        text, start, end = shape.render(self.slots, draw)
        made: Sentence = _tuple(Sentence, (text, voice.facts[row], start, end, label, form, claimed, None))
        return made

    def _claimed(self, voice: Voice, item: Item, wording: Wording) -> Sentence:
        value, label = self._claims[item]
        row = item[1]
        claimed = canonical(voice.column, value, row) or ""
        if voice.shape == "boolean":
            return self._made(claimed, voice, row, wording, label, "plain", claimed)
        self.slots["value"] = self._say(voice, value)
        return self._made(voice.shape, voice, row, wording, label, "plain", claimed)

    def _say(self, voice: Voice, value: int) -> str:
        """A value of the column, which need not be that of any row."""
        plain = voice.plain
        return plain[self.dice.draw() % len(plain)](value)

    def _indirect(self, voice: Voice, row: int, wording: Wording, truth: str) -> Sentence:
        """A sentence from which the value follows by a distance in time, a comparison or a correction."""
        if voice.forms[row] == "relative" and self.plan.date is not None:
            told = amounts.since(voice.values[row], self.plan.date, self.setting.language)
            if told is not None:
                self.slots["value"] = self.slots["delta"] = told
                pattern = self._fitting(voice, "relative")
                if pattern:
                    return self._own_words(voice, row, pattern, "relative", truth)
                rule = "date_relative" if voice.values[row] < self.plan.date else "date_ahead"
                return self._made(rule, voice, row, wording, "sound", "relative", truth)
        peer = voice.peers.get(row)
        if peer is not None and self._room_for(voice, peer):
            return self._compared(voice, row, peer, wording, truth)
        return self._made(self._corrected(voice, row), voice, row, wording, "sound", "two_step", truth)

    def _room_for(self, voice: Voice, peer: int) -> bool:
        """Whether another row may be stated on this page: it is not claimed otherwise, and not one row too many."""
        if self._claims and (voice.table, peer, voice.attribute) in self._claims:
            return False
        column = (voice.table, voice.attribute)
        rows = self._rows.get(column)
        if rows is None:
            rows = self._rows[column] = {item[1] for item in self.plan.items() if (item[0], item[2]) == column}
        if peer not in rows and len(rows) >= MOST_ROWS:
            return False
        rows.add(peer)
        return True

    def _compared(self, voice: Voice, row: int, peer: int, wording: Wording, truth: str) -> Sentence:
        """The value by its distance from that of another row, which is stated as well."""
        value, base = voice.values[row], voice.values[peer]
        if voice.series is None:
            # A noun or a pronoun beside the other's name might mean the other.
            self.speak_of((voice.table, row), named=True)
            self._others = True
        slots, language = self.slots, self.setting.language
        slots["base"] = said = self._say(voice, base)
        if voice.series is not None:
            slots["other"] = amounts.say_period(voice.series.periods[peer], voice.series.every, language)
            rule = "more_than_before" if value > base else "less_than_before"
        else:
            slots["other"] = self.setting.names[voice.table][peer]
            rule = "more_than" if value > base else "less_than"
        if voice.shape == "number":
            slots["delta"] = self._change(voice, abs(value - base))
            slots.update(self.grammar.settings["counted" if voice.counted else "measured"])
        else:
            rule = f"{voice.shape}_compared"
            slots["delta"] = amounts.apart_from(value - base, voice.shape, language)
        made = None
        if voice.series is None:
            pattern = self._fitting(voice, voice.shape)
            if pattern:
                # The comparison stands where the value would.
                slots["value"] = self.dice.choice(self.grammar.settings["compared"][rule]).format_map(slots)
                made = self._own_words(voice, row, pattern, "two_step", truth)
        made = made or self._made(rule, voice, row, wording, "sound", "two_step", truth)
        told = made.text[made.start : made.end]
        at = made.start + _place_of(said, told, last=told.startswith(slots["delta"]))
        beside = Beside(voice.facts[peer], at, at + len(said), voice.canonical[peer] or "")
        return made._replace(beside=beside)

    def _fitting(self, voice: Voice, kind: str) -> str:
        """A sentence of the schema's own in which words of that kind can stand for the value, if one is wanted."""
        before = self.grammar.settings["before_value"].get(kind)
        if before is None or not voice.said or not self.dice.chance(self._own):
            return ""
        place = before + "{value}"
        if kind != "relative":
            place += "."
        found = [text for text in voice.said if place in text]
        return self.dice.choice(found).replace(before + "{value}", "{value}") if found else ""

    def _corrected(self, voice: Voice, row: int) -> str:
        """Fill base and delta for a sentence that puts an earlier figure right; returns its rule."""
        value, step, language = voice.values[row], voice.steps[row], self.setting.language
        if voice.shape == "number":
            up, base, delta = apart(voice, value, step)
            self.slots["base"] = self._say(voice, base)
            self.slots["delta"] = self._change(voice, delta)
            return "two_step_up" if up else "two_step_down"
        if voice.shape == "year":
            gap = 1 + step % 4
            self.slots["base"] = self._say(voice, value - gap)
            self.slots["delta"] = amounts.years_later(gap, language)
            return "year_two_step"
        gap = _GAPS[step % len(_GAPS)]
        self.slots["base"] = amounts.say_date(value - gap, language, self.dice.draw())
        self.slots["delta"] = amounts.days_later(gap, language)
        return "date_two_step"

    def _change(self, voice: Voice, delta: int) -> str:
        if voice.column.type == "percent":
            return amounts.say_points(voice.column, delta, self.setting.language, self.grammar.settings["points"])
        return voice.plain[0](delta)

    def _own_words(self, voice: Voice, row: int, pattern: str, form: Form, truth: str) -> Sentence:
        """A sentence of the schema's own, with an opener or a tail of the genre's."""
        subject = self.slots["s"]
        opener = ""
        if pattern.startswith("{name}"):
            if self._mention.thing and self.dice.below(_PRONOUN) == 0:
                subject = str(self.grammar.settings["pronoun"])
            elif self.dice.below(_OPENED) == 0:
                opener = self.text("opener")
        before, _, after = pattern.replace("{name}", subject).partition("{value}")
        value = self.slots["value"]
        if "s's" in before:
            before = before.replace("s's ", "s' ")
        if opener:
            before = opener + str(self.grammar.settings["sentence_gap"]) + before
        before = before[:1].upper() + before[1:]
        start = len(before)
        return Sentence(before + value + after, voice.facts[row], start, start + len(value), "sound", form, truth)

    def cell(self, item: Item, way: Callable[[int], str] | None = None) -> Sentence | None:
        """A table cell that states the item, or None where its form needs a sentence.

        ``way`` is how the column is said, where all its cells are to be said alike.
        """
        voice = self.setting.voices[item[0], item[2]]
        row = item[1]
        fact = voice.facts[row]
        if item in self._claims:
            value, label = self._claims[item]
            claimed = canonical(voice.column, value, row) or ""
            text = self._yes_no(claimed) if voice.shape == "boolean" else (way or voice.plain[0])(value)
            return Sentence(text, fact, 0, len(text), label, "plain", claimed)
        truth = voice.canonical[row]
        if truth is None:
            text = self.text("cell_undisclosed")
            return Sentence(text, fact, 0, len(text), "undisclosed", "plain", "")
        form = voice.forms[row]
        if form == "unit" and way is None:
            text = voice.unit[row] or ""
        elif form != "plain":
            return None
        elif voice.shape == "boolean":
            text = self._yes_no(truth)
        else:
            text = way(voice.values[row]) if way else self._say(voice, voice.values[row])
        made: Sentence = _tuple(Sentence, (text, fact, 0, len(text), "sound", form, truth, None))
        return made

    def _yes_no(self, truth: str) -> str:
        words = self.grammar.settings["cell_yes" if truth == "yes" else "cell_no"]
        return str(words[self.dice.draw() % len(words)])

    def set_nouns(self, table: str) -> None:
        """Fill the slots for the nouns of a table's rows."""
        nouns = self.setting.nouns[table]
        one, many = nouns[self.dice.below(len(nouns))]
        self.slots["noun"] = one
        self.slots["nouns"] = many
        self.slots["scope"] = self.setting.scopes[table]
        self.slots["a_noun"] = with_article(one) if self.setting.language == "en" else one


def apart(voice: Voice, value: int, step: int) -> tuple[bool, int, int]:
    """A value as a first figure and a change: whether it went up, the first figure, the change; all above zero."""
    unit = step_of(voice.column, value)
    most = max(1, min(12, abs(value) // (4 * unit)))
    delta = unit * (1 + step % most)
    up = bool(step >> 20 & 1)
    if value - delta <= 0:
        if value > unit:
            delta = unit
        up = up and value - delta > 0
    if voice.column.type == "percent" and value + delta > 100 * 10**voice.column.decimals:
        up = value - delta > 0
    base = value - delta if up else value + delta
    return up, base, delta


def _place_of(said: str, told: str, *, last: bool) -> int:
    """Where a value stands as a word of its own in what is told: `22` not in the year 2022.

    >>> _place_of("22", "in 2022 (22)", last=False)
    9
    """
    places = [match.start() for match in re.finditer(rf"(?<![A-Za-z0-9]){re.escape(said)}(?![A-Za-z0-9])", told)]
    if not places:
        return told.rindex(said) if last else told.index(said)
    return places[-1 if last else 0]
