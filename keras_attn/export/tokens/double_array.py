"""Tries as one array of integers each (Aoe 1989, https://doi.org/10.1109/32.31365), which a graph can walk by gathers.

A state is an index into the array. From state s, byte b leads to cell `s ^ b`, if that cell has the label b; the cell contains the
next state. Cell s itself contains the value of the key that ends in state s. A key that no other continues needs no cell: it ends
in a state behind the array, which tells its value. Keys with the same ending may share states.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

LABEL = 1 << 22  # a cell is label * LABEL + next state
NO_BYTE = 256  # a label that no cell has
VALUE = (NO_BYTE + 1) * LABEL  # or VALUE + value
_PATIENCE = 200  # free cells that do not fit
_BLOCK = 512  # s ^ b is in the block of s for every b, NO_BYTE too


class DoubleArray:
    """A trie.

    Args:
        cells: int32 `[M]`, M a multiple of 512; the last block is of empty cells, which lead to `dead`.
        root: the state to begin with.
        longest: how many bytes the longest key has.
        ends: how many states `end`, `end + 1`, ... there are, which no byte leads out of: keys with the
            values 0, 1, ... end there.

    Attributes:
        end: the number of the first such state.
        dead: a state where no key ends and that no byte leads out of, the highest there is.
    """

    def __init__(self, cells: np.ndarray, root: int, longest: int, ends: int) -> None:
        self.cells, self.root, self.longest = cells, root, longest
        self.end = len(cells) - _BLOCK
        self.dead = self.end + ends

    def get(self, key: bytes) -> int | None:
        """The value of a key, if it is one."""
        state = self.root
        for byte in key:
            state = min(int(self.cells[min(state, self.end) ^ byte]) ^ byte * LABEL, self.dead)
        if state >= self.end:
            return state - self.end if state < self.dead else None
        return int(self.cells[state]) - VALUE if self.cells[state] >= VALUE else None


class Node(NamedTuple):
    """A state before it is placed in the array.

    Attributes:
        children: nodes by byte. A node with a value has none by the byte 0.
        value: the value of the key that ends here; `None`: no key ends here.
    """

    children: dict[int, "Node"]
    value: int | None


def nodes_of(keys: Mapping[bytes, int]) -> Node:
    """The root of a trie of keys, with their values, 0 or more."""
    prefixes = {key[:end] for key in keys for end in range(len(key) + 1)} | {b""}
    nodes = {prefix: Node({}, keys.get(prefix)) for prefix in prefixes}
    for prefix in sorted(prefixes - {b""}):
        nodes[prefix[:-1]].children[prefix[-1]] = nodes[prefix]
    return nodes[b""]


def build_double_array(root: Node) -> DoubleArray:
    """The array of a trie.

    Raises:
        ValueError: it is too large.
    """
    (trie,) = build_double_arrays(root)
    return trie


def build_double_arrays(*roots: Node) -> list[DoubleArray]:
    """Tries in one array.

    Raises:
        ValueError: they are too large.
    """
    nodes, level = {id(root): root for root in roots}, list(roots)
    while level := [child for node in level for child in node.children.values() if id(child) not in nodes]:
        nodes |= {id(node): node for node in level}
    first = {id(root) for root in roots}
    inner = {name: node for name, node in nodes.items() if name in first or not _is_end(node)}
    layout, states = _Layout(), {}
    for name, node in sorted(inner.items(), key=lambda item: -_width(item[1])):
        states[name] = layout.place([*node.children, *([0] if node.value is not None else [])])
    if layout.size > LABEL // 2:
        raise ValueError(f"a trie of {layout.size} cells is too large")
    ends = {name: node.value for name, node in nodes.items() if name not in inner}
    states |= {name: layout.size + value for name, value in ends.items()}
    count = max(ends.values(), default=-1) + 1
    cells = np.full(layout.size + _BLOCK, layout.size + count, np.int32)
    for name, node in inner.items():
        for byte, child in node.children.items():
            cells[states[name] ^ byte] = byte * LABEL + states[id(child)]
        if node.value is not None:
            cells[states[name]] = VALUE + node.value
    return [DoubleArray(cells, states[id(root)], _height(root, {}), count) for root in roots]


def _is_end(node: Node) -> bool:
    """Whether a key ends here that no other continues, with a value for which there is room behind the array."""
    return not node.children and node.value is not None and node.value < LABEL // 2


def _width(node: Node) -> int:
    """How many cells a node takes."""
    return max(len(node.children) + (node.value is not None), 1)


def _height(node: Node, known: dict[int, int]) -> int:
    """The length in bytes of the longest continuation of a node."""
    if id(node) not in known:
        known[id(node)] = max((1 + _height(child, known) for child in node.children.values()), default=0)
    return known[id(node)]


class _Layout:
    """Which cells are taken, and which states."""

    def __init__(self) -> None:
        self._free = bytearray(b"\1" * _BLOCK)
        self._states: set[int] = set()
        self._width, self._from = 0, 0  # where to begin for nodes as wide as the last

    @property
    def size(self) -> int:
        return len(self._free)

    def place(self, labels: Iterable[int]) -> int:
        """A new state of which all cells are free, which it takes: the first, or nearly. The widest nodes are to come first."""
        labels = sorted(labels) or [0]
        if len(labels) != self._width:
            self._width, self._from = len(labels), 0
        cell, tried = self._from - 1, 0
        while True:
            tried += 1
            cell = self._free.find(1, cell + 1)
            if cell < 0:
                cell = len(self._free)
                self._free += b"\1" * _BLOCK
            state = cell ^ labels[0]
            if state not in self._states and all(self._free[state ^ label] for label in labels):
                break
        if tried > _PATIENCE:
            self._from = cell
        self._states.add(state)
        for label in labels:
            self._free[state ^ label] = 0
        return state
