"""Aligns the words of given pairs by attention, and draws attention."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from keras_attn.alignment.heatmap import draw_heatmap
from keras_attn.alignment.symmetrization import grow_diag_final_and
from keras_attn.alignment.word_alignment import WordWeights, links, word_weights
from keras_attn.text.links import Links

if TYPE_CHECKING:
    from keras_attn.inference.translator import Translation, Translator

_BLOCK = 4096  # pairs whose attention weights are kept at once


def align(
    translator: "Translator",
    sources: Sequence[str],
    targets: Sequence[str],
    threshold: float | None = None,
    next_step: bool = False,
) -> list[Links]:
    """Forces the model to produce each target, and links words by its attention weights; see `alignment.links`.

    Words are counted after the tokenizer's normalisation. A source that is cut at `search.max_source_length` has no links after the
    cut.

    Args:
        translator: the model.
        sources, targets: the pairs.
        threshold: as for `links`.
        next_step: whether to use the weights of the step after a word, when the query has read that word, instead of the step that
            produced it.

    Raises:
        ValueError: the numbers of targets and sources differ, or the model has no attention.
    """
    from keras_attn.inference.translator import check_pairs

    check_attention(translator)
    check_pairs(sources, targets)
    found: list[Links] = []
    for first in range(0, len(sources), _BLOCK):
        block = slice(first, first + _BLOCK)
        for pair in translator.force(sources[block], targets[block]):
            if next_step:  # the last row, for the end of the sentence, is not used
                pair = dataclasses.replace(pair, weights=np.roll(pair.weights, -1, axis=0))
            words = attention_of_words(translator, pair, keep_eos=False)
            found.append(links(words.weights, threshold))
    return found


def align_both_ways(
    translator: "Translator",
    reverse: "Translator",
    sources: Sequence[str],
    targets: Sequence[str],
    threshold: float | None = None,
    next_step: bool = False,
) -> list[Links]:
    """`align` with a model of each direction, combined by `grow_diag_final_and`; arguments as for `align`."""
    forward = align(translator, sources, targets, threshold, next_step)
    backward = align(reverse, targets, sources, threshold, next_step)
    return [
        grow_diag_final_and(there, {(i, j) for j, i in back})
        for there, back in zip(forward, backward, strict=True)
    ]


def draw_attention(
    translator: "Translator", source: str, target: str | None, path: str | Path
) -> "Translation":
    """Draws the attention weights of a sentence and its translation, including the ends of both.

    Args:
        translator: the model.
        source: a line.
        target: its translation; None: the model's own.
        path: the picture to write, `.png` or `.svg`.

    Returns:
        The weights and words in the picture.

    Raises:
        ValueError: nothing to draw, another suffix, or the model has no attention.
        FileNotFoundError: the picture's folder does not exist.
    """
    check_attention(translator)
    (pair,) = translator.translate([source]) if target is None else translator.force([source], [target])
    if pair.weights is None:
        raise ValueError("nothing to draw: the source has no words")
    draw_heatmap(*attention_of_words(translator, pair), path)
    return pair


def attention_of_words(translator: "Translator", pair: "Translation", keep_eos: bool = True) -> WordWeights:
    """The attention weights between the words of a translation instead of its sub-words; see `alignment.word_weights`."""
    source_pieces = translator.source_tokenizer.pieces(pair.source_ids)
    target_pieces = translator.target_tokenizer.pieces(pair.target_ids)
    return word_weights(pair.weights, source_pieces, target_pieces, keep_eos)


def check_attention(translator: "Translator") -> None:
    """Raises ValueError for a model without attention."""
    if not translator.model.has_attention:
        raise ValueError("this model has no attention, so there is nothing to align")
