"""What a model does on a device, as graphs from ids to ids whose weights are constants; one sentence at a time.

    translate   source -> ids, lengths, scores, truncated           the whole search
    align       source -> ids, lengths, scores, weights, truncated  the same, and where the decoder looked
    encode      source -> memory, keys, mask, state_*, limit, truncated    for a host that decodes itself: this once a sentence,
    step        token, memory, keys, mask, state_* -> log_probs, weights, state_*    and this up to `limit` times

Shapes: S source length, L the most tokens of a translation, N beam size, V target vocabulary. A model without attention has neither
`align` nor weights, keys and mask.
"""

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from keras import tree

from keras_attn.config import SearchConfig
from keras_attn.export.search_graph import constant_weights, search_ids, token_limits
from keras_attn.models.translation_steps import Source, TranslationSteps
from keras_attn.special_ids import EOS_ID, PAD_ID, UNK_ID
from keras_attn.storage.model_folder import TrainedModel

Signature = tf.types.experimental.ConcreteFunction


def id_signatures(
    trained: TrainedModel,
    steps: TranslationSteps,
    settings: SearchConfig,
    source_length: int | None,
    max_length: int,
) -> dict[str, Signature]:
    """The graphs, by name.

    Args:
        trained: the model.
        steps: its steps, which may compute in another way than the model does.
        settings: the search of `translate` and `align`, and the longest source.
        source_length: S, or `None` for any.
        max_length: L.
    """
    graphs = _Graphs(trained, steps, settings, max_length)

    def traced(method: Callable[..., dict[str, Any]], inputs: dict[str, tf.TensorSpec]) -> Signature:
        def with_constants(**tensors):
            with constant_weights(trained.model):
                return method(**tensors)

        return tf.function(with_constants, autograph=False).get_concrete_function(**inputs)

    source = {"source": tf.TensorSpec([1, source_length], tf.int32, name="source")}
    token = {"token": tf.TensorSpec([1], tf.int32, name="token")}
    encode = traced(graphs.encode, source)
    kept = {
        name: tf.TensorSpec(tensor.shape, tensor.dtype, name)
        for name, tensor in encode.structured_outputs.items()
        if name not in ("limit", "truncated")
    }
    signatures = {"translate": traced(graphs.translate, source), "encode": encode}
    signatures["step"] = traced(graphs.step, token | kept)
    if steps.has_attention:
        signatures["align"] = traced(graphs.align, source)
    return signatures


class _Graphs:
    """What each signature computes."""

    def __init__(
        self, trained: TrainedModel, steps: TranslationSteps, settings: SearchConfig, max_length: int
    ) -> None:
        self._steps, self._settings, self._max_length = steps, settings, max_length
        self._source_words = trained.source_tokenizer.vocab_size
        self._wordless = sorted(trained.source_tokenizer.wordless_ids)
        self._target_words = trained.target_tokenizer.vocab_size
        _, self._state = steps.read(tf.constant([[EOS_ID]]))  # its structure is that of every state

    def translate(self, source: tf.Tensor) -> dict[str, tf.Tensor]:
        source, truncated = self._readable(source)
        found = search_ids(self._steps, source, self._settings, self._max_length)
        every = {"ids": found.tokens[0], "lengths": found.lengths[0], "scores": found.scores[0]}
        return every | {"truncated": truncated}

    def align(self, source: tf.Tensor) -> dict[str, tf.Tensor]:
        given = tf.shape(source)[1]
        source, truncated = self._readable(source)
        found = search_ids(self._steps, source, self._settings, self._max_length, keep_weights=True)
        best = {"ids": found.tokens[:, 0], "lengths": found.lengths[:, 0], "scores": found.scores[:, 0]}
        return best | {"weights": found.weights[:, 0, :, :given], "truncated": truncated}

    def encode(self, source: tf.Tensor) -> dict[str, tf.Tensor]:
        source, truncated = self._readable(source)
        read, state = self._steps.read(source)
        kept = {"memory": read.memory, "keys": read.keys, "mask": tf.cast(read.mask, tf.int32)}
        limit = token_limits(source, self._settings, self._max_length)
        about = {"limit": limit, "truncated": truncated}
        return (kept if self._steps.has_attention else {}) | _named(state) | about

    def step(self, token: tf.Tensor, **kept: tf.Tensor) -> dict[str, tf.Tensor]:
        read = Source(None, None, None)
        if self._steps.has_attention:
            read = Source(kept["memory"], kept["keys"], kept["mask"] != 0)
        state = tree.pack_sequence_as(self._state, [kept[name] for name in _named(self._state)])
        log_probs, state, weights = self._steps.step(read, _known(token, self._target_words), state)
        found = {"log_probs": log_probs} | _named(state)
        return found | {"weights": weights} if self._steps.has_attention else found

    def _readable(self, ids: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Any int32 `[1, S]` as ids that the model was trained to read: words, EOS, padding; and the flag `truncated` `[1]`.

        The sentence ends before the first EOS or padding, or where a last place is left for EOS. Ids that the vocabulary has not
        are unknown words. Of a sentence of unknown words nothing is left.
        """
        longest = self._settings.max_source_length
        ids = tf.pad(ids[:, :longest], [[0, 0], [0, 1]]) if ids.shape[1] is None else ids  # S is 1 at least
        size = tf.shape(ids)[1]
        ends = tf.cast((ids == EOS_ID) | (ids == PAD_ID), tf.int32)
        words = tf.reduce_sum(tf.cast(tf.cumsum(ends, axis=1) == 0, tf.int32), axis=1)  # [1]
        read = tf.minimum(words, tf.minimum(size, longest) - 1)
        places = tf.range(size)[None]  # [1, S]
        known = _known(ids, self._source_words)
        source = tf.where(places < read, known, tf.where(places == read, EOS_ID, PAD_ID))
        means_something = tf.reduce_any(tf.reduce_all(source[..., None] != self._wordless, axis=-1))
        return tf.where(means_something, source, PAD_ID), tf.cast(words > read, tf.int32)


def _named(state: Any) -> dict[str, Any]:
    return {f"state_{i}": leaf for i, leaf in enumerate(tree.flatten(state))}


def _known(ids: tf.Tensor, vocab_size: int) -> tf.Tensor:
    return tf.where((ids >= 0) & (ids < vocab_size), ids, UNK_ID)
