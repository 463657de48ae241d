"""Which source word each target word attends to, for given pairs, and as a picture."""

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


def align(
    translator: "Translator",
    sources: Sequence[str],
    targets: Sequence[str],
    threshold: float | None = None,
    next_step: bool = False,
) -> list[Links]:
    """Forces the model to produce each target, and links words by its attention weights; see `alignment.links`.

    Words are counted in the text as the tokenizer's normaliser leaves it. A source cut at `search.max_source_length` has no
    links behind the cut.

    Args:
        translator: the model.
        sources, targets: the pairs.
        threshold: as for `links`.
        next_step: whether a word's weights are those of the step after it, whose query has read the word, instead of those that
            it was said with.

    Raises:
        ValueError: not as many targets as sources, or a model without attention.
    """
    check_attention(translator)
    pairs = translator.force(sources, targets)
    if next_step:  # the last row, that of the end of the sentence, plays no part
        pairs = [dataclasses.replace(pair, weights=np.roll(pair.weights, -1, axis=0)) for pair in pairs]
    return [links(attention_of_words(translator, pair, keep_eos=False).weights, threshold) for pair in pairs]


def align_both_ways(
    translator: "Translator",
    reverse: "Translator",
    sources: Sequence[str],
    targets: Sequence[str],
    threshold: float | None = None,
    next_step: bool = False,
) -> list[Links]:
    """`align` by a model and by one of the other direction, joined by `grow_diag_final_and`; arguments as for `align`."""
    forward = align(translator, sources, targets, threshold, next_step)
    backward = align(reverse, targets, sources, threshold, next_step)
    return [
        grow_diag_final_and(there, {(i, j) for j, i in back})
        for there, back in zip(forward, backward, strict=True)
    ]


def draw_attention(
    translator: "Translator", source: str, target: str | None, path: str | Path
) -> "Translation":
    """Draws the attention weights of a sentence and its translation, the ends of both included.

    Args:
        translator: the model.
        source: a line.
        target: its translation; None: what the model says.
        path: the picture, `.png` or `.svg`.

    Returns:
        What was drawn.

    Raises:
        ValueError: nothing to draw, another suffix, or a model without attention.
        FileNotFoundError: the picture's folder does not exist.
    """
    check_attention(translator)
    (pair,) = translator.translate([source]) if target is None else translator.force([source], [target])
    if pair.weights is None:
        raise ValueError("nothing to draw: the source has no words")
    draw_heatmap(*attention_of_words(translator, pair), path)
    return pair


def attention_of_words(translator: "Translator", pair: "Translation", keep_eos: bool = True) -> WordWeights:
    """The attention weights of a translation between words instead of sub-words; see `alignment.word_weights`."""
    source_pieces = translator.source_tokenizer.pieces(pair.source_ids)
    target_pieces = translator.target_tokenizer.pieces(pair.target_ids)
    return word_weights(pair.weights, source_pieces, target_pieces, keep_eos)


def check_attention(translator: "Translator") -> None:
    """Raises ValueError for a model without attention."""
    if not translator.model.has_attention:
        raise ValueError("this model has no attention, so there is nothing to align")
