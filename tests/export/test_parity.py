import dataclasses
import json
import shutil

import pytest

from keras_attn.export.checks import check_litert
from keras_attn.export.description import write_description
from keras_attn.export.litert import export_litert
from keras_attn.export.parity import Difference, Parity, ParityError
from keras_attn.inference.translator import Translator
from keras_attn.models.build import build_seq2seq


def with_output_layer(trained, change):
    """The same model but for the kernel and bias of its output layer, which `change` changes in place."""
    model = build_seq2seq(trained.config.model)
    model.set_weights(trained.model.get_weights())
    kernel, bias = model.get_layer("output").get_weights()
    change(kernel, bias)
    model.get_layer("output").set_weights([kernel, bias])
    return dataclasses.replace(trained, model=model)


@pytest.fixture(scope="module")
def exported(tmp_path_factory, tiny_trained):
    folder = tmp_path_factory.mktemp("parity") / "tiny"
    export_litert(tiny_trained, folder)
    return folder


@pytest.fixture(scope="module")
def sources(source_lines):
    return source_lines[:60]


def test_a_file_is_like_the_model_it_was_made_from(exported, tiny_trained, sources):
    parity = check_litert(tiny_trained, exported, sources)
    assert (parity.sentences, parity.identical, parity.differing) == (60, 60, ())
    assert parity.score_error < 1e-4


def test_a_file_of_another_model_is_found_out(exported, tiny_trained, sources):
    def negate(kernel, bias):
        kernel *= -1

    with pytest.raises(ParityError, match=r"of 60 sentences differently .* should give '.*', but gave '.*'"):
        check_litert(with_output_layer(tiny_trained, negate), exported, sources)


def test_wrong_scores_of_right_translations_are_found_out(exported, tiny_trained, sources):
    def sharpen(kernel, bias):  # the most probable words stay so, and become more probable
        kernel *= 1.01
        bias *= 1.01

    with pytest.raises(ParityError, match="scores are off by up to"):
        check_litert(with_output_layer(tiny_trained, sharpen), exported, sources)


def test_a_rounding_tie_is_counted_and_no_failure(tiny_trained, sources, tmp_path):
    first = Translator.from_trained(tiny_trained).translate(sources[:1], beam_size=1)[0].target_ids[0]
    twin = 5 if first != 5 else 6

    def twins(advantage):
        def change(kernel, bias):
            kernel[:, twin] = kernel[:, first]
            bias[twin] = bias[first] + advantage

        return with_output_layer(tiny_trained, change)

    export_litert(twins(+1e-5), tmp_path / "out")
    parity = check_litert(twins(-1e-5), tmp_path / "out", sources)
    assert parity.ties > 0
    assert parity.identical + parity.ties == 60


def test_bleu_is_against_the_references(exported, tiny_trained, sources):
    references = Translator.from_trained(tiny_trained)(sources, beam_size=1)
    assert check_litert(tiny_trained, exported, sources, references).bleu == pytest.approx(100)
    parity = check_litert(tiny_trained, exported, sources, ["nothing like it"] * 60)
    assert parity.bleu == parity.keras_bleu < 1


def test_single_words_have_no_bleu(exported, tiny_trained, sources):
    parity = check_litert(tiny_trained, exported, sources, ["1987-04-03"] * 60)
    assert parity.bleu is None and parity.keras_bleu is None
    assert "60 of 60 translations equal" in str(parity) and "BLEU" not in str(parity)


def test_fewer_than_fifty_sentences_prove_too_little(exported, tiny_trained, sources):
    with pytest.raises(ValueError, match="at least 50 sentences or inputs; got 49"):
        check_litert(tiny_trained, exported, sources[:49])


def test_each_source_needs_its_reference(exported, tiny_trained, sources):
    with pytest.raises(ValueError, match="expected one reference per source; got 59 and 60"):
        check_litert(tiny_trained, exported, sources, sources[:59])


def test_translations_beyond_the_exports_limit_are_not_compared(
    exported, tiny_trained, translator, sources, tmp_path
):
    longer = sum(len(each.target_ids) > 1 for each in translator.translate(sources, beam_size=1))
    folder = shutil.copytree(exported, tmp_path / "out")
    about = json.loads((folder / "model.json").read_text())
    write_description(folder, "model.json", {**about, "max_length": 1})
    with pytest.raises(
        ValueError, match=rf"^{longer} of 60 translations are longer than max_length=1 .* larger one"
    ):
        check_litert(tiny_trained, folder, sources)


def test_the_numbers_hold_no_sentence():
    differing = (Difference("secret", "a", "b", 1e-5), Difference("secret", "a", "c", 0.5))
    parity = Parity(60, 58, differing, 0.0, 33.3, 33.4, "nrefs:1", 1.25)
    assert (parity.as_dict()["differing"], parity.as_dict()["ties"]) == (2, 1)
    assert "secret" not in json.dumps(parity.as_dict()) + str(parity)
    assert "58 of 60" in str(parity) and "BLEU 33.30, Keras 33.40  nrefs:1" in str(parity)
