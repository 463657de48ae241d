"""The Python that the documents show runs as it stands there."""

import re
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_attn import AttentionDecoder, LuongAttention
from keras_attn.export.runner import LiteRTModel

ROOT = Path(__file__).resolve().parents[1]


def python_blocks(document):
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / document).read_text(encoding="utf-8"), re.M | re.S)


def run(block):
    names = {}
    exec(compile(block, "document", "exec"), names)
    return names


@pytest.mark.parametrize("document", ["SECURITY.md", "docs/threat_model.md"])
def test_every_file_that_a_document_names_is_there(document):
    """In backticks, by the end of its path."""
    named = set(re.findall(r"`([\w./-]+\.(?:py|mjs|md))`", (ROOT / document).read_text(encoding="utf-8")))
    folders = ("keras_attn", "export", "tests", "benchmarks", "configs", "docs")
    paths = [*ROOT.glob("*.*"), *(path for folder in folders for path in (ROOT / folder).rglob("*.*"))]
    there = [path.relative_to(ROOT).as_posix() for path in paths if "node_modules" not in path.parts]
    assert {name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in there)} == set()


@pytest.mark.slow
def test_the_ten_lines_of_the_readme_end_in_a_file_that_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = run(python_blocks("README.md")[0])["source"]
    file = LiteRTModel(tmp_path / "ids")
    ids, score = file.translate_ids(source[0])
    assert 1 <= len(ids) <= 64 and score < 0
    parity = file.description["parity"]
    assert parity["sentences"] == parity["identical"] + parity["ties"] == 50


@pytest.fixture
def from_tfa():
    """What the document defines, small."""
    block, _ = python_blocks("docs/guides/from_tfa_seq2seq.md")
    return run(block.replace("256, 8000", "32, 20"))


@pytest.mark.slow
def test_the_model_for_those_who_come_from_tfa_gives_the_probability_that_its_beam_found(from_tfa):
    draw = np.random.default_rng(1)
    # Large enough for clearly different words; with a deviation of 1, rounding would grow over 50 steps.
    for weight in from_tfa["model"].weights:
        weight.assign(draw.normal(scale=0.5, size=weight.shape))
    source = np.array([[5, 6, 7, 8], [9, 10, 0, 0]])
    found = tf.function(from_tfa["translate"])(tf.constant(source))
    for n in range(5):
        target = np.array(found.tokens[:, n])
        target_in = np.pad(target[:, :-1], [(0, 0), (1, 0)], constant_values=2)
        log_probs = keras.ops.log_softmax(from_tfa["model"]([source, target_in]))
        chosen = np.take_along_axis(np.array(log_probs), target[..., None], axis=-1)[..., 0]
        np.testing.assert_allclose((chosen * (target > 0)).sum(axis=1), found.log_probs[:, n], rtol=1e-4)


@pytest.mark.slow
def test_fit_teaches_that_model_to_say_a_sentence_again(from_tfa):
    words = np.random.default_rng(2).integers(4, 20, (64, 3))
    target_in = np.pad(words, [(0, 0), (1, 0)], constant_values=2)
    target_out = np.pad(words, [(0, 0), (0, 1)], constant_values=3)
    model = from_tfa["model"]
    model.compile(keras.optimizers.Adam(0.02), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit([words, target_in], target_out, batch_size=64, epochs=100, verbose=0)
    said = np.array(tf.function(from_tfa["translate"])(tf.constant(words)).tokens[:, 0, :4])
    assert (said == target_out).mean() > 0.99


def test_a_decoder_with_the_weights_of_a_keras_gru_does_what_tfas_attention_wrapper_did():
    """`attention = layer([cell([inputs; attention]); context])`, as tfa has it, over seven steps."""
    _, block = python_blocks("docs/guides/from_tfa_seq2seq.md")
    draw = np.random.default_rng(3)
    inputs, memory = (draw.normal(size=(2, length, 3)).astype("float32") for length in (7, 5))
    decoder = AttentionDecoder(
        4,
        LuongAttention("general"),
        cell="gru_reset_after",
        query_state="current",
        feed="attentional",
        readout="linear",
        readout_units=6,
    )
    decoder.build(inputs.shape, memory.shape)
    theirs = keras.layers.GRUCell(4)
    theirs.build((None, 3 + 6))
    theirs.set_weights([draw.normal(scale=0.5, size=weight.shape) for weight in theirs.weights])
    run(block)["carry_gru"](theirs, decoder, input_width=3)

    key_kernel, layer = (
        np.array(w) for w in (decoder.attention.key_layer.kernel, decoder.readout.layer.kernel)
    )
    attention, state = np.zeros((2, 6), "float32"), [np.zeros((2, 4), "float32")]
    outputs = np.array(decoder(inputs, memory))
    for t in range(7):
        query, state = theirs(np.concatenate([inputs[:, t], attention], axis=1), state)
        scores = np.einsum("bu,bsu->bs", query, memory @ key_kernel)
        weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        context = np.einsum("bs,bsd->bd", weights, memory)
        attention = np.concatenate([query, context], axis=1) @ layer
        np.testing.assert_allclose(outputs[:, t], attention, atol=1e-5)
