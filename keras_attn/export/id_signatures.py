"""The signatures of a model on a device, from numbers to ids, with constant weights and one source at a time.

    translate   source -> ids, lengths, scores, truncated           the whole search
    align       source -> ids, lengths, scores, weights, truncated  the same, with the attention weights
    encode      source -> memory, keys, mask, copied_*, state_*, limit, truncated
                for a host that decodes itself: this once per source,
    step        token, memory, keys, mask, copied_*, state_* -> log_probs, weights, state_*
                and this up to `limit` times

Shapes: S source length, L the most tokens of a translation, N beam size, V target vocabulary. A model without attention has neither
`align` nor weights, keys and mask. If an attention has several keys, they are `keys_0`, `keys_1` and so on. Keys that are the
memory itself, as in dot-product attention, are left out. Only a pointer-generator has `copied_0`, the source's ids, and `copied_1`,
the memory's contribution to its gate, both `[1, S]`. In `log_probs`, PAD and BOS are impossible, -1e9, and so is an EOS that comes
before the search's `min_length`; where that is above 1, `state_said` counts the tokens, int32 `[1]`. The search's `no_repeat_ngram`
and `keep_numbers` are left to the host. The source is int32 ids `[1, S]`, or float32 of the model's own shape, which is never
truncated.
"""

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from keras import tree

from keras_attn.export.search_graph import constant_weights, search_graph, token_limits
from keras_attn.export.subject import Subject
from keras_attn.models.seq2seq import Embeddings, Encoded
from keras_attn.search import Hypotheses
from keras_attn.search.hypotheses import possible
from keras_attn.special_ids import BOS_ID, EOS_ID
from keras_attn.text.framing import tf_known, tf_reframed

_SAID = "state_said"

Signature = tf.types.experimental.ConcreteFunction


def id_signatures(
    subject: Subject, embeddings: Embeddings, *, source_length: int | None, max_length: int
) -> dict[str, Signature]:
    """The graphs, by name.

    Args:
        subject: the model, and the search of `translate` and `align`.
        embeddings: the embeddings to use, which may replace the model's own.
        source_length: S of ids, or `None` for any.
        max_length: L.
    """
    graphs = _Graphs(subject, embeddings, max_length)
    source = _source(subject, source_length)
    encode = _traced(graphs.encode, source, subject)
    kept = {
        name: tf.TensorSpec(tensor.shape, tensor.dtype, name)
        for name, tensor in encode.structured_outputs.items()
        if name not in ("limit", "truncated")
    }
    token = {"token": tf.TensorSpec([1], tf.int32, name="token")}
    signatures = {"translate": _traced(graphs.translate, source, subject), "encode": encode}
    signatures["step"] = _traced(graphs.step, token | kept, subject)
    if subject.model.has_attention:
        signatures["align"] = _traced(graphs.align, source, subject)
    return signatures


def translate_signature(
    subject: Subject, embeddings: Embeddings, *, source_length: int, max_length: int
) -> Signature:
    """`translate` alone; the arguments are those of `id_signatures`."""
    graphs = _Graphs(subject, embeddings, max_length)
    return _traced(graphs.translate, _source(subject, source_length), subject)


def _source(subject: Subject, length: int | None) -> dict[str, tf.TensorSpec]:
    spec = subject.model.inputs[0]
    shape = [1, length] if subject.model.reads_ids else [1, *spec.shape[1:]]
    return {"source": tf.TensorSpec(shape, spec.dtype, name="source")}


def _traced(
    method: Callable[..., dict[str, Any]], inputs: dict[str, tf.TensorSpec], subject: Subject
) -> Signature:
    def with_constants(**tensors):
        with constant_weights(subject.model):
            return method(**tensors)

    return tf.function(with_constants, autograph=False).get_concrete_function(**inputs)


