"""One fact, one sentence: picks the words for an item and tells where its value stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from worldgen.corpus import amounts
from worldgen.corpus.dice import Dice
from worldgen.corpus.grammar import Grammar
from worldgen.corpus.noise import step_of
from worldgen.corpus.plan import Item, PagePlan, Row, Setting
from worldgen.corpus.voice import Voice
from worldgen.facts.tables import canonical
from worldgen.language import with_article
from worldgen.records import Form, Label, Statement

_SAID = 0.25


class Sentence(NamedTuple):
    """A text that states an item; offsets are within the text."""

    text: str
    item: Item
    start: int
    end: int
    label: Label
    form: Form
    claimed: str

    def at(self, setting: Setting, offset: int, start: int, end: int) -> Statement:
        """The statement, the text beginning at ``offset`` of the body and the span being ``[start, end)``."""
        table = setting.facts.tables[self.item[0]]
        fact = table.fact(self.item[1], self.item[2])
        return Statement(
            fact, start, end, offset + self.start, offset + self.end, self.label, self.form, self.claimed
        )


class _Mention(NamedTuple):
    """How a row may be spoken of: its name first, then aliases; a noun; patterns for subject and possessive."""

    names: tuple[str, ...]
    noun: str
    subjects: Sequence[str]
    possessives: Sequence[str]


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
        self.dice = dice
        self.used: set[int] = set()
        self.slots: dict[str, str] = {}
        self.suffix = ""
        self._mentions: dict[tuple[Row, bool], _Mention] = {}

    def text(self, rule: str) -> str:
        """Render a rule that states nothing."""
        return self.grammar.text(rule, self.slots, self.dice.draw, self.used)

    def speak_of(self, row: Row, *, named: bool) -> None:
        """Make a row the subject of what follows; ``named`` forbids pronouns and aliases."""
        key = (row, named)
        mention = self._mentions.get(key)
        if mention is None:
            mention = self._mentions[key] = self._mentions_of(row, named=named)
        raw = self.dice.draw()
        name, noun = mention.names[(raw >> 8) % len(mention.names)], mention.noun
        self.slots["name"] = mention.names[0]
        self.slots["s"] = mention.subjects[raw % len(mention.subjects)].replace("{name}", name).replace("{noun}", noun)
        pattern = mention.possessives[(raw >> 16) % len(mention.possessives)]
        self.slots["ss"] = pattern.replace("{name}", name).replace("{noun}", noun)

    def _mentions_of(self, row: Row, *, named: bool) -> _Mention:
        setting, settings = self.setting, self.grammar.settings
        name = setting.names[row[0]][row[1]]
        if not setting.facts.tables[row[0]].named:
            return _Mention((name,), "", settings["subject_named"], settings["possessive_named"])
        noun = setting.nouns[row[0]][self.dice.below(len(setting.nouns[row[0]]))][0]
        if named:
            return _Mention((name,), noun, settings["subject_named"], settings["possessive_named"])
        kind = "_person" if self._is_person(row[0]) else ""
        names = (name, name, *setting.aliases.get(row, []))
        return _Mention(names, noun, settings["subject" + kind], settings["possessive" + kind])

    def _is_person(self, table: str) -> bool:
        entity = self.setting.facts.schema.entities.get(table)
        return entity is not None and entity.name is not None and entity.name.kind == "person"

    def state(self, item: Item, *, named: bool) -> Sentence:
        """A sentence that states the item."""
        table, row, _ = item
        voice = self.setting.voices[table, item[2]]
        subject, phrased = self._subject(item)
        self.speak_of(subject, named=named)
        many = self._label(voice, item)
        if item in self.plan.claims:
            return self._claimed(voice, item, many, phrased)
        truth = voice.canonical[row]
        if truth is None:
            return self._made("undisclosed", item, many, phrased, "undisclosed", "plain", "")
        if voice.shape == "boolean":
            return self._made(truth, item, many, phrased, "sound", "plain", truth)
        form = voice.forms[row]
        if form == "unit":
            self.slots["value"] = voice.unit[row] or ""
        elif form != "plain":
            rule, form = self._indirect(voice, row)
            if rule:
                return self._made(rule, item, many, phrased, "sound", form, truth)
        if form == "plain":
            self.slots["value"] = self._say(voice, voice.values[row])
        if voice.said and self.dice.chance(_SAID):
            return self._own_words(voice, item, form, truth)
        return self._made(voice.shape, item, many, phrased, "sound", form, truth)

    def _subject(self, item: Item) -> tuple[Row, bool]:
        table = self.setting.facts.tables[item[0]]
        if table.kind == "series":
            of, period = table.key
            column = table.columns[of]
            every = table.columns[period]
            self.slots["period"] = amounts.say_period(
                int(every.values[item[1]]), every.every or "year", self.setting.language, self.dice.draw()
            )
            return (column.target or "", int(column.values[item[1]])), False
        return (item[0], item[1]), not table.named

    def _label(self, voice: Voice, item: Item) -> bool:
        pick = self.dice.draw()
        index = pick % len(voice.labels)
        label = voice.labels[index]
        if self.setting.facts.tables[item[0]].kind == "series":
            patterns = self.grammar.settings["label_with_period"]
            pattern = patterns[(pick >> 20) % len(patterns)]
            label = pattern.replace("{label}", label).replace("{period}", self.slots["period"])
        self.slots["label"] = label
        self.suffix = "/loose" if voice.loose[index] else "/many" if voice.many[index] else ""
        if not self.suffix and self.setting.language == "en":
            self.slots["a_label"] = with_article(label)
        return voice.many[index]

    def _made(
        self, rule: str, item: Item, many: bool, phrased: bool, label: Label, form: Form, claimed: str  # noqa: FBT001
    ) -> Sentence:
        rule += self.suffix + ("/phrase" if phrased else "")
        made = self.grammar.render(rule, self.slots, self.dice.draw, self.used, many=many)
        return Sentence(made.text, item, made.start, made.end, label, form, claimed)

    def _claimed(self, voice: Voice, item: Item, many: bool, phrased: bool) -> Sentence:  # noqa: FBT001
        value, label = self.plan.claims[item]
        claimed = canonical(voice.column, value, item[1]) or ""
        if voice.shape == "boolean":
            return self._made(claimed, item, many, phrased, label, "plain", claimed)
        self.slots["value"] = self._say(voice, value)
        return self._made(voice.shape, item, many, phrased, label, "plain", claimed)

    def _say(self, voice: Voice, value: int) -> str:
        """A value of the column, which need not be that of any row."""
        return voice.plain[self.dice.draw() % len(voice.plain)](value)

    def _indirect(self, voice: Voice, row: int) -> tuple[str, Form]:
        """Fill base and delta; returns the rule, or "" where the value must be said plainly after all."""
        value = voice.values[row]
        language = self.setting.language
        step = voice.steps[row]
        if voice.shape == "number":
            up, base, delta = apart(voice, value, step)
            self.slots["base"] = self._say(voice, base)
            self.slots["delta"] = self._change(voice, delta)
            return "two_step_up" if up else "two_step_down", "two_step"
        if voice.shape == "year":
            gap = 1 + step % 4
            self.slots["base"] = self._say(voice, value - gap)
            self.slots["delta"] = amounts.distance_in_years(value, value - gap, language) or ""
            return "year_two_step", "two_step"
        if voice.forms[row] == "relative" and self.plan.date is not None:
            told = amounts.distance(value, self.plan.date, language)
            if told is not None:
                words = self.grammar.settings["page_date"]
                self.slots["base"] = words[self.dice.draw() % len(words)]
                self.slots["delta"] = told
                return "date_relative", "relative"
        gaps = [*range(2, 14), *range(14, 57, 7)]
        gap = gaps[step % len(gaps)]
        self.slots["base"] = amounts.say_date(value - gap, language, self.dice.draw())
        self.slots["delta"] = amounts.distance(value, value - gap, language) or ""
        return "date_two_step", "two_step"

    def _change(self, voice: Voice, delta: int) -> str:
        if voice.column.type == "percent":
            return amounts.say_points(voice.column, delta, self.setting.language, self.grammar.settings["points"])
        return voice.plain[0](delta)

    def _own_words(self, voice: Voice, item: Item, form: Form, truth: str) -> Sentence:
        pattern = voice.said[self.dice.below(len(voice.said))]
        before, _, after = pattern.replace("{name}", self.slots["name"]).partition("{value}")
        value = self.slots["value"]
        text = before + value + after
        return Sentence(
            text[:1].upper() + text[1:], item, len(before), len(before) + len(value), "sound", form, truth
        )

    def cell(self, item: Item) -> Sentence | None:
        """A table cell that states the item, or None where its form needs a sentence."""
        voice = self.setting.voices[item[0], item[2]]
        row = item[1]
        if item in self.plan.claims:
            value, label = self.plan.claims[item]
            claimed = canonical(voice.column, value, row) or ""
            text = self._yes_no(claimed) if voice.shape == "boolean" else self._say(voice, value)
            return Sentence(text, item, 0, len(text), label, "plain", claimed)
        truth = voice.canonical[row]
        if truth is None:
            text = self.text("cell_undisclosed")
            return Sentence(text, item, 0, len(text), "undisclosed", "plain", "")
        if voice.forms[row] == "unit":
            text = voice.unit[row] or ""
        elif voice.forms[row] != "plain":
            return None
        elif voice.shape == "boolean":
            text = self._yes_no(truth)
        else:
            text = self._say(voice, voice.values[row])
        return Sentence(text, item, 0, len(text), "sound", voice.forms[row], truth)

    def _yes_no(self, truth: str) -> str:
        words = self.grammar.settings["cell_yes" if truth == "yes" else "cell_no"]
        return str(words[self.dice.draw() % len(words)])

    def set_nouns(self, table: str) -> None:
        """Fill the slots for the nouns of a table's rows."""
        nouns = self.setting.nouns[table]
        one, many = nouns[self.dice.below(len(nouns))]
        self.slots["noun"] = one
        self.slots["nouns"] = many
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
