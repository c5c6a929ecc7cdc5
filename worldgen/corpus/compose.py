"""Sets a planned page in Markdown: what stands above and below, and each block in its own manner."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from worldgen.corpus import amounts
from worldgen.corpus.body import Body
from worldgen.corpus.dating import newest
from worldgen.corpus.dice import Dice
from worldgen.corpus.grammar import load_grammar
from worldgen.corpus.plan import Block, Item, PagePlan, Row, Setting
from worldgen.corpus.prose import Posts, Prose
from worldgen.corpus.sentences import Scribe, Sentence
from worldgen.corpus.voice import Voice, labels_of, renderers_of
from worldgen.language import join_list

_BARE = 0.65
"""How often a column of numbers has its unit in the heading."""

Say = Callable[[int], str]


def _nouns_all(setting: Setting, table: str) -> str:
    found = setting.nouns_all.get(table)
    if found is None:
        found = setting.nouns_all[table] = join_list([many for _, many in setting.nouns[table]], setting.language)
    return found


class Composer:
    """Writes one page.

    Args:
        setting: The world in the page's language.
        plan: The page.
        articles: Where the article of an entity is.
        dice: The draws of the page.
    """

    def __init__(self, setting: Setting, plan: PagePlan, articles: dict[Row, str], dice: Dice) -> None:
        self.setting = setting
        self.plan = plan
        self.articles = articles
        self.dice = dice
        self.grammar = load_grammar(setting.language, plan.genre)
        self.scribe = Scribe(setting, self.grammar, plan, dice)
        self.body = Body()
        self.gap = str(self.grammar.settings["sentence_gap"])
        self.prose = (Posts if plan.genre == "thread" else Prose)(setting, self.scribe, self.body, plan, dice)
        self._told: Item | None = None
        self._empty = str(self.grammar.settings["cell_empty"])
        self.single = plan.subject is not None
        self._fill_slots()

    def _fill_slots(self) -> None:
        setting, plan, slots = self.setting, self.plan, self.scribe.slots
        slots["scope"] = setting.scope
        slots["region"] = setting.facts.scope.say(setting.language)
        slots["site"] = setting.directory.names[plan.site]
        slots["part"] = plan.part
        slots["date"] = "" if plan.date is None else amounts.say_date(plan.date, setting.language, self.dice.draw())
        table = plan.table or (plan.topics[0][0] if plan.topics else "")
        if table:
            self.scribe.set_nouns(self._subjects_of(table) if not plan.topics else table)
            slots["nouns_all"] = _nouns_all(setting, table)
        sorts = {setting.sorts[of] for of, _ in plan.topics} or {
            setting.sorts[self._subjects_of(table)] if table else ""
        }
        self.scribe.sort = sorts.pop() if len(sorts) == 1 else ""
        names = [setting.names[row[0]][row[1]] for row in plan.topics]
        slots["names"] = names[0] if len(names) == 1 else join_list(names, setting.language)
        slots["name"] = slots["s"] = names[0] if names else ""
        if plan.coined:
            self.scribe.sort = "body"
            slots["name"] = slots["s"] = slots["names"] = plan.coined[1 if setting.language == "zh" else 0]
        slots["ss"] = self.grammar.settings["possessive_named"][0].replace("{name}", slots["name"])
        if plan.attribute:
            slots["label"] = self.dice.choice(setting.voices[table, plan.attribute].labels)

    def _subjects_of(self, table: str) -> str:
        """The table whose nouns tell what a page over many rows is about: of a series its entity."""
        source = self.setting.facts.tables[table]
        return source.columns[source.key[0]].target or table if source.kind == "series" else table

    def title(self) -> str:
        """The page's title: names and words of the genre."""
        plan = self.plan
        if plan.kind == "background":
            return self.scribe.text("title_background")
        if plan.part:
            return self.scribe.text("title_list")
        if plan.genre in ("ranking", "statistics") and not plan.topics:
            return self.scribe.text("title_table")
        if plan.table:
            return self.scribe.text("title_joined" if plan.topics else "title_table")
        return self.scribe.text("title")

    def anchor(self, target: PagePlan) -> str:
        """What a link to another page reads: its title, or words of this page's own where it goes over many."""
        slots = self.scribe.slots
        if target.topics or target.coined or not target.table:
            return target.title
        nouns = self.setting.nouns[self._subjects_of(target.table)]
        slots["nouns"], slots["part"] = nouns[self.dice.below(len(nouns))][1], target.part
        if target.part:
            return self.scribe.text("anchor_list")
        slots["label"] = self.dice.choice(self.setting.voices[target.table, target.attribute].labels)
        return self.scribe.text("anchor_table")

    def compose(self, see_also: Sequence[PagePlan], related: Sequence[tuple[str, str]]) -> Body:
        """Write the body.

        Args:
            see_also: Pages that this one must link to.
            related: Addresses and titles of its boilerplate.
        """
        text, body = self.scribe.text, self.body
        self._top()
        if self.plan.part:
            self._turn_pages()
        self._open()
        for i, block in enumerate(self.plan.blocks):
            self._block(block, first=i == 0)
        if self.plan.kind == "background":
            self._background()
        elif self.dice.chance(0.6):
            self.prose.turn()
            body.paragraph(text("close"))
        if see_also:
            body.paragraph("## " + text("heading_links"))
            lines = [f"- {body.link(target.url, self.anchor(target))}\n" for target in see_also]
            body.add("".join(lines) + "\n")
        self._bottom(related)
        return body

    def _top(self) -> None:
        text, body, slots = self.scribe.text, self.body, self.scribe.slots
        words = self.grammar.settings["classes"][self.setting.directory.sites[self.plan.site].trust]
        slots["class"] = words
        top = [text("menu"), text("dateline" if self.plan.date is not None else "dateline_undated")]
        for line in self.dice.shuffled(top):
            body.paragraph(line)

    def _bottom(self, related: Sequence[tuple[str, str]]) -> None:
        text, body = self.scribe.text, self.body
        if related:
            links = [body.link(url, title) for url, title in related]
            body.paragraph(text("related") + " " + str(self.grammar.settings["link_gap"]).join(links))
        if self.dice.chance(0.5):
            body.paragraph(text("notice"))

    def _turn_pages(self) -> None:
        body, text = self.body, self.scribe.text
        links = []
        if self.plan.previous:
            links.append(body.link(self.plan.previous, text("previous")))
        if self.plan.next:
            links.append(body.link(self.plan.next, text("next")))
        if links:
            body.paragraph(str(self.grammar.settings["link_gap"]).join(links))

    def _intro(self) -> str:
        plan = self.plan
        if plan.kind == "background":
            return "lead_background"
        if plan.part:
            return "lead_list"
        if plan.table:
            return "lead_joined" if plan.topics else "lead_table"
        return "lead" if self.single else "lead_many"

    def _block(self, block: Block, *, first: bool) -> None:
        if block.about:
            self.scribe.set_nouns(block.about)
        if block.kind == "infobox":
            self._infobox(block)
        elif block.kind == "prose":
            if block.items:
                self._prose(block, first=first)
        elif block.kind == "grid":
            self._grid(block)
        elif block.kind == "series":
            self._series(block)
        elif block.kind == "entries":
            self._entries(block)
        else:
            self._ranking(block)

    def _infobox(self, block: Block) -> None:
        body, settings = self.body, self.grammar.settings
        if not block.items:
            return
        heads = self.dice.choice(settings["infobox_heads"])
        body.add(f"| {heads[0]} | {heads[1]} |\n| --- | --- |\n")
        notes: list[Item] = []
        for item in self.dice.shuffled(block.items):
            voice = self.setting.voices[item[0], item[2]]
            cell = self.scribe.cell(item)
            if cell is None:
                notes.append(item)
                continue
            label = self.dice.choice(voice.labels)
            body.line(f"| {label[:1].upper() + label[1:]} | ", [cell, " |"])
        body.add("\n")
        self._notes(notes)

    def _notes(self, items: Sequence[Item]) -> None:
        named = not self.single
        self.prose.paragraphs([self.scribe.state(item, named=named) for item in items])

    def _prose(self, block: Block, *, first: bool) -> None:
        if block.about and not first and len(self.plan.topics) <= 1:
            self._heading()
        items = [item for item in block.items if item != self._told]
        if items and not block.about:
            self.scribe.set_nouns(items[0][0])
            self.scribe.speak_of((items[0][0], items[0][1]), named=True)
        self.prose.items(block, self.dice.shuffled(items), first=first)

    def _heading(self) -> None:
        if self.plan.genre != "thread":
            self.body.paragraph("## " + self.scribe.text("heading_joined"))

    def _open(self) -> None:
        """The first paragraph: of a report the newest thing that it has to tell, of others what they are about."""
        intro = self._intro()
        if self.plan.genre == "news" and self.plan.kind != "background":
            place = "lead_place" if self.plan.date is not None else "lead_place_undated"
            parts: list[str | Sentence] = [self.scribe.text(place)]
            self._told = newest(self.setting, self.plan)
            if self._told is not None:
                parts.append(self.scribe.state(self._told, named=True))
            parts.append(self.scribe.text(intro))
            self.body.sentences(parts, self.gap)
        else:
            self.prose.turn()
            self.body.paragraph(self.scribe.text(intro))

    def _grid(self, block: Block) -> None:
        table = self.setting.facts.tables[block.about]
        self._heading()
        keys = [""] if table.named else list(table.key)
        columns = self.dice.shuffled([column for column in block.columns if column not in keys])
        heads = [self._key_head(block.about, key) for key in keys]
        ways: list[Say | None] = [None] * len(keys)
        for column in columns:
            voice = self.setting.voices[block.about, column]
            way, unit = self._way(voice)
            heads.append(self.dice.choice(voice.labels) + unit)
            ways.append(way)
        self.prose.turn()
        wanted = set(block.items)
        rows: list[list[str | Item]] = []
        for row in block.rows:
            cells: list[str | Item] = [self._key_cell(row, key, wanted) for key in keys]
            items = [(*row, column) for column in columns]
            rows.append(cells + [item if item in wanted else self._empty for item in items])
        self._table(heads, rows, ways)

    def _way(self, voice: Voice) -> tuple[Say | None, str]:
        """How a whole column is said, and what its heading tells of the unit."""
        if voice.shape == "number" and self.dice.chance(_BARE):
            way, unit = amounts.bare(voice.column, self.setting.language)
            return way, str(self.grammar.settings["unit_in_heading"]).replace("{unit}", unit) if unit else ""
        return (self.dice.choice(voice.plain) if voice.plain else None), ""

    def _table(self, heads: Sequence[str], rows: Sequence[Sequence[str | Item]], ways: Sequence[Say | None]) -> None:
        """A Markdown table; items whose form needs a sentence get a mark there and the sentence below."""
        body = self.body
        body.add("| " + " | ".join(head[:1].upper() + head[1:] for head in heads) + " |\n")
        body.add("|" + " --- |" * len(heads) + "\n")
        notes: list[Item] = []
        for row in rows:
            parts: list[str | Sentence] = []
            for cell, way in zip(row, ways, strict=True):
                found = cell if isinstance(cell, str) else self.scribe.cell(cell, way)
                if found is None and not isinstance(cell, str):
                    notes.append(cell)
                    found = str(self.grammar.settings["cell_note"])
                parts.extend(["| " if not parts else " | ", found or ""])
            body.line("", [*parts, " |"])
        body.add("\n")
        if notes:
            body.paragraph(self.scribe.text("caption"))
        self.prose.paragraphs([self.scribe.state(item, named=True) for item in notes])

    def _key_head(self, table: str, key: str) -> str:
        if not key:
            return self.scribe.slots["noun"]
        setting = self.setting
        return self.dice.choice(labels_of(setting.facts, setting.facts.tables[table], key, setting.language))

    def _key_cell(self, row: Row, key: str, wanted: set[Item]) -> str | Item:
        table = self.setting.facts.tables[row[0]]
        if not key:
            return self.setting.names[row[0]][row[1]]
        if (*row, key) in wanted:
            return (*row, key)
        column, value = table.columns[key], int(table.columns[key].values[row[1]])
        if column.type == "ref" and value < 0:
            return self._empty
        return renderers_of(self.setting.facts, column, self.setting.language)[0](value)

    def _series(self, block: Block) -> None:
        setting = self.setting
        table = setting.facts.tables[block.about]
        of, period = (table.columns[key] for key in table.key)
        every = period.every or "year"
        cells: dict[tuple[int, int], Item] = {}
        for item in block.items:
            cells[int(of.values[item[1]]), int(period.values[item[1]])] = item
        periods = sorted({p for _, p in cells})
        voice = setting.voices[block.about, block.columns[0]]
        label = self.dice.choice(voice.labels)
        way, unit = self._way(voice)
        self.body.paragraph("## " + label[:1].upper() + label[1:] + unit)
        head = self.dice.choice(setting.nouns[of.target or ""])[0]
        across = [amounts.say_period(p, every, setting.language) for p in periods]
        rows = [
            [setting.names[row[0]][row[1]], *(cells.get((row[1], p), self._empty) for p in periods)]
            for row in block.rows
        ]
        self._table([head, *across], rows, [None, *[way] * len(across)])

    def _entries(self, block: Block) -> None:
        if not self.plan.part:
            self.body.paragraph("## " + self.scribe.text("heading_family"))
        by: dict[Row, list[Item]] = {row: [] for row in block.rows}
        for item in block.items:
            by[item[0], item[1]].append(item)
        for row, items in by.items():
            owners = self.setting.owners(row)
            links = [self._link_to(owner) for owner in owners]
            parts: list[str | Sentence] = [str(self.grammar.settings["owner_gap"]).join(links)]
            parts.append(str(self.grammar.settings["entry_gap"]))
            if not items:
                self.scribe.speak_of(row, named=True)
                gap = str(self.grammar.settings["phrase_gap"])
                phrase = "" if self.setting.facts.tables[row[0]].named else self.scribe.slots["name"] + gap
                parts.append(phrase + self.scribe.text("entry"))
            for i, item in enumerate(items):
                parts.extend([self.gap] if i else [])
                parts.append(self.scribe.state(item, named=True))
            self.body.line("- ", parts)
        self.body.add("\n")

    def _link_to(self, owner: Row) -> str:
        name = self.setting.names[owner[0]][owner[1]]
        return self.body.link(self.articles[owner], name) if owner in self.articles else name

    def _ranking(self, block: Block) -> None:
        for place, item in enumerate(block.items):
            row = (item[0], item[1])
            parts: list[str | Sentence] = [self._link_to(row), str(self.grammar.settings["entry_gap"])]
            parts.append(self.scribe.state(item, named=True))
            self.body.line(f"{place + 1}. ", parts)
        self.body.add("\n")

    def _background(self) -> None:
        for _ in range(3 + self.dice.below(2)):
            count = 3 + self.dice.below(2)
            self.body.sentences([self.scribe.text("background") for _ in range(count)], self.gap)
