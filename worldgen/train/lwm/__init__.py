"""Training data for language world models: what a world answers to whatever an agent does in it.

Walks through worlds become trajectories in the schema of AgentWorldBench (Qwen-AgentWorld, arXiv 2606.24597),
turn-level samples, conversations for supervised training, and one turn a trajectory for reinforcement learning.
"""

from worldgen.train.lwm.export import export_lwm
from worldgen.train.lwm.masks import CATEGORIES, Category, Mask, Measures, category_of, measures
from worldgen.train.lwm.samples import Sample, Turn, sample_of
from worldgen.train.lwm.walks import KINDS, Walk, record

__all__ = [
    "CATEGORIES",
    "KINDS",
    "Category",
    "Mask",
    "Measures",
    "Sample",
    "Turn",
    "Walk",
    "category_of",
    "export_lwm",
    "measures",
    "record",
    "sample_of",
]
