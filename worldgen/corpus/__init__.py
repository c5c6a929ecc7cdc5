"""Pages that state the facts: planned so that no page answers a wide question, written by grammars of each language.

Start with `write_corpus`; `statements_by_fact` and `winner` tell which page to believe.
"""

from worldgen.corpus.grammar import genres, languages, settings_of
from worldgen.corpus.rule import standing, statements_by_fact, winner
from worldgen.corpus.sites import site_host, site_name
from worldgen.corpus.writer import write_corpus

__all__ = [
    "genres",
    "languages",
    "settings_of",
    "site_host",
    "site_name",
    "standing",
    "statements_by_fact",
    "winner",
    "write_corpus",
]
