"""Exports a model for phones and browsers: one `.tflite` file with encoder, search and vocabularies; text in, text out.

The folder contains:

    model.tflite    the signatures of `export.text_signatures`, for text, and of `export.id_signatures`, for ids or numbers, over
                    shared weights; all that a client needs
    model.json      names, shapes, special ids, limits, sizes, whom to credit for the training data, and the comparison with the
                    original model; everything except sizes and comparison is in `model.tflite` too
    SHA256SUMS      checksums of these files; `model.tflite` on its own contains a checksum, see `associated_files`

A model without vocabularies, such as one that reads pictures, has no signatures for text. The file uses only built-in operators,
which every LiteRT runtime has. For batches on servers, see `export.saved_model`.
"""

import json
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from keras_attn.export.associated_files import with_files, with_metadata
from keras_attn.export.checks import check_litert
from keras_attn.export.conversion import convert
from keras_attn.export.description import LITERT_DESCRIPTION, MODEL, search_description, write_description
from keras_attn.export.id_signatures import Signature, id_signatures, translate_signature
from keras_attn.export.int8_embedding import int8_embeddings
from keras_attn.export.output_folder import new_folder
from keras_attn.export.parity import MIN_SENTENCES, Parity, check_sources
from keras_attn.export.subject import Exportable, Subject, load_subject
from keras_attn.export.text_signatures import text_signatures
from keras_attn.files import write_bytes
from keras_attn.models.ensemble import Ensemble
from keras_attn.models.seq2seq import Seq2Seq
from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID, UNK_ID

PRECISIONS = ("float32", "int8")


def export_litert(
    model: Exportable,
    output: str | Path,
    *,
    precision: str = "float32",
    beam_size: int = 1,
    source_length: int | None = 64,
    max_length: int = 64,
    sources: Sequence[Any] | np.ndarray | None = None,
    references: Sequence[str] | None = None,
    padded: bool = True,
) -> Parity | None:
    """Writes a `.tflite`, runs it, and compares it with the model.

    Args:
        model: a `Seq2Seq`; a `Translator`, which also has vocabularies; a model folder, or its content.
        output: the folder to make; an earlier export there is replaced.
        precision: `"float32"`; or `"int8"`, a quarter of the size and faster: weights in int8, computing in float32 where rows are
            scaled (dynamic-range quantisation).
        beam_size: 1 is greedy search.
        source_length: S, the most source ids, EOS included; `None`: the model's `search.max_source_length`. A greater number
            counts as that, with a warning. A source without ids has the model's own shape.
        max_length: L, the most tokens of a translation, EOS included.
        sources: at least 50 inputs on which to compare the file with the model: sentences if there are vocabularies, else an array.
            `None`: random inputs for a bare `Seq2Seq`; no comparison for others, because random text proves little.
        references: translations of the sentences, for BLEU.
        padded: whether a client of ids pads every source to S ids with 0. If not, the file takes any number of ids up to S and is
            some tenths of a millisecond faster on short sentences. But LiteRT.js does not accept such a file, and every other
            client must run the longest possible source first, see `LiteRTModel`. This makes no difference for text.

    Returns:
        The comparison, which is also saved in `model.json`.

    Raises:
        ValueError: an invalid argument, an ensemble, or a model that does not compute in float32.
        ConversionError: the model needs more than built-in operators.
        ParityError: the file translates differently.
        FileExistsError: `output` exists and is not an earlier export.
        OSError: the disk is full or broken. Nothing half-written is ever left behind.
    """
    _check(precision, source_length, max_length=max_length)
    subject = load_subject(model, beam_size=beam_size, max_source_length=source_length)
    if isinstance(subject.model, Ensemble):
        raise ValueError(
            f"a .tflite holds one model, and this is an ensemble of {len(subject.model.models)}: export one of them, or train a "
            "single model on their translations. A SavedModel can hold an ensemble"
        )
    _check_dtype(subject.model)
    if sources is None and subject.translator is None:
        sources = subject.random_sources(MIN_SENTENCES)
    if sources is not None:
        check_sources(subject, sources, references)
    length = subject.search.max_source_length
    if source_length and length < source_length:
        warnings.warn(
            f"the file takes {length} source ids, not {source_length}: the model reads no more (search.max_source_length)",
            stacklevel=2,
        )
    signatures = _signatures(subject, precision, length=length, max_length=max_length, padded=padded)
    description = _description(
        subject, precision, signatures=signatures, length=length if padded else None, max_length=max_length
    )
    with new_folder(output, LITERT_DESCRIPTION) as folder:
        about = json.dumps(description, ensure_ascii=False, separators=(",", ":"))
        files = {LITERT_DESCRIPTION: about.encode()}
        converted = convert(signatures, precision)
        converted = with_metadata(
            converted, " to ".join(subject.languages), about, files, licence=subject.attribution
        )
        content = with_files(converted, files)
        write_bytes(folder / MODEL, content)
        description |= {
            "bytes": len(content),
            "bytes_per_parameter": round(len(converted) / description["parameters"], 3),
        }
        write_description(folder, LITERT_DESCRIPTION, description)
        parity = None
        if sources is not None:
            parity = check_litert(subject, folder, sources, references)
            write_description(folder, LITERT_DESCRIPTION, {**description, "parity": parity.as_dict()})
    return parity


