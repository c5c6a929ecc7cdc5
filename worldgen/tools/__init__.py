"""What an agent can call, and what it reads in return: search, pages, notes, typed tools, SQL: a `Toolbox`."""

from worldgen.tools.dict_memory import DictMemory
from worldgen.tools.perturbation import Perturbation, PerturbationPlan, read_plan
from worldgen.tools.profile import Profile, profiles
from worldgen.tools.sql import SqlTool
from worldgen.tools.tool import MalformedCall, Tool
from worldgen.tools.toolbox import Observation, Toolbox, Usage
from worldgen.tools.web_extractor import WebExtractor
from worldgen.tools.web_search import WebSearch

__all__ = [
    "DictMemory",
    "MalformedCall",
    "Observation",
    "Perturbation",
    "PerturbationPlan",
    "Profile",
    "SqlTool",
    "Tool",
    "Toolbox",
    "Usage",
    "WebExtractor",
    "WebSearch",
    "profiles",
    "read_plan",
]
