"""Turns lines into translations with any engine: sub-words, batches of about equal length, limits, and back to text."""

import dataclasses
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from keras_attn.config import Beam, Sampling, SearchConfig
from keras_attn.config.methods import check_number
from keras_attn.inference.engines import Engine, Found
from keras_attn.inference.translation import Translation
from keras_attn.text.framing import has_words, one_line, source_of
from keras_attn.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from keras_attn.inference.requirements import Requirements


class TextSearch:
    """Translates lines with an engine. Every line gives exactly one line, in order, whatever the batch size.

    Args:
        engine: the engine that searches.
        source_tokenizer: the vocabulary of the source language.
        target_tokenizer: that of the target language.
        settings: the longest source, the limits of targets and the batch size.
    """

    def __init__(
        self, engine: Engine, source_tokenizer: Tokenizer, target_tokenizer: Tokenizer, settings: SearchConfig
    ) -> None:
        self._engine = engine
        self._source, self._target = source_tokenizer, target_tokenizer
        self._settings = settings

    def __call__(
        self,
        lines: Sequence[str],
        method: Beam | Sampling,
        *,
        n_best: int = 1,
        batch_size: int | None = None,
        return_weights: bool = False,
        requirements: "Requirements | None" = None,
    ) -> list[Translation]:
        """The translations, each with its `n_best - 1` alternatives.

        With `search.keep_numbers`, a line with digits whose translation has others is searched once more, for all hypotheses of the
        beam, and the best of those with its digits comes first. A number in words is no mistake.

        Raises:
            ValueError: an invalid value.
        """
        lines = list(lines)  # whose own index may differ, as that of a part of a pandas.Series
        source_ids = self.read(lines)
        search = partial(
            self._translations,
            lines,
            source_ids,
            method,
            batch_size=batch_size,
            return_weights=return_weights,
            requirements=requirements,
        )
        with_words = [row for row, ids in enumerate(source_ids) if has_words(ids, self._source)]
        unknown = sum(bool(line.strip()) for line in lines) - len(with_words)
        if unknown > 0:
            warnings.warn(
                f"{unknown} of {len(lines)} lines have nothing that the model knows, and stay empty",
                stacklevel=4,
            )
        found = search(with_words, n_best=n_best)
        if self._settings.keep_numbers and isinstance(method, Beam) and method.beam_size > 1:
            wrong = [row for row in with_words if self._has_other_digits(found[row])]
            for row, best in search(wrong, n_best=method.beam_size).items():
                found[row] = self._with_the_digits(best, n_best) or found[row]
        return [found.get(row, Translation(line, "")) for row, line in enumerate(lines)]

    def _translations(
        self,
        lines: Sequence[str],
        source_ids: list[list[int]],
        method: Beam | Sampling,
        rows: Sequence[int],
        *,
        n_best: int,
        batch_size: int | None,
        return_weights: bool,
        requirements: "Requirements | None",
    ) -> dict[int, Translation]:
        """By row, the translations of these rows."""
        translations = {}
        for batch, size in self.batches(rows, [len(ids) for ids in source_ids], batch_size):
            source = [source_ids[row] for row in batch]
            room = [requirements.room(row) if requirements else 0 for row in batch]
            found = self._engine.search(
                source,
                method,
                limits=[
                    max(self._settings.length_limit(len(ids) - 1) + given, method.min_length)
                    for ids, given in zip(source, room, strict=True)
                ],
                n_best=n_best,
                full=size,
                rows=batch,
                return_weights=return_weights,
                required=partial(requirements.of, batch) if requirements else None,
            )
            texts = [lines[row] for row in batch]
            translations |= zip(batch, self._said(texts, source, found, n_best), strict=True)
        return translations

    def read(self, lines: Sequence[str]) -> list[list[int]]:
        """Source ids with EOS, at most `max_source_length`; warns if a line was cut."""
        most = self._settings.max_source_length
        encoded = self._source.encode(lines)
        cut = sum(len(ids) >= most for ids in encoded)
        if cut:
            warnings.warn(
                f"{cut} of {len(lines)} lines had more than {most - 1} sub-words and were cut there "
                "(search.max_source_length, the end of the sentence included)",
                stacklevel=5,
            )
        return [source_of(ids, most) for ids in encoded]

    def batches(
        self, rows: Sequence[int], lengths: Sequence[Any], batch_size: int | None
    ) -> Iterator[tuple[list[int], int]]:
        """Rows of about equal length, and the number of rows in a full batch."""
        size = self._settings.batch_size if batch_size is None else batch_size
        check_number("batch_size", size, int)
        if size < 1:
            raise ValueError(f"batch_size must be at least 1. Received: batch_size={size}")
        rows = sorted(rows, key=lengths.__getitem__)
        for start in range(0, len(rows), size):
            yield rows[start : start + size], size

    def _said(
        self, lines: list[str], source: list[list[int]], found: Found, n_best: int
    ) -> list[Translation]:
        """One for each line of a batch. Except for the first, slots that the search could not fill are left out."""
        places = [
            (row, n) for row in range(len(lines)) for n in range(n_best) if n == 0 or found.lengths[row, n]
        ]
        targets = [found.tokens[place][: found.lengths[place]].tolist() for place in places]
        texts = self._target.decode(targets)
        n_best_lists: list[list[Translation]] = [[] for _ in lines]
        for place, target, text in zip(places, targets, texts, strict=True):
            row = place[0]
            translation = Translation(
                lines[row],
                one_line(text),
                float(found.scores[place]),
                float(found.log_probs[place]),
                tuple(source[row]),
                tuple(target),
                trimmed(found.weights, place, target, source[row]),
            )
            n_best_lists[row].append(translation)
        return [dataclasses.replace(best, alternatives=tuple(rest)) for best, *rest in n_best_lists]

    def _has_other_digits(self, translation: Translation) -> bool:
        source, target = self._digits(translation)
        return bool(source.any() and target.any() and (source != target).any())

    def _with_the_digits(self, best: Translation, n_best: int) -> Translation | None:
        """The best hypothesis that has the digits of its source, and the `n_best - 1` best others; `None` if there is none."""
        hypotheses = [best, *best.alternatives]
        for one in hypotheses:
            if np.array_equal(*self._digits(one)):
                others = [each for each in hypotheses if each is not one][: n_best - 1]
                return dataclasses.replace(
                    one, alternatives=tuple(dataclasses.replace(each, alternatives=()) for each in others)
                )
        return None

    def _digits(self, translation: Translation) -> tuple[np.ndarray, np.ndarray]:
        """How often source and target say each digit, in any order, because languages order dates differently."""
        source, target = list(translation.source_ids), list(translation.target_ids)
        return self._source.digit_counts[source].sum(axis=0), self._target.digit_counts[target].sum(axis=0)


def trimmed(
    weights: np.ndarray | None, place: Any, target: Sequence[int], source: Sequence[int]
) -> np.ndarray | None:
    """The attention weights of one hypothesis in a batch, `[target ids, source ids]`."""
    return None if weights is None else weights[place][: len(target), : len(source)].copy()
