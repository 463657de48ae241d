"""A model for servers: a SavedModel that takes and returns strings, its vocabularies and search inside."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import tensorflow as tf

from keras_attn.config import SearchConfig
from keras_attn.export.output_folder import (
    SAVED_MODEL_DESCRIPTION,
    new_folder,
    search_description,
    write_description,
)
from keras_attn.export.parity import Parity, check_saved_model, check_sentences
from keras_attn.export.same_bytes import make_repeatable
from keras_attn.export.search_graph import load_for_export
from keras_attn.export.serving_signatures import ServingSignatures, longest_text
from keras_attn.export.warm_up import write_warm_up
from keras_attn.search.hypotheses import NEVER
from keras_attn.storage.model_folder import TrainedModel
from keras_attn.text.words import EOS_PIECE


def export_saved_model(
    model: str | Path | TrainedModel,
    output: str | Path,
    beam_size: int | None = None,
    sources: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
) -> Parity | None:
    """Writes a SavedModel and, given sentences, runs it.

    Its signatures take and return text, B lines of it, B any number:

        serving_default  `text` string [B] -> `translation` string [B], `score` float32 [B]
        nbest            `text` -> `translations` string [B, N], `scores` float32 [B, N], best first, N the beam size. A place
                         without a hypothesis holds "" with score -1e9
        align            `text` -> `translation`, `score`, `source_tokens` string [B, S], `target_tokens` string [B, T],
                         `weights` float32 [B, T, S], row t the attention that target token t was chosen with. Tokens are
                         sub-words, "</s>" at the end, "" behind it, where the weights are 0. A model without attention has no
                         `align`
        score            `text`, `translation` string [B] -> `log_prob` float32 [B], the natural logarithm of the probability of the
                         translation and its end, and `tokens` int32 [B], how many sub-words those are, the end included

    A line of which the vocabulary knows nothing, such as "" or "☃", translates to "" with score 0. Longer input than the model's
    `search.max_source_length` is cut there, and so is, at `max_length` sub-words, a translation to be scored: one with that many
    `tokens` may have been longer. The same model gives the same files, byte for byte.

    To load it takes TensorFlow and `import tensorflow_text`, which holds the operators of the tokenizers, and not keras_attn:

    >>> import tensorflow as tf, tensorflow_text
    >>> translate = tf.saved_model.load("export/en-de").signatures["serving_default"]
    >>> translate(text=tf.constant(["A small dog runs across the grass."]))["translation"]

    TensorFlow Serving has them built in. It wants `NAME/VERSION/` as the folder: `output="models/en-de/1"`.

    Args:
        model: a model folder, or what is in one.
        output: the folder to make; an earlier export there is replaced.
        beam_size: 1 is greedy search. `None`: the model's own.
        sources: development sentences, at least 50, that the SavedModel is to translate as the model does. A few of them become
            the requests that TensorFlow Serving warms up with, in `assets.extra/tf_serving_warmup_requests`. `None`: no
            comparison, and no such file.
        references: their translations, for BLEU.

    Returns:
        The comparison; `assets.extra/model.json` holds it too.

    Raises:
        ValueError: an argument that cannot be used.
        ParityError: the SavedModel translates differently.
        FileExistsError: `output` exists and is not an earlier export. In no case is anything half-written left behind.
    """
    if sources is not None:
        check_sentences(sources, references)
    trained, settings = load_for_export(model, beam_size)
    with new_folder(output, SAVED_MODEL_DESCRIPTION) as folder:
        served = ServingSignatures(trained, settings)
        functions = served.functions()
        tf.saved_model.save(served.module, str(folder), signatures=functions)
        make_repeatable(folder)
        description = _description(trained, settings, functions)
        write_description(folder / SAVED_MODEL_DESCRIPTION, description)
        parity = None
        if sources is not None:
            parity = check_saved_model(trained, folder, sources, references)
            write_description(folder / SAVED_MODEL_DESCRIPTION, {**description, "parity": parity.as_dict()})
            write_warm_up(folder, functions, sources)
    return parity


def _description(
    trained: TrainedModel,
    settings: SearchConfig,
    functions: Mapping[str, tf.types.experimental.ConcreteFunction],
) -> dict[str, Any]:
    max_length = settings.length_limit(settings.max_source_length - 1)
    return {
        "keras_attn_export": "saved_model",
        "keras_attn": version("keras-attn"),
        "signatures": {
            name: {
                "inputs": {spec.name: _described(spec) for spec in function.structured_input_signature[0]},
                "outputs": {key: _described(spec) for key, spec in function.structured_outputs.items()},
            }
            for name, function in functions.items()
        },
        "no_hypothesis": {"translation": "", "score": NEVER},
        "end_of_sentence": EOS_PIECE,
        "languages": {
            "source": trained.config.data.source_language,
            "target": trained.config.data.target_language,
        },
        "max_source_characters": longest_text(settings.max_source_length),
        "max_length": max_length,
        "search": search_description(settings),
        "precision": "float32",
        "parameters": trained.model.count_params(),
        "parity": None,
    }


def _described(spec: tf.TensorSpec) -> dict[str, Any]:
    return {"shape": spec.shape.as_list(), "dtype": spec.dtype.name}
