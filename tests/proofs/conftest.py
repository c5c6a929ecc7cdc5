import sys
from pathlib import Path

# Test folders are no packages; the kinds of damage lie in modules beside their test.
sys.path.insert(0, str(Path(__file__).parent))
