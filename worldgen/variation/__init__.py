"""Variants of a schema: the same field, told by other tables, columns, units, sites and words.

A world differs from its siblings of another seed in names and figures only. A variant differs in structure: things,
attributes, relations and series are left out and added, identifiers renamed, units exchanged, publishers changed. A
variant is drawn from the schema and its number alone, and passes every check of its schema.
"""

from worldgen.variation.sampling import MAX_VARIANT, Variant, sample
from worldgen.variation.shape import Shape, distance, shape_of

__all__ = ["MAX_VARIANT", "Shape", "Variant", "distance", "sample", "shape_of"]
