"""The engine of a model folder says what Keras says, whatever the model is made of."""

import dataclasses

import numpy as np
import pytest
from keras import ops
from keras.utils import set_random_seed

from keras_attn.export.engine import EngineError, _check, make_engine
from keras_attn.export.subject import load_subject
from keras_attn.inference.lite_translator import LiteTranslator
from keras_attn.inference.translator import Translator
from keras_attn.models.build import build_seq2seq
from keras_attn.models.compiled_search import CompiledSearch
from keras_attn.storage.engine_file import has_engine, read_engine
from keras_attn.storage.folder_files import ModelFolderError
from keras_attn.storage.model_folder import TrainedModel, save_model

pytestmark = pytest.mark.slow

KINDS = {
    "copying, coverage and tied embeddings": {
        "copy": True,
        "attention": "coverage",
        "tied_embeddings": "all",
    },
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
    "no attention": {"attention": "none", "feed": "none"},
}


@pytest.fixture(params=KINDS.values(), ids=list(KINDS))
def trained(request, copying_trained):
    """A model of that kind, of random weights large enough for different words and too small to magnify rounding."""
    sizes = {
        f"{side}_vocab_size": copying_trained.target_tokenizer.vocab_size for side in ("source", "target")
    }
    # Wide enough that matrices are not parts of the graph.
    widths = dict.fromkeys(("embedding_dim", "decoder_units", "readout_units"), 24)
    if request.param.get("encoder") != "transformer":
        widths["encoder_units"] = 24
    if request.param.get("attention") not in ("local-p", "none"):
        widths["attention_units"] = 24
    config = dataclasses.replace(
        copying_trained.config,
        model=dataclasses.replace(type(copying_trained.config.model)(), **sizes, **widths, **request.param),
    )
    set_random_seed(5)
    model = build_seq2seq(config.model)
    draw = np.random.default_rng(5)
    for variable in model.trainable_variables:
        variable.assign(ops.convert_to_numpy(variable.value) + draw.normal(0, 0.3, variable.shape))
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
    rough = LiteTranslator(tmp_path / "model", precision="int8")
    assert sum(a == b for a, b in zip(rough(lines, 1), keras(lines, 1), strict=True)) > 20
    for precision, sizes in {"float32": [1, 16], "int8": [8]}.items():
        file = read_engine(tmp_path / "model", precision)
        assert (file.about["sizes"], {each.dtype for each in file.arrays}) == (sizes, {precision})


class Answers:
    """What Keras finds, changed."""

    def __init__(self, search, longest, change):
        self._search, self._longest, self._change = search, longest, change

    def search(self, source, method, *, limits):
        padded = np.zeros((len(source), max(map(len, source))), np.int32)
        for row, ids in enumerate(source):
            padded[row, : len(ids)] = ids
        found = self._search(padded, method, self._longest, limits=np.array(limits, np.int32))
        return self._change(found._replace(tokens=np.array(found.tokens), scores=np.array(found.scores)))


def test_an_engine_that_finds_something_else_with_another_score_is_refused(tiny_trained, monkeypatch):
    subject = load_subject(tiny_trained, beam_size=1)
    longest = subject.search.length_limit(subject.search.max_source_length - 1)
    search = CompiledSearch(subject.model)
    monkeypatch.setattr("keras_attn.export.engine.CompiledSearch", lambda model: search)  # compiled once

    def last_word(found):
        found.tokens[-1, 0, 0] += 1
        return found

    def last_score(found):
        found.scores[-1, 0] += 0.02
        return found

    for fine in (lambda found: found, last_word, last_score):  # a tie, or rounding
        _check(subject, Answers(search, longest, fine))
    with pytest.raises(EngineError, match="LiteRT and Keras find different translations"):
        _check(subject, Answers(search, longest, lambda found: last_word(last_score(found))))


def test_a_graph_that_litert_cannot_run_is_no_engine_and_the_folder_stays(
    tiny_trained, tmp_path, monkeypatch
):
    def refuse(*_, **__):
        raise ModelFolderError("the engine in the folder cannot be used")

    save_model(tmp_path / "model", tiny_trained)
    monkeypatch.setattr("keras_attn.export.engine.LiteRTEngine", refuse)
    with pytest.raises(EngineError, match="cannot be used"):
        make_engine(tmp_path / "model")
    assert not has_engine(tmp_path / "model")
