"""The whole search, from ids or numbers to ids and including the encoder, as a graph that both exports trace.

LiteRT's interpreter cannot read variables inside a loop, so for LiteRT the weights are constants.
"""

import keras
import tensorflow as tf

from keras_attn.config import SearchConfig
from keras_attn.export.kept_numbers import with_kept_numbers
from keras_attn.export.subject import Digits
from keras_attn.models.seq2seq import Embeddings, Seq2Seq
from keras_attn.search import Beam, Hypotheses
from keras_attn.search.hypotheses import NEVER
from keras_attn.special_ids import EOS_ID, PAD_ID
from keras_attn.text.framing import tf_never_empty


def constant_weights(model: keras.Model) -> keras.StatelessScope:
    """A scope in which every variable of a model reads as a constant; for use inside a function that is being traced."""
    with tf.init_scope():
        values = [(variable, variable.numpy()) for variable in model.variables]
    return keras.StatelessScope(state_mapping=[(variable, tf.constant(value)) for variable, value in values])


def search_graph(
    model: Seq2Seq,
    source: tf.Tensor,
    *,
    settings: SearchConfig,
    max_length: int,
    return_weights: bool = False,
    embeddings: Embeddings | None = None,
    digits: Digits | None = None,
) -> Hypotheses:
    """Search from sources to ids; a beam of one is greedy search.

    Args:
        model: the model.
        source: int32 `(B, S)`, each row ending in EOS and padded with 0; B and S may be 0. The translation of a row without words
            is empty: its first hypothesis is empty with score 0, and it has no others. Or the numbers that the model reads, B at
            least 1.
        settings: beam size, length penalty and the most target tokens for a source of n sub-words.
        max_length: the most tokens of any target, L.
        return_weights: whether to return the attention weights, `(B, N, L, S)`; if S is 0, they have one column.
        embeddings: see `Seq2Seq.search`.
        digits: for `search.keep_numbers`, if the search has it.
    """
    limits = token_limits(source, settings, max_length) if model.reads_ids else None
    hypotheses = model.search(
        tf_never_empty(source) if model.reads_ids else source,
        Beam.of(settings),
        max_length=max_length,
        limits=limits,
        return_weights=return_weights,
        embeddings=embeddings,
    )
    if limits is None:
        return hypotheses
    nothing = tf.constant([0.0] + [NEVER] * (settings.beam_size - 1))  # [N]
    hypotheses = hypotheses._replace(scores=tf.where(limits[:, None] > 0, hypotheses.scores, nothing))
    return hypotheses if digits is None else with_kept_numbers(hypotheses, source, digits)


def token_limits(source: tf.Tensor, settings: SearchConfig, max_length: int) -> tf.Tensor:
    """The most tokens in the translations of int32 `[B, S]`: int32 `[B]`, 0 for rows without words.

    They are looked up in a table, so that rounding is the same as in Python.
    """
    words = tf.reduce_sum(tf.cast((source != PAD_ID) & (source != EOS_ID), tf.int32), axis=1)  # [B]
    limits = [min(max_length, settings.length_limit(n)) for n in range(1, settings.max_source_length + 1)]
    return tf.gather(tf.constant([0, *limits], tf.int32), tf.minimum(words, settings.max_source_length))
