"""``python -m worldgen`` is ``worldgen``."""

from worldgen.cli import main

if __name__ == "__main__":
    main()
