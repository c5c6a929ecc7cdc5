"""What trainers take from a world: data in the formats that they read."""

from worldgen.train import lwm
from worldgen.train.exporting import EXPORTS, Export, Options, Source, export

__all__ = ["EXPORTS", "Export", "Options", "Source", "export", "lwm"]
