"""Reads tries written by Darts-clone, the library that SentencePiece uses for its character map."""

from collections.abc import Callable

import numpy as np

from keras_attn.export.tokens.double_array import Node

_LONGEST = 255  # bytes of a key
_MOST_UNITS = 1 << 21


def read_darts(units: np.ndarray, value_of: Callable[[int], int]) -> Node:
    """The root of the trie in uint32 `[U]`, which may be untrusted.

    Args:
        units: the array.
        value_of: turns the values in it into those of the nodes.

    Raises:
        ValueError: it is not a trie with keys of at most 255 bytes.
    """
    units = units.astype(np.int64)
    offsets = (units >> 10) << ((units & 0x200) >> 6)
    if not len(units) or offsets[0] >= len(units) or len(units) > _MOST_UNITS:
        raise ValueError("its normaliser's trie is broken")
    labels, states = units & 0xFF, np.arange(len(units)) ^ offsets
    is_value = units >> 31 == 1
    leads = np.flatnonzero(~is_value & (labels > 0) & (states < len(units)))
    children: dict[int, list[tuple[int, int]]] = {}
    sources = leads ^ labels[leads]
    for source, label, state in zip(
        *(each.tolist() for each in (sources, labels[leads], states[leads])), strict=True
    ):
        children.setdefault(source, []).append((label, state))
    _check_ends(int(offsets[0]), children)
    nodes: dict[int, Node] = {}

    def node(state: int) -> Node:
        if state not in nodes:
            value = value_of(int(units[state]) & 0x7FFFFFFF) if is_value[state] else None
            nodes[state] = Node({byte: node(child) for byte, child in children.get(state, ())}, value)
        return nodes[state]

    return node(int(offsets[0]))


def _check_ends(root: int, children: dict[int, list[tuple[int, int]]]) -> None:
    level = {root}
    for _ in range(_LONGEST + 1):
        level = {child for state in level for _, child in children.get(state, ())}
        if not level:
            return
    raise ValueError("its normaliser's trie has no end")
