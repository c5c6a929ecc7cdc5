"""What an agent can call, and what it reads in return: search, pages and a notebook, gathered in a `Toolbox`."""

from worldgen.tools.dict_memory import DictMemory
from worldgen.tools.tool import MalformedCall, Tool
from worldgen.tools.toolbox import Toolbox, Usage
from worldgen.tools.web_extractor import WebExtractor
from worldgen.tools.web_search import WebSearch, display_date

__all__ = [
    "DictMemory",
    "MalformedCall",
    "Tool",
    "Toolbox",
    "Usage",
    "WebExtractor",
    "WebSearch",
    "display_date",
]
