"""Strings reversed: the one task every attention must learn within seconds, or it does not attend."""

import time

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.config import ModelConfig
from keras_attn.models.seq2seq import build_seq2seq
from keras_attn.models.translation_steps import TranslationSteps
from keras_attn.search import greedy
from keras_attn.text.special_tokens import BOS_ID, EOS_ID

LETTERS = range(4, 12)  # eight, behind the special ids
SHORTEST, LONGEST = 4, 8
STEPS, BATCH_SIZE = 180, 64

LUONG = {
    "attention": "luong",
    "query_state": "current",
    "feed": "attentional",
    "readout": "attentional",
}
ATTENTIONS = {
    "bahdanau": {},
    "bahdanau normalised": {"attention_normalize": True},
    "dot": {**LUONG, "attention_score": "dot"},
    "general": {**LUONG, "attention_score": "general"},
    "concat": {**LUONG, "attention_score": "concat"},
}


def random_strings(count, seed):
    random = np.random.default_rng(seed)
    lengths = random.integers(SHORTEST, LONGEST + 1, size=count)
    return [tuple(random.choice(LETTERS, size=length).tolist()) for length in lengths]


def padded(rows):
    return np.array([[*row, *[0] * (LONGEST + 1 - len(row))] for row in rows], "int32")


def batch(strings):
    source, target_in, target_out = (
        padded(rows)
        for rows in (
            [(*s, EOS_ID) for s in strings],
            [(BOS_ID, *s[::-1]) for s in strings],
            [(*s[::-1], EOS_ID) for s in strings],
        )
    )
    return [source, target_in], target_out, (target_out != 0).astype("float32")


def train(config, strings):
    model = build_seq2seq(config)
    rate = keras.optimizers.schedules.CosineDecay(0.01, STEPS)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate, clipnorm=1.0), loss)
    inputs, targets, weights = batch(strings)
    model.fit(inputs, targets, sample_weight=weights, batch_size=BATCH_SIZE, verbose=0)
    return model


def reverse(model, strings):
    step, state = TranslationSteps(model).encode(ops.convert_to_tensor(batch(strings)[0][0]))
    found = greedy(step, state, bos_id=BOS_ID, eos_id=EOS_ID, max_length=LONGEST + 1)
    return ops.convert_to_numpy(found.tokens)[:, 0]


# JAX compiles each model for longer than it trains; that steps and gradients are right there, other tests show.
ON_EVERY_BACKEND = [("bahdanau", "gru"), ("general", "lstm")]
ON_TENSORFLOW = keras.backend.backend() == "tensorflow"


@pytest.mark.parametrize("cell", ["gru", "lstm"])
@pytest.mark.parametrize("attention", ATTENTIONS)
def test_unseen_strings_are_reversed_after_seconds_of_training(attention, cell):
    if not ON_TENSORFLOW and (attention, cell) not in ON_EVERY_BACKEND:
        pytest.skip("all attentions are trained on TensorFlow alone, to save time")
    config = ModelConfig(
        source_vocab_size=12,
        target_vocab_size=12,
        embedding_dim=16,
        encoder_units=32,
        decoder_units=64,
        attention_units=32,
        readout_units=64,
        cell=cell,
        **ATTENTIONS[attention],
    )
    unseen = random_strings(500, seed=2)
    seen = [s for s in random_strings(2 * STEPS * BATCH_SIZE, seed=1) if s not in set(unseen)]

    start = time.process_time()  # of the processor: other programs do not count
    model = train(config, seen[: STEPS * BATCH_SIZE])
    seconds = time.process_time() - start

    right = (reverse(model, unseen) == batch(unseen)[1]).all(axis=1)
    assert right.mean() >= 0.99, f"{right.mean():.1%} right after {seconds:.1f} s"
    assert seconds < 30 or not ON_TENSORFLOW
