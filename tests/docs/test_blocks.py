"""The Python and the commands that the pages show, run as they stand: a page in one empty folder, its blocks from top to bottom."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from blocks import PAGES, ROOT, blocks

from keras_attn.corpora.phrasebook import generate

RUN = {"python", "shell"}
SECONDS = 300  # against hanging


def name_of(page):
    return page.relative_to(ROOT / "docs").as_posix()


def is_run(block):
    return block.language in RUN and not block.reason and not block.file


def two_text_files(folder):
    """What a reader of "Train on your own data" has: a file of each language for training, development and test."""
    for split, size in (("train", 1500), ("dev", 60), ("test", 60)):
        pairs = generate(size, split=split)
        (folder / f"{split}.en").write_text("".join(f"{pair.source}\n" for pair in pairs), encoding="utf-8")
        (folder / f"{split}.es").write_text("".join(f"{pair.target}\n" for pair in pairs), encoding="utf-8")


# What a page takes for granted that its reader has.
GIVEN = {"guides/train.md": two_text_files}


def commands(page):
    """The files that a reader saves and the commands, as one script."""
    lines = ["set -euo pipefail"]
    for block in blocks(page):
        if block.file:
            lines.append(f"cat > {block.file} <<'END-OF-FILE'\n{block.code}END-OF-FILE")
        elif is_run(block) and block.language == "shell":
            lines.append(block.code)
    return "\n".join(lines)


def session(page):
    """Its Python, which goes on from block to block."""
    return "\n".join(each.code for each in blocks(page) if is_run(each) and each.language == "python")


@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in PAGES if any(map(is_run, blocks(p)))], ids=name_of)
def test_what_a_page_shows_runs(page, tmp_path, monkeypatch):
    """The commands first: Python may use what they made. Tests that a page shows are run as pytest would.

    There are no corpora: an export of a packaged model would be compared on thousands of sentences.
    """
    (tmp_path / "no corpora").mkdir()
    monkeypatch.setenv("KERAS_ATTN_DATA", str(tmp_path / "no corpora"))
    GIVEN.get(name_of(page), lambda folder: None)(tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", commands(page)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "page"}
    exec(compile(session(page), name_of(page), "exec"), names)
    for name in [each for each in names if each.startswith("test_")]:
        names[name]()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_has_a_language_and_one_that_is_not_run_says_why(page):
    for block in blocks(page):
        assert block.language, block.code
        assert not block.comment.startswith("not run") or block.reason, block.code
