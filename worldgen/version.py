"""The version of worldgen; `pyproject.toml` repeats it and a test keeps the two equal."""

__version__ = "0.1.0"
