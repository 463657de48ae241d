"""Tries as one array of integers each (Aoe 1989, https://doi.org/10.1109/32.31365), which a graph can walk by gathers.

A state is an index into the array. From state s, byte b leads over cell `s ^ b`, if that cell bears the label b; the cell says
which state comes next. What the key that ends in state s stands for is in cell s itself. States may be shared by keys that end
alike.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

LABEL = 1 << 22  # a cell is label * LABEL + next state
VALUE = -LABEL  # or VALUE - value
NO_BYTE = 256  # a label that no cell bears
_EMPTY = np.int32(3 << 29)
_BLOCK = 512  # s ^ b is in the block of s for every b, NO_BYTE too


class DoubleArray:
    """A trie.

    Args:
        cells: int32 `[M]`, M a multiple of 512; the last block is of empty cells.
        root: the state to begin with.

    Attributes:
        dead: a state that no byte leads out of, and the highest there is.
        longest: how many bytes the longest key has.
    """

    def __init__(self, cells: np.ndarray, root: int, longest: int) -> None:
        self.cells, self.root, self.longest = cells, root, longest
        self.dead = len(cells) - _BLOCK
        if self.dead > LABEL // 2:
            raise ValueError(f"a trie of {len(cells)} cells is too large")

    def get(self, key: bytes) -> int | None:
        """The value of a key, if it is one."""
        state = self.root
        for byte in key:
            state = int(self.cells[state ^ byte]) - byte * LABEL
            if not 0 <= state < LABEL:
                return None
        return VALUE - int(self.cells[state]) if self.cells[state] <= VALUE else None

    def change_values(self, new: Callable[[int], int]) -> None:
        """Puts others, 0 or more, for the values that there are."""
        found = np.flatnonzero(self.cells <= VALUE)
        self.cells[found] = [VALUE - new(value) for value in (VALUE - self.cells[found]).tolist()]


class Node(NamedTuple):
    """A state before it has its place.

    Attributes:
        children: nodes by byte, none of them 0.
        value: what the key that ends here stands for; `None`: no key does.
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
    layout, order, level = _Layout(), {id(root): root}, [root]
    while level := [child for node in level for child in node.children.values() if id(child) not in order]:
        order |= {id(node): node for node in level}
    states = {
        name: layout.place([*node.children, *([0] if node.value is not None else [])])
        for name, node in order.items()
    }
    cells = np.full(layout.size + _BLOCK, _EMPTY)
    for name, node in order.items():
        for byte, child in node.children.items():
            cells[states[name] ^ byte] = byte * LABEL + states[id(child)]
        if node.value is not None:
            cells[states[name]] = VALUE - node.value
    return DoubleArray(cells, states[id(root)], _height(root, {}))


def _height(node: Node, known: dict[int, int]) -> int:
    """How many bytes the longest key has that goes on from a node."""
    if id(node) not in known:
        known[id(node)] = max((1 + _height(child, known) for child in node.children.values()), default=0)
    return known[id(node)]


class _Layout:
    """Which cells are taken, and which states."""

    def __init__(self) -> None:
        self._free = bytearray(b"\1" * _BLOCK)
        self._states: set[int] = set()

    @property
    def size(self) -> int:
        return len(self._free)

    def place(self, labels: Iterable[int]) -> int:
        """A new state of which all cells are free, which it takes."""
        labels = sorted(labels) or [0]
        cell = -1
        while True:
            cell = self._free.find(1, cell + 1)
            if cell < 0:
                cell = len(self._free)
                self._free += b"\1" * _BLOCK
            state = cell ^ labels[0]
            if state not in self._states and all(self._free[state ^ label] for label in labels):
                break
        self._states.add(state)
        for label in labels:
            self._free[state ^ label] = 0
        return state


def from_darts(units: np.ndarray) -> DoubleArray:
    """The same of an array of Darts-clone (uint32 `[U]`), the library by which SentencePiece keeps its character map.

    Raises:
        ValueError: it is no trie of keys of at most 256 bytes.
    """
    units = units.astype(np.int64)
    offset = (units >> 10) << ((units & 0x200) >> 6)
    label, state = units & 0xFF, np.arange(len(units)) ^ offset
    if not len(units) or offset[0] >= len(units) or len(units) > LABEL // 2:
        raise ValueError("its normaliser's trie is broken")
    is_value = units >> 31 == 1
    leads = np.flatnonzero(~is_value & (label > 0) & (state < len(units)))
    cells = np.full(-(-len(units) // _BLOCK) * _BLOCK + _BLOCK, _EMPTY)
    cells[: len(units)][is_value] = VALUE - np.minimum(units[is_value] & 0x7FFFFFFF, 1 << 30)
    cells[leads] = (label * LABEL + state)[leads]
    root = int(offset[0])
    return DoubleArray(cells, root, _depth(root, leads ^ label[leads], state[leads], len(cells)))


def _depth(root: int, sources: np.ndarray, targets: np.ndarray, size: int) -> int:
    """How many bytes lead from the root to the state that is farthest from it."""
    level = np.array([root])
    for depth in range(_BLOCK // 2):
        in_level = np.zeros(size, bool)
        in_level[level] = True
        level = np.unique(targets[in_level[sources]])
        if not len(level):
            return depth
    raise ValueError("its normaliser's trie has no end")
