"""The whole search of ids or numbers, encoder included, as a graph, which both exports trace.

LiteRT's interpreter cannot read a variable inside a loop: there the weights are constants.
"""

import keras
import tensorflow as tf

from keras_attn.config import SearchConfig
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
) -> Hypotheses:
    """Search from sources to ids; a beam of one is greedy search.

    Args:
        model: what to search with.
        source: int32 `(B, S)`, each row with EOS at its end, then 0; B and S may be 0. A row without words translates to nothing:
            its first hypothesis is empty with score 0, and it has no others. Or the numbers that the model reads, B at least 1.
        settings: beam size, length penalty and how many tokens a source of n may have.
        max_length: the most tokens of any target, L.
        return_weights: whether somebody asks for the attention weights, `(B, N, L, S)`; where S is 0, they have one column.
        embeddings: see `Seq2Seq.search`.
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
    return hypotheses._replace(scores=tf.where(limits[:, None] > 0, hypotheses.scores, nothing))


def token_limits(source: tf.Tensor, settings: SearchConfig, max_length: int) -> tf.Tensor:
    """The most tokens of the translations of int32 `[B, S]`: int32 `[B]`, none where there are no words.

    They are looked up, so that no rounding differs from Python's.
    """
    words = tf.reduce_sum(tf.cast((source != PAD_ID) & (source != EOS_ID), tf.int32), axis=1)  # [B]
    limits = [min(max_length, settings.length_limit(n)) for n in range(1, settings.max_source_length + 1)]
    return tf.gather(tf.constant([0, *limits], tf.int32), tf.minimum(words, settings.max_source_length))
