"""Whether the names of a world are absent from lists of real names that Python packages ship.

Start with `disjointness`. A gazetteer of your own is a `Gazetteer` registered in `gazetteers`, or the entry point
``worldgen.gazetteer`` of a distribution.
"""

from worldgen.disjoint.gazetteer import Gazetteer, NameKind, gazetteer_names, gazetteer_of, gazetteers
from worldgen.disjoint.names import Called, names_in
from worldgen.disjoint.normal import normal
from worldgen.disjoint.report import Answers, Asked, Disjointness, Match, NotAsked, ask, disjointness

__all__ = [
    "Answers",
    "Asked",
    "Called",
    "Disjointness",
    "Gazetteer",
    "Match",
    "NameKind",
    "NotAsked",
    "ask",
    "disjointness",
    "gazetteer_names",
    "gazetteer_of",
    "gazetteers",
    "names_in",
    "normal",
]
