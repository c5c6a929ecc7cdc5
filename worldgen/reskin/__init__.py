"""The same world under other names: every coined word, every address, per epoch, in milliseconds.

Start with `reskin`: a world in which questions, gold, evidence, plans, pages and search speak in an epoch's names.
"""

from worldgen.reskin.skin import Skin
from worldgen.reskin.world import Reskinned, reskin

__all__ = ["Reskinned", "Skin", "reskin"]
