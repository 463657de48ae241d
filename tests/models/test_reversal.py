"""Strings reversed: the one task every attention must learn in a few hundred steps, or it does not attend.

Attention that only ever moves forward cannot reverse: it copies.
"""

import keras
import numpy as np
import pytest

from keras_attn.config import from_tables, without_unused
from keras_attn.models.build import build_seq2seq
from keras_attn.special_ids import BOS_ID, EOS_ID

pytestmark = pytest.mark.slow

LETTERS = range(4, 12)  # eight, behind the special ids
SHORTEST, LONGEST = 4, 8
STEPS, BATCH_SIZE = 240, 64

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
    "coverage": {"attention": "coverage"},
    "local-p": {**LUONG, "attention": "local-p", "attention_window": LONGEST},
}
# Each attention with one kind of cell: that takes half the time, and both kinds are trained with several.
CASES = list(zip(ATTENTIONS, ["gru", "lstm"] * 4, strict=False))
# Name: choices, training steps (hard attention is learnt by way of soft attention, which takes longer), least share right.
FORWARD_ONLY = {
    "local-m": ({**LUONG, "attention": "local-m", "attention_window": 1}, STEPS, 0.99),
    "monotonic": ({"attention": "monotonic", "query_state": "current"}, 3 * STEPS, 0.9),
}


def random_strings(count, seed):
    random = np.random.default_rng(seed)
    lengths = random.integers(SHORTEST, LONGEST + 1, size=count)
    return [tuple(random.choice(LETTERS, size=length).tolist()) for length in lengths]


def padded(rows):
    return np.array([[*row, *[0] * (LONGEST + 1 - len(row))] for row in rows], "int32")


def batch(strings, targets):
    source, target_in, target_out = (
        padded(rows)
        for rows in (
            [(*s, EOS_ID) for s in strings],
            [(BOS_ID, *t) for t in targets],
            [(*t, EOS_ID) for t in targets],
        )
    )
    return [source, target_in], target_out, (target_out != 0).astype("float32")


def backwards(strings):
    return [s[::-1] for s in strings]


def train(config, strings, targets):
    model = build_seq2seq(config)
    rate = keras.optimizers.schedules.CosineDecay(0.01, len(strings) // BATCH_SIZE)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate, clipnorm=1.0), loss)
    inputs, targets, weights = batch(strings, targets)
    model.fit(inputs, targets, sample_weight=weights, batch_size=BATCH_SIZE, verbose=0)
    return model


def share_right(model, strings, targets):
    inputs, expected, _ = batch(strings, targets)
    found = model.translate(inputs[0], beam_size=1, max_length=LONGEST + 1, batch_size=len(strings))
    return (found.tokens[:, 0] == expected).all(axis=1).mean()


def small(cell="gru", **choices):
    table = dict(
        source_vocab_size=12,
        target_vocab_size=12,
        embedding_dim=16,
        encoder_units=32,
        decoder_units=64,
        attention_units=32,
        readout_units=64,
        cell=cell,
        **choices,
    )
    return from_tables(without_unused({"model": table})).model


def seen_and_unseen(steps):
    unseen = random_strings(500, seed=2)
    others = set(unseen)
    seen = [s for s in random_strings(2 * steps * BATCH_SIZE, seed=1) if s not in others]
    return seen[: steps * BATCH_SIZE], unseen


# JAX compiles each model for longer than it trains; that steps and gradients are right there, other tests show.
ON_EVERY_BACKEND = ["bahdanau", "general"]
ON_TENSORFLOW = keras.backend.backend() == "tensorflow"


@pytest.mark.parametrize(("attention", "cell"), CASES)
def test_unseen_strings_are_reversed_after_a_short_training(attention, cell):
    if not ON_TENSORFLOW and attention not in ON_EVERY_BACKEND:
        pytest.skip("all attentions are trained on TensorFlow alone, to save time")
    seen, unseen = seen_and_unseen(STEPS)
    model = train(small(cell, **ATTENTIONS[attention]), seen, backwards(seen))
    right = share_right(model, unseen, backwards(unseen))
    assert right >= 0.99, f"{right:.1%} right"


@pytest.mark.skipif(not ON_TENSORFLOW, reason="all attentions are trained on TensorFlow alone, to save time")
@pytest.mark.parametrize("attention", FORWARD_ONLY)
def test_unseen_strings_are_copied_by_attention_that_only_moves_forward(attention):
    choices, steps, share = FORWARD_ONLY[attention]
    seen, unseen = seen_and_unseen(steps)
    right = share_right(train(small(**choices), seen, seen), unseen, unseen)
    assert right >= share, f"{right:.1%} right"
