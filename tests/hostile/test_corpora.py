"""Corpora and configs of strangers: each is read or an error in words, in the package and by the command."""

import pytest
from batch import COMMAND, counts, outcomes, write_all
from corpora import hostile_gzips, hostile_tables, hostile_zips
from texts import hostile_tomls

from keras_attn.config import Config, to_toml

PAIRS_READER = """
from keras_attn.text.corpus import open_pairs, read_lines, read_pairs

(Path({folder!r}) / "empty").mkdir()

def read(path):
    try:
        return len(read_pairs([path])), len(open_pairs([path]))
    except ValueError:
        try:
            read_lines(path)
        except ValueError:
            command("score", Path({folder!r}) / "empty", path, path)
        raise
"""

CONFIG_READER = """
from keras_attn import config

def read(path):
    try:
        config.load(path)
        return "loaded"
    except ValueError:
        command("train", path, path.with_suffix(".run"))
"""

ARCHIVE_READER = """
import os
from keras_attn.corpora.named import load_corpus

FOLDER = Path({folder!r})
os.environ["KERAS_ATTN_DATA"] = str(FOLDER)
(FOLDER / "tatoeba").mkdir()
(FOLDER / "my.toml").write_text('[data]\\ncorpus = "tatoeba"\\nsource_language = "en"\\ntarget_language = "es"')

def read(path):
    (FOLDER / "tatoeba" / "spa-eng.zip").write_bytes(path.read_bytes())
    try:
        return load_corpus("tatoeba", "en", "es", "train")
    except ValueError:
        command("train", FOLDER / "my.toml", FOLDER / "run")
"""


@pytest.mark.slow
@pytest.mark.parametrize(("files", "suffix"), [(hostile_gzips, ".tsv.gz"), (hostile_tables, ".tsv")])
def test_hostile_corpora(files, suffix, tmp_path):
    paths = write_all(tmp_path, files(), suffix)
    loaded, refused = counts(paths, COMMAND + PAIRS_READER.format(folder=str(tmp_path)))
    assert loaded < 45 and refused > 25


@pytest.mark.slow
def test_hostile_archives_of_a_named_corpus(tmp_path):
    paths = write_all(tmp_path, hostile_zips(), ".zip")
    said = outcomes(paths, COMMAND + ARCHIVE_READER.format(folder=str(tmp_path)))
    assert len(said) == len(paths) > 35
    assert all(kind == "refused" and "spa-eng.zip" in reason for kind, reason in said.values())


@pytest.mark.slow
def test_hostile_configs(tmp_path):
    paths = write_all(tmp_path, hostile_tomls(to_toml(Config())), ".toml")
    loaded, refused = counts(paths, COMMAND + CONFIG_READER)
    assert loaded < 80 and refused > 180