class _Graphs:
    """The function of each signature; `encode` is traced before `step`, which takes its outputs."""

    def __init__(self, subject: Subject, embeddings: Embeddings, max_length: int) -> None:
        self._subject, self._model, self._settings = subject, subject.model, subject.search
        self._embeddings, self._max_length = embeddings, max_length
        self._encoded: Encoded | None = None  # it has the structure of the input of `step`

    def translate(self, source: tf.Tensor) -> dict[str, tf.Tensor]:
        source, truncated = self._readable(source)
        hypotheses = self._search(source, return_weights=False)
        every = {
            "ids": hypotheses.tokens[0],
            "lengths": hypotheses.lengths[0],
            "scores": hypotheses.scores[0],
        }
        return every | {"truncated": truncated}

    def align(self, source: tf.Tensor) -> dict[str, tf.Tensor]:
        given = tf.shape(source)[1]
        source, truncated = self._readable(source)
        hypotheses = self._search(source, return_weights=True)
        weights = hypotheses.weights[:, 0]
        if self._model.reads_ids:
            weights = weights[:, :, :given]
        best = {
            "ids": hypotheses.tokens[:, 0],
            "lengths": hypotheses.lengths[:, 0],
            "scores": hypotheses.scores[:, 0],
        }
        return best | {"weights": weights, "truncated": truncated}

    def encode(self, source: tf.Tensor) -> dict[str, tf.Tensor]:
        source, truncated = self._readable(source)
        self._encoded = encoded = self._model.encode(source, self._embeddings)
        limit = tf.constant([self._max_length])
        if self._model.reads_ids:
            limit = token_limits(source, self._settings, self._max_length)
        kept = {
            "memory": encoded.memory,
            **_keys(encoded),
            "mask": tf.cast(encoded.mask, tf.int32),
            **_numbered("copied", encoded.copied),
        }
        state = _numbered("state", encoded.state)
        if self._settings.min_length > 1:
            state[_SAID] = tf.zeros([1], tf.int32)
        about = {"limit": limit, "truncated": truncated}
        return (kept if self._model.has_attention else {}) | state | about

    def step(self, token: tf.Tensor, **kept: tf.Tensor) -> dict[str, tf.Tensor]:
        encoded = Encoded(None, None, None, None)
        if self._model.has_attention:
            names = _named("keys", self._encoded.keys)
            keys = tree.pack_sequence_as(
                self._encoded.keys, [kept.get(name, kept["memory"]) for name in names]
            )
            copied = tuple(kept[name] for name in _numbered("copied", self._encoded.copied))
            encoded = Encoded(kept["memory"], keys, kept["mask"] != 0, None, copied)
        names = _numbered("state", self._encoded.state)
        state = tree.pack_sequence_as(self._encoded.state, [kept[name] for name in names])
        token = tf_known(token, self._model.target_vocab_size)
        log_probs, state, weights = self._model.step(token, encoded, state, embeddings=self._embeddings)
        said, least = kept.get(_SAID, 0), self._settings.min_length
        log_probs = possible(log_probs, said, bos_id=BOS_ID, eos_id=EOS_ID, min_length=least)
        hypotheses = {"log_probs": log_probs} | _numbered("state", state)
        if least > 1:
            hypotheses[_SAID] = said + 1
        return hypotheses | {"weights": weights} if self._model.has_attention else hypotheses

    def _search(self, source: tf.Tensor, return_weights: bool) -> Hypotheses:
        return search_graph(
            self._model,
            source,
            settings=self._settings,
            max_length=self._max_length,
            return_weights=return_weights,
            embeddings=self._embeddings,
            digits=self._subject.digits,
        )

    def _readable(self, source: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        if not self._model.reads_ids:
            return source, tf.constant([0])
        size, wordless = self._subject.source_vocab_size, self._subject.wordless_ids
        return tf_reframed(source, self._settings.max_source_length, vocab_size=size, wordless_ids=wordless)


def _keys(encoded: Encoded) -> dict[str, tf.Tensor]:
    """Without the memory itself: of two names for one tensor, LiteRT.js gives only one."""
    return {name: keys for name, keys in _named("keys", encoded.keys).items() if keys is not encoded.memory}


def _numbered(name: str, nest: Any) -> dict[str, Any]:
    return {f"{name}_{i}": leaf for i, leaf in enumerate(tree.flatten(nest))}


def _named(name: str, nest: Any) -> dict[str, Any]:
    """A single tensor needs no number."""
    leaves = tree.flatten(nest)
    return {name: leaves[0]} if len(leaves) == 1 else _numbered(name, nest)
