import subprocess
import sys

from keras_attn.export.saved_model import export_saved_model

IN_ANOTHER_PROCESS = """
import sys
from keras_attn.export.saved_model import export_saved_model
export_saved_model(sys.argv[1], sys.argv[2], sources=sys.argv[3:])
"""


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_model_gives_the_same_bytes_whatever_its_process_did_before(model_folder, source_lines, tmp_path):
    sources = source_lines[:50]
    export_saved_model(model_folder, tmp_path / "here", sources=sources)
    command = [sys.executable, "-c", IN_ANOTHER_PROCESS, model_folder, tmp_path / "there", *sources]
    subprocess.run(command, check=True, capture_output=True)
    here, there = contents(tmp_path / "here"), contents(tmp_path / "there")
    assert here == there and len(here) == 6
