import json
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_text  # noqa: F401  the operators of the exported tokenizers

from keras_attn.export.saved_model import export_saved_model
from keras_attn.translator import Translator

CLIENT = """
import json, sys
sys.modules["keras_attn"] = None  # importing it is now an error
import tensorflow as tf, tensorflow_text
translate = tf.saved_model.load(sys.argv[1]).signatures["serving_default"]
found = translate(text=tf.constant(json.loads(sys.argv[2])))
print(json.dumps([text.decode() for text in found["translation"].numpy()]))
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory, digit_speller, digit_pairs):
    folder = tmp_path_factory.mktemp("export") / "digits"
    return folder, export_saved_model(digit_speller, folder, None, *digit_pairs)


@pytest.fixture(scope="module")
def translate(exported):
    return tf.saved_model.load(str(exported[0])).signatures["serving_default"]


def test_it_translates_as_keras_does(exported):
    _, parity = exported
    assert (parity.sentences, parity.identical) == (60, 60)
    assert parity.score_error < 1e-4
    assert parity.bleu == parity.keras_bleu > 50


def test_a_process_without_keras_attn_can_use_it(exported, digit_speller):
    lines = ["3 1 4", "", "1 5"]
    client = [sys.executable, "-I", "-c", CLIENT, str(exported[0]), json.dumps(lines)]
    result = subprocess.run(client, capture_output=True, text=True, check=True)
    assert json.loads(result.stdout.splitlines()[-1]) == Translator(digit_speller)(lines)


def test_a_line_without_words_gives_nothing_and_the_score_0(translate):
    found = translate(text=tf.constant(["", "3 1", " \t "]))
    texts = found["translation"].numpy().tolist()
    assert texts[0] == texts[2] == b"" != texts[1]
    assert found["score"].numpy()[[0, 2]].tolist() == [0, 0]


@pytest.mark.parametrize("lines", [[], [""]])
def test_a_batch_may_be_empty(translate, lines):
    assert translate(text=tf.constant(lines, tf.string))["translation"].numpy().tolist() == [b""] * len(lines)


def test_a_line_translates_the_same_alone_and_in_a_batch(translate, digit_pairs):
    lines = digit_pairs[0][:5]
    alone = [translate(text=tf.constant([line])) for line in lines]
    together = translate(text=tf.constant(lines))
    assert [found["translation"].numpy()[0] for found in alone] == together["translation"].numpy().tolist()
    np.testing.assert_allclose([found["score"].numpy()[0] for found in alone], together["score"], atol=1e-5)


@pytest.mark.filterwarnings("ignore:.*were cut there")
def test_longer_input_is_cut_where_keras_cuts_it(translate, digit_speller):
    line = "3 1 4 " * 200
    (cut,) = Translator(digit_speller).translate([line])
    found = translate(text=tf.constant([line]))
    assert found["translation"].numpy()[0].decode() == cut.text
    assert len(cut.source_ids) == digit_speller.config.search.max_source_length


def test_it_says_what_it_is(exported):
    folder, parity = exported
    about = json.loads((folder / "assets.extra" / "model.json").read_text())
    assert about["keras_attn_export"] == "saved_model"
    assert about["beam_size"] == 4
    assert about["parity"] == parity.as_dict()


def test_exporting_twice_replaces_the_first(model_folder, tmp_path, source_lines):
    export_saved_model(model_folder, tmp_path / "out", beam_size=2)
    assert export_saved_model(model_folder, tmp_path / "out", 1, source_lines[:50]).identical == 50
    assert json.loads((tmp_path / "out" / "assets.extra" / "model.json").read_text())["beam_size"] == 1


def test_a_model_folder_is_not_replaced_by_its_export(model_folder):
    with pytest.raises(FileExistsError, match="is not an earlier export"):
        export_saved_model(model_folder, model_folder)
