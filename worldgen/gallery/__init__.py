"""The gallery: a page for each shipped schema, with its tables, a question, a page of its corpus and its plots.

python -m worldgen.gallery docs/worlds

`quantities` reads the columns of a world as numbers in words, `intended` says which of them the expressions tie
together, `panels` chooses what is plotted, `figure` draws it (the one part that needs the extra ``worldgen[plots]``),
`page` writes the Markdown, and `making` builds the worlds.
"""

from __future__ import annotations

from worldgen.gallery.figure import draw
from worldgen.gallery.making import SEED, make
from worldgen.gallery.page import index, page
from worldgen.gallery.panels import Panels, choose

__all__ = ["SEED", "Panels", "choose", "draw", "index", "make", "page"]
