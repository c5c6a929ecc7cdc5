"""Lets the tests here, and the child processes they start, import the small schemas beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
