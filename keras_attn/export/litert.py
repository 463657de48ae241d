"""A model for phones and browsers: one `.tflite` file that holds encoder and search, ids in, ids out; or text in, text out.

The folder holds all that a client needs:

    model.tflite    the signatures of `export.id_signatures` over shared weights; the other files are also inside it
    model.json      names, shapes, special ids, limits, sizes, and how the file compares with the model it was made from
    source.spm      SentencePiece vocabularies, to make ids of text and text of ids; one vocabulary.spm if the languages share it
    target.spm

Only built-in operators are used, which every LiteRT runtime has. Batches are for servers: see `export.saved_model`.

For hosts that link tensorflow-text's operators, the file may take and return text: then it has the signature of
`export.text_signature` instead, and no vocabulary lies beside it.
"""

import dataclasses
import json
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from keras_attn.config import SearchConfig
from keras_attn.export.associated_files import with_files, with_metadata
from keras_attn.export.conversion import convert
from keras_attn.export.id_signatures import Signature, id_signatures
from keras_attn.export.int8_embedding import Int8Embedding
from keras_attn.export.output_folder import (
    LITERT_DESCRIPTION,
    new_folder,
    search_description,
    write_description,
)
from keras_attn.export.parity import Parity, check_litert, check_litert_text, check_sentences
from keras_attn.export.runner import MODEL
from keras_attn.export.search_graph import load_for_export
from keras_attn.export.text_signature import TEXT_OPERATORS, text_signature
from keras_attn.models.translation_steps import TranslationSteps
from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from keras_attn.storage.model_folder import TrainedModel

PRECISIONS = ("float32", "float16", "int8")


class _Contents(NamedTuple):
    """What a file of ids, or of text, has of its own."""

    signatures: dict[str, Signature]
    about: dict[str, Any]  # for `model.json`
    vocabularies: dict[str, bytes]  # files, by name
    custom_operators: tuple[str, ...]
    check: Callable[..., Parity]


def export_litert(
    model: str | Path | TrainedModel,
    output: str | Path,
    precision: str = "float32",
    beam_size: int = 1,
    source_length: int | None = 64,
    max_length: int = 64,
    sources: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
    text: bool = False,
    padded: bool = True,
) -> Parity | None:
    """Writes a `.tflite` and, given sentences, runs it.

    Args:
        model: a model folder, or what is in one.
        output: the folder to make; an earlier export there is replaced.
        precision: `"float32"`; `"float16"`, half the size; `"int8"`, a quarter of it and the fastest: weights in int8, computing
            in float32 where rows are scaled (dynamic-range quantisation).
        beam_size: 1 is greedy search.
        source_length: S, the most source ids, EOS included; `None`: the model's `search.max_source_length`.
        max_length: L, the most tokens of a translation, EOS included.
        sources: development sentences, at least 50, that the file is to translate as the model does. `None`: no comparison.
        references: their translations, for BLEU.
        text: whether text goes in and out instead of ids. That takes tensorflow-text's operators, which the libraries for phones
            and browsers do not have; see `runner.LiteRTTextTranslator`.
        padded: whether a client fills every source up to S ids with 0. If not, the file takes any number up to S and is some tenths
            of a millisecond faster on short sentences, but LiteRT.js takes no such file, and every other client has to run the
            longest source there may be first, see `LiteRTTranslator`.

    Returns:
        The comparison; `model.json` holds it too.

    Raises:
        ValueError: an argument that cannot be used.
        ConversionError: the model needs more than built-in operators.
        ParityError: the file translates differently.
        FileExistsError: `output` exists and is not an earlier export. In no case is anything half-written left behind.
    """
    _check(precision, source_length, max_length, text, padded)
    if sources is not None:
        check_sentences(sources, references)
    trained, settings = load_for_export(model, beam_size)
    if source_length is not None:
        settings = dataclasses.replace(
            settings, max_source_length=min(settings.max_source_length, source_length)
        )
    length = (source_length or settings.max_source_length) if padded else None
    graphs = id_signatures(trained, _steps(trained, precision), settings, length, max_length)
    contents = _text_contents(trained, graphs) if text else _id_contents(trained, graphs)
    description = _description(trained, precision, settings, length, max_length, contents)
    with new_folder(output, LITERT_DESCRIPTION) as folder:
        about = json.dumps(description, indent=2, ensure_ascii=False)
        files = {LITERT_DESCRIPTION: about.encode(), **contents.vocabularies}
        converted = convert(contents.signatures, precision, contents.custom_operators)
        converted = with_metadata(converted, _name(trained), about, files)
        content = with_files(converted, files)
        for name, file in {MODEL: content, **contents.vocabularies}.items():
            (folder / name).write_bytes(file)
        description |= {
            "bytes": len(content),
            "bytes_per_parameter": round(len(converted) / description["parameters"], 3),
        }
        write_description(folder / LITERT_DESCRIPTION, description)
        parity = None
        if sources is not None:
            parity = contents.check(trained, folder, sources, references)
            write_description(folder / LITERT_DESCRIPTION, {**description, "parity": parity.as_dict()})
    return parity


