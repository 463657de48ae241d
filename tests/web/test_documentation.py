"""The documentation site in Chromium: the search finds, a phone shows it whole, and nothing comes from elsewhere."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("zensical", reason="pip install 'keras-attn[docs]' to build the documentation")
    folder = tmp_path_factory.mktemp("docs")
    subprocess.run(
        [sys.executable, ROOT / "docs/build.py", folder], check=True, capture_output=True, timeout=300
    )
    return folder / "site"


def test_the_site_is_searched_and_read_on_a_phone_in_the_dark_without_a_network(node, chromium, site):
    done = node(
        "--test",
        Path(__file__).with_name("documentation.test.mjs"),
        timeout=300,
        SITE=str(site),
        PYTHON=sys.executable,
        BROWSER=chromium,
    )
    assert done.returncode == 0, done.stdout + done.stderr
