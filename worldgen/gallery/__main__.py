"""``python -m worldgen.gallery FOLDER [SCHEMA…]``: writes the pages of those schemas, by default of all."""

from __future__ import annotations

import sys
from pathlib import Path

from worldgen.errors import WorldgenError
from worldgen.gallery.making import make


def main(words: list[str]) -> int:
    """Make the gallery; the exit code."""
    if not words or words[0].startswith("-"):
        sys.stderr.write("usage: python -m worldgen.gallery FOLDER [SCHEMA…]\n")
        return 2
    try:
        for path in make(Path(words[0]), words[1:]):
            sys.stdout.write(f"{path}\n")
    except WorldgenError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
