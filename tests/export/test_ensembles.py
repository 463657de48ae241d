"""Several models as one: a SavedModel holds them all, a `.tflite` is refused."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from keras_attn.export.litert import export_litert
from keras_attn.export.saved_model import export_saved_model
from keras_attn.inference.translator import Translator
from keras_attn.models.build import build_seq2seq


@pytest.fixture(scope="module")
def ensemble(digit_speller):
    """The digit speller and another that says something else."""
    other = build_seq2seq(digit_speller.config.model)
    draw = np.random.default_rng(1)
    for weight, known in zip(other.weights, digit_speller.model.weights, strict=True):
        weight.assign(known + draw.normal(scale=0.1, size=known.shape))
    models = [digit_speller, dataclasses.replace(digit_speller, model=other)]
    return Translator.ensemble([Translator.from_trained(each) for each in models])


@pytest.mark.slow
def test_a_saved_model_of_an_ensemble_says_what_its_models_say_together(ensemble, digit_pairs, tmp_path):
    export_saved_model(ensemble, tmp_path / "ensemble")
    serve = tf.saved_model.load(tmp_path / "ensemble").signatures["serving_default"]
    said = serve(text=tf.constant(digit_pairs[0]))["translation"].numpy()
    assert [text.decode() for text in said] == ensemble(digit_pairs[0])


@pytest.mark.slow
def test_a_tflite_of_an_ensemble_is_refused(ensemble, tmp_path):
    with pytest.raises(ValueError, match=r"a .tflite holds one model, and this is an ensemble of 2"):
        export_litert(ensemble, tmp_path / "phone")
    assert not (tmp_path / "phone").exists()
