"""What graphs of bytes are made of: walking a trie from all positions, following jumps, spreading runs.

Every function is of operators that LiteRT has built in, and of shapes that do not hang on the numbers. All tensors are int32.
"""

from typing import NamedTuple

import tensorflow as tf

from keras_attn.export.tokens.double_array import LABEL, NO_BYTE, VALUE, DoubleArray


class Spread(NamedTuple):
    """Runs of places, one behind the other.

    Attributes:
        owner: `[size]`, whose run each place is in.
        within: `[size]`, how far from the beginning of that run.
        total: how many places the runs have together; those behind are nobody's, whatever `owner` says.
    """

    owner: tf.Tensor
    within: tf.Tensor
    total: tf.Tensor


def spread(counts: tf.Tensor, size: int) -> Spread:
    """Lays out runs of `counts[i]` places each, i from 0 to T - 1, on `size` places."""
    ends = tf.cumsum(counts)
    starts = ends - counts
    begun = tf.scatter_nd(tf.minimum(starts, size)[:, None], tf.ones_like(starts), [size + 1])
    owner = tf.cumsum(begun[:size]) - 1
    return Spread(owner, tf.range(size) - tf.gather(starts, owner), ends[-1])


def follow(jumps: tf.Tensor, start: tf.Tensor) -> tf.Tensor:
    """`start` `[1]`, where one jumps to from there, and so on: as many places as there are jumps, `[N]`.

    Args:
        jumps: `[N]`, where one gets to from each place in one jump.
    """
    size, path = jumps.shape[0], start
    while path.shape[0] < size:
        path = tf.concat([path, tf.gather(jumps, path)], axis=0)
        jumps = tf.gather(jumps, jumps)  # twice as far
    return path[:size]


def longest_match(trie: DoubleArray, codes: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The longest key that begins at each place: how many bytes it has, 0 where there is none, and its value.

    Args:
        codes: `[N]`, bytes, or `NO_BYTE`.
    """
    size = codes.shape[0]
    walk = Walk(trie)
    padded = tf.pad(codes, [[0, trie.longest]], constant_values=NO_BYTE)

    def step(depth, state, length, found):
        state = walk.step(state, tf.slice(padded, [depth], [size]))
        value = walk.value(state)
        ends = tf.minimum(value + 1, 1)
        return depth + 1, state, length + ends * (depth + 1 - length), found + ends * (value - found)

    first = tf.constant(0), tf.fill([size], trie.root), tf.zeros([size], tf.int32), tf.zeros([size], tf.int32)
    *_, length, found = tf.while_loop(
        lambda depth, state, *_: (depth < trie.longest) & walk.goes_on(state), step, first
    )
    return length, found


class Walk:
    """The way through a trie from many places at once."""

    def __init__(self, trie: DoubleArray) -> None:
        self._trie, self._cells = trie, tf.constant(trie.cells)

    def step(self, state: tf.Tensor, codes: tf.Tensor) -> tf.Tensor:
        """Where bytes `[N]` lead from states `[N]`: to `trie.dead` if nowhere.

        From a cell of another label than the code, what is left is more than any state, or less than the lowest by as much.
        """
        left = tf.gather(self._cells, tf.bitwise.bitwise_xor(state, codes)) - codes * LABEL
        return tf.minimum(tf.abs(left), self._trie.dead)

    def value(self, state: tf.Tensor) -> tf.Tensor:
        """What the keys that end in states `[N]` stand for, -1 where none does."""
        return tf.maximum(VALUE - tf.gather(self._cells, state), -1)

    def goes_on(self, state: tf.Tensor) -> tf.Tensor:
        """Whether there is any state left that bytes may lead out of."""
        return tf.reduce_min(state) < self._trie.dead
