"""Character normalisation before tokenisation: SentencePiece's map of rules, as one small trie.

At every position, the longest user-defined symbol of the vocabulary stays unchanged; otherwise the longest text with a rule is
replaced; otherwise the character stays. The value of a key is the *sum* of the numbers stored at the key and at those of its
prefixes that are keys, each minus `BIAS`. So endings with the same effect, such as the vowels and final consonants of Hangul, are
stored once.
"""

import functools
from typing import NamedTuple

import numpy as np

from keras_attn.export.tokens.darts import read_darts
from keras_attn.export.tokens.double_array import DoubleArray, Node, build_double_arrays, nodes_of
from keras_attn.export.tokens.utf8_trie import characters
from keras_attn.text.words import WORD_START

LENGTH_BITS = 6
LENGTHS = 1 << LENGTH_BITS  # limit for the length of replacements; the longest in nmt_nfkc is 33 bytes
BIAS = 1 << 28
OWN = 0  # the value of a character that stays
SYLLABLES = (
    1 << 20
)  # where the 11,172 syllables of Hangul seem to lie, three bytes each: a graph computes them
FIRST_SYLLABLE, LAST_SYLLABLE = 0xAC00, 0xD7A3
LASTING_SPACE = 0xFF  # stands for a "▁" that was typed: such ones are not run together
_MARK = WORD_START.encode()
_REPLACEMENT = "\ufffd".encode()  # for a byte that is not valid UTF-8
_MOST_NODES = 1 << 20


class CharacterMap(NamedTuple):
    """A map.

    Attributes:
        rules: symbols and rules, whose values add up to places of replacements, `start * LENGTHS + length`.
        single: every character, in the same array; the values add up to `OWN`.
        strings: uint8, the replacements; syllables of Hangul are as if they began at `SYLLABLES`.
        broken: the position of the replacement for a byte that is not valid UTF-8; sums begin there.
        has_syllables: whether any replacement is a syllable.
    """

    rules: DoubleArray
    single: DoubleArray
    strings: np.ndarray
    broken: int
    has_syllables: bool


@functools.lru_cache(maxsize=4)  # most vocabularies have the same map
def character_map(charsmap: bytes, symbols: frozenset[bytes]) -> CharacterMap:
    """The map of a vocabulary.

    Args:
        charsmap: SentencePiece's: the size of a trie, the trie, and texts that end before a NUL each; or nothing.
        symbols: what stays as it is, whatever the rules say.

    Raises:
        ValueError: it does something that no trained vocabulary's does.
    """
    size = int.from_bytes(charsmap[:4], "little")
    texts, places = charsmap[4 + size :], _Places()
    rules = Node({}, None)
    if size:
        rules = read_darts(
            np.frombuffer(charsmap, "<u4", size // 4, 4), lambda start: places.of(_text_at(texts, start))
        )
    if _value(rules, _MARK) is None:
        symbols = symbols | {_MARK}
    first = nodes_of({symbol: places.of(symbol) for symbol in symbols})
    broken = places.of(_REPLACEMENT)
    tries = build_double_arrays(_relative(_before(first, rules), broken), characters(OWN - broken + BIAS))
    return CharacterMap(*tries, np.frombuffer(bytes(places.strings), np.uint8), broken, places.has_syllables)


class _Places:
    """Where in `strings` a text stands, as `start * LENGTHS + length`."""

    def __init__(self) -> None:
        self.strings = bytearray(b"\0")  # so that no place is `OWN`
        self.has_syllables = False

    def of(self, text: bytes) -> int:
        text = text.replace(_MARK, bytes([LASTING_SPACE]))
        if b"  " in text:
            raise ValueError("its normaliser puts two spaces in a row")
        if len(text) >= LENGTHS:
            raise ValueError(f"its normaliser makes {len(text)} bytes of a character or a symbol")
        return self._start(text) * LENGTHS + len(text)

    def _start(self, text: bytes) -> int:
        if (
            len(text) == 3
            and text[0] & 0xF0 == 0xE0
            and FIRST_SYLLABLE <= ord(text.decode()) <= LAST_SYLLABLE
        ):
            self.has_syllables = True
            return SYLLABLES + 3 * (ord(text.decode()) - FIRST_SYLLABLE)
        start = self.strings.find(text, 1)
        if start < 0:
            start = len(self.strings)
            self.strings += text
        if start >= SYLLABLES:
            raise ValueError("its normaliser's texts are too long")
        return start


def _text_at(texts: bytes, start: int) -> bytes:
    end = texts.find(b"\0", start)
    if end < 0:
        raise ValueError("its normaliser's texts have no end")
    return texts[start:end]


def _value(node: Node | None, key: bytes) -> int | None:
    for byte in key:
        node = node and node.children.get(byte)
    return node and node.value


def _before(symbols: Node, rules: Node) -> Node:
    """The rules, without those that could never apply because a symbol matches first."""
    if symbols.value is not None:
        return symbols
    children = dict(rules.children)
    for byte, child in symbols.children.items():
        children[byte] = _before(child, rules.children[byte]) if byte in rules.children else child
    return Node(children, rules.value)


def _relative(root: Node, first: int) -> Node:
    """The trie with each value less that of the longest beginning that is a key, or `first`, plus `BIAS`; equal nodes are one."""
    made: dict[tuple[int, int], Node] = {}
    equal: dict[tuple, Node] = {}

    def relative(node: Node, before: int) -> Node:
        if (id(node), before) not in made:
            if len(made) > _MOST_NODES:
                raise ValueError("its normaliser has too many rules")
            own = before if node.value is None else node.value
            value = None if node.value is None else node.value - before + BIAS
            children = {byte: relative(child, own) for byte, child in sorted(node.children.items())}
            key = (value, *((byte, id(child)) for byte, child in children.items()))
            made[id(node), before] = equal.setdefault(key, Node(children, value))
        return made[id(node), before]

    return relative(root, first)
