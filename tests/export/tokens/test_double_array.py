"""Tries as arrays: what is in them, and what is not."""

import numpy as np
import pytest
import tensorflow as tf

from keras_attn.export.tokens.character_map import BIAS
from keras_attn.export.tokens.darts import read_darts
from keras_attn.export.tokens.double_array import NO_BYTE, build_double_array, build_double_arrays, nodes_of
from keras_attn.export.tokens.graphs import follow, longest_match, spread
from keras_attn.export.tokens.utf8_trie import characters, with_default

KEYS = {b"a": 3, b"ab": 0, b"abcd": 7, b"b": 1, b"\xff\xfe": 2, b"bcd": 9}


def test_a_trie_gives_its_keys_their_values_and_others_none():
    trie = build_double_array(nodes_of(KEYS))
    assert {key: trie.get(key) for key in KEYS} == KEYS
    assert [trie.get(key) for key in (b"", b"abc", b"abcde", b"c", b"\xff", b"a\0")] == [None] * 6
    assert trie.longest == 4


def test_a_key_that_no_other_continues_takes_no_cell():
    trie = build_double_array(nodes_of(KEYS))
    steps = {key[:end] for key in KEYS for end in range(1, len(key) + 1)}
    continued = {key for key in KEYS if any(other != key and other.startswith(key) for other in KEYS)}
    assert (len(steps), len(continued)) == (9, 3)  # a, ab, b
    assert (trie.cells != trie.dead).sum() == 9 + 3


def test_many_keys_keep_apart():
    draw = np.random.default_rng(1)
    keys = {draw.integers(1, 256, draw.integers(1, 6)).astype("uint8").tobytes(): i for i in range(3000)}
    trie = build_double_array(nodes_of(keys))
    assert all(trie.get(key) == value for key, value in keys.items())
    assert all(trie.get(key + b"\x01\x02") == keys.get(key + b"\x01\x02") for key in keys)


def test_characters_are_those_that_python_decodes():
    trie = build_double_array(characters(5))
    every = [chr(code).encode() for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000]
    assert all(trie.get(character) == 5 for character in every[::97])
    broken = [
        b"\x80",
        b"\xc0\xaf",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xe2\x82",
        b"\xf5\x80\x80\x80",
        b"\xe0\x80\x80",
    ]
    assert [trie.get(some) for some in broken] == [None] * len(broken)


def test_what_a_trie_has_counts_more_than_what_it_has_by_default():
    trie = build_double_array(with_default(nodes_of({"é".encode(): 1, b"dog": 2}), characters(0)))
    assert [trie.get(key.encode()) for key in ("é", "dog", "ê", "d", "日", "do")] == [1, 2, 0, 0, 0, None]


@pytest.mark.parametrize(
    "units",
    [
        np.zeros(0, "uint32"),
        np.full(300, 0xFFFFFFFF, "uint32"),
        np.array([(1 << 10) | 0, (1 << 10) | 1] * 128, "uint32"),
    ],
    ids=["nothing", "out of bounds", "round and round"],
)
def test_a_broken_array_of_darts_is_refused_or_ends(units):
    try:
        assert build_double_array(read_darts(units, int)).longest < 256
    except ValueError as error:
        assert "trie" in str(error)


def test_the_longest_key_is_found_at_every_place():
    tries = build_double_arrays(nodes_of(KEYS), characters(BIAS + 1))
    codes = tf.constant([*b"abcdabc\xff\xfe\0", NO_BYTE])
    lengths, values = longest_match(tries, codes, 100)
    assert lengths.numpy().tolist() == [4, 3, 0, 0, 2, 1, 0, 2, 0, 0, 0, *[1] * 7, 0, 0, 1, 0]
    assert values.numpy()[11:].tolist() == [*[101] * 7, 100, 100, 101, 100]


def test_values_of_a_key_and_of_its_beginnings_add_up():
    keys = {key: value + BIAS for key, value in KEYS.items()}
    _, values = longest_match([build_double_array(nodes_of(keys))], tf.constant([*b"abcdabc"]), 100)
    assert values.numpy().tolist() == [100 + 3 + 0 + 7, 100 + 1 + 9, 100, 100, 100 + 3 + 0, 100 + 1, 100]


def test_jumps_are_followed():
    assert follow(tf.constant([2, 0, 3, 5, 0, 5]), tf.constant([0])).numpy().tolist() == [0, 2, 3, 5, 5, 5]


def test_runs_are_laid_out_one_behind_the_other():
    runs = spread(tf.constant([2, 0, 3, 0]), 7)
    assert runs.owner.numpy().tolist()[:5] == [0, 0, 2, 2, 2]
    assert runs.places_from(tf.constant([10, 20, 30, 40])).numpy().tolist()[:5] == [10, 11, 30, 31, 32]
    assert int(runs.total) == 5


def test_runs_that_have_no_room_are_cut():
    runs = spread(tf.constant([1, 2, 3]), 2)
    assert (runs.owner.numpy().tolist(), int(runs.total)) == ([0, 1], 6)
