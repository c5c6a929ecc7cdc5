"""The steps by which a variant strays from its schema, one file each.

A step changes an `Outline` in place and notes each change. It draws from streams of its own, keyed by its name, so
that a change to one step leaves the others as they are.
"""
