"""The result of translating a line."""

import dataclasses

import numpy as np

from keras_attn.text.tokenizer import Tokenizer
from keras_attn.text.words import word_of_pieces, words_of_pieces


@dataclasses.dataclass(frozen=True)
class Translation:
    """A line and its translation.

    Attributes:
        source: the line.
        text: its translation, always one line.
        score: by which a beam ranks, see `search.Hypotheses`; from sampling and `force`, `log_prob`.
        log_prob: natural logarithm of the probability of `target_ids`.
        source_ids: sub-words as the model read them, with EOS at the end; none for a line that the model did not get.
        target_ids: sub-words, with EOS at the end unless the translation was cut at its limit.
        weights: float32 `[target ids, source ids]`, the attention weights of each target sub-word; None from a model
            without attention.
        words: the words of the translation, and `"</s>"` for its end, each with the natural logarithm of its probability; empty if
            not requested.
        alternatives: the other hypotheses of an n-best list, best first.
    """

    source: str
    text: str
    score: float = 0.0
    log_prob: float = 0.0
    source_ids: tuple[int, ...] = ()
    target_ids: tuple[int, ...] = ()
    weights: np.ndarray | None = dataclasses.field(default=None, repr=False, compare=False)
    words: tuple[tuple[str, float], ...] = ()
    alternatives: tuple["Translation", ...] = ()


def words_with_scores(
    target_ids: tuple[int, ...], log_probs: np.ndarray, tokenizer: Tokenizer
) -> tuple[tuple[str, float], ...]:
    """The words of a translation, each with the sum of its sub-words' log-probabilities `[target ids]`."""
    pieces = tokenizer.pieces(target_ids)
    sums = np.bincount(word_of_pieces(pieces), log_probs)
    return tuple(zip(words_of_pieces(pieces), sums.tolist(), strict=True))
