"""The engine of a model folder says what Keras says, whatever the model is made of."""

import dataclasses

import numpy as np
import pytest
from keras import ops

from keras_attn.export.engine import make_engine
from keras_attn.inference.lite_translator import LiteTranslator
from keras_attn.inference.translator import Translator
from keras_attn.models.build import build_seq2seq
from keras_attn.storage.model_folder import TrainedModel, save_model

pytestmark = pytest.mark.slow

KINDS = {
    "copying": {"copy": True},
    "a transformer, and a state between two cells": {
        "encoder": "transformer",
        "encoder_layers": 2,
        "query_state": "intermediate",
        "attention_heads": 2,
    },
    "two layers of LSTM": {"cell": "lstm", "encoder_layers": 2, "decoder_layers": 2, "residual": True},
    "local attention": {
        "attention": "local-p",
        "attention_window": 2,
        "query_state": "current",
        "feed": "attentional",
    },
    "tied embeddings": {"tied_embeddings": "all"},
    "coverage": {"attention": "coverage"},
    "no attention": {"attention": "none", "feed": "none"},
}


@pytest.fixture(params=KINDS.values(), ids=list(KINDS))
def trained(request, copying_trained):
    """A model of that kind, of random weights large enough for clearly different words."""
    sizes = {
        f"{side}_vocab_size": copying_trained.target_tokenizer.vocab_size for side in ("source", "target")
    }
    widths = dict.fromkeys(("embedding_dim", "decoder_units", "readout_units"), 8)
    if request.param.get("encoder") != "transformer":
        widths["encoder_units"] = 8
    if request.param.get("attention") not in ("local-p", "none"):
        widths["attention_units"] = 8
    config = dataclasses.replace(
        copying_trained.config,
        model=dataclasses.replace(type(copying_trained.config.model)(), **sizes, **widths, **request.param),
    )
    model = build_seq2seq(config.model)
    draw = np.random.default_rng(5)
    for variable in model.trainable_variables:
        variable.assign(ops.convert_to_numpy(variable.value) + draw.normal(0, 0.5, variable.shape))
    return TrainedModel(config, copying_trained.source_tokenizer, copying_trained.target_tokenizer, model)


def test_the_engine_says_what_keras_says(trained, source_lines, tmp_path):
    save_model(tmp_path / "model", trained)
    make_engine(tmp_path / "model")
    lines = [*source_lines[:40], "", source_lines[0] * 3]
    keras, engine = Translator.from_trained(trained), LiteTranslator(tmp_path / "model")
    for beam_size in (1, 3):
        ours = keras(lines, beam_size)
        assert engine(lines, beam_size) == ours
        assert len(set(ours)) > 5
