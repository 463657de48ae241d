"""The README stays short enough to be read to its end."""

from blocks import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_has_at_most_120_lines_and_1000_words():
    assert len(README.splitlines()) <= 120
    assert len(README.split()) <= 1000


def test_its_picture_loads_quickly():
    pictures = [line for line in README.splitlines() if line.startswith("![")]
    assert len(pictures) == 1
    path = pictures[0].split("](")[1].rstrip(")")
    assert (ROOT / path).stat().st_size < 150_000
