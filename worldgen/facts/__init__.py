"""Typed, columnar facts: a schema filled with values."""
