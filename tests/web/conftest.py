"""The web page's tests need node, npm's packages and Chromium; where one is missing they are skipped, saying how to get it.

`.ci/run` installs all three and sets KERAS_ATTN_WEB_TESTS=required, which makes a missing one an error.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "export" / "web"
sys.path.insert(0, str(Path(__file__).parents[1] / "hostile"))  # generators; see tests/hostile/conftest.py
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def missing(tool, how):
    message = f"{tool} is missing: {how}"
    if os.environ.get("KERAS_ATTN_WEB_TESTS") == "required":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def node():
    """Runs node with the page's packages installed; returns the finished process."""
    program = shutil.which("node")
    if program is None:
        missing("node", "install Node.js 20 or newer, with npm")
    if not (WEB / "node_modules" / ".package-lock.json").exists():
        missing("export/web/node_modules", "run `make web-packages`")

    def run(*arguments, timeout=60, **environment):
        return subprocess.run(
            [program, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**os.environ, **environment},
        )

    return run


@pytest.fixture(scope="session")
def chromium():
    found = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if found is None:
        missing("Chromium", "install it, on Debian with `apt-get install chromium`")
    return found


@pytest.fixture(scope="session")
def build(node):
    """`build(output, export, ...)` as a user would call it."""
    return lambda *arguments: node(WEB / "build.mjs", *arguments)


@pytest.fixture(scope="session")
def check_types(node):
    return lambda: node(WEB / "node_modules" / "typescript" / "bin" / "tsc", "--project", WEB)
