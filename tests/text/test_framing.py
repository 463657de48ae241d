"""Ends, beginnings, cuts and padding: the rules in Python, and the same ones in graphs."""

import numpy as np
import pytest
import tensorflow as tf

from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from keras_attn.text.framing import (
    one_line,
    source_of,
    target_in_of,
    target_out_of,
    tf_framed,
    tf_never_empty,
    tf_one_line,
    tf_reframed,
    tf_target_in_of,
    training_arrays,
)
from keras_attn.text.ragged import Ragged

WORDLESS = {PAD_ID, UNK_ID, BOS_ID, EOS_ID, 7}


def reframed(ids, most=4, vocab_size=10):
    source, truncated = tf_reframed(
        tf.constant([ids], tf.int32), most, vocab_size=vocab_size, wordless_ids=WORDLESS
    )
    return source[0].numpy().tolist(), bool(truncated[0])


@pytest.mark.parametrize(
    ("words", "source"),
    [([], [EOS_ID]), ([5, 6, 8], [5, 6, 8, EOS_ID]), ([5, 6, 8, 9], [5, 6, 8, EOS_ID])],
)
def test_a_source_is_cut_so_that_its_end_still_fits(words, source):
    assert source_of(words, most=4) == source


def test_a_target_is_read_one_place_behind_what_is_predicted():
    target_out = target_out_of([5, 6])
    assert target_out == [5, 6, EOS_ID] and target_in_of(target_out) == [BOS_ID, 5, 6]
    np.testing.assert_array_equal(tf_target_in_of(tf.constant([target_out])), [target_in_of(target_out)])


def test_training_frames_pairs_as_translating_does():
    pair = Ragged.of([[5, 6]]), Ragged.of([[8, 9, 4]])
    source, target_in, target_out = training_arrays(*pair, rows=2, lengths=(4, None))
    assert source.tolist() == [[*source_of([5, 6], most=9), PAD_ID], [PAD_ID] * 4]
    assert target_out.tolist() == [target_out_of([8, 9, 4]), [PAD_ID] * 4]
    assert target_in.tolist() == [target_in_of(target_out_of([8, 9, 4])), [PAD_ID] * 4]


@pytest.mark.parametrize("most", [2, 3, 4, 9])
def test_a_graph_frames_text_as_python_does(tiny_trained, most):
    tokenizer = tiny_trained.source_tokenizer
    lines = ["", "the cat", "the old dog", "☃"]
    expected = [source_of(ids, most) for ids in tokenizer.encode(lines)]
    found = tf_framed(tf.constant(lines), tokenizer, most).numpy()
    assert [row[: len(ids)].tolist() for row, ids in zip(found, expected, strict=True)] == expected
    assert sum(found.astype(bool).sum(axis=1)) == sum(map(len, expected))  # behind them is padding


@pytest.mark.parametrize(
    ("ids", "source", "truncated"),
    [
        ([5, 6, 8, EOS_ID], [5, 6, 8, EOS_ID], False),  # just fits
        ([5, 6, 8, 9], [5, 6, 8, EOS_ID], True),  # one word too many
        ([5, 6, 8, PAD_ID], [5, 6, 8, EOS_ID], False),  # without an end
        ([5, EOS_ID, 6, 8], [5, EOS_ID, PAD_ID, PAD_ID], False),  # words behind the end
        ([5, PAD_ID, 6, 8], [5, EOS_ID, PAD_ID, PAD_ID], False),
        ([5, 10, -1, EOS_ID], [5, UNK_ID, UNK_ID, EOS_ID], False),  # ids that the vocabulary does not have
        ([7, UNK_ID, 99, EOS_ID], [PAD_ID] * 4, False),  # nothing is known
        ([EOS_ID, 5, 6, 8], [PAD_ID] * 4, False),
    ],
    ids=str,
)
def test_whatever_ids_a_host_gives_become_a_source(ids, source, truncated):
    assert reframed(ids) == (source, truncated)


def test_a_place_of_the_host_s_array_may_stay_empty():
    """The search takes fewer ids than the array holds."""
    assert reframed([5, 6, EOS_ID, 0, 0, 0], most=3) == ([5, 6, EOS_ID, 0, 0, 0], False)
    assert reframed([5, 6, 8, EOS_ID, 0, 0], most=3) == ([5, 6, EOS_ID, 0, 0, 0], True)


@pytest.mark.parametrize(
    "control", ["\n", "\r", "\t", "\x0b", "\x00", "\x1b", "\x7f", "\x85", "\x9b", "\u2028", "\u2029"]
)
def test_a_translation_is_a_line_without_control_characters(control):
    assert one_line(f"ein{control}Hund") == "ein Hund"
    assert tf_one_line(tf.constant([f"ein{control}Hund"])).numpy().tolist() == [b"ein Hund"]


def test_only_a_shape_that_may_be_empty_gets_a_column():
    fixed = tf.constant([[5, EOS_ID]])
    assert tf_never_empty(fixed) is fixed
    function = tf.function(tf_never_empty, input_signature=[tf.TensorSpec([None, None], tf.int32)])
    np.testing.assert_array_equal(function(fixed), [[5, EOS_ID, PAD_ID]])
