"""Runs an export on real sentences and compares it with the model that it was made from.

A conversion that succeeds proves nothing. In float32 an export has to say what Keras says, sentence for sentence, but for
rounding ties: places where two words are equally probable up to the last digits of a float. With smaller weights it may differ,
and BLEU tells what that costs.
"""

import dataclasses
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from keras_attn.evaluation.scores import Scores, corpus_scores
from keras_attn.export.output_folder import SAVED_MODEL_DESCRIPTION, read_description
from keras_attn.export.runner import LiteRTTextTranslator, LiteRTTranslator
from keras_attn.inference.translator import Translation, Translator
from keras_attn.models.translation_steps import TranslationSteps
from keras_attn.search import length_penalty
from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID
from keras_attn.storage.model_folder import TrainedModel

MIN_SENTENCES = 50
TOLERANCE = 1e-3  # nats: far above rounding, far below what a wrong formula does


class _Outputs(NamedTuple):
    """What an export says, and how long it took."""

    texts: list[str]
    scores: list[float]
    seconds: float


class ParityError(ValueError):
    """An export that translates differently from the model it was made from."""


@dataclasses.dataclass(frozen=True)
class Difference:
    """A sentence that the export translates differently.

    Attributes:
        gap: by the Keras model, how far apart the two translations are, in nats: in the probability of the words where they
            part, or in score, whichever is less.
    """

    source: str
    keras: str
    exported: str
    gap: float

    @property
    def is_tie(self) -> bool:
        """Whether rounding alone explains it."""
        return self.gap < TOLERANCE


@dataclasses.dataclass(frozen=True)
class Parity:
    """How an export compares with its model.

    Attributes:
        sentences: how many were compared: those whose translation by Keras the export has room for.
        identical: how many of the translations are the same text.
        differing: the others.
        score_error: the largest difference between the two scores of one and the same translation.
        bleu, keras_bleu: of the export and of Keras, against the references; without references, against what Keras says.
        bleu_signature: sacreBLEU's.
        milliseconds: the export's mean time a sentence; of a `.tflite` of ids, without making ids of text.
    """

    sentences: int
    identical: int
    differing: tuple[Difference, ...]
    score_error: float
    bleu: float
    keras_bleu: float
    bleu_signature: str
    milliseconds: float

    @property
    def ties(self) -> int:
        """How many of the differing sentences are rounding ties."""
        return sum(difference.is_tie for difference in self.differing)

    def as_dict(self) -> dict[str, Any]:
        """What two comparisons of the same export have in common: the numbers, without the sentences and the time taken."""
        names = [field.name for field in dataclasses.fields(self) if field.name != "milliseconds"]
        values = {name: getattr(self, name) for name in names}
        return {**values, "differing": len(self.differing), "ties": self.ties}

    def __str__(self) -> str:
        others = len(self.differing) - self.ties
        ties = "1 rounding tie" if self.ties == 1 else f"{self.ties} rounding ties"
        return (
            f"{self.identical} of {self.sentences} translations are what Keras says, {ties}, {others} others; "
            f"{self.milliseconds:.1f} ms a sentence\n"
            f"BLEU {self.bleu:.2f}, Keras {self.keras_bleu:.2f}  {self.bleu_signature}"
        )


def check_litert(
    trained: TrainedModel,
    folder: str | Path,
    sources: Sequence[str],
    references: Sequence[str] | None = None,
) -> Parity:
    """Translates with a `.tflite` export, one sentence after the other on one thread, and with Keras.

    Args:
        trained: the model that was exported.
        folder: the export.
        sources: at least 50 sentences.
        references: their translations, for BLEU.

    Raises:
        ParityError: a float32 export differs in more than rounding.
        ValueError: too few sentences, or not as many references.
    """
    exported = LiteRTTranslator(folder)

    def run(lines: Sequence[str]) -> _Outputs:
        sources = exported.encode(lines)
        start = time.perf_counter()
        found = [exported.translate_ids(ids) for ids in sources]
        seconds = time.perf_counter() - start
        return _Outputs(exported.decode([ids for ids, _ in found]), [score for _, score in found], seconds)

    return _compare(trained, run, exported.description, sources, references)


def check_litert_text(
    trained: TrainedModel,
    folder: str | Path,
    sources: Sequence[str],
    references: Sequence[str] | None = None,
) -> Parity:
    """The same for a `.tflite` that takes text. Arguments and errors are those of `check_litert`."""
    exported = LiteRTTextTranslator(folder)

    def run(lines: Sequence[str]) -> _Outputs:
        start = time.perf_counter()
        found = [exported.translate(line) for line in lines]
        seconds = time.perf_counter() - start
        return _Outputs([each.text for each in found], [each.score for each in found], seconds)

    return _compare(trained, run, exported.description, sources, references)


def check_saved_model(
    trained: TrainedModel,
    folder: str | Path,
    sources: Sequence[str],
    references: Sequence[str] | None = None,
) -> Parity:
    """Translates with a SavedModel, in batches, and with Keras. Arguments and errors are those of `check_litert`."""
    description = read_description(Path(folder, SAVED_MODEL_DESCRIPTION))
    translate = tf.saved_model.load(str(folder)).signatures["serving_default"]
    size = trained.config.search.batch_size

    def run(lines: Sequence[str]) -> _Outputs:
        texts: list[str] = []
        scores: list[float] = []
        start = time.perf_counter()
        for first in range(0, len(lines), size):
            found = translate(text=tf.constant(lines[first : first + size]))
            texts += [text.decode() for text in found["translation"].numpy()]
            scores += found["score"].numpy().tolist()
        return _Outputs(texts, scores, time.perf_counter() - start)

    return _compare(trained, run, description, sources, references)


