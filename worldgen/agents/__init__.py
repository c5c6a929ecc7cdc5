"""Agents that live in a world: the oracle, which interprets a plan, and weak agents that must fail."""

from worldgen.agents.oracle import solve
from worldgen.agents.reading import Reader
from worldgen.agents.session import Answer, Call, Session
from worldgen.agents.weak import WEAK_AGENTS, crawl, newest_only, search_only, titles_only

__all__ = [
    "WEAK_AGENTS",
    "Answer",
    "Call",
    "Reader",
    "Session",
    "crawl",
    "newest_only",
    "search_only",
    "solve",
    "titles_only",
]
