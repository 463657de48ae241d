"""Compares the translations of an export with those of its model.

A successful conversion proves nothing. In float32, an export must translate every sentence as Keras does, except for rounding ties,
where two words are equally probable up to the last digits of a float. With smaller weights it may differ, and BLEU shows the cost.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import tensorflow as tf

from keras_attn.evaluation.scores import Scores, corpus_scores
from keras_attn.export.subject import Subject
from keras_attn.inference.translator import Translator
from keras_attn.models.compiled_search import CompiledSearch
from keras_attn.search import Beam, length_penalty
from keras_attn.special_ids import EOS_ID, PAD_ID
from keras_attn.text.framing import target_in_of, target_out_of
from keras_attn.text.words import have_no_spaces

MIN_SENTENCES = 50
TOLERANCE = 1e-3  # nats: far above rounding, far below the effect of a wrong formula

Source: TypeAlias = str | np.ndarray  # a sentence, or what a bare model reads
Translated: TypeAlias = str | tuple[int, ...]  # a sentence, or ids


class Outputs(NamedTuple):
    """The translations of an export, and how long they took."""

    said: list[Translated]
    scores: list[float]
    seconds: float


class _Expected(NamedTuple):
    """Keras' translation of one source."""

    source: Source
    inputs: np.ndarray  # as the model reads it
    said: Translated
    score: float


class ParityError(ValueError):
    """An export that translates differently from its model."""


@dataclasses.dataclass(frozen=True)
class Difference:
    """A sentence that the export translates differently.

    Attributes:
        gap: the difference between the two translations under the Keras model, in nats: in the log-probability of the words where
            they diverge, or in score, whichever is smaller.
    """

    source: Source
    keras: Translated
    exported: Translated
    gap: float

    @property
    def is_tie(self) -> bool:
        """Whether rounding alone explains the difference."""
        return self.gap < TOLERANCE


@dataclasses.dataclass(frozen=True)
class Parity:
    """How an export compares with its model.

    Attributes:
        sentences: how many were compared: those with a Keras translation that fits into the export.
        identical: how many translations are the same.
        differing: the others.
        score_error: the largest difference between the two scores of the same translation.
        bleu: of the export, against the references or, without references, against Keras' translations. None without text, and
            where these are single words, of which BLEU is always 0.
        keras_bleu: of Keras, against the references; None without references.
        bleu_signature: sacreBLEU's signature.
        milliseconds: the export's mean time per sentence.
    """

    sentences: int
    identical: int
    differing: tuple[Difference, ...]
    score_error: float
    bleu: float | None
    keras_bleu: float | None
    bleu_signature: str | None
    milliseconds: float

    @property
    def ties(self) -> int:
        """How many of the differing sentences are rounding ties."""
        return sum(difference.is_tie for difference in self.differing)

    def as_dict(self) -> dict[str, Any]:
        """The reproducible numbers of a comparison, without the sentences and the time."""
        names = [field.name for field in dataclasses.fields(self) if field.name != "milliseconds"]
        values = {name: getattr(self, name) for name in names}
        return {**values, "differing": len(self.differing), "ties": self.ties}

    def __str__(self) -> str:
        others = len(self.differing) - self.ties
        ties = "1 rounding tie" if self.ties == 1 else f"{self.ties} rounding ties"
        line = (
            f"{self.identical} of {self.sentences} translations equal those of Keras, {ties}, {others} others; "
            f"{self.milliseconds:.1f} ms per sentence"
        )
        if self.bleu is None:
            return line
        if self.keras_bleu is None:
            return (
                f"{line}\nBLEU {self.bleu:.2f} with Keras' translations as references  {self.bleu_signature}"
            )
        return f"{line}\nBLEU {self.bleu:.2f}, Keras {self.keras_bleu:.2f}  {self.bleu_signature}"


def check_sources(
    subject: Subject, sources: Sequence[Source], references: Sequence[str] | None = None
) -> None:
    """Raises ValueError unless there are at least 50 sources that the model can read, and a reference for each or none at all."""
    if len(sources) < MIN_SENTENCES:
        raise ValueError(
            f"comparing an export with its model needs at least {MIN_SENTENCES} sentences or inputs; got {len(sources)}"
        )
    if references is not None and len(references) != len(sources):
        raise ValueError(f"expected one reference per source; got {len(references)} and {len(sources)}")
    if subject.translator is None:
        subject.model.checked_inputs(sources)
        if references is not None:
            raise ValueError(
                "references are text, but a model without vocabularies returns ids: leave them out"
            )
    elif not all(isinstance(source, str) for source in sources):
        raise ValueError("expected sentences to compare with; got something else in `sources`")


def compare(
    subject: Subject,
    run: Callable[[Sequence[Source]], Outputs],
    description: dict[str, Any],
    *,
    sources: Sequence[Source],
    references: Sequence[str] | None,
) -> Parity:
    """Compares the translations of an export with those of Keras.

    Args:
        subject: the exported model.
        run: runs the export.
        description: its `model.json`.
        sources: at least 50 sentences, or inputs of a model without vocabularies.
        references: translations of the sentences, for BLEU.

    Raises:
        ParityError: a float32 export differs by more than rounding.
        ValueError: too few sources, or a different number of references.
    """
    check_sources(subject, sources, references)
    say = _say_text if subject.translator else _say_ids
    expected, rows = say(subject, description, sources)
    if len(rows) < MIN_SENTENCES:
        raise ValueError(
            f"{len(sources) - len(rows)} of {len(sources)} translations are longer than max_length="
            f"{description['max_length']} tokens, which leaves too few to compare. Export with a larger one"
        )
    run([expected[0].source])  # the first run of a graph also prepares it
    theirs = run([each.source for each in expected])
    pairs = list(zip(expected, theirs.said, theirs.scores, strict=True))
    unlike = [(our, said) for our, said, _ in pairs if our.said != said]
    errors = [abs(our.score - score) for our, said, score in pairs if our.said == said]
    references = None if references is None else [references[row] for row in rows]
    bleu, keras_bleu = _scores(subject, theirs.said, [our.said for our in expected], references)
    parity = Parity(
        sentences=len(expected),
        identical=len(expected) - len(unlike),
        differing=_differences(subject, unlike),
        score_error=max(errors, default=0.0),
        bleu=bleu and bleu.bleu,
        keras_bleu=keras_bleu and keras_bleu.bleu,
        bleu_signature=bleu and bleu.bleu_signature,
        milliseconds=1000 * theirs.seconds / len(expected),
    )
    if description["precision"] == "float32":
        _raise_unless_equal(parity)
    return parity


