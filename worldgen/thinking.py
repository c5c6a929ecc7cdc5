"""What a model thought aloud, told apart from what it answered."""

from __future__ import annotations

import re
from bisect import bisect_left

_TAG = re.compile(r"<(/?)think(?:ing)?\s*>", re.IGNORECASE)
# Where the answer itself is tagged, thinking that was never closed ends at the tag.
_ANSWER = re.compile(r"<(?:predicted_observation|final_evaluation)\s*>", re.IGNORECASE)


def split_thinking(text: str) -> tuple[str, str]:
    r"""Split a reply into what was thought and the rest; neither keeps a ``<think>`` tag.

    Blocks may be several, nested, opened twice and closed once, closed without having been opened (a template that
    opens the block itself), or never closed: then they end at ``<predicted_observation>``, ``<final_evaluation>`` or
    the end of the text.

    >>> split_thinking("<think>Seven, or eight?</think>\n\nEight.")
    ('Seven, or eight?', 'Eight.')
    >>> split_thinking("Seven, or eight?</think>Eight.")
    ('Seven, or eight?', 'Eight.')
    >>> split_thinking("<think>Cut short <predicted_observation>8</predicted_observation>")
    ('Cut short', '<predicted_observation>8</predicted_observation>')
    >>> split_thinking("  as it came\n")
    ('', '  as it came\n')
    """
    tags = list(_TAG.finditer(text))
    if not tags:
        return "", text
    blocks = _Blocks(text, tags)
    thoughts: list[str] = []
    rest: list[str] = []
    at = index = 0
    answered = False
    while index < len(tags):
        tag = tags[index]
        rest.append(text[at : tag.start()])
        answered = answered or _ANSWER.search(rest[-1]) is not None
        if tag[1]:
            # A closing tag behind the answer has slipped; otherwise all that stands before it is thinking.
            if not answered or blocks.answers[-1] > tag.start():
                thoughts += rest
                rest, answered = [], False
            at, index = tag.end(), index + 1
            continue
        end, at, index = blocks.block(index)
        thoughts.append(text[tag.end() : end])
    rest.append(text[at:])
    # A tag that only came together when another was taken out is none that the model wrote.
    return _TAG.sub(" ", "\n".join(filter(None, map(_clean, thoughts)))), _TAG.sub(" ", "".join(rest)).strip()


class _Blocks:
    """Which tag closes which, found once for all tags, so that no reply takes longer than its length says."""

    def __init__(self, text: str, tags: list[re.Match[str]]) -> None:
        self._length = len(text)
        self._tags = tags
        self._starts = [tag.start() for tag in tags]
        self.answers = [found.start() for found in _ANSWER.finditer(text)]
        self._closed_by: dict[int, int] = {}
        self._last_closing: list[int] = []
        opened: list[int] = []
        for index, tag in enumerate(tags):
            self._last_closing.append(index if tag[1] else self._last_closing[-1] if index else -1)
            if not tag[1]:
                opened.append(index)
            elif opened:
                self._closed_by[opened.pop()] = index

    def block(self, first: int) -> tuple[int, int, int]:
        """Where the block that tag ``first`` opens ends, where the text goes on, and which tag is next."""
        closing = self._closed_by.get(first, -1)
        if closing < 0:
            after = bisect_left(self.answers, self._tags[first].end())
            limit = self.answers[after] if after < len(self.answers) else self._length
            following = bisect_left(self._starts, limit)
            closing = self._last_closing[following - 1]
            if closing <= first:
                return limit, limit, following
        return self._tags[closing].start(), self._tags[closing].end(), closing + 1


def _clean(thought: str) -> str:
    return _TAG.sub("", thought).strip()
