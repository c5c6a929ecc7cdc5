"""Prose: a language model rewrites the sentences of pages, and what the audit or the proofs' reader refuses stays.

Start with `Prose`, which `worldgen.pipeline` takes as an option; `worldgen.prose.rewriting` is the stage.
"""

from worldgen.prose.counts import Counts
from worldgen.prose.settings import Prose

__all__ = ["Counts", "Prose"]
