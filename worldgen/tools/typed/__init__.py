"""Typed tools made from a schema: list, count and get of each table, the ways back along each ref, ranges of series."""

from worldgen.tools.typed.columns import SeenTable, seen_tables
from worldgen.tools.typed.reader import TableReader
from worldgen.tools.typed.table_tools import TableTool, table_tools

__all__ = ["SeenTable", "TableReader", "TableTool", "seen_tables", "table_tools"]
