"""Building blocks for graphs of bytes: walking a trie from all positions, following jumps, laying out runs.

Every function uses only built-in operators of LiteRT, and shapes that do not depend on values. All tensors are int32.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from keras_attn.export.tokens.character_map import BIAS
from keras_attn.export.tokens.double_array import LABEL, NO_BYTE, VALUE, DoubleArray


class Spread(NamedTuple):
    """Runs of places, one behind the other.

    Attributes:
        owner: `[size]`, whose run each place is in.
        starts: `[T]`, at which place each run begins.
        total: how many places the runs have together; positions after that belong to no run, whatever `owner` says.
    """

    owner: tf.Tensor
    starts: tf.Tensor
    total: tf.Tensor

    def places_from(self, begins: tf.Tensor) -> tf.Tensor:
        """`[size]`, what stands at each place if the runs count on from `begins` `[T]`."""
        return tf.gather(begins - self.starts, self.owner) + tf.range(self.owner.shape[0])


def spread(counts: tf.Tensor, size: int) -> Spread:
    """Lays out runs of `counts[i]` places each, i from 0 to T - 1, on `size` places."""
    ends = tf.cumsum(counts)
    starts = ends - counts
    begun = tf.scatter_nd(tf.minimum(starts, size)[:, None], tf.ones_like(starts), [size + 1])
    owner = tf.cumsum(begun[:size]) - 1
    return Spread(owner, starts, ends[-1])


def follow(jumps: tf.Tensor, start: tf.Tensor) -> tf.Tensor:
    """The path of jumps from `start` `[1]`: `start`, the place one jump further, and so on, `[N]`.

    Args:
        jumps: `[N]`, the place that one jump reaches from each place.
    """
    size, path = jumps.shape[0], start
    while path.shape[0] < size:
        path = tf.concat([path, tf.gather(jumps, path)], axis=0)
        jumps = tf.gather(jumps, jumps)  # twice as far
    return path[:size]


def longest_match(tries: Sequence[DoubleArray], codes: tf.Tensor, first: int) -> tuple[tf.Tensor, tf.Tensor]:
    """The longest key that begins at each place: how many bytes it has, 0 where there is none, and the sum of its values, each
    `[len(tries) * N]`.

    Args:
        tries: in one array, of values that are added up, see `character_map`.
        codes: `[N]`, bytes, or `NO_BYTE`.
        first: the initial value of every sum.
    """
    walk, size = Walk(tries[0]), len(tries) * codes.shape[0]
    roots = tf.constant(np.repeat([trie.root for trie in tries], codes.shape[0]), tf.int32)

    def step(depth, codes, state, length, found):
        state = walk.step(state, codes, codes * LABEL)
        value = walk.value(state)
        ends = tf.minimum(value + 1, 1)
        codes = tf.concat([codes[1:], [NO_BYTE]], axis=0)
        return depth + 1, codes, state, tf.maximum(length, ends * depth), found + ends * (value - BIAS)

    start = (
        tf.constant(1),
        tf.concat([codes] * len(tries), axis=0),
        roots,
        tf.zeros([size], tf.int32),
        tf.fill([size], first),
    )
    *_, length, found = tf.while_loop(lambda depth, codes, state, *_: walk.goes_on(state), step, start)
    return length, found


class Walk:
    """The way through a trie from many places at once."""

    def __init__(self, trie: DoubleArray) -> None:
        self._trie, self._cells = trie, tf.constant(trie.cells)

    def step(self, state: tf.Tensor, codes: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """Where bytes lead from states, of the same shape: to `trie.dead` if nowhere.

        What is left of a cell without the label is more than any state if the cell's own label is another.

        Args:
            labels: `codes * LABEL`.
        """
        cells = tf.gather(self._cells, tf.bitwise.bitwise_xor(self._inner(state), codes))
        return tf.minimum(tf.bitwise.bitwise_xor(cells, labels), self._trie.dead)

    def value(self, state: tf.Tensor) -> tf.Tensor:
        """What the keys that end in states stand for, -1 where none does."""
        value = tf.gather(self._cells, self._inner(state)) - VALUE
        if self._trie.end < self._trie.dead:
            value = tf.where(state < self._trie.dead, tf.maximum(value, state - self._trie.end), -1)
        return tf.maximum(value, -1)

    def goes_on(self, state: tf.Tensor) -> tf.Tensor:
        """Whether a byte can still lead from any of the states to another one."""
        return tf.reduce_min(state) < self._trie.end

    def _inner(self, state: tf.Tensor) -> tf.Tensor:
        """States that have a cell; one without for all that no byte leads out of."""
        return state if self._trie.end == self._trie.dead else tf.minimum(state, self._trie.end)
