"""A task that cannot be done without copying: strings of symbols that no training pair holds are to be said again."""

import keras
import numpy as np
import pytest

from keras_attn import (
    AttentionDecoder,
    BahdanauAttention,
    BidirectionalEncoder,
    PointerGenerator,
    Seq2Seq,
    Translator,
)
from keras_attn.config import from_tables, without_unused
from keras_attn.models.build import build_seq2seq
from keras_attn.special_ids import BOS_ID, EOS_ID
from keras_attn.text.tokenizer import train_tokenizer

V, LONGEST = 204, 8
SEEN, UNSEEN = range(4, 104), range(104, 204)
# Words left out at random keep a model from finding its way by the symbols that it knows.
SMALL = {
    "source_vocab_size": V,
    "target_vocab_size": V,
    "embedding_dim": 32,
    "encoder_units": 64,
    "decoder_units": 64,
    "attention_units": 64,
    "readout_units": 32,
    "tied_embeddings": "all",
    "word_dropout": 0.5,
}


def strings(count, symbols, seed):
    draw = np.random.default_rng(seed)
    rows = np.zeros((count, LONGEST + 1), "int32")
    for row, length in zip(rows, draw.integers(4, LONGEST + 1, count), strict=True):
        row[: length + 1] = [*draw.choice(symbols, length), EOS_ID]
    return rows


def trained(steps, rate, **choices):
    keras.utils.set_random_seed(1)
    model = build_seq2seq(from_tables(without_unused({"model": {**SMALL, **choices}})).model)
    rate = keras.optimizers.schedules.CosineDecay(rate, steps)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate, clipnorm=1.0), loss, jit_compile=False)
    target = strings(steps * 64, SEEN, seed=1)
    target_in = np.pad(target[:, :-1], [(0, 0), (1, 0)], constant_values=BOS_ID)
    weight = (target > 0).astype("float32")
    model.fit([target, target_in], target, sample_weight=weight, batch_size=64, verbose=0)
    return model


def share_right(model, symbols, beam_size=1):
    lines = strings(500, symbols, seed=2)
    found = model.translate(lines, beam_size=beam_size, max_length=LONGEST + 1, batch_size=500)
    return (found.tokens[:, 0] == lines).all(axis=1).mean()


@pytest.fixture(scope="module")
def copier():
    return trained(900, 0.003, copy=True)


on_tensorflow = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="trained on TensorFlow alone, to save time"
)


@on_tensorflow
@pytest.mark.slow
@pytest.mark.parametrize("beam_size", [1, 4])
def test_symbols_that_were_never_seen_are_copied(copier, beam_size):
    assert share_right(copier, UNSEEN, beam_size) >= 0.99


@on_tensorflow
@pytest.mark.slow
def test_without_copying_only_symbols_that_were_seen_are_said_again():
    model = trained(300, 0.005)
    assert share_right(model, SEEN) >= 0.99
    assert share_right(model, UNSEEN) == 0


@on_tensorflow
@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_a_file_for_phones_copies_them_too(copier, precision, tmp_path):
    from keras_attn import export_litert
    from keras_attn.export.runner import LiteRTModel

    lines = strings(60, UNSEEN, seed=3)
    parity = export_litert(
        copier,
        tmp_path / "phone",
        precision=precision,
        beam_size=2,
        source_length=12,
        max_length=12,
        sources=lines,
    )
    assert parity.identical + parity.ties >= (60 if precision == "float32" else 55)
    file = LiteRTModel(tmp_path / "phone")
    said = [file.translate_ids(row[row > 0])[0] == row[row > 0].tolist() for row in lines]
    assert np.mean(said) >= 0.95


@on_tensorflow
@pytest.mark.slow
def test_a_host_that_decodes_itself_copies_them_too(copier, tmp_path):
    """`encode` gives the source's ids along, and `step` takes them."""
    from ai_edge_litert.interpreter import Interpreter

    from keras_attn import export_litert

    export_litert(copier, tmp_path / "phone", source_length=12, max_length=12)
    interpreter = Interpreter(str(tmp_path / "phone" / "model.tflite"))
    encode, step = map(interpreter.get_signature_runner, ("encode", "step"))
    (line,) = strings(1, UNSEEN, seed=4)
    kept = encode(source=np.pad(line, (0, 12 - len(line)))[None])
    kept = {name: value for name, value in kept.items() if name not in ("limit", "truncated")}
    said, token = [], BOS_ID
    while token != EOS_ID and len(said) < 12:
        found = step(token=np.array([token], "int32"), **kept)
        kept |= {name: value for name, value in found.items() if name.startswith("state")}
        token = int(found["log_probs"][0].argmax())
        said.append(token)
    assert said == line[line > 0].tolist()


@on_tensorflow
@pytest.mark.slow
def test_a_saved_model_copies_them_too(copier, tmp_path):
    from keras_attn import export_saved_model

    lines = strings(60, UNSEEN, seed=3)
    parity = export_saved_model(copier, tmp_path / "served", beam_size=2, max_length=12, sources=lines)
    assert parity.identical + parity.ties == 60


def parts(**others):
    embedding = keras.layers.Embedding(12, 6)
    return {
        "source_embedding": embedding,
        "encoder": BidirectionalEncoder(3),
        "decoder": AttentionDecoder(6, BahdanauAttention(6), readout_units=6),
        "target_embedding": embedding,
        "output": keras.layers.Dense(12),
        "copy": PointerGenerator(),
        **others,
    }


class EverySecond(keras.layers.Layer):
    """A memory of half the length that says which of it is padding."""

    def call(self, inputs, mask=None):
        return inputs[:, ::2]

    def compute_mask(self, inputs, mask=None):
        return None if mask is None else mask[:, ::2]


@pytest.mark.parametrize(
    ("others", "message"),
    [
        (
            {"target_embedding": keras.layers.Embedding(13, 6)},
            "one vocabulary .* 12 source and 13 target words",
        ),
        (
            {"decoder": AttentionDecoder(6, feed="none", readout_units=6)},
            "Copying needs attention",
        ),
        ({"encoder": EverySecond()}, "makes 12 of 24"),
        (
            {
                "source_embedding": None,
                "encoder": keras.layers.GRU(6, return_sequences=True),
                "source_shape": (None, 4),
            },
            "source has no ids",
        ),
    ],
)
def test_parts_that_cannot_copy_are_refused(others, message):
    with pytest.raises(ValueError, match=message):
        Seq2Seq(**parts(**others))


def test_a_translator_of_two_vocabularies_is_refused():
    first, second = train_tokenizer(["a b c"], 12), train_tokenizer(["a b d"], 12)
    embedding = keras.layers.Embedding(first.vocab_size, 6)
    output = keras.layers.Dense(first.vocab_size)
    model = Seq2Seq(**parts(source_embedding=embedding, target_embedding=embedding, output=output))
    with pytest.raises(ValueError, match="its two vocabularies differ"):
        Translator(model, first, second)
    Translator(model, first)
