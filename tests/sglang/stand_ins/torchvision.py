"""Stands in for torchvision, whose builds want another torch than the one that SGLang's grammar library runs on here.

Loaders of images import names from it; a model of text calls none of them.
"""

import enum
import sys
from types import ModuleType

__version__ = "0"
Mode = enum.Enum("Mode", "NEAREST NEAREST_EXACT BILINEAR BICUBIC BOX HAMMING LANCZOS")


class Part(ModuleType):
    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "InterpolationMode":
            return Mode
        return type(name, (), {"__init__": refuse})


def refuse(self: object, *_: object, **__: object) -> None:
    raise NotImplementedError(f"torchvision's {type(self).__name__} needs torchvision")


for part in (
    "io",
    "ops",
    "ops.boxes",
    "transforms",
    "transforms.functional",
    "transforms.v2",
    "transforms.v2.functional",
):
    *above, last = f"{__name__}.{part}".split(".")
    sys.modules[f"{__name__}.{part}"] = Part(f"{__name__}.{part}")
    setattr(sys.modules[".".join(above)], last, sys.modules[f"{__name__}.{part}"])
