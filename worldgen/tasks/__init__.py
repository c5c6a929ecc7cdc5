"""Questions: the table-query object, its SQL and gold, its wording, its evaluation, the plan that solves it.

Start with `make_tasks`; `TableQuery` is the object everything else is made from.
"""

from worldgen.tasks.gold import Cell, GoldRow, gold_rows
from worldgen.tasks.query import Agg, And, At, Attr, Compare, Not, Or, Order, TableQuery
from worldgen.tasks.sampling import Tally, make_tasks
from worldgen.tasks.spread import Overlap
from worldgen.tasks.sql import Select, compile_rows

__all__ = [
    "Agg",
    "And",
    "At",
    "Attr",
    "Cell",
    "Compare",
    "GoldRow",
    "Not",
    "Or",
    "Order",
    "Overlap",
    "Select",
    "TableQuery",
    "Tally",
    "compile_rows",
    "gold_rows",
    "make_tasks",
]
