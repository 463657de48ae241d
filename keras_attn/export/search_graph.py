"""The whole translation of ids, encoder and search, as a graph, which both exports trace.

LiteRT's interpreter cannot read a variable inside a loop: there the weights are constants.
"""

import dataclasses
from pathlib import Path
from typing import Any

import keras
import tensorflow as tf

from keras_attn import search
from keras_attn.config import SearchConfig
from keras_attn.models.translation_steps import TranslationSteps
from keras_attn.search.hypotheses import NEVER, Hypotheses
from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID
from keras_attn.storage.model_folder import TrainedModel, load_model


def load_for_export(
    model: str | Path | TrainedModel, beam_size: int | None
) -> tuple[TrainedModel, SearchConfig]:
    """A model, from its folder or as it is, and the search to export with it.

    Raises:
        ValueError: `beam_size` (`None`: the model's own) is no size, or Keras does not run on TensorFlow.
        ModelFolderError, FileNotFoundError: as `load_model`.
    """
    if keras.backend.backend() != "tensorflow":
        raise ValueError(
            f"exports are TensorFlow graphs, but Keras runs on {keras.backend.backend()}: set KERAS_BACKEND=tensorflow. "
            "A model folder loads on any backend"
        )
    if beam_size is not None and beam_size < 1:
        raise ValueError(f"beam_size must be at least 1. Received: beam_size={beam_size}")
    trained = model if isinstance(model, TrainedModel) else load_model(model)
    settings = trained.config.search
    return trained, settings if beam_size is None else dataclasses.replace(settings, beam_size=beam_size)


def constant_weights(model: keras.Model) -> keras.StatelessScope:
    """A scope in which every variable of a model reads as a constant; for use inside a function that is being traced."""
    with tf.init_scope():
        values = [(variable, variable.numpy()) for variable in model.variables]
    return keras.StatelessScope(state_mapping=[(variable, tf.constant(value)) for variable, value in values])


def search_ids(
    steps: TranslationSteps,
    source: Any,
    settings: SearchConfig,
    max_length: int,
    keep_weights: bool = False,
) -> Hypotheses:
    """Search from ids to ids; a beam of one is greedy search.

    Args:
        steps: the model, see `TranslationSteps`.
        source: int32 `(B, S)`, each row with EOS at its end, then 0; B and S may be 0. A row without words translates to
            nothing: its first hypothesis is empty with score 0, and it has no others.
        settings: beam size, length penalty and how many tokens a source of n may have.
        max_length: the most tokens of any translation, L.
        keep_weights: whether somebody asks for the attention weights, `(B, N, L, S)`; where S is 0, they have one column.
    """
    limits = token_limits(source, settings, max_length)
    source = _never_empty(source)
    step, state = steps.encode(source)
    found = search.beam(
        step,
        state,
        bos_id=BOS_ID,
        eos_id=EOS_ID,
        max_length=max_length,
        limits=limits,
        source_length=tf.shape(source)[1] if keep_weights else None,
        beam_size=settings.beam_size,
        length_penalty=settings.length_penalty,
        coverage_penalty=settings.coverage_penalty,
        source_mask=source != PAD_ID,
    )
    nothing = tf.constant([0.0] + [NEVER] * (settings.beam_size - 1))  # [N]
    return found._replace(scores=tf.where(limits[:, None] > 0, found.scores, nothing))


def token_limits(source: Any, settings: SearchConfig, max_length: int) -> Any:
    """The most tokens of the translations of int32 `[B, S]`: int32 `[B]`, none where there are no words.

    They are looked up, so that no rounding differs from Python's.
    """
    words = tf.reduce_sum(tf.cast((source != PAD_ID) & (source != EOS_ID), tf.int32), axis=1)  # [B]
    limits = [min(max_length, settings.length_limit(n)) for n in range(1, settings.max_source_length + 1)]
    return tf.gather(tf.constant([0, *limits], tf.int32), tf.minimum(words, settings.max_source_length))


def _never_empty(source: Any) -> Any:
    """The encoder needs a position to start from: unless S is known, one of padding is added, which changes nothing.

    It is always added, and no padding is ever cut off: shapes that hang on the ids are what LiteRT's kernels do badly, see
    `LiteRTTranslator`.
    """
    return source if source.shape[1] else tf.pad(source, [[0, 0], [0, 1]])
