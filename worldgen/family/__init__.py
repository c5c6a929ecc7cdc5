"""Many worlds at once: of following seeds, of one schema or all, each of a variant of its own where that is wanted.

A family is a list of errands, and an engine carries them out: processes of this machine, or a Ray cluster. Each world
is built in a folder of its own and stands once it is whole, so that whatever was killed is built again and nothing
else; what comes out does not depend on the engine.
"""

from worldgen.family.building import ENGINES, build_family
from worldgen.family.errands import Errand, errands

__all__ = ["ENGINES", "Errand", "build_family", "errands"]
