"""The notebooks assert in their own cells what their text claims; here they run, each in a fresh kernel and an empty folder."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SECONDS_PER_CELL = 900  # against hanging: the longest, which trains, takes half a minute on two cores
MISSING = "pip install 'keras-attn[notebook]' to test the notebooks"

nbformat = pytest.importorskip("nbformat", reason=MISSING)


def read(name):
    return nbformat.read(ROOT / "notebooks" / name, as_version=4)


@pytest.fixture
def empty_folder(tmp_path):
    """Where the notebook runs."""
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


@pytest.fixture
def execute(empty_folder, tmp_path, monkeypatch):
    """Runs a notebook with this Python and this checkout, and returns it with its outputs."""
    nbclient = pytest.importorskip("nbclient", reason=MISSING)
    pytest.importorskip("ipykernel", reason=MISSING)
    from jupyter_client import AsyncKernelManager
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_core.utils import run_sync

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for variable in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "TMPDIR"):
        monkeypatch.setenv(variable, str(tmp_path))

    def run(name):
        notebook = read(name)
        # Without folders to look in, there is one kernel only: ipykernel in the Python that runs this test.
        kernel = AsyncKernelManager(kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))
        place = {"metadata": {"path": str(empty_folder)}}
        client = nbclient.NotebookClient(notebook, km=kernel, timeout=SECONDS_PER_CELL, resources=place)
        try:
            client.execute()  # an error in a cell, a failed assert for one, is raised here
        finally:
            run_sync(kernel.shutdown_kernel)(now=True)  # a client leaves a kernel that was given to it alive
        return notebook

    return run


def outputs(notebook):
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def printed(notebook):
    return "".join(output.text for output in outputs(notebook) if output.get("name") == "stdout")


def count_pictures(notebook):
    return sum("image/png" in output.get("data", {}) for output in outputs(notebook))


def test_attention_by_hand_is_what_the_layers_compute(execute, empty_folder):
    notebook = execute("01_attention_step_by_step.ipynb")
    assert "attention -> noitnetta" in printed(notebook)
    assert count_pictures(notebook) == 3
    assert list(empty_folder.iterdir()) == []


def test_a_newcomer_trains_a_translator_saves_it_and_loads_it(execute, empty_folder):
    notebook = execute("02_train_a_translator.ipynb")
    assert "¿Dónde está la estación más cercana?" in printed(notebook)
    assert count_pictures(notebook) == 2
    assert list(empty_folder.iterdir()) == []


def test_what_is_exported_runs_without_this_library(execute, empty_folder):
    notebook = execute("03_export_and_run.ipynb")
    assert printed(notebook).count("¿Dónde está la estación más cercana?") == 2  # by SavedModel and by LiteRT
    assert count_pictures(notebook) == 1
    assert list(empty_folder.iterdir()) == []


def test_numbers_in_pictures_are_read_digit_by_digit(execute, empty_folder):
    notebook = execute("04_attend_to_a_picture.ipynb")
    assert "of 500 unseen numbers are read without a mistake" in printed(notebook)
    assert count_pictures(notebook) == 2
    assert list(empty_folder.iterdir()) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_without_outputs(path):
    notebook = read(path.name)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not outputs(notebook)
    assert all(cell.execution_count is None for cell in code)
    assert notebook.metadata.kernelspec.name == "python3"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_where_the_package_is_missing_the_first_cell_installs_the_wheel_beside_it(path, tmp_path):
    """By a pip that writes down what it was asked for; the wheel itself is installed by tests/test_wheel.py."""
    first = next(cell for cell in read(path.name).cells if cell.cell_type == "code")
    (tmp_path / "keras_attn-0.1.0-py3-none-any.whl").touch()
    (tmp_path / "pip.py").write_text("import sys; print(sys.argv[1:])")
    (tmp_path / "cell.py").write_text(first.source)
    done = subprocess.run(
        [sys.executable, "-S", "cell.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "['install', '--quiet', 'keras_attn-0.1.0-py3-none-any.whl']\n"


def test_every_notebook_ends_with_what_to_read_next_and_begins_with_how_long_it_takes():
    for path in NOTEBOOKS:
        cells = read(path.name).cells
        assert "minute" in cells[0].source, path
        assert any("## What to read next" in cell.source for cell in cells[-2:]), path


def test_every_notebook_is_executed_here():
    assert [path.name for path in NOTEBOOKS] == [
        "01_attention_step_by_step.ipynb",
        "02_train_a_translator.ipynb",
        "03_export_and_run.ipynb",
        "04_attend_to_a_picture.ipynb",
    ]
