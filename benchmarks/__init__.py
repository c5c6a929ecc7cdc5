"""What worldgen costs, beside raw code and other generators, measured in one run: `python -m benchmarks`."""
