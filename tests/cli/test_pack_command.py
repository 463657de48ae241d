import json
import os
import signal

import h5py
import pytest

from keras_attn.cli import pack
from keras_attn.inference.translator import Translator

pytestmark = pytest.mark.slow


def bytes_of_weights(folder):
    sizes = []
    with h5py.File(folder / "model.weights.h5") as file:
        file.visititems(lambda _, item: sizes.append(item.nbytes) if isinstance(item, h5py.Dataset) else None)
    return sum(sizes)


def test_a_packed_model_is_half_as_large_and_says_the_same(run, model_folder, tmp_path, source_lines):
    (model_folder / "checkpoint").mkdir()
    (model_folder / "checkpoint" / "state.npz").write_bytes(b"training goes on from here")
    output = tmp_path / "packed"
    result = run("pack", model_folder, output)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(f"{output}  ") and result.stdout.endswith(" MB\n")
    files = {path.name for path in output.iterdir()}
    assert files == {
        "SHA256SUMS",
        "config.toml",
        "engine.zip",
        "format.json",
        "metrics.json",
        "model.weights.h5",
        "source.spm",
        "target.spm",
    }
    assert bytes_of_weights(output) * 2 == bytes_of_weights(model_folder)
    whole, packed = (
        Translator.load(folder).score(source_lines[:20], source_lines[:20])
        for folder in (model_folder, output)
    )
    assert max(abs(a - b) / abs(a) for a, b in zip(whole, packed, strict=True)) < 1e-2
    assert json.loads((output / "metrics.json").read_text()) == json.loads(
        (model_folder / "metrics.json").read_text()
    )


def test_a_warning_names_the_copy_as_the_user_does(run, model_folder, tmp_path, monkeypatch):
    def refuse(*_):
        raise ValueError("a loop that TensorFlow cannot trace")

    monkeypatch.setattr("keras_attn.export.engine.convert", refuse)
    result = run("pack", model_folder, tmp_path / "packed")
    assert result.exit_code == 0
    assert f"Warning: {tmp_path / 'packed'} gets no engine" in result.stderr


def test_a_folder_with_something_in_it_is_not_packed_into(run, model_folder):
    result = run("pack", model_folder, model_folder)
    assert result.exit_code == 2
    assert "is not empty: name a new folder" in result.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_told_to_end_cleans_up(run, model_folder, tmp_path, monkeypatch, number):
    half_way = []

    def told_to_end(folder):
        half_way.extend(os.listdir(tmp_path / "out"))
        signal.raise_signal(number)

    monkeypatch.setattr(pack, "load_metrics", told_to_end)
    before = signal.signal(number, signal.SIG_DFL)  # what `nohup` started ignores SIGHUP
    try:
        result = run("pack", model_folder, tmp_path / "out" / "packed")
    finally:
        signal.signal(number, before)
    assert result.exit_code == 128 + number
    assert half_way == [".packed.part"]
    assert os.listdir(tmp_path / "out") == []
    assert signal.getsignal(number) is signal.SIG_DFL
