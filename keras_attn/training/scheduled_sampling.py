"""Scheduled sampling (Bengio et al. 2015): as training goes on, the decoder reads more of its own predictions."""

from typing import Any

import keras
from keras import ops

from keras_attn.layers.time_loop import unroll
from keras_attn.models.seq2seq import Seq2Seq
from keras_attn.search.hypotheses import possible
from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID


def with_own_words(model: Seq2Seq, share: float, steps: int) -> keras.Model:
    """A wrapper for training, in which the model reads some of its own predictions instead of the target.

    Args:
        model: the model; it shares all its weights with the wrapper.
        share: the share of target words that are replaced at the end of training; it grows linearly from 0.
        steps: the number of steps in the whole run.
    """
    source, target_in = model.inputs
    mixed = OwnWords(model, share, steps, name="own_words")(target_in, source)
    return keras.Model([source, target_in], model([source, mixed]), name="scheduled_sampling")


class OwnWords(keras.layers.Layer):
    """`y'_t = y_t`, or with probability `e_i` a word drawn from `p(. | y'_<t, x)`; `e_i = share * min(i / steps, 1)` in step i.

    BOS and padding stay. The model draws without dropout of words, embeddings, memory and readout, and no gradient flows through
    the drawn words. The labels do not change: after a replaced word, the model must still predict the target's own next word.

    Args:
        model: the model that draws.
        share, steps: see `with_own_words`.

    Call arguments:
        target_in: int32 `(B, T)`.
        source: like the model's first input.
        training: whether to replace words at all.

    Returns:
        int32 `(B, T)`.

    Reference: Bengio, Vinyals, Jaitly and Shazeer 2015, "Scheduled Sampling for Sequence Prediction with Recurrent Neural
    Networks", section 2.4, with a linear decay.
    """

    def __init__(self, model: Seq2Seq, share: float, steps: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.model = model
        self.share = share
        self.steps = steps
        self.seeds = keras.random.SeedGenerator(None)
        self.step = self.add_weight(
            shape=(),
            dtype="float32",
            initializer="zeros",
            trainable=False,
            autocast=False,
            aggregation="only_first_replica",
            name="step",
        )

    def call(self, target_in: Any, source: Any, training: bool | None = None) -> Any:
        if not training:
            return target_in
        share = self.share * ops.minimum(self.step / self.steps, 1.0)
        self.step.assign(self.step + 1)
        chance, draws = (
            keras.random.uniform(ops.shape(target_in), dtype="float32", seed=self.seeds) for _ in range(2)
        )
        kept = ops.logical_or(target_in == BOS_ID, target_in == PAD_ID)
        own = ops.logical_and(chance < share, ops.logical_not(kept))
        encoded = self.model.encode(source)

        def say(inputs: tuple[Any, Any, Any], state: tuple[Any, Any]) -> tuple[Any, tuple[Any, Any]]:
            (target, replaced, draw), (said, state) = inputs, state
            read = ops.where(replaced, said, target)
            log_probs, state, _ = self.model.step(read, encoded, state)
            log_probs = possible(log_probs, 0, bos_id=BOS_ID, eos_id=EOS_ID, min_length=0)
            return read, (_drawn(ops.log_softmax(log_probs), draw), state)

        first = (ops.zeros_like(target_in[:, 0]), encoded.state)
        mixed, _ = unroll(say, (target_in, own, draws), first, self)
        return ops.stop_gradient(mixed)

    def compute_output_spec(self, target_in: Any, source: Any, training: bool | None = None) -> Any:
        return keras.KerasTensor(target_in.shape, dtype="int32")


def _drawn(log_probs: Any, draws: Any) -> Any:
    """Draws a word from each row `[B, V]`, with uniform numbers `[B]` in [0, 1): int32 `[B]`."""
    below = ops.cumsum(ops.exp(log_probs), axis=-1) <= draws[:, None]
    return ops.minimum(ops.sum(ops.cast(below, "int32"), axis=-1), log_probs.shape[-1] - 1)
