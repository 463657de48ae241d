"""A model for servers: a SavedModel with its search inside; with its vocabularies too, it takes and returns strings."""

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
    """Writes a SavedModel and runs it.

    Its signatures take and return text, B lines of it, B any number:

        serving_default  `text` string [B] -> `translation` string [B], `score` float32 [B]
        nbest            `text` -> `translations` string [B, N], `scores` float32 [B, N], best first, N the beam size. A place
                         without a hypothesis holds "" with score -1e9
        align            `text` -> `translation`, `score`, `source_tokens` string [B, S], `target_tokens` string [B, T],
                         `weights` float32 [B, T, S], row t the attention that target token t was chosen with. Tokens are
                         sub-words, "</s>" at the end, "" behind it, where the weights are 0. A model without attention has no
                         `align`
        score            `text`, `translation` string [B] -> `log_prob` float32 [B], the natural logarithm of the probability of the
                         translation and its end, `tokens` int32 [B], how many sub-words those are, the end included, and
                         `token_log_probs` float32 [B, T], of each of them, 0 behind the last

    A line of which the vocabulary knows nothing, such as "" or "☃", translates to "" with score 0. Longer input than the model's
    `search.max_source_length` is cut there, and so is, at `max_length` sub-words, a translation to be scored: one with that many
    `tokens` may have been longer. The same model gives the same files, byte for byte.

    To load it takes TensorFlow and `import tensorflow_text`, which holds the operators of the tokenizers, and not keras_attn:

    >>> import tensorflow as tf, tensorflow_text
    >>> translate = tf.saved_model.load("export/en-de").signatures["serving_default"]
    >>> translate(text=tf.constant(["A small dog runs across the grass."]))["translation"]

    TensorFlow Serving has them built in. It wants `NAME/VERSION/` as the folder: `output="models/en-de/1"`.

    A `Seq2Seq` without vocabularies has the signatures of `export.tensor_signatures`, from ids or numbers to ids, and takes
    TensorFlow alone.

    Args:
        model: a model folder, or what is in one.
        output: the folder to make; an earlier export there is replaced.
        beam_size: 1 is greedy search. `None`: the model's own.
        max_length: the most tokens of a translation, EOS included. `None`: what the model's search allows its longest source.
        sources: what the SavedModel is to translate as the model does, at least 50: sentences where there are vocabularies, of
            which a few become the requests that TensorFlow Serving warms up with, in `assets.extra/tf_serving_warmup_requests`;
            else an array of inputs. `None`: random inputs for a bare `Seq2Seq`; no comparison and no warm-up for others.
        references: translations of the sentences, for BLEU.

    Returns:
        The comparison; `assets.extra/model.json` holds it too.

    Raises:
        ValueError: an argument that cannot be used.
        ParityError: the SavedModel translates differently.
        FileExistsError: `output` exists and is not an earlier export.
        OSError: the disk is full or broken. In no case is anything half-written left behind.
    """
    subject = load_subject(model, beam_size=beam_size)
    if sources is None and subject.translator is None:
        sources = subject.random_sources(MIN_SENTENCES)
    if sources is not None:
        check_sources(subject, sources, references)
    max_length = max_length or subject.search.length_limit(subject.search.max_source_length - 1)
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
