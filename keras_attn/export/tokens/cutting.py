"""Normalised text as ids: SentencePiece's search for the most probable cut (Kudo 2018, https://aclanthology.org/P18-1007), in
operators that LiteRT has built in.

First, all positions look up the pieces that begin there, in parallel. Then one pass over the positions finds the best cut of
everything before each (Viterbi). Each iteration of the loop handles several positions, because an iteration costs more than its
operators. Sums are float32, and among equally good cuts the one with the longest last piece wins, so ids equal those of
SentencePiece, even on ties. A character that is not a piece becomes the unknown id, or its bytes if the vocabulary has pieces for
them.

All tensors in a loop have fixed shapes; otherwise LiteRT would plan the memory again in every iteration.
"""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from keras_attn.export.tokens.double_array import LABEL
from keras_attn.export.tokens.graphs import Walk, follow, spread
from keras_attn.export.tokens.vocabulary_tables import NEVER, Pieces
from keras_attn.special_ids import UNK_ID

BLOCK = 8  # positions per iteration


class Cut(NamedTuple):
    """Sub-words of a text, int32 all of it.

    Attributes:
        ids: `[M]`; what follows the last sub-word is arbitrary.
        starts: `[M]`, the byte of the text at which each begins; for a character spelled in bytes, where the character begins.
        length: the number of sub-words, which may exceed M.
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
    longest = endings.shape[0]
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
    ids = tf.gather(tf.reshape(endings, [-1]), tf.gather(rows, places) * size + places) - 1
    is_piece, is_unknown = tf.range(size) < count, ids == UNK_ID
    if pieces.byte_ids is not None:
        tokens = spread(tf.where(is_piece, tf.where(is_unknown, ends - starts, 1), 0), most)
        first = tf.gather(starts, tokens.owner)
        spelled = tf.gather(codes, tf.minimum(tokens.places_from(starts), size - 1)) % len(pieces.byte_ids)
        unknown, ids = tf.gather(is_unknown, tokens.owner), tf.gather(ids, tokens.owner)
        return Cut(tf.where(unknown, tf.gather(pieces.byte_ids, spelled), ids), first, tokens.total)
    merged = is_unknown & tf.concat([[False], is_unknown[:-1]], axis=0)
    tokens = spread(tf.cast(is_piece & ~merged, tf.int32), most)
    return Cut(tf.gather(ids, tokens.owner), tf.gather(starts, tokens.owner), tokens.total)


def _pieces_ending(codes: tf.Tensor, pieces: Pieces) -> tf.Tensor:
    """int32 `[L, N]`, id + 1 of the pieces of L bytes, ..., of one byte that end at each of N, 0 where there is none."""
    trie, size = pieces.trie, codes.shape[0]
    walk, labels = Walk(trie), codes * LABEL

    def step(depth, state, states):
        state = walk.step(state, codes, labels)  # of those who began depth bytes before
        states = states.write(depth, state - trie.dead)  # what is never written is 0
        state = tf.concat([[trie.dead], state[:-1]], axis=0)
        return depth - 1, state, states

    states = tf.TensorArray(tf.int32, trie.longest, element_shape=[size])
    start = tf.constant(trie.longest - 1), tf.fill([size], trie.root), states
    *_, states = tf.while_loop(lambda depth, state, _: (depth >= 0) & walk.goes_on(state), step, start)
    return walk.value(states.stack() + trie.dead) + 1


def _best_endings(endings: tf.Tensor, length: tf.Tensor, pieces: Pieces) -> tf.Tensor:
    """int32 `[N]`, which of `endings` `[L, N]` ends the best cut of all that lies before and at each place."""
    longest, size = endings.shape
    known = tf.constant(pieces.scores.view(np.int32))  # the converter makes no int8 or float16 of integers
    scores = tf.bitcast(tf.gather(known, endings), tf.float32)
    blocks = tf.reshape(tf.transpose(scores), [size // BLOCK, BLOCK, longest])

    def step(turn, best, bests):
        found = []
        for ending in tf.unstack(tf.gather(blocks, turn)):
            found.append(tf.reduce_max(best + ending, keepdims=True))  # by where the last piece begins
            best = tf.concat([best[1:], found[-1]], axis=0)
        return turn + 1, best, bests.write(turn, tf.concat(found, axis=0))

    # Of the cuts that end at each of L places before.
    first = tf.constant([NEVER] * (longest - 1) + [0.0], tf.float32)
    bests = tf.TensorArray(tf.float32, size // BLOCK, element_shape=[BLOCK])
    start = tf.constant(0), first, bests
    *_, bests = tf.while_loop(lambda turn, *_: turn * BLOCK < length, step, start)
    bests = tf.concat([first, tf.reshape(bests.stack(), [-1])], axis=0)
    return tf.argmax(_windows(bests, longest) + scores, axis=0, output_type=tf.int32)


def _windows(numbers: tf.Tensor, count: int) -> tf.Tensor:
    """Of `[N + count]`, those from 0 on, from 1 on, ..., N of each: `[count, N]`."""
    size = numbers.shape[0]
    repeated = tf.tile(numbers, [count + 1])[
        : count * (size + 1)
    ]  # in rows longer by one, each begins one later
    return tf.reshape(repeated, [count, size + 1])[:, : size - count]
