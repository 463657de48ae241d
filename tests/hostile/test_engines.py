"""Engines of strangers in a model folder whose sums are right: each is an error in words or translates."""

import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from batch import COMMAND, counts, in_place, outcomes, write_all
from damage import damaged
from litert import structure, with_other_operators
from texts import hostile_jsons

from keras_attn.storage.folder_files import ENGINE

pytestmark = pytest.mark.slow

PRONOUNCER = Path(__file__).parents[2] / "saved_models" / "cmudict"
# What the package refuses, the command has to refuse in one line.
LOOK = """
import warnings
from keras_attn.inference.lite_translator import LiteTranslator
from keras_attn.storage.checksums import SUMS, digest, read_sums, write_sums

warnings.simplefilter("ignore")

def look():
    write_sums(FOLDER, {**read_sums(FOLDER / SUMS), NAME: digest(FOLDER / NAME)})
    try:
        return LiteTranslator(FOLDER)(["cat"])[0]
    except ValueError:
        command("translate", FOLDER, "--engine", "litert", said="cat\\n")
"""


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(PRONOUNCER, tmp_path / "folder")


@pytest.fixture
def check(folder, tmp_path):
    """The numbers of engines that translated and of those that were refused."""

    def check(files):
        return counts(written(tmp_path, files), COMMAND + in_place(folder, ENGINE, LOOK))

    return check


def written(tmp_path, files):
    (tmp_path / "files").mkdir()
    return write_all(tmp_path / "files", files, ENGINE)


def members(folder):
    with zipfile.ZipFile(folder / ENGINE) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def test_hostile_archives(check, folder):
    good = (folder / ENGINE).read_bytes()
    _, refused = check([("good", good), *damaged(good, cuts=10, flips=40)])
    assert refused > 30


def test_hostile_descriptions(check, folder):
    good = members(folder)
    about = json.loads(good["float32.json"])

    def engine(description):
        return zipped({**good, "float32.json": description})

    def with_values(**values):
        return json.dumps({**about, **values}).encode()

    first, *others = about["arrays"]
    kinds = {
        "a huge batch": with_values(sizes=[1 << 40]),
        "a batch that the graph has not": with_values(sizes=[7]),
        "a huge target": with_values(max_length=1 << 60),
        "another beam": with_values(search={**about["search"], "beam_size": 3}),
        "a huge beam": with_values(search={**about["search"], "beam_size": 1 << 40}),
        "an array far behind the end": with_values(arrays=[[*first[:3], 1 << 60], *others]),
        "an array before the graph's end": with_values(arrays=[[*first[:3], 8], *others]),
        "an array of no weights": with_values(arrays=[["nowhere", *first[1:]], *others]),
        "a group of weights": with_values(arrays=[["layers", *first[1:]], *others]),
        "no arrays": with_values(arrays=[]),
        "a million arrays": with_values(arrays=[first] * 1_000_000),
        "nested deeply": b"[" * 100_000,
    }
    files = [("good", engine(with_values()))]
    files += [(name, engine(description)) for name, description in kinds.items()]
    files += [(name, engine(description)) for name, description in hostile_jsons(about)]
    _, refused = check(files)
    assert refused > 20


def test_hostile_graphs(folder, tmp_path):
    good = members(folder)
    graph = good["float32.tflite"]
    variants = damaged(graph, cuts=4, flips=50, places=structure(graph))
    graphs = {
        "good": graph,
        "other operators": with_other_operators(graph),
        **dict(variants),
    }
    files = written(
        tmp_path, ((name, zipped({**good, "float32.tflite": each})) for name, each in graphs.items())
    )
    said = list(outcomes(files, COMMAND + in_place(folder, ENGINE, LOOK)).values())
    assert said[0] == ("read", "K AE1 T")
    assert said[1][0] == "refused" and "it crashes LiteRT" in said[1][1], said[1]
    assert "(SIGSEGV). Use the engine keras" in said[1][1]
    assert sum(kind == "refused" for kind, _ in said) > 10
