"""Launcher for a clone: ``python cli.py build …`` is ``worldgen build …``."""

from worldgen.cli import main

if __name__ == "__main__":
    main()