def _check(precision: str, source_length: int | None, max_length: int, text: bool, padded: bool) -> None:
    if precision == "int8-full":
        raise ValueError(
            "full-integer quantisation is not supported: LiteRT's converter crashes on recurrent loops when it calibrates "
            "activations. Use precision='int8', which stores weights in int8 and is as small"
        )
    if precision not in PRECISIONS:
        raise ValueError(f"precision is one of {', '.join(PRECISIONS)}. Received: {precision!r}")
    if text and not padded:
        raise ValueError("a file of text pads it inside: leave padded=True")
    if source_length is not None and source_length < 2:
        raise ValueError(f"source_length must hold a word and EOS. Received: source_length={source_length}")
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1. Received: max_length={max_length}")


def _steps(trained: TrainedModel, precision: str) -> TranslationSteps:
    steps = TranslationSteps(trained.model)
    if precision == "int8":
        source, target = steps.source_embedding, steps.target_embedding
        steps.target_embedding = Int8Embedding(target)
        steps.source_embedding = steps.target_embedding if source is target else Int8Embedding(source)
    return steps


def _id_contents(trained: TrainedModel, graphs: dict[str, Signature]) -> _Contents:
    source, target = trained.source_tokenizer, trained.target_tokenizer
    names = _vocabularies(trained)
    about = {
        "special_ids": {"pad": PAD_ID, "unk": UNK_ID, "bos": BOS_ID, "eos": EOS_ID},
        "vocabularies": names,
        "vocab_sizes": {"source": source.vocab_size, "target": target.vocab_size},
    }
    vocabularies = {names["source"]: source.model_proto, names["target"]: target.model_proto}
    return _Contents(graphs, about, vocabularies, (), check_litert)


def _text_contents(trained: TrainedModel, graphs: dict[str, Signature]) -> _Contents:
    signature = text_signature(trained, graphs["translate"])
    about = {"custom_operators": list(TEXT_OPERATORS)}
    return _Contents(signature, about, {}, TEXT_OPERATORS, check_litert_text)


def _description(
    trained: TrainedModel,
    precision: str,
    settings: SearchConfig,
    source_length: int | None,
    max_length: int,
    contents: _Contents,
) -> dict[str, Any]:
    data = trained.config.data
    return {
        "keras_attn_export": "litert",
        "keras_attn": version("keras-attn"),
        "languages": {"source": data.source_language, "target": data.target_language},
        "signatures": {name: _interface(function) for name, function in contents.signatures.items()},
        **contents.about,
        "source_length": source_length,
        "max_length": max_length,
        "search": search_description(settings),
        "precision": precision,
        "parameters": trained.model.count_params(),
        "parity": None,
    }


def _interface(function: Signature) -> dict[str, dict[str, Any]]:
    """Names, shapes (`None`: any) and dtypes of a signature."""

    def described(tensors: dict[str, Any]) -> dict[str, Any]:
        return {
            name: {"shape": tensor.shape.as_list(), "dtype": tensor.dtype.name}
            for name, tensor in tensors.items()
        }

    _, inputs = function.structured_input_signature
    return {"inputs": described(inputs), "outputs": described(function.structured_outputs)}


def _vocabularies(trained: TrainedModel) -> dict[str, str]:
    """Which files hold them."""
    if trained.source_tokenizer.model_proto == trained.target_tokenizer.model_proto:
        return {"source": "vocabulary.spm", "target": "vocabulary.spm"}
    return {"source": "source.spm", "target": "target.spm"}


def _name(trained: TrainedModel) -> str:
    return f"{trained.config.data.source_language} to {trained.config.data.target_language}"
