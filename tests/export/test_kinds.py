"""Vocabularies of every kind, such as of spellings and sounds: both exports say what Keras says."""

import dataclasses
import json

import pytest

from keras_attn.export.litert import export_litert
from keras_attn.export.saved_model import export_saved_model
from keras_attn.models.build import build_seq2seq
from keras_attn.storage.model_folder import load_model, save_model
from keras_attn.text.tokenizer import train_tokenizer

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("kinds", "byte_fallback"),
    [(("characters", "symbols"), False), (("words", "characters"), False), (("unigram", "words"), True)],
)
def test_exports_say_what_keras_says(
    kinds, byte_fallback, tiny_trained, source_lines, target_lines, tmp_path
):
    source, target = (
        train_tokenizer(lines, 60 + 256 * byte_fallback, kind=kind, byte_fallback=byte_fallback)
        for lines, kind in zip((source_lines, target_lines), kinds, strict=True)
    )
    sizes = {"source_vocab_size": source.vocab_size, "target_vocab_size": target.vocab_size}
    model_config = dataclasses.replace(tiny_trained.config.model, **sizes)
    search = dataclasses.replace(tiny_trained.config.search, max_length_extra=10)
    config = dataclasses.replace(tiny_trained.config, model=model_config, search=search)
    model = build_seq2seq(model_config)
    for weight in model.trainable_variables:
        if len(weight.shape) > 1:
            weight.assign(2 * weight.value)
    trained = dataclasses.replace(
        tiny_trained, config=config, source_tokenizer=source, target_tokenizer=target, model=model
    )
    save_model(tmp_path / "model", trained)
    trained = load_model(tmp_path / "model")
    lines = [line for line in source_lines if len(line) < 30][:60]
    lines = [*lines[1:], f"{lines[0]} ☃ é"]
    for parity in (
        export_litert(trained, tmp_path / "phone", sources=lines),
        export_saved_model(trained, tmp_path / "served", sources=lines),
    ):
        assert parity.sentences >= 50 and parity.identical + parity.ties == parity.sentences
    about = json.loads((tmp_path / "phone" / "model.json").read_text())
    assert about["vocab_sizes"] == {"source": source.vocab_size, "target": target.vocab_size}
