import sys
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).parent)
)  # its own modules: pytest's importlib mode puts no folder there
