"""The signatures of a model on a server: from text to text, with everything in between inside the graph.

B lines; N is the beam size, S and T are the most source and target sub-words among the B lines, `</s>` included.

    serving_default  text [B] -> translation [B], score [B]
    nbest            text [B] -> translations [B, N], scores [B, N], best first
    align            text [B] -> translation [B], score [B], source_tokens [B, S], target_tokens [B, T], weights [B, T, S]
    score            text [B], translation [B] -> log_prob [B], tokens [B], token_log_probs [B, T]
"""

from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf

from keras_attn.export.batches import batch
from keras_attn.export.search_graph import search_graph
from keras_attn.export.subject import Subject
from keras_attn.search import Hypotheses
from keras_attn.special_ids import PAD_ID
from keras_attn.text.framing import (
    tf_framed,
    tf_never_empty,
    tf_one_line,
    tf_target_in_of,
    tf_without_wordless,
)
from keras_attn.text.tokenizer import Tokenizer

Signatures = dict[str, tf.types.experimental.ConcreteFunction]


class ServedWeights:
    """One copy of a model's weights for any number of graphs.

    Attributes:
        module: contains the weights as `tf.Variable`s: a checkpoint stores each once, and a server keeps each once in memory,
            however many functions read it. (Constants would be stored again in every function.)
    """

    def __init__(self, model: keras.Model) -> None:
        self.module = tf.Module()
        self.module.weights = [tf.Variable(weight, trainable=False) for weight in model.weights]
        self._places = list(zip(model.weights, self.module.weights, strict=True))

    def scope(self) -> keras.StatelessScope:
        """A scope in which the model reads the weights of `module`."""
        return keras.StatelessScope([(place, tf.convert_to_tensor(value)) for place, value in self._places])


class ServingSignatures:
    """The signatures of a SavedModel, over one copy of the weights.

    Text is read up to `longest_text(max_source_length)` characters, which bounds time and memory whatever a client sends, and
    then up to `max_source_length` sub-words. A line in which the vocabulary knows nothing, such as "" or "☃", translates to "" with
    score 0 and has no tokens.

    Args:
        subject: the model with its vocabularies, and its search.
        max_length: the most target sub-words of a translation.

    Attributes:
        module: contains the weights, see `ServedWeights`, and the tokenizers.
    """

    def __init__(self, subject: Subject, max_length: int) -> None:
        self._settings, self._model, self._digits = subject.search, subject.model, subject.digits
        self._max_length = max_length
        self._weights = ServedWeights(subject.model)
        self.module = self._weights.module
        self._source, self._target = subject.source_tokenizer, subject.target_tokenizer
        self.module.tokenizers = [self._source.operator, self._target.operator]
        # One graph serves two signatures.
        self._traced_search = tf.function(
            self._search, [tf.TensorSpec([None, None], tf.int32)], autograph=False
        )

    def functions(self) -> Signatures:
        """The traced functions by signature name; no `align` for a model without attention."""
        hypotheses = {
            "serving_default": _traced(self._translate, "text"),
            "nbest": _traced(self._n_best, "text"),
        }
        if self._model.has_attention:
            hypotheses["align"] = _traced(self._align, "text")
        return {**hypotheses, "score": _traced(self._score, "text", "translation")}

    def _translate(self, text):
        best = self._traced_search(self._words(text))
        return {"translation": self._texts(best.tokens[:, 0]), "score": best.scores[:, 0]}

    def _n_best(self, text):
        hypotheses = self._traced_search(self._words(text))
        texts = self._texts(tf.reshape(hypotheses.tokens, [-1, self._max_length]))  # [B * N]
        return {
            "translations": tf.reshape(texts, [-1, self._settings.beam_size]),
            "scores": hypotheses.scores,
        }

    def _align(self, text):
        source = self._words(text)
        hypotheses = self._search(source, return_weights=True)
        longest = tf.reduce_max(tf.concat([hypotheses.lengths[:, 0], [0]], axis=0))
        target = hypotheses.tokens[:, 0, :longest]  # [B, T]
        return {
            "translation": self._texts(target),
            "score": hypotheses.scores[:, 0],
            "source_tokens": _pieces(self._source, source),
            "target_tokens": _pieces(self._target, target),
            "weights": hypotheses.weights[:, 0, :longest, : tf.shape(source)[1]],
        }

    def _score(self, text, translation):
        text, translation = batch(text, "text", "lines"), batch(translation, "translation", "lines")
        tf.debugging.assert_equal(
            tf.shape(text), tf.shape(translation), "expected one translation per text: [B] and [B]"
        )
        source = tf_never_empty(tf_framed(text, self._source, self._settings.max_source_length))
        target_out = tf_never_empty(tf_framed(translation, self._target, self._max_length))
        with self._weights.scope():
            log_probs, _ = self._model.score(source, tf_target_in_of(target_out), target_out)  # [B, T]
        tokens = tf.reduce_sum(tf.cast(target_out != PAD_ID, tf.int32), axis=1)
        log_prob = tf.reduce_sum(log_probs, axis=1)
        return {"log_prob": log_prob, "tokens": tokens, "token_log_probs": log_probs}

    def _words(self, text):
        """int32 `[B, S]`; only padding for a line in which nothing is known."""
        ids = tf_framed(batch(text, "text", "lines"), self._source, self._settings.max_source_length)
        return tf_without_wordless(ids, self._source.wordless_ids)

    def _search(self, source, return_weights: bool = False) -> Hypotheses:
        with self._weights.scope():
            return search_graph(
                self._model,
                source,
                settings=self._settings,
                max_length=self._max_length,
                return_weights=return_weights,
                digits=self._digits,
            )

    def _texts(self, ids):
        return tf_one_line(self._target.tf_decode(ids))


def _traced(function: Callable, *names: str) -> tf.types.experimental.ConcreteFunction:
    signature = [tf.TensorSpec([None], tf.string, name=name) for name in names]
    return tf.function(function, input_signature=signature, autograph=False).get_concrete_function()


def _pieces(tokenizer: Tokenizer, ids: Any) -> Any:
    """int32 `[B, length]` -> string `[B, length]`, "" at padding."""
    names = ["", *tokenizer.pieces(range(1, tokenizer.vocab_size))]
    return tf.gather(tf.constant(names), ids)
