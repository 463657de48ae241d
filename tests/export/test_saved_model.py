import dataclasses
import json
import shutil
import subprocess
import sys
from importlib.metadata import version

import pytest

from keras_attn.config import DataConfig
from keras_attn.corpora.attribution import attribution
from keras_attn.evaluation.scores import corpus_scores
from keras_attn.export.checks import check_saved_model
from keras_attn.export.saved_model import export_saved_model
from keras_attn.inference.translator import Translator

CLIENT = """
import json, sys
sys.modules["keras_attn"] = None  # importing it is now an error
import tensorflow as tf, tensorflow_text
translate = tf.saved_model.load(sys.argv[1]).signatures["serving_default"]
found = translate(text=tf.constant(json.loads(sys.argv[2])))
print(json.dumps([text.decode() for text in found["translation"].numpy()]))
"""


def test_it_translates_as_keras_does(saved_model, digit_speller, digit_pairs):
    _, parity = saved_model
    assert (parity.sentences, parity.identical) == (60, 60)
    assert parity.score_error < 1e-4
    sources, references = digit_pairs
    said = Translator.from_trained(digit_speller)(sources)
    assert parity.bleu == parity.keras_bleu == corpus_scores(said, references).bleu > 50


def test_a_process_without_keras_attn_can_use_it(saved_model, digit_speller):
    lines = ["3 1 4", "", "1 5"]
    client = [sys.executable, "-I", "-c", CLIENT, str(saved_model[0]), json.dumps(lines)]
    result = subprocess.run(client, capture_output=True, text=True, check=True)
    assert json.loads(result.stdout.splitlines()[-1]) == Translator.from_trained(digit_speller)(lines)


def test_it_says_what_it_is(saved_model, digit_speller):
    folder, parity = saved_model
    about = json.loads((folder / "assets.extra" / "model.json").read_text())
    assert about["keras_attn_export"] == "saved_model"
    assert about["languages"] == {"source": "digits", "target": "names"}
    assert about["search"]["beam_size"] == 4
    assert about["no_hypothesis"] == {"translation": "", "score": -1e9}
    assert about["keras_attn"] == version("keras-attn")
    assert about["end_of_sentence"] == "</s>"
    search = digit_speller.config.search
    assert about["max_source_characters"] == 64 * search.max_source_length
    assert about["max_length"] == search.length_limit(search.max_source_length - 1)
    assert (about["parameters"], about["precision"]) == (digit_speller.model.count_params(), "float32")
    assert about["parity"] == parity.as_dict()


def test_it_says_whom_to_name_if_the_corpus_asks_for_it(tiny_trained, tmp_path):
    config = dataclasses.replace(tiny_trained.config, data=DataConfig(corpus="tatoeba"))
    export_saved_model(dataclasses.replace(tiny_trained, config=config), tmp_path / "out", beam_size=1)
    about = json.loads((tmp_path / "out" / "assets.extra" / "model.json").read_text())
    assert about["attribution"] == attribution("tatoeba")


def test_its_description_names_the_signatures_as_they_are(saved_model, signatures):
    about = json.loads((saved_model[0] / "assets.extra" / "model.json").read_text())["signatures"]

    def described(specs):
        return {
            name: {"shape": spec.shape.as_list(), "dtype": spec.dtype.name} for name, spec in specs.items()
        }

    assert about == {
        name: {
            "inputs": described(function.structured_input_signature[1]),
            "outputs": described(function.structured_outputs),
        }
        for name, function in signatures.items()
    }
    assert about["nbest"]["outputs"]["scores"] == {"shape": [None, 4], "dtype": "float32"}


def test_weights_are_stored_once_over_all_signatures(saved_model, digit_speller):
    folder, _ = saved_model
    weights = 4 * digit_speller.model.count_params()
    assert weights < (folder / "variables" / "variables.data-00000-of-00001").stat().st_size < 1.1 * weights
    kernel = digit_speller.model.get_layer("encoder").get_weights()[0]
    assert kernel[:1].tobytes() not in (folder / "saved_model.pb").read_bytes()


def test_exporting_twice_replaces_the_first(model_folder, tmp_path, source_lines):
    warm_up = tmp_path / "out" / "assets.extra" / "tf_serving_warmup_requests"
    export_saved_model(model_folder, tmp_path / "out", beam_size=2)
    assert not warm_up.exists()  # without sentences there is nothing to warm up with
    assert (
        export_saved_model(model_folder, tmp_path / "out", beam_size=1, sources=source_lines[:50]).identical
        == 50
    )
    assert (
        json.loads((tmp_path / "out" / "assets.extra" / "model.json").read_text())["search"]["beam_size"] == 1
    )
    assert warm_up.exists()


def test_a_model_folder_is_not_replaced_by_its_export(model_folder):
    with pytest.raises(FileExistsError, match="is not an earlier export"):
        export_saved_model(model_folder, model_folder)


@pytest.mark.parametrize("name", ["saved_model.pb", "variables/variables.index", "assets.extra/model.json"])
def test_a_damaged_file_of_it_is_not_compared(saved_model, digit_speller, digit_pairs, tmp_path, name):
    folder = shutil.copytree(saved_model[0], tmp_path / "out")
    (folder / name).write_bytes((folder / name).read_bytes() + b"\n")
    with pytest.raises(ValueError, match=f"{name} is damaged or was changed"):
        check_saved_model(digit_speller, folder, digit_pairs[0])


@pytest.mark.parametrize("max_length", [0, -1])
def test_a_translation_needs_room_for_a_token(tiny_trained, tmp_path, max_length):
    with pytest.raises(ValueError, match=f"max_length must be at least 1. Received: max_length={max_length}"):
        export_saved_model(tiny_trained, tmp_path / "out", max_length=max_length)
    assert not list(tmp_path.iterdir())
