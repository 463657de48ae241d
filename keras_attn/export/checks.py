"""Runs an export on real inputs, as a client would, and compares it with its model; see `export.parity`."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf

from keras_attn.export.description import SAVED_MODEL_DESCRIPTION, check_sums, files_in, read_description
from keras_attn.export.parity import Outputs, Parity, Source, Translated, compare
from keras_attn.export.runner import LiteRTModel, LiteRTTranslator
from keras_attn.export.subject import Exportable, Subject, load_subject


def check_litert(
    model: Exportable,
    folder: str | Path,
    sources: Sequence[Source],
    references: Sequence[str] | None = None,
) -> Parity:
    """Translates with a `.tflite` export, one source after the other on one thread, and with Keras.

    Args:
        model: the exported model.
        folder: the export.
        sources: at least 50 sentences for the signature `translate_text`, or inputs for `translate` if the model has no
            vocabularies.
        references: translations of the sentences, for BLEU.

    Raises:
        ParityError: a float32 export differs by more than rounding.
        ValueError: too few sources, or a different number of references.
    """
    subject = _subject(model)
    run, description = _run_text(folder) if subject.translator else _run_ids(folder)
    return compare(subject, run, description, sources=sources, references=references)


def _run_text(folder: str | Path) -> tuple[Callable[[Sequence[Source]], Outputs], dict[str, Any]]:
    exported = LiteRTTranslator(folder, isolated=False)

    def run(lines: Sequence[Source]) -> Outputs:
        start = time.perf_counter()
        outputs = [exported.translate(line) for line in lines]
        seconds = time.perf_counter() - start
        return Outputs([each.text for each in outputs], [each.score for each in outputs], seconds)

    return run, exported.description


def _run_ids(folder: str | Path) -> tuple[Callable[[Sequence[Source]], Outputs], dict[str, Any]]:
    exported = LiteRTModel(folder, isolated=False)

    def run(sources: Sequence[Source]) -> Outputs:
        start = time.perf_counter()
        outputs = [exported.translate_ids(each) for each in sources]
        seconds = time.perf_counter() - start
        return Outputs([tuple(ids) for ids, _ in outputs], [score for _, score in outputs], seconds)

    return run, exported.description


def check_saved_model(
    model: Exportable,
    folder: str | Path,
    sources: Sequence[Source],
    references: Sequence[str] | None = None,
) -> Parity:
    """Translates with a SavedModel, in batches, and with Keras. Arguments and errors are those of `check_litert`."""
    subject = _subject(model)
    description = read_description(Path(folder), SAVED_MODEL_DESCRIPTION)
    check_sums(Path(folder), files_in(Path(folder)))
    loaded = tf.saved_model.load(str(folder))
    translate = loaded.signatures["serving_default"]
    size = subject.search.batch_size

    def run(sources: Sequence[Source]) -> Outputs:
        said: list[Translated] = []
        scores: list[float] = []
        start = time.perf_counter()
        for first in range(0, len(sources), size):
            batch = tf.constant(sources[first : first + size])
            if subject.translator:
                outputs = translate(text=batch)
                said += [text.decode() for text in outputs["translation"].numpy()]
                scores += outputs["score"].numpy().tolist()
            else:
                outputs = {name: tensor.numpy()[:, 0] for name, tensor in translate(source=batch).items()}
                rows = zip(outputs["ids"], outputs["lengths"], strict=True)
                said += [tuple(ids[:length].tolist()) for ids, length in rows]
                scores += outputs["scores"].tolist()
        return Outputs(said, scores, time.perf_counter() - start)

    return compare(subject, run, description, sources=sources, references=references)


def _subject(model: Exportable | Subject) -> Subject:
    return model if isinstance(model, Subject) else load_subject(model)
