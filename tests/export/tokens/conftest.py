"""Vocabularies, their graphs as TensorFlow runs them, and SentencePiece itself."""

import io
from typing import NamedTuple

import numpy as np
import pytest
import sentencepiece
import tensorflow as tf

from keras_attn.export.tokens.joining import joined
from keras_attn.export.tokens.tokenizing import tokenized
from keras_attn.export.tokens.vocabulary_tables import vocabulary_tables


class Cutter(NamedTuple):
    """`cut(text)` -> ids, starts, truncated; `join(ids)` -> text and the end of each id's part; `reference`: SentencePiece."""

    cut: object
    join: object
    reference: sentencepiece.SentencePieceProcessor


@pytest.fixture(scope="session")
def lines():
    return [
        "A small dog runs across the green grass.",
        "Two dogs are running on the beach! Café, naïve, 10 °C",
        "Ein kleiner Hund läuft über das grüne Gras.",
        "Der große Mann in roter Jacke liest ein Buch; 日本 und 東京.",
    ] * 8


@pytest.fixture(scope="session")
def train(lines):
    """`train(**options)`: the bytes of a vocabulary of some 150 pieces."""

    def train(**options):
        model = io.BytesIO()
        given = {
            "vocab_size": 150,
            "hard_vocab_limit": False,
            "minloglevel": 2,
            "pad_id": 0,
            "unk_id": 1,
            "bos_id": 2,
            "eos_id": 3,
        }
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_writer=model, **{**given, **options}
        )
        return model.getvalue()

    return train


@pytest.fixture(scope="session")
def cutter():
    """`cutter(model_proto, size, most)`: a `Cutter` for texts of fewer than `size` bytes and at most `most` ids."""

    def make(model_proto, size=512, most=512):
        tables = vocabulary_tables(model_proto)
        tokenize = tf.function(
            lambda text: tokenized(text, tables, most), [tf.TensorSpec([size], tf.int32)], autograph=False
        )
        detokenize = tf.function(
            lambda ids: joined(ids, tables.surfaces), [tf.TensorSpec([1, most], tf.int32)], autograph=False
        )

        def cut(text):
            given = np.full(size, -1, np.int32)
            given[: len(text)] = list(text[:size])
            found = tokenize(given)
            count = min(int(found.length), most)
            return (
                found.ids.numpy()[:count].tolist(),
                found.starts.numpy()[:count].tolist(),
                bool(found.truncated),
            )

        def join(ids):
            given = np.zeros([1, most], np.int32)
            given[0, : len(ids)] = ids
            codes, ends = (tensor.numpy()[0] for tensor in detokenize(given))
            return bytes(codes[codes >= 0].astype(np.uint8)), ends[: len(ids)].tolist()

        return Cutter(cut, join, sentencepiece.SentencePieceProcessor(model_proto=model_proto))

    return make


@pytest.fixture(scope="session")
def usual(train, cutter):
    """A vocabulary as `train_tokenizer` makes it, in TensorFlow."""
    return cutter(train())
