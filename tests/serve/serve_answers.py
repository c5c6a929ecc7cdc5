"""Answers to questions, for the tests here."""

from worldgen.records import Task


def gold_answer(task: Task) -> str:
    """The gold table in Markdown."""
    lines = [task.columns, ["---"] * len(task.columns), *task.rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
