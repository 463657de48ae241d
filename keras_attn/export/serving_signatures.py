"""What a server can ask a model for: functions of text that give text, with everything between inside the graph.

B lines, N the beam size, S and T the most source and target sub-words among the B lines, `</s>` included.

    serving_default  text [B] -> translation [B], score [B]
    nbest            text [B] -> translations [B, N], scores [B, N], best first
    align            text [B] -> translation [B], score [B], source_tokens [B, S], target_tokens [B, T], weights [B, T, S]
    score            text [B], translation [B] -> log_prob [B], tokens [B]
"""

from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf

from keras_attn.config import SearchConfig
from keras_attn.export.search_graph import search_ids
from keras_attn.models.translation_steps import TranslationSteps
from keras_attn.search import Hypotheses
from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID
from keras_attn.storage.model_folder import TrainedModel
from keras_attn.text.tokenizer import Tokenizer

# Four times what a sub-word can have: room for spaces and marks that normalising takes away.
CHARACTERS_PER_TOKEN = 64


class ServingSignatures:
    """The signatures of a SavedModel, over one copy of the weights.

    Text is read up to `longest_text(max_source_length)` characters, which bounds time and memory whatever a client sends, and
    then up to `max_source_length` sub-words. A line of which the vocabulary knows nothing, such as "" or "☃", translates to "" with
    score 0 and has no tokens.

    Args:
        trained: the model.
        settings: its search.

    Attributes:
        module: holds the weights, as `tf.Variable`s: a checkpoint stores each once, and a server holds each once in memory, however
            many functions read it. (Constants are stored anew in every function.)
        max_length: the most target sub-words of a translation.
    """

    def __init__(self, trained: TrainedModel, settings: SearchConfig) -> None:
        self.max_length = settings.length_limit(settings.max_source_length - 1)
        self.module = tf.Module()
        self.module.weights = [tf.Variable(weight, trainable=False) for weight in trained.model.weights]
        self._places = list(zip(trained.model.weights, self.module.weights, strict=True))
        self._steps = TranslationSteps(trained.model)
        self._settings = settings
        self._source, self._target = trained.source_tokenizer, trained.target_tokenizer
        self._has_attention = trained.config.model.attention != "none"
        # One graph for two signatures.
        self._traced_search = tf.function(
            self._search, [tf.TensorSpec([None, None], tf.int32)], autograph=False
        )

    def functions(self) -> dict[str, tf.types.experimental.ConcreteFunction]:
        """The traced functions by signature name; no `align` for a model without attention."""
        found = {"serving_default": _traced(self._translate, "text"), "nbest": _traced(self._n_best, "text")}
        if self._has_attention:
            found["align"] = _traced(self._align, "text")
        return {**found, "score": _traced(self._score, "text", "translation")}

    def _translate(self, text):
        best = self._traced_search(self._words(text))
        return {"translation": self._texts(best.tokens[:, 0]), "score": best.scores[:, 0]}

    def _n_best(self, text):
        found = self._traced_search(self._words(text))
        texts = self._texts(tf.reshape(found.tokens, [-1, self.max_length]))  # [B * N]
        return {"translations": tf.reshape(texts, [-1, self._settings.beam_size]), "scores": found.scores}

    def _align(self, text):
        source = self._words(text)
        found = self._search(source, keep_weights=True)
        longest = tf.reduce_max(tf.concat([found.lengths[:, 0], [0]], axis=0))
        target = found.tokens[:, 0, :longest]  # [B, T]
        return {
            "translation": self._texts(target),
            "score": found.scores[:, 0],
            "source_tokens": _pieces(self._source, source),
            "target_tokens": _pieces(self._target, target),
            "weights": found.weights[:, 0, :longest, : tf.shape(source)[1]],
        }

    def _score(self, text, translation):
        tf.debugging.assert_equal(
            tf.shape(text), tf.shape(translation), "expected one translation a text: [B] and [B]"
        )
        source = _never_empty(_ids(self._source, text, self._settings.max_source_length))
        target_out = _never_empty(_ids(self._target, translation, self.max_length))
        starts = tf.fill([tf.shape(target_out)[0], 1], BOS_ID)
        target_in = tf.concat([starts, target_out[:, :-1]], axis=1)
        with self._weights():
            log_probs, _ = self._steps.score(source, target_in, target_out)  # [B, T]
        tokens = tf.reduce_sum(tf.cast(target_out != PAD_ID, tf.int32), axis=1)
        return {"log_prob": tf.reduce_sum(log_probs, axis=1), "tokens": tokens}

    def _words(self, text):
        """int32 `[B, S]`; only padding where nothing is known of a line."""
        ids = _ids(self._source, text, self._settings.max_source_length)
        wordless = tf.constant(sorted(self._source.wordless_ids))
        known = tf.reduce_any(tf.reduce_all(ids[..., None] != wordless, axis=-1), axis=1)  # [B]
        return tf.where(known[:, None], ids, PAD_ID)

    def _search(self, source, keep_weights: bool = False) -> Hypotheses:
        with self._weights():
            return search_ids(self._steps, source, self._settings, self.max_length, keep_weights)

    def _weights(self) -> keras.StatelessScope:
        """A scope in which the model reads the weights of `module`."""
        return keras.StatelessScope([(place, tf.convert_to_tensor(value)) for place, value in self._places])

    def _texts(self, ids):
        return tf.strings.regex_replace(self._target.tf_decode(ids), "[\r\n]", " ")


def longest_text(max_tokens: int) -> int:
    """How many characters of a text are read in search of its sub-words."""
    return CHARACTERS_PER_TOKEN * max_tokens


def _traced(function: Callable, *names: str) -> tf.types.experimental.ConcreteFunction:
    signature = [tf.TensorSpec([None], tf.string, name=name) for name in names]
    return tf.function(function, input_signature=signature, autograph=False).get_concrete_function()


def _ids(tokenizer: Tokenizer, text: Any, max_tokens: int) -> Any:
    """string `[B]` -> int32 `[B, length]`, EOS at the end, then padding; length is `max_tokens` at most."""
    text = tf.strings.substr(text, 0, longest_text(max_tokens), unit="UTF8_CHAR")
    words = tokenizer.tf_encode(text)[:, : max_tokens - 1]
    ends = tf.fill([tf.shape(text)[0], 1], EOS_ID)
    return tf.concat([words, ends], axis=1).to_tensor(PAD_ID)


def _never_empty(ids: Any) -> Any:
    """A column of padding more, which changes nothing: without one there would be none where B is 0, and nothing to start from."""
    return tf.pad(ids, [[0, 0], [0, 1]])


def _pieces(tokenizer: Tokenizer, ids: Any) -> Any:
    """int32 `[B, length]` -> string `[B, length]`, "" at padding."""
    names = ["", *tokenizer.pieces(range(1, tokenizer.vocab_size))]
    return tf.gather(tf.constant(names), ids)
