"""Exports a model for servers: a SavedModel with the search inside. With vocabularies, it takes and returns strings."""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from keras_attn.export.checks import check_saved_model
from keras_attn.export.description import SAVED_MODEL_DESCRIPTION, search_description, write_description
from keras_attn.export.disk_errors import as_os_errors
from keras_attn.export.output_folder import new_folder
from keras_attn.export.parity import MIN_SENTENCES, Parity, check_sources
from keras_attn.export.same_bytes import make_repeatable
from keras_attn.export.serving_signatures import ServingSignatures, Signatures
from keras_attn.export.subject import Exportable, Subject, load_subject
from keras_attn.export.tensor_signatures import TensorSignatures
from keras_attn.export.warm_up import write_warm_up
from keras_attn.search.hypotheses import NEVER
from keras_attn.text.framing import longest_text
from keras_attn.text.words import EOS_PIECE


def export_saved_model(
    model: Exportable,
    output: str | Path,
    *,
    beam_size: int | None = None,
    max_length: int | None = None,
    sources: Sequence[str] | np.ndarray | None = None,
    references: Sequence[str] | None = None,
) -> Parity | None:
    """Writes a SavedModel, runs it, and compares it with the model.

    Its signatures take and return text, any number B of lines:

        serving_default  `text` string [B] -> `translation` string [B], `score` float32 [B]
        nbest            `text` -> `translations` string [B, N], `scores` float32 [B, N], best first, N the beam size. With
                         `search.keep_numbers`, the best with the digits of its source comes first. A slot without a hypothesis
                         contains "" with score -1e9
        align            `text` -> `translation`, `score`, `source_tokens` string [B, S], `target_tokens` string [B, T],
                         `weights` float32 [B, T, S]; row t is the attention with which target token t was chosen. Tokens are
                         sub-words, then "</s>", then "" with weights of 0. A model without attention has no `align`
        score            `text`, `translation` string [B] -> `log_prob` float32 [B], the natural logarithm of the probability of the
                         translation and its end, `tokens` int32 [B], the number of its sub-words, end included, and
                         `token_log_probs` float32 [B, T], one for each sub-word, then 0

    A line in which the vocabulary knows nothing, such as "" or "☃", translates to "" with score 0. Input is cut at the model's
    `search.max_source_length`, and a translation to score is cut at `max_length` sub-words, so one with that many `tokens` may have
    been longer. The same model gives the same files, byte for byte.

    Loading it needs TensorFlow and `import tensorflow_text`, which has the operators of the tokenizers, but not keras_attn:

    >>> import tensorflow as tf, tensorflow_text
    >>> translate = tf.saved_model.load("export/en-de").signatures["serving_default"]
    >>> translate(text=tf.constant(["A small dog runs across the grass."]))["translation"]

    TensorFlow Serving has these operators built in. It expects a folder `NAME/VERSION/`: `output="models/en-de/1"`.

    A `Seq2Seq` without vocabularies has the signatures of `export.tensor_signatures`, from ids or numbers to ids, and needs only
    TensorFlow.

    Args:
        model: a `Seq2Seq`; a `Translator`, which also has vocabularies and may be an ensemble; a model folder, or its content.
        output: the folder to make; an earlier export there is replaced.
        beam_size: 1 is greedy search. `None`: the model's own.
        max_length: the most tokens of a translation, EOS included. `None`: as many as the model's search allows for the longest
            source, and 512 for a bare `Seq2Seq`.
        sources: at least 50 inputs on which to compare the SavedModel with the model: sentences if there are vocabularies, else an
            array. A few of the sentences become the warm-up requests of TensorFlow Serving, in
            `assets.extra/tf_serving_warmup_requests`. `None`: random inputs for a bare `Seq2Seq`; no comparison and no warm-up for
            others.
        references: translations of the sentences, for BLEU.

    Returns:
        The comparison, which is also saved in `assets.extra/model.json`.

    Raises:
        ValueError: an invalid argument.
        ParityError: the SavedModel translates differently.
        FileExistsError: `output` exists and is not an earlier export.
        OSError: the disk is full or broken. Nothing half-written is ever left behind.
    """
    if max_length is not None and max_length < 1:
        raise ValueError(f"max_length must be at least 1. Received: max_length={max_length}")
    subject = load_subject(model, beam_size=beam_size)
    if sources is None and subject.translator is None:
        sources = subject.random_sources(MIN_SENTENCES)
    if sources is not None:
        check_sources(subject, sources, references)
    if max_length is None:
        max_length = subject.longest_target
    with new_folder(output, SAVED_MODEL_DESCRIPTION) as folder:
        served = (ServingSignatures if subject.translator else TensorSignatures)(subject, max_length)
        functions = served.functions()
        with as_os_errors(output):
            tf.saved_model.save(served.module, str(folder), signatures=functions)
        make_repeatable(folder)
        description = _description(subject, functions, max_length)
        if sources is not None and subject.translator:
            write_warm_up(folder, functions, sources)
        write_description(folder, SAVED_MODEL_DESCRIPTION, description)
        parity = None
        if sources is not None:
            parity = check_saved_model(subject, folder, sources, references)
            write_description(folder, SAVED_MODEL_DESCRIPTION, {**description, "parity": parity.as_dict()})
    return parity


def _description(subject: Subject, functions: Signatures, max_length: int) -> dict[str, Any]:
    source, target = subject.languages
    text = {
        "no_hypothesis": {"translation": "", "score": NEVER},
        "end_of_sentence": EOS_PIECE,
        "languages": {"source": source, "target": target},
        "max_source_characters": longest_text(subject.search.max_source_length),
    }
    return {
        "keras_attn_export": "saved_model",
        "keras_attn": version("keras-attn"),
        "attribution": subject.attribution,
        "signatures": {
            name: {
                "inputs": {spec.name: _described(spec) for spec in function.structured_input_signature[0]},
                "outputs": {key: _described(spec) for key, spec in function.structured_outputs.items()},
            }
            for name, function in functions.items()
        },
        **(text if subject.translator else {}),
        "max_length": max_length,
        "search": search_description(subject.search),
        "precision": "float32",
        "parameters": subject.model.count_params(),
        "parity": None,
    }


def _described(spec: tf.TensorSpec) -> dict[str, Any]:
    return {"shape": spec.shape.as_list(), "dtype": spec.dtype.name}
