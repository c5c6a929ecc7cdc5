"""What a model thought aloud, told apart from what it answered."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
# Where the answer itself is tagged, thinking that was never closed ends at the tag.
_ANSWER = re.compile(r"<(?:predicted_observation|final_evaluation)>", re.IGNORECASE)


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
    thoughts: list[str] = []
    rest: list[str] = []
    at = index = 0
    last_answer = max((found.start() for found in _ANSWER.finditer(text)), default=-1)
    answered = False
    while index < len(tags):
        tag = tags[index]
        if tag[1]:
            rest.append(text[at : tag.start()])
            answered = answered or _ANSWER.search(rest[-1]) is not None
            # A closing tag behind the answer has slipped; otherwise all that stands before it is thinking.
            if not answered or last_answer > tag.start():
                thoughts, rest, answered = [*thoughts, *rest], [], False
            at, index = tag.end(), index + 1
            continue
        rest.append(text[at : tag.start()])
        answered = answered or _ANSWER.search(rest[-1]) is not None
        end, at, index = _block(text, tags, index)
        thoughts.append(text[tag.end() : end])
    rest.append(text[at:])
    # A tag that only came together when another was taken out is none that the model wrote.
    return _TAG.sub(" ", "\n".join(filter(None, map(_clean, thoughts)))), _TAG.sub(" ", "".join(rest)).strip()


def _block(text: str, tags: list[re.Match[str]], first: int) -> tuple[int, int, int]:
    """Where the block that tag ``first`` opens ends, where the text goes on, and which tag is next."""
    depth = 0
    for index in range(first, len(tags)):
        depth += -1 if tags[index][1] else 1
        if depth == 0:
            return tags[index].start(), tags[index].end(), index + 1
    answer = _ANSWER.search(text, tags[first].end())
    limit = answer.start() if answer else len(text)
    inside = [i for i in range(first + 1, len(tags)) if tags[i].start() < limit]
    closing = [i for i in inside if tags[i][1]]
    if closing:
        return tags[closing[-1]].start(), tags[closing[-1]].end(), closing[-1] + 1
    return limit, limit, first + 1 + len(inside)


def _clean(thought: str) -> str:
    return _TAG.sub("", thought).strip()
