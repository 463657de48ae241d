"""The signatures of a model without vocabularies on a server: from ids or numbers to ids.

B sources; N is the beam size, L the most tokens in a target.

    serving_default  source [B, ...] -> ids [B, N, L], lengths [B, N], scores [B, N], best first
    align            source -> the same for the best hypothesis only, ids [B, L] and so on, and weights [B, L, S]
    score            source, target [B, T] ids that end in EOS, then 0 -> log_prob [B]
"""

import tensorflow as tf

from keras_attn.export.batches import batch
from keras_attn.export.search_graph import search_graph
from keras_attn.export.serving_signatures import ServedWeights, Signatures
from keras_attn.export.subject import Subject
from keras_attn.search import Hypotheses
from keras_attn.text.framing import tf_known, tf_never_empty, tf_target_in_of, tf_without_wordless


class TensorSignatures:
    """The signatures of a SavedModel, over one copy of the weights.

    Args:
        subject: the model and its search.
        max_length: L.

    Attributes:
        module: contains the weights, see `ServedWeights`.
    """

    def __init__(self, subject: Subject, max_length: int) -> None:
        self._subject, self._model, self._max_length = subject, subject.model, max_length
        self._weights = ServedWeights(subject.model)
        self.module = self._weights.module

    def functions(self) -> Signatures:
        """The traced functions by signature name; no `align` for a model without attention."""
        spec = self._model.inputs[0]
        source = tf.TensorSpec(spec.shape, spec.dtype, name="source")
        target = tf.TensorSpec([None, None], tf.int32, name="target")
        functions = {"serving_default": (self._search, source), "score": (self._score, source, target)}
        if self._model.has_attention:
            functions["align"] = (self._align, source)
        return {
            name: tf.function(function, input_signature=specs, autograph=False).get_concrete_function()
            for name, (function, *specs) in functions.items()
        }

    def _search(self, source: tf.Tensor) -> dict[str, tf.Tensor]:
        hypotheses = self._hypotheses(source, return_weights=False)
        return {"ids": hypotheses.tokens, "lengths": hypotheses.lengths, "scores": hypotheses.scores}

    def _align(self, source: tf.Tensor) -> dict[str, tf.Tensor]:
        source = batch(source, "source", "inputs")
        hypotheses = self._hypotheses(source, return_weights=True)
        weights = hypotheses.weights[:, 0]
        if self._model.reads_ids:
            weights = weights[:, :, : tf.shape(source)[1]]  # the search adds a column of padding
        return {
            "ids": hypotheses.tokens[:, 0],
            "lengths": hypotheses.lengths[:, 0],
            "scores": hypotheses.scores[:, 0],
            "weights": weights,
        }

    def _score(self, source: tf.Tensor, target: tf.Tensor) -> dict[str, tf.Tensor]:
        target = batch(target, "target", "rows of ids")
        target = tf_never_empty(tf_known(target, self._model.target_vocab_size))
        source = self._known(source)
        source = tf_never_empty(source) if self._model.reads_ids else source
        with self._weights.scope():
            log_probs, _ = self._model.score(source, tf_target_in_of(target), target)
        return {"log_prob": tf.reduce_sum(log_probs, axis=1)}

    def _hypotheses(self, source: tf.Tensor, return_weights: bool) -> Hypotheses:
        source = self._known(source)
        if self._model.reads_ids:
            source = tf_without_wordless(source, self._subject.wordless_ids)
        with self._weights.scope():
            return search_graph(
                self._model,
                source,
                settings=self._subject.search,
                max_length=self._max_length,
                return_weights=return_weights,
            )

    def _known(self, source: tf.Tensor) -> tf.Tensor:
        source = batch(source, "source", "inputs")
        size = self._subject.source_vocab_size
        return tf_known(source, size) if self._model.reads_ids and size else source
