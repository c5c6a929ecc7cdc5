"""Searching a corpus: the engine interface, the tantivy index behind it, and snippets that withhold facts.

Stands on the records alone; tools and everything above reach a search engine through `SearchEngine`.
"""

from worldgen.search.address import canonical_url
from worldgen.search.engine import SearchEngine, Simulated, Withholding
from worldgen.search.index import IndexEngine, build_index, open_index
from worldgen.search.snippets import Excerpt, excerpt, prepare, stated

__all__ = [
    "Excerpt",
    "IndexEngine",
    "SearchEngine",
    "Simulated",
    "Withholding",
    "build_index",
    "canonical_url",
    "excerpt",
    "open_index",
    "prepare",
    "stated",
]
