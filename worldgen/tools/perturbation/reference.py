"""The page about faults, made from their models so that it cannot drift.

python -m worldgen.tools.perturbation.reference > docs/perturbations.md
"""

from __future__ import annotations

import sys
from inspect import getdoc
from pathlib import Path
from typing import Any

from worldgen.tools.perturbation.faults import FAULTS, Fault
from worldgen.tools.perturbation.plan import MAX_IN_A_ROW, read_plan, shipped_plans

_HEAD = Path(__file__).with_name("reference.md")


def markdown() -> str:
    """The page as Markdown."""
    plans = [f"| `{name}` | {read_plan(name).about} |" for name in shipped_plans()]
    kinds = [_section(kind, FAULTS.get(kind)) for kind in FAULTS.names()]
    head = _HEAD.read_text("utf-8")
    return head.replace("{most}", str(MAX_IN_A_ROW)).replace("{plans}", "\n".join(plans)) + "".join(kinds)


def _section(kind: str, fault: type[Fault]) -> str:
    lines = [f"\n### `{kind}`\n", f"{(getdoc(fault) or '').splitlines()[0]}\n"]
    properties = fault.model_json_schema()["properties"] if fault.model_fields else {}
    if properties:
        lines += ["| setting | meaning | values | default |", "|---|---|---|---|"]
        for name, field in fault.model_fields.items():
            default = "required" if field.is_required() else _said(field.get_default(call_default_factory=True))
            lines.append(f"| `{name}` | {field.description} | {_values(properties[name])} | {default} |")
    return "\n".join(lines) + "\n"


def _said(value: Any) -> str:
    return "all" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _values(node: dict[str, Any]) -> str:
    """The values that a node of a JSON schema allows, in words."""
    for inner in node.get("anyOf", ()):
        if inner.get("type") != "null":
            return _values(inner)
    kind = {"number": "number", "integer": "whole number", "string": "text", "array": "list"}[node["type"]]
    if "minimum" in node and "maximum" in node:
        return f"{kind}, {node['minimum']} to {node['maximum']}"
    return f"{kind}, `{node['pattern']}`" if "pattern" in node else kind


if __name__ == "__main__":
    sys.stdout.write(markdown())
