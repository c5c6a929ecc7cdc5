"""Running text: the items of a block as paragraphs, in a forum as posts of several hands."""

from __future__ import annotations

from collections.abc import Sequence

from worldgen.corpus.body import Body
from worldgen.corpus.dice import Dice
from worldgen.corpus.plan import Block, Item, PagePlan, Setting
from worldgen.corpus.sentences import Scribe, Sentence

Parts = list[str | Sentence]
_FILLER_EVERY = 3
_QUOTED = 0.3
_ANSWERED = 0.4
_ASIDE = 0.2


class Prose:
    """Sets sentences in paragraphs.

    Args:
        setting: The world in the page's language.
        scribe: Writes the sentences.
        body: What they are added to.
        plan: The page.
        dice: Its draws.
    """

    def __init__(self, setting: Setting, scribe: Scribe, body: Body, plan: PagePlan, dice: Dice) -> None:
        self.setting = setting
        self.scribe = scribe
        self.body = body
        self.plan = plan
        self.dice = dice
        self.gap = str(scribe.grammar.settings["sentence_gap"])

    def items(self, block: Block, items: Sequence[Item], *, first: bool) -> None:
        """The items of a block, each in a sentence; ``first`` says that the page begins with them."""
        if block.about:
            parts: Parts = [self.scribe.state(item, named=True) for item in items]
            if len(parts) > 2 and self.dice.chance(0.5):
                parts.insert(self.dice.below(2), self.scribe.text("filler_many"))
            self.paragraphs(parts)
            return
        at = 0
        single = self.plan.subject is not None
        start = self.dice.below(_FILLER_EVERY)
        while at < len(items):
            size = self._size(len(items) - at)
            parts = []
            for place in range(at, at + size):
                item = items[place]
                parts.append(self.scribe.state(item, named=place == 0 and first if single else place == at))
                if (place + start) % _FILLER_EVERY == _FILLER_EVERY - 1:
                    self.scribe.speak_of((item[0], item[1]), named=False)
                    parts.append(self.scribe.text("filler", self.setting.sorts[item[0]]))
            self.paragraph(parts)
            at += size

    def paragraphs(self, parts: Sequence[str | Sentence]) -> None:
        """Sentences in paragraphs of three to five."""
        at = 0
        while at < len(parts):
            size = self._size(len(parts) - at)
            self.paragraph(parts[at : at + size])
            at += size

    def _size(self, left: int) -> int:
        size = 3 + self.dice.below(3)
        return left if left - size < 2 else size

    def paragraph(self, parts: Sequence[str | Sentence]) -> None:
        """One paragraph."""
        self.body.sentences(parts, self.gap)

    def turn(self) -> None:
        """Let another hand write what follows, where a page has several."""


class Posts(Prose):
    """The same in a forum: each paragraph is a post, some answer or quote the one before."""

    def __init__(self, setting: Setting, scribe: Scribe, body: Body, plan: PagePlan, dice: Dice) -> None:
        super().__init__(setting, scribe, body, plan, dice)
        handles = scribe.grammar.settings["handles"]
        self._posters = list(dict.fromkeys(dice.choice(handles) for _ in range(3 + dice.below(3))))
        self._last = ""
        self._said: Sentence | None = None

    def _size(self, left: int) -> int:
        return min(left, 1 + self.dice.below(3))

    def turn(self) -> None:
        """The name of the next poster."""
        others = [one for one in self._posters if one != self._last] or self._posters
        self._post(others[self.dice.below(len(others))] if self._last else self._posters[0])

    def _post(self, poster: str) -> None:
        self.scribe.slots["handle"] = self._last
        self._last = poster
        self.body.paragraph(str(self.scribe.grammar.settings["post"]).replace("{handle}", poster))

    def paragraph(self, parts: Sequence[str | Sentence]) -> None:
        """One post, now and then with a quotation or an aside before it."""
        answers = self._said is not None
        if answers and self.dice.chance(_ASIDE):
            self.turn()
            self.body.paragraph(self.scribe.text("aside"))
        self.turn()
        opened: Parts = []
        if answers and self._said is not None and self.dice.chance(_QUOTED):
            self.body.line("> ", [self._said])
            self.body.add("\n")
            opened = [self.scribe.text("on_quote")]
        elif answers and self.dice.chance(_ANSWERED):
            opened = [self.scribe.text("reply")]
        super().paragraph([*opened, *parts])
        self._said = next((part for part in reversed(parts) if isinstance(part, Sentence)), None)
