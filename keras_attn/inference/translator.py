"""Strings in, strings out: a trained model with its vocabularies, search and batching behind one call."""

import dataclasses
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import keras
import numpy as np

from keras_attn import search
from keras_attn.compilation import compiled, padded
from keras_attn.models.translation_steps import TranslationSteps
from keras_attn.search import Hypotheses
from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID
from keras_attn.storage import packaged
from keras_attn.storage.model_folder import TrainedModel, load_model


@dataclasses.dataclass(frozen=True)
class Sampling:
    """How to draw translations instead of searching for the most probable one; see `search.sample`.

    The same seed draws the same translations of the same lines in batches of the same size.
    """

    temperature: float = 1.0
    top_k: int = 0  # 0: all
    top_p: float = 1.0
    seed: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**32:
            raise ValueError(f"seed must be from 0 up to 2 ** 32 - 1. Received: seed={self.seed}")


@dataclasses.dataclass(frozen=True)
class _Beam:
    beam_size: int
    length_penalty: float
    coverage_penalty: float


@dataclasses.dataclass(frozen=True)
class Translation:
    """One line and what it was translated to.

    Attributes:
        source: the line.
        text: its translation, always one line.
        score: what a beam ranks by, the log-probability over the length penalty; from sampling and `force`, `log_prob`.
        log_prob: natural logarithm of the probability of `target_ids`.
        source_ids: sub-words as the model read them, EOS at the end; none of a line that was not given to the model.
        target_ids: sub-words, EOS at the end unless the translation was cut at its limit.
        weights: float32 `[target ids, source ids]`, the attention weights of each target sub-word; None from a model
            without attention.
        alternatives: the other hypotheses of an n-best list, best first.
    """

    source: str
    text: str
    score: float = 0.0
    log_prob: float = 0.0
    source_ids: tuple[int, ...] = ()
    target_ids: tuple[int, ...] = ()
    weights: np.ndarray | None = dataclasses.field(default=None, repr=False, compare=False)
    alternatives: tuple["Translation", ...] = ()