def _say_text(
    subject: Subject, description: dict[str, Any], sources: Sequence[str]
) -> tuple[list[_Expected], list[int]]:
    """The translations of Keras that fit the export's limits, and the indices of their sources."""
    search = dataclasses.replace(
        subject.search,
        beam_size=description["search"]["beam_size"],
        max_source_length=description["search"]["max_source_length"],
        keep_numbers=description["search"].get("keep_numbers", False),  # exports of before had none
    )
    tokenizers = subject.source_tokenizer, subject.target_tokenizer
    translations = Translator(subject.model, *tokenizers, search=search).translate(sources)
    rows = [i for i, t in enumerate(translations) if len(t.target_ids) <= description["max_length"]]
    kept = [translations[row] for row in rows]
    return [_Expected(t.source, np.array(t.source_ids, np.int32), t.text, t.score) for t in kept], rows


def _say_ids(
    subject: Subject, description: dict[str, Any], sources: np.ndarray
) -> tuple[list[_Expected], list[int]]:
    """The same of a model without vocabularies."""
    search, longest = description["search"], description["max_length"]
    inputs = subject.model.checked_inputs(sources)
    limits = np.full(len(inputs), longest, np.int32)
    if subject.model.reads_ids:
        words = np.sum((inputs != PAD_ID) & (inputs != EOS_ID), axis=1).tolist()
        limits = np.array([min(longest, subject.search.length_limit(n)) for n in words], np.int32)
        wordless = np.isin(inputs, list(subject.wordless_ids)).all(axis=1)
        limits[wordless] = 0  # as in the export
    method = Beam(search["beam_size"], search["length_penalty"], search["coverage_penalty"])
    outputs = CompiledSearch(subject.model)(inputs, method, longest, limits=limits)
    lengths, scores = outputs.lengths[:, 0], np.where(limits > 0, outputs.scores[:, 0], 0.0).tolist()
    said = [tuple(ids[:length].tolist()) for ids, length in zip(outputs.tokens[:, 0], lengths, strict=True)]
    rows = list(range(len(inputs)))
    return [_Expected(inputs[row], inputs[row], said[row], scores[row]) for row in rows], rows


def _differences(subject: Subject, unlike: list[tuple[_Expected, Translated]]) -> tuple[Difference, ...]:
    spec = subject.model.inputs[0]
    specs = [tf.TensorSpec([2, *spec.shape[1:]], spec.dtype), *[tf.TensorSpec([2, None], tf.int32)] * 2]
    score = tf.function(subject.model.score, input_signature=specs, autograph=False)

    def ids_of(said: Translated) -> list[int]:
        if isinstance(said, str):
            return target_out_of(subject.target_tokenizer.encode([said])[0])
        return list(said)

    def gap(our: _Expected, said: Translated) -> float:
        targets = [ids_of(our.said), ids_of(said)]
        target_in, target_out = _padded([target_in_of(ids) for ids in targets]), _padded(targets)
        log_probs = score(np.stack([our.inputs] * 2), target_in, target_out)[0].numpy()  # [2, T]
        lengths = np.array([len(ids) for ids in targets])
        scores = log_probs.sum(axis=1) / length_penalty(lengths, subject.search.length_penalty)
        parting = np.argmax(target_out[0] != target_out[1])
        return float(min(abs(log_probs[0] - log_probs[1])[parting], abs(scores[0] - scores[1])))

    return tuple(Difference(our.source, our.said, said, gap(our, said)) for our, said in unlike)


def _padded(rows: Sequence[Sequence[int]]) -> np.ndarray:
    return tf.ragged.constant(rows, tf.int32).to_tensor(PAD_ID).numpy()


def _scores(
    subject: Subject, theirs: list[Translated], ours: list[Translated], references: list[str] | None
) -> tuple[Scores | None, Scores | None]:
    """BLEU of the export and of Keras; without references, that of the export against Keras' translations."""
    if not subject.translator or have_no_spaces(ours if references is None else references):
        return None, None
    if references is None:  # if all are shorter than four words, even equal translations have a BLEU of 0
        return (corpus_scores(theirs, ours) if corpus_scores(ours, ours).bleu else None), None
    return corpus_scores(theirs, references), corpus_scores(ours, references)


def _raise_unless_equal(parity: Parity) -> None:
    wrong = [difference for difference in parity.differing if not difference.is_tie]
    if wrong:
        raise ParityError(
            f"the export translates {len(wrong)} of {parity.sentences} sentences differently from Keras, and not by rounding. The "
            f"first: {wrong[0].source!r} should give {wrong[0].keras!r}, but gave {wrong[0].exported!r}"
        )
    if parity.score_error > TOLERANCE:
        raise ParityError(
            f"the export's scores are off by up to {parity.score_error:.2g} nats; rounding explains at most {TOLERANCE}"
        )
