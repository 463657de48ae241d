"""Normalised text as ids: SentencePiece's search for the most probable cut (Kudo 2018, https://aclanthology.org/P18-1007), in
operators that LiteRT has built in.

First all places look at once for the pieces that end there. Then one pass over the places finds the best cut of all that lies
before each (Viterbi), several of them a turn of the loop, because a turn takes much longer than its operators. Sums are of float32,
and of equally good cuts that with the longest last piece wins, so ids are SentencePiece's, ties and all.
"""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from keras_attn.export.tokens.graphs import Walk, follow, spread
from keras_attn.export.tokens.vocabulary_tables import NEVER, Pieces
from keras_attn.special_ids import UNK_ID

BLOCK = 16  # places a turn


class Cut(NamedTuple):
    """Sub-words of a text, int32 all of it.

    Attributes:
        ids: `[M]`, whatever behind the last.
        starts: `[M]`, the byte of the text at which each begins.
        length: how many there are, which may be more than M.
    """

    ids: tf.Tensor
    starts: tf.Tensor
    length: tf.Tensor


def cut(codes: tf.Tensor, length: tf.Tensor, pieces: Pieces, most: int) -> Cut:
    """Cuts normalised text.

    Args:
        codes: int32 `[N]`, bytes, then `NO_BYTE`; N a multiple of `BLOCK`.
        length: how many bytes there are.
        pieces: of the vocabulary.
        most: M, how many sub-words are wanted.
    """
    size = codes.shape[0]
    endings = _pieces_ending(codes, pieces)
    longest = endings.shape[1]
    rows = _best_endings(endings, length, pieces)  # [N]
    befores = tf.maximum(tf.range(1 - longest, size + 1 - longest) + rows, 0)
    befores = tf.concat(
        [[0], befores], axis=0
    )  # [N + 1], where the last piece begins of all that lies before each place
    ends = follow(befores, length[None])  # of the last sub-word, the last but one, ..., then 0
    count = tf.reduce_sum(tf.cast(ends > 0, tf.int32))
    ends = tf.gather(
        ends, tf.maximum(count - 1 - tf.range(size), 0)
    )  # of the first, the second, ..., then of the last
    starts, places = tf.gather(befores, ends), tf.maximum(ends - 1, 0)
    ids = tf.gather(tf.reshape(endings, [-1]), places * longest + tf.gather(rows, places)) - 1
    is_unknown = ids == UNK_ID
    merged = is_unknown & tf.concat([[False], is_unknown[:-1]], axis=0)
    kept = spread(tf.cast((tf.range(size) < count) & ~merged, tf.int32), most)
    return Cut(tf.gather(ids, kept.owner), tf.gather(starts, kept.owner), kept.total)


def _pieces_ending(codes: tf.Tensor, pieces: Pieces) -> tf.Tensor:
    """int32 `[N, L]`, id + 1 of the pieces of L bytes, ..., of one byte that end at each of N, 0 where there is none."""
    trie, size = pieces.trie, codes.shape[0]
    walk = Walk(trie)

    state, found = tf.fill([size], trie.root), []
    for _ in range(trie.longest):
        state = walk.step(state, codes)
        found.append(walk.value(state) + 1)
        state = tf.concat([[trie.dead], tf.slice(state, [0], [size - 1])], axis=0)
    return tf.stack(found[::-1], axis=1)


def _best_endings(endings: tf.Tensor, length: tf.Tensor, pieces: Pieces) -> tf.Tensor:
    """int32 `[N]`, which of `endings` `[N, L]` ends the best cut of all that lies before and at each place."""
    size, longest = endings.shape
    known = tf.constant(pieces.scores.view(np.int32))  # the converter makes no int8 or float16 of integers

    def step(turn, best, rows):
        scores = tf.bitcast(
            tf.gather(known, tf.slice(endings, [turn * BLOCK, 0], [BLOCK, longest])), tf.float32
        )
        chosen = []
        for ending in tf.unstack(scores, num=BLOCK):
            candidates = best + ending  # by where the last piece begins
            chosen.append(tf.argmax(candidates, output_type=tf.int32))
            best = tf.concat([best[1:], tf.reduce_max(candidates, keepdims=True)], axis=0)
        return turn + 1, best, rows.write(turn, tf.stack(chosen))

    best = tf.constant(
        [NEVER] * (longest - 1) + [0.0], tf.float32
    )  # of the cuts that end at each of L places before
    rows = tf.TensorArray(tf.int32, size // BLOCK, element_shape=[BLOCK])
    *_, rows = tf.while_loop(lambda turn, *_: turn * BLOCK < length, step, (tf.constant(0), best, rows))
    return tf.reshape(rows.stack(), [size])