class Translator:
    """Translates with a trained model.

    Every line gives exactly one line, in order, whatever the batch size; a line of which the vocabulary knows nothing, such as ""
    or "☃", gives "".
    Input longer than the model's `search.max_source_length` is cut there, with a warning. Where an argument is None, the
    model's `[search]` configuration holds.

    Example:

    >>> translator = Translator.load("runs/en-de")
    >>> translator(["A small dog runs across the grass."])
    ['Ein kleiner Hund läuft über das Gras.']
    """

    def __init__(self, trained: TrainedModel) -> None:
        if trained.config.search.max_source_length < 2:
            length = trained.config.search.max_source_length
            raise ValueError(f"search.max_source_length must hold a sub-word and EOS, 2. Received: {length}")
        self.config = trained.config
        self.source_tokenizer = trained.source_tokenizer
        self.target_tokenizer = trained.target_tokenizer
        self._steps = TranslationSteps(trained.model)
        self._seeds = keras.random.SeedGenerator(0)
        self._variables = [*trained.model.variables, self._seeds.state]
        self._searches: dict[tuple, Callable[..., Hypotheses]] = {}
        self._forced = compiled(partial(self._steps.score), self._variables, ranks=(2, 2, 2))

    @classmethod
    def load(cls, folder: str | Path) -> "Translator":
        """Loads a model folder; raises what `model_dir.load_model` raises."""
        return cls(load_model(folder))

    @classmethod
    def from_preset(cls, name: str) -> "Translator":
        """Loads a model that comes with keras_attn, such as `"tatoeba-en-es"`.

        Raises:
            ValueError: there is no such model; the message names those there are.
        """
        return cls.load(packaged.folder(name))

    def __call__(
        self,
        lines: Sequence[str],
        beam_size: int | None = None,
        length_penalty: float | None = None,
        batch_size: int | None = None,
        coverage_penalty: float | None = None,
    ) -> list[str]:
        """The translation of each line.

        Args:
            lines: text of the source language.
            beam_size: hypotheses kept at every position; 1 is greedy search.
            length_penalty: alpha in `((5 + n) / 6) ** alpha`; 0 compares plain log-probabilities.
            batch_size: lines translated at once; it changes speed and memory, not results.
            coverage_penalty: beta in `beta * sum_s log(min(sum_t weight_ts, 1))`, added to a beam's scores; 0: none.

        Raises:
            ValueError: a value that cannot be used.
        """
        kind = self._beam(beam_size, length_penalty, coverage_penalty)
        found = self._search(lines, kind, batch_size, n_best=1, keep_weights=False)
        return [translation.text for translation in found]

    def translate(
        self,
        lines: Sequence[str],
        beam_size: int | None = None,
        length_penalty: float | None = None,
        batch_size: int | None = None,
        n_best: int = 1,
        sampling: Sampling | None = None,
        coverage_penalty: float | None = None,
    ) -> list[Translation]:
        """The translation of each line with its sub-words, scores and attention weights.

        Args:
            lines, beam_size, length_penalty, batch_size, coverage_penalty: as in a call.
            n_best: how many hypotheses of the beam to return, the best one with the others as its `alternatives`; where
                the search finds fewer, there are fewer.
            sampling: draw the translations; then the beam plays no part.

        Raises:
            ValueError: a value that cannot be used, or more hypotheses wanted than the search keeps.
        """
        kind = sampling or self._beam(beam_size, length_penalty, coverage_penalty)
        kept = 1 if sampling else kind.beam_size
        if not 1 <= n_best <= kept:
            raise ValueError(
                f"n_best must be from 1 to what the search keeps, {kept}. Received: n_best={n_best}. "
                + ("Sampling draws one translation a line" if sampling else "Raise beam_size to get more")
            )
        return self._search(lines, kind, batch_size, n_best, keep_weights=True)

    def score(
        self, sources: Sequence[str], targets: Sequence[str], batch_size: int | None = None
    ) -> list[float]:
        """The log-probability of each target, given its source: `force` without the details."""
        return [translation.log_prob for translation in self.force(sources, targets, batch_size)]

    def force(
        self, sources: Sequence[str], targets: Sequence[str], batch_size: int | None = None
    ) -> list[Translation]:
        """Makes the model say the given targets (teacher forcing), for their probabilities and attention weights.

        Raises:
            ValueError: there are not as many targets as sources.
        """
        if len(sources) != len(targets):
            raise ValueError(
                f"expected one target a source; got {len(sources)} sources and {len(targets)} targets"
            )
        source_ids = self._read(sources)
        target_ids = [[*ids, EOS_ID] for ids in self.target_tokenizer.encode(targets)]
        lengths = [(len(s), len(t)) for s, t in zip(source_ids, target_ids, strict=True)]
        forced = [Translation(*pair) for pair in zip(sources, targets, strict=True)]
        for rows, size in self._batches(range(len(sources)), lengths, batch_size):
            target_out = [target_ids[row] for row in rows]
            target_in = [[BOS_ID, *ids[:-1]] for ids in target_out]
            source = [source_ids[row] for row in rows]
            log_probs, weights = _as_numpy(
                self._forced(*(padded(x, size) for x in (source, target_in, target_out)))
            )
            log_probs = log_probs.sum(axis=1, dtype=np.float64).tolist()  # [batch]
            for i, row in enumerate(rows):
                forced[row] = dataclasses.replace(
                    forced[row],
                    score=log_probs[i],
                    log_prob=log_probs[i],
                    source_ids=tuple(source[i]),
                    target_ids=tuple(target_out[i]),
                    weights=_trimmed(weights, i, target_out[i], source[i]),
                )
        return forced

    def _beam(
        self, beam_size: int | None, length_penalty: float | None, coverage_penalty: float | None
    ) -> _Beam:
        given = {
            "beam_size": beam_size,
            "length_penalty": length_penalty,
            "coverage_penalty": coverage_penalty,
        }
        defaults = {name: getattr(self.config.search, name) for name in given}
        beam = _Beam(**{name: defaults[name] if given[name] is None else given[name] for name in given})
        if beam.beam_size < 1:
            raise ValueError(f"beam_size must be at least 1. Received: beam_size={beam.beam_size}")
        if beam.coverage_penalty and self.config.model.attention == "none":
            raise ValueError(
                "coverage_penalty needs attention, and this model has none (model.attention = 'none')"
            )
        return beam

    def _read(self, lines: Sequence[str]) -> list[list[int]]:
        """Source ids with EOS, not more than `max_source_length`."""
        most = self.config.search.max_source_length
        encoded = self.source_tokenizer.encode(lines)
        cut = sum(len(ids) >= most for ids in encoded)
        if cut:
            warnings.warn(
                f"{cut} of {len(lines)} lines had more than {most - 1} sub-words and were cut there "
                "(search.max_source_length, the end of the sentence included)",
                stacklevel=4,
            )
        return [[*ids[: most - 1], EOS_ID] for ids in encoded]

    def _batches(
        self, rows: Sequence[int], lengths: Sequence[Any], batch_size: int | None
    ) -> Iterator[tuple[list[int], int]]:
        """Rows of about equal length, and how many a full batch has."""
        size = self.config.search.batch_size if batch_size is None else batch_size
        if size < 1:
            raise ValueError(f"batch_size must be at least 1. Received: batch_size={size}")
        rows = sorted(rows, key=lengths.__getitem__)
        for start in range(0, len(rows), size):
            yield rows[start : start + size], size

    def _search(
        self,
        lines: Sequence[str],
        kind: _Beam | Sampling,
        batch_size: int | None,
        n_best: int,
        keep_weights: bool,
    ) -> list[Translation]:
        source_ids = self._read(lines)
        translations = [Translation(line, "") for line in lines]
        with_text = [
            row for row, ids in enumerate(source_ids) if set(ids) - self.source_tokenizer.wordless_ids
        ]
        batches = self._batches(with_text, [len(ids) for ids in source_ids], batch_size)
        for number, (rows, size) in enumerate(batches):
            if isinstance(kind, Sampling):
                self._seeds.state.assign([kind.seed, number])  # no two batches draw alike
            source = [source_ids[row] for row in rows]
            found = self._run(source, kind, size, keep_weights)
            found = self._translations([lines[row] for row in rows], source, found, n_best)
            for row, translation in zip(rows, found, strict=True):
                translations[row] = translation
        return translations

    def _run(
        self, source: list[list[int]], kind: _Beam | Sampling, size: int, keep_weights: bool
    ) -> Hypotheses:
        """Searches one batch; NumPy arrays."""
        limits = [self.config.search.length_limit(len(ids) - 1) for ids in source]
        max_length = 64
        while max_length < max(limits):
            max_length *= 4  # few sizes: compiling a search takes seconds
        if isinstance(kind, Sampling):
            kind = dataclasses.replace(kind, seed=0)  # a variable, no part of the graph
        key = (kind, max_length, keep_weights)
        if key not in self._searches:
            self._searches[key] = compiled(partial(self._find, *key), self._variables, ranks=(2, 1))
        ids = padded(source, size)
        limits = np.array([*limits, *[1] * (len(ids) - len(limits))], np.int32)
        return _as_numpy(self._searches[key](ids, limits))

    def _find(
        self, kind: _Beam | Sampling, max_length: int, keep_weights: bool, source: Any, limits: Any
    ) -> Hypotheses:
        """What is compiled: int32 `[B, S]` and `[B]`, the rest is fixed."""
        step, state = self._steps.encode(source)
        keep_weights = keep_weights and self._steps.has_attention
        source_length = keras.ops.shape(source)[1] if keep_weights else None
        limits = {"max_length": max_length, "limits": limits, "source_length": source_length}
        if isinstance(kind, Sampling):
            options = {**dataclasses.asdict(kind), "seed": self._seeds}
            return search.sample(step, state, bos_id=BOS_ID, eos_id=EOS_ID, **limits, **options)
        options = {**dataclasses.asdict(kind), "source_mask": source != PAD_ID}
        return search.beam(step, state, bos_id=BOS_ID, eos_id=EOS_ID, **limits, **options)

    def _translations(
        self, lines: list[str], source: list[list[int]], found: Hypotheses, n_best: int
    ) -> list[Translation]:
        """One for each line of a batch; a place that the search could not fill, after the first, is left out."""
        places = [
            (row, n) for row in range(len(lines)) for n in range(n_best) if n == 0 or found.lengths[row, n]
        ]
        targets = [found.tokens[place][: found.lengths[place]].tolist() for place in places]
        texts = self.target_tokenizer.decode(targets)
        n_best_lists: list[list[Translation]] = [[] for _ in lines]
        for place, target, text in zip(places, targets, texts, strict=True):
            row = place[0]
            translation = Translation(
                lines[row],
                text.replace("\r", " ").replace("\n", " "),
                float(found.scores[place]),
                float(found.log_probs[place]),
                tuple(source[row]),
                tuple(target),
                _trimmed(found.weights, place, target, source[row]),
            )
            n_best_lists[row].append(translation)
        return [dataclasses.replace(best, alternatives=tuple(rest)) for best, *rest in n_best_lists]


def _trimmed(
    weights: np.ndarray | None, place: Any, target: list[int], source: list[int]
) -> np.ndarray | None:
    return None if weights is None else weights[place][: len(target), : len(source)].copy()


def _as_numpy(tensors: Any) -> Any:
    return keras.tree.map_structure(lambda x: None if x is None else keras.ops.convert_to_numpy(x), tensors)
