"""Model folders of strangers, without sums: each is an error in words or loads, in the package and by the command."""

import json
import shutil

import pytest
from batch import COMMAND, counts, in_place, write_all
from texts import hostile_jsons, hostile_tomls
from vocabularies import hostile_vocabularies
from weights import hostile_weights

from keras_attn.storage.checksums import SUMS

pytestmark = pytest.mark.slow

# What the package refuses, the command has to refuse in one line.
LOOK = """
import warnings
import tensorflow, tensorflow_text
from keras_attn.storage.model_folder import FILES, load_config, load_data_config, load_metrics, load_model

warnings.simplefilter("ignore")

def look():
    try:
        {load}
        return "loaded"
    except ValueError:
        {command}
"""


@pytest.fixture
def folder(model_folder):
    (model_folder / SUMS).unlink()
    return model_folder


@pytest.fixture
def check(folder, tmp_path):
    """Puts each file into the folder under a name; the numbers of those that loaded and of those that were refused."""

    def check(
        name,
        files,
        load="load_data_config(FOLDER); load_model(FOLDER)",
        command='command("evaluate", FOLDER)',
    ):
        (tmp_path / "files").mkdir()
        paths = write_all(tmp_path / "files", files, name)
        look = LOOK.format(load=load, command=command)
        return counts(paths, COMMAND + in_place(folder, name, look))

    return check


def test_hostile_weights(check, folder):
    loaded, refused = check("model.weights.h5", hostile_weights((folder / "model.weights.h5").read_bytes()))
    assert loaded < 60 and refused > 35


def test_hostile_configs(check, folder):
    loaded, refused = check("config.toml", hostile_tomls((folder / "config.toml").read_text()))
    assert loaded < 60 and refused > 200


def test_hostile_vocabularies(check, folder):
    good = (folder / "source.spm").read_bytes()
    files = [("good", good), *list(hostile_vocabularies(good))[::8]]
    _, refused = check("source.spm", files)
    assert refused > 20


def test_hostile_formats(check, folder):
    load = "load_config(FOLDER)"
    loaded, refused = check(
        "format.json", hostile_jsons(json.loads((folder / "format.json").read_text())), load
    )
    assert loaded < 20 and refused > 20


def test_hostile_metrics(check, folder):
    _, refused = check(
        "metrics.json", hostile_jsons({"bleu": 30.0, "steps": 7}), "load_metrics(FOLDER)", "raise"
    )  # no command reads them first
    assert refused > 15


def test_a_folder_s_files_are_not_what_they_seem(folder, tmp_path):
    """Links, pipes and devices in place of files."""
    import os

    from keras_attn.storage.model_folder import FILES, ModelFolderError, load_model

    for name in FILES:
        for number, put in enumerate((os.mkfifo, lambda path: path.symlink_to("/dev/zero"), os.mkdir)):
            copy = shutil.copytree(folder, tmp_path / f"{name} {number}")
            (copy / name).unlink()
            put(copy / name)
            with pytest.raises(ModelFolderError):
                load_model(copy)


def test_checksums_and_an_engine_that_are_not_files_are_not_read(folder, tmp_path):
    import os

    from keras_attn.storage.checksums import SUMS
    from keras_attn.storage.engine_file import read_engine
    from keras_attn.storage.folder_files import ENGINE
    from keras_attn.storage.model_folder import ModelFolderError, check_model_folder, load_model

    for name in (SUMS, ENGINE):
        for number, put in enumerate((os.mkfifo, os.mkdir)):
            copy = shutil.copytree(folder, tmp_path / f"{name} {number}")
            (copy / name).unlink(missing_ok=True)
            put(copy / name)
            check_model_folder(copy)
            assert read_engine(copy, "int8") is None
        (copy / name).rmdir()
        (copy / name).symlink_to("/dev/zero")
        with pytest.raises(ModelFolderError, match="outside of it"):
            load_model(copy)