def _check(precision: str, source_length: int | None, *, max_length: int) -> None:
    if precision == "int8-full":
        raise ValueError(
            "full-integer quantisation is not supported: LiteRT's converter crashes on recurrent loops when it calibrates "
            "activations. Use precision='int8', which stores weights in int8 and is as small"
        )
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}. Received: {precision!r}")
    if source_length is not None and source_length < 2:
        raise ValueError(
            f"source_length must be at least 2: a word and EOS. Received: source_length={source_length}"
        )
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1. Received: max_length={max_length}")


def _check_dtype(model: Seq2Seq) -> None:
    """Refuses a model in another precision: LiteRT has no operators for it, or none that are faster."""
    others = {layer.compute_dtype for layer in model.layers} - {"float32"}
    if others:
        raise ValueError(
            f"a .tflite computes in float32, and layers of this model compute in {', '.join(sorted(others))}: build the model anew "
            "after keras.config.set_dtype_policy('float32'), and give it the weights of this one, set_weights(model.get_weights())"
        )


def _signatures(
    subject: Subject, precision: str, *, length: int, max_length: int, padded: bool
) -> dict[str, Signature]:
    embeddings = int8_embeddings(subject.model) if precision == "int8" else subject.model.embeddings
    graphs = id_signatures(
        subject, embeddings, source_length=length if padded else None, max_length=max_length
    )
    if not subject.translator:
        return graphs
    # Traced again: the converter cannot use one loop in two signatures.
    translate = translate_signature(subject, embeddings, source_length=length, max_length=max_length)
    return graphs | text_signatures(subject, translate, source_length=length, max_length=max_length)


def _description(
    subject: Subject,
    precision: str,
    *,
    signatures: dict[str, Signature],
    length: int | None,
    max_length: int,
) -> dict[str, Any]:
    source, target = subject.languages
    return {
        "keras_attn_export": "litert",
        "keras_attn": version("keras-attn"),
        "attribution": subject.attribution,
        "languages": {"source": source, "target": target},
        "signatures": {name: _interface(function) for name, function in signatures.items()},
        "special_ids": {"pad": PAD_ID, "unk": UNK_ID, "bos": BOS_ID, "eos": EOS_ID},
        "vocab_sizes": {"source": subject.source_vocab_size, "target": subject.model.target_vocab_size},
        "source_length": length,
        "max_length": max_length,
        "search": search_description(subject.search),
        "precision": precision,
        "parameters": subject.model.count_params(),
        "parity": None,
    }


def _interface(function: Signature) -> dict[str, dict[str, Any]]:
    """The names, shapes (`None`: any) and dtypes of a signature."""

    def described(tensors: dict[str, Any]) -> dict[str, Any]:
        return {
            name: {"shape": tensor.shape.as_list(), "dtype": tensor.dtype.name}
            for name, tensor in tensors.items()
        }

    _, inputs = function.structured_input_signature
    return {"inputs": described(inputs), "outputs": described(function.structured_outputs)}