def check_sentences(sources: Sequence[str], references: Sequence[str] | None) -> None:
    """Raises ValueError unless there are at least 50 sources, and a reference for each or none at all."""
    if len(sources) < MIN_SENTENCES:
        raise ValueError(
            f"to compare an export with its model takes at least {MIN_SENTENCES} sentences; got {len(sources)}"
        )
    if references is not None and len(references) != len(sources):
        raise ValueError(f"expected one reference a source; got {len(references)} and {len(sources)}")


def _compare(
    trained: TrainedModel,
    run: Callable[[Sequence[str]], _Outputs],
    description: dict[str, Any],
    sources: Sequence[str],
    references: Sequence[str] | None,
) -> Parity:
    check_sentences(sources, references)
    ours, rows = _keras_translations(trained, description, sources)
    run([ours[0].source])  # the first run of a graph also prepares it
    theirs = run([our.source for our in ours])
    pairs = list(zip(ours, theirs.texts, theirs.scores, strict=True))
    unlike = [(our, text) for our, text, _ in pairs if our.text != text]
    if references is not None:
        references = [references[row] for row in rows]
    bleu, keras_bleu = _scores(theirs.texts, [our.text for our in ours], references)
    parity = Parity(
        sentences=len(ours),
        identical=len(ours) - len(unlike),
        differing=_differences(trained, unlike),
        score_error=max(
            (abs(our.score - score) for our, text, score in pairs if our.text == text), default=0.0
        ),
        bleu=bleu.bleu,
        keras_bleu=keras_bleu.bleu,
        bleu_signature=bleu.bleu_signature,
        milliseconds=1000 * theirs.seconds / len(ours),
    )
    if description["precision"] == "float32":
        _raise_unless_equal(parity)
    return parity


def _keras_translations(
    trained: TrainedModel, description: dict[str, Any], sources: Sequence[str]
) -> tuple[list[Translation], list[int]]:
    """What Keras says within the export's limits, and which of the sources those are."""
    search = dataclasses.replace(
        trained.config.search,
        beam_size=description["search"]["beam_size"],
        max_source_length=description["search"]["max_source_length"],
    )
    trained = dataclasses.replace(trained, config=dataclasses.replace(trained.config, search=search))
    translations = Translator(trained).translate(sources)
    rows = [i for i, t in enumerate(translations) if len(t.target_ids) <= description["max_length"]]
    if len(rows) < MIN_SENTENCES:
        raise ValueError(
            f"{len(sources) - len(rows)} of {len(sources)} translations are longer than max_length="
            f"{description['max_length']} tokens, which leaves too few to compare. Export with a larger max_length"
        )
    return [translations[row] for row in rows], rows


def _differences(trained: TrainedModel, unlike: list[tuple[Translation, str]]) -> tuple[Difference, ...]:
    steps = TranslationSteps(trained.model)
    score = tf.function(steps.score, input_signature=[tf.TensorSpec([2, None], tf.int32)] * 3)

    def gap(our: Translation, text: str) -> float:
        targets = [[*ids, EOS_ID] for ids in trained.target_tokenizer.encode([our.text, text])]
        target_in, target_out = _padded([[BOS_ID, *ids[:-1]] for ids in targets]), _padded(targets)
        log_probs = score(_padded([our.source_ids] * 2), target_in, target_out)[0].numpy()  # [2, T]
        lengths = np.array([len(ids) for ids in targets])
        scores = log_probs.sum(axis=1) / length_penalty(lengths, trained.config.search.length_penalty)
        parting = np.argmax(target_out[0] != target_out[1])
        return float(min(abs(log_probs[0] - log_probs[1])[parting], abs(scores[0] - scores[1])))

    return tuple(Difference(our.source, our.text, text, gap(our, text)) for our, text in unlike)


def _padded(rows: Sequence[Sequence[int]]) -> np.ndarray:
    return tf.ragged.constant(rows, tf.int32).to_tensor(PAD_ID).numpy()


def _scores(texts: list[str], ours: list[str], references: list[str] | None) -> tuple[Scores, Scores]:
    """BLEU of the export and of Keras; without references, what Keras says is right."""
    references = ours if references is None else references
    return corpus_scores(texts, references), corpus_scores(ours, references)


def _raise_unless_equal(parity: Parity) -> None:
    wrong = [difference for difference in parity.differing if not difference.is_tie]
    if wrong:
        raise ParityError(
            f"the export translates {len(wrong)} of {parity.sentences} sentences differently from Keras, and not by rounding. The "
            f"first: {wrong[0].source!r} should give {wrong[0].keras!r}, but gave {wrong[0].exported!r}"
        )
    if parity.score_error > TOLERANCE:
        raise ParityError(
            f"the export's scores are off by up to {parity.score_error:.2g} nats; rounding explains no more than {TOLERANCE}"
        )
