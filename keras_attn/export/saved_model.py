"""A model for servers: a SavedModel that takes and returns strings, its vocabularies and search inside."""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import tensorflow as tf

from keras_attn.config import SearchConfig
from keras_attn.export.freeze import constant_weights, load_for_export, translate_ids
from keras_attn.export.output_folder import (
    SAVED_MODEL_DESCRIPTION,
    new_folder,
    search_description,
    write_description,
)
from keras_attn.export.parity import Parity, check_saved_model, check_sentences
from keras_attn.model_dir import TrainedModel
from keras_attn.models.translation_steps import TranslationSteps
from keras_attn.text.special_tokens import EOS_ID, PAD_ID

SIGNATURE = "serving_default"


def export_saved_model(
    model: str | Path | TrainedModel,
    output: str | Path,
    beam_size: int | None = None,
    sources: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
) -> Parity | None:
    """Writes a SavedModel and, given sentences, runs it.

    Its signature `serving_default` maps `text`, string `[batch]`, to `translation`, string `[batch]`, and `score`, float32
    `[batch]`. The batch may have any size; a line without any sub-word, such as "", gives "" with score 0; longer input than
    the model's `search.max_source_length` is cut there. To load it takes TensorFlow and `import tensorflow_text`, which holds
    the operators of the tokenizers, and not keras_attn:

    >>> import tensorflow as tf, tensorflow_text
    >>> translate = tf.saved_model.load("export/en-de").signatures["serving_default"]
    >>> translate(text=tf.constant(["A small dog runs across the grass."]))["translation"]

    Args:
        model: a model folder, or what is in one.
        output: the folder to make; an earlier export there is replaced.
        beam_size: 1 is greedy search. `None`: the model's own.
        sources: development sentences, at least 50, that the SavedModel is to translate as the model does. `None`: no comparison.
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
        translate = _graph(trained, settings)
        tf.saved_model.save(
            tf.Module(), str(folder), signatures={SIGNATURE: translate.get_concrete_function()}
        )
        description = _description(trained, settings)
        write_description(folder / SAVED_MODEL_DESCRIPTION, description)
        parity = None
        if sources is not None:
            parity = check_saved_model(trained, folder, sources, references)
            write_description(folder / SAVED_MODEL_DESCRIPTION, {**description, "parity": parity.as_dict()})
    return parity


def _graph(trained: TrainedModel, settings: SearchConfig) -> Any:
    steps = TranslationSteps(trained.model)
    longest = settings.max_source_length - 1

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="text")], autograph=False)
    def translate(text):
        words = trained.source_tokenizer.tf_encode(text)[:, :longest]
        ends = tf.fill([tf.shape(text)[0], 1], EOS_ID)
        source = tf.concat([words, ends], axis=1).to_tensor(PAD_ID)  # [batch, source]
        with constant_weights(trained.model):
            best = translate_ids(steps, source, settings, settings.length_limit(longest))
        translation = trained.target_tokenizer.tf_decode(best.ids)
        return {"translation": tf.strings.regex_replace(translation, "[\r\n]", " "), "score": best.scores}

    return translate


def _description(trained: TrainedModel, settings: SearchConfig) -> dict[str, Any]:
    return {
        "keras_attn_export": "saved_model",
        "keras_attn": version("keras-attn"),
        "signature": SIGNATURE,
        "inputs": {"text": {"shape": [None], "dtype": "string"}},
        "outputs": {
            "translation": {"shape": [None], "dtype": "string"},
            "score": {"shape": [None], "dtype": "float32"},
        },
        "languages": {
            "source": trained.config.data.source_language,
            "target": trained.config.data.target_language,
        },
        "max_length": settings.length_limit(settings.max_source_length - 1),
        "search": search_description(settings),
        "precision": "float32",
        "parameters": trained.model.count_params(),
        "parity": None,
    }
