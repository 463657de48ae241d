"""Large memory that a training step frees is there for the next one, and its pages do not come from the system again."""

import platform
import resource
import subprocess
import sys

import pytest

from keras_attn.training.fit import train

PAGES = 16_000  # of 4 KiB: 64 MB, more than the largest allocation that glibc keeps by itself

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the memory is that of glibc")


def pages_of_the_third():
    """How many pages come from the system when as much is allocated and freed for the third time."""
    came = []
    for _ in range(3):
        b"x" * (PAGES * resource.getpagesize())
        came.append(resource.getrusage(resource.RUSAGE_THREAD).ru_minflt)
    return came[2] - came[1]


def test_glibc_gives_large_memory_back_by_itself():
    code = f"from {__name__} import pages_of_the_third; print(pages_of_the_third())"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(found.stdout) > 0.9 * PAGES


def test_training_keeps_large_memory(recipe, tmp_path):
    train(recipe(epochs=1), tmp_path / "model")
    assert pages_of_the_third() < 0.01 * PAGES
