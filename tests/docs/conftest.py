import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # blocks.py: pytest's importlib mode puts no folder there
