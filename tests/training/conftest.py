"""A training of seconds: a tiny model learns to say a line backwards and in capitals."""

import random

import pytest

from keras_attn import config as configs

SYLLABLES = ["ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du"]


@pytest.fixture(scope="session")
def pair_files(tmp_path_factory):
    folder, draw = tmp_path_factory.mktemp("pairs"), random.Random(3)
    for name, count in (("train", 120), ("dev", 12)):
        sources = [draw.choices(SYLLABLES, k=draw.randint(1, 6)) for _ in range(count)]
        lines = [f"{' '.join(words)}\t{' '.join(words[::-1]).upper()}\n" for words in sources]
        (folder / f"{name}.tsv").write_text("".join(lines))
        links = [" ".join(f"{len(words) - 1 - j}-{j}" for j in range(len(words))) for words in sources]
        (folder / f"{name}.links").write_text("".join(f"{line}\n" for line in links))
    return folder


@pytest.fixture(scope="session")
def recipe(pair_files):
    """Makes a config from what a test wants its training to be like; 8 steps an epoch."""

    def make(**training):
        return configs.from_tables(
            {
                "data": {"train": [str(pair_files / "train.tsv")], "dev": [str(pair_files / "dev.tsv")]},
                "tokenizer": {"vocab_size": 60},
                "model": {
                    "embedding_dim": 8,
                    "encoder_units": 8,
                    "decoder_units": 8,
                    "attention_units": 8,
                    "readout_units": 8,
                    "embedding_dropout": 0.1,
                    "readout_dropout": 0.2,
                },
                "training": {"epochs": 3, "batch_size": 16, "evaluate_every": 6, **training},
                "search": {"max_length_factor": 1.0, "max_length_extra": 2},
            }
        )

    return make


@pytest.fixture
def tiny_model():
    """Any Keras model over the batch contract: the next token from the last one and the first of the source."""
    import keras

    keras.utils.set_random_seed(5)
    source, target_in = (keras.Input((None,), dtype="int32") for _ in range(2))
    embedding = keras.layers.Embedding(9, 4)
    mixed = embedding(target_in) + embedding(source[:, :1])
    return keras.Model([source, target_in], keras.layers.Dense(9)(mixed))


@pytest.fixture
def batch():
    import numpy as np

    draw = np.random.default_rng(4)
    source, target = draw.integers(4, 9, (3, 5), "int32"), draw.integers(4, 9, (3, 7), "int32")
    weight = np.ones((3, 6), "float32")
    weight[1, 4:] = weight[2, 2:] = 0
    return (source, target[:, :-1]), target[:, 1:], weight
