"""Imports go one way only: a layer may import any layer above it in this list, never the reverse."""

import ast
from pathlib import Path

import worldgen

ROOT = Path(worldgen.__file__).parent
LAYERS = [
    {"errors", "interrupts", "address", "seeds", "registry", "settings", "records", "llm", "thinking", "version"},
    {"schema"},
    {"language"},
    {"facts"},
    {"store"},
    {"audit"},
    {"corpus"},
    {"search"},
    {"tools"},
    {"scoring"},
    {"tasks"},
    {"world"},
    {"disjoint", "reskin"},
    {"env"},
    {"agents"},
    {"proofs"},
    {"prose"},
    {"rehearsal"},
    {"variation"},
    {"pipeline", "reference", "gallery", "adoption", "draft"},
    {"family"},
    {"train"},
    {"eval"},
    {"serve"},
    {"cli"},
    {"__main__"},
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
# Reached by name only, so that `import worldgen` stays cheap.
LAZY = {"__init__"}
PURE = {"scoring": {"errors", "interrupts", "seeds", "registry", "settings", "records", "thinking"}}
APART = {"proofs": {"facts", "corpus", "audit"}}


def imports_of(path: Path) -> set[str]:
    """The parts of worldgen that a file imports, wherever in the file."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            parts = node.module.split(".")
            if parts[0] == "worldgen":
                found.update([parts[1]] if len(parts) > 1 else [alias.name for alias in node.names])
        elif isinstance(node, ast.ImportFrom) and node.level > 0:
            raise AssertionError(f"{path}: imports are absolute here")
        elif isinstance(node, ast.Import):
            found.update(a.name.split(".")[1] for a in node.names if a.name.startswith("worldgen."))
    return found


def part_of(path: Path) -> str:
    relative = path.relative_to(ROOT)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def files() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if part_of(path) not in LAZY)


def test_every_part_has_a_layer():
    assert {part_of(path) for path in files()} <= set(RANK)


def test_no_import_goes_back():
    back = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files()
        for name in imports_of(path)
        if RANK[name] > RANK[part_of(path)]
    ]
    assert back == []


def test_scoring_stands_on_the_ground_floor_alone():
    for part, allowed in PURE.items():
        for path in (ROOT / part).rglob("*.py"):
            assert imports_of(path) <= allowed | {part}, path


def test_proofs_share_nothing_with_the_generator():
    for part, forbidden in APART.items():
        for path in (ROOT / part).rglob("*.py"):
            assert not imports_of(path) & forbidden, path


def test_the_walk_sees_imports_inside_functions(tmp_path):
    path = tmp_path / "late.py"
    path.write_text("def f():\n    from worldgen.cli import main\n    import worldgen.pipeline\n")
    assert imports_of(path) == {"cli", "pipeline"}


def test_the_version_is_told_once():
    import tomllib

    project = tomllib.loads((ROOT.parent / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == worldgen.__version__


def test_the_public_names_resolve():
    for name in worldgen.__all__:
        assert getattr(worldgen, name) is not None
