"""`make lint` notices the phrases that recur."""

import re
import subprocess
import sys

import pytest
from blocks import ROOT


@pytest.fixture
def check(tmp_path):
    """Runs a copy of the checker where there is one page."""

    def run(page):
        (tmp_path / "docs").mkdir()
        checker = tmp_path / "docs/prose.py"
        checker.write_text((ROOT / "docs/prose.py").read_text(encoding="utf-8"), encoding="utf-8")
        (tmp_path / "docs/page.md").write_text(page, encoding="utf-8")
        return subprocess.run([sys.executable, checker], capture_output=True, text=True)

    return run


@pytest.mark.parametrize(
    "line",
    [
        "The key takes a int.",
        "It is an number.",
        "See the the page.",
        "For people whose code stood on tfa.",
        "Made by Tensorflow.",
        "A subword vocabulary.",
        "It expects one reference a source.",
        "A training goes on from there.",
        "The same but for its end.",
        "The state before asks.",
        "It takes 3 ms a sentence.",
        "One shape a\nbatch, one sentence a\nline.",
    ],
)
def test_what_recurs_is_found_with_its_line(check, line):
    done = check(f"# Page\n\n{line}\n")
    assert done.returncode == 1 and done.stdout.startswith("docs/page.md:3: ")


def test_good_prose_code_and_words_that_only_look_wrong_pass(check):
    done = check(
        "# Page\n\nA user has a unit, an hour and a one-line `Tensorflow`, not for a key but for any row.\n\n"
        "```text\ntakes a int\n```\n\n| English | what it says |\n|---|---|\n| He omitted it. | Il a omis cela. |\n"
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_every_fence_of_a_page_is_closed():
    pages = [page for page in ROOT.rglob("*.md") if not {"node_modules", ".venv", "build"} & set(page.parts)]
    assert len(pages) > 50
    for page in pages:
        fences = re.findall(r"^ *```.*$", page.read_text(encoding="utf-8"), re.M)
        assert {fence.strip() for fence in fences[1::2]} <= {"```"}, page
