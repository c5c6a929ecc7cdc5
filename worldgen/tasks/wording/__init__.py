"""Table queries in words: the data per language, and what puts it together."""

from worldgen.tasks.wording.headings import headings, normal_heading
from worldgen.tasks.wording.question import Wording, scope_phrase, write_question
from worldgen.tasks.words import Words, words

__all__ = ["Wording", "Words", "headings", "normal_heading", "scope_phrase", "words", "write_question"]
