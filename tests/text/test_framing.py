"""Ends, beginnings, cuts and padding: the rules in Python, and the same ones in graphs."""

import numpy as np
import pytest
import tensorflow as tf

from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from keras_attn.text.framing import (
    CONTROL_CHARACTERS,
    check_lines,
    has_words,
    longest_text,
    one_line,
    source_of,
    target_in_of,
    target_out_of,
    tf_framed,
    tf_never_empty,
    tf_one_line,
    tf_reframed,
    tf_target_in_of,
    tf_without_wordless,
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
    ("lines", "error", "message"),
    [
        ("a b", TypeError, "expected lists of lines; got one string"),
        (None, TypeError, r"expected the lines as a sequence of strings. Received: NoneType\."),
        ({"a"}, TypeError, r"Received: set\. Pass a list"),
        ((each for each in "ab"), TypeError, r"Received: generator\. Pass a list"),
        ({"a": 1}.values(), TypeError, r"Received: dict_values\. Pass a list"),
        ({"a": 1}, TypeError, r"Received: dict\."),
        (["a", None], ValueError, "expected text; got None in row 1 of the lines"),
        ([3], ValueError, "expected text; got 3 in row 0"),
        ([["a"]], ValueError, r"expected text; got \['a'\] in row 0"),
        (np.array([b"a"]), ValueError, "expected text; got .*b'a'.* in row 0 .* decode bytes"),
        (tf.constant(["a"]), ValueError, "expected text; got <tf.Tensor.* in row 0 .* decode bytes"),
    ],
)
def test_what_is_no_sequence_of_strings_is_refused(lines, error, message):
    with pytest.raises(error, match=message):
        check_lines(["a"], lines)


@pytest.mark.parametrize("lines", [[], ("a",), np.array(["a"]), [np.str_("a")], np.array(["a"], object)])
def test_every_sequence_of_strings_is_one_of_lines(lines):
    check_lines(lines)


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


def test_source_and_target_are_padded_to_their_own_lengths():
    arrays = training_arrays(Ragged.of([[5]]), Ragged.of([[8]]), rows=3, lengths=(4, 6))
    assert [array.shape for array in arrays] == [(3, 4), (3, 6), (3, 6)]


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


@pytest.mark.parametrize(
    ("ids", "source", "truncated"),
    [
        ([5, 6, 8, EOS_ID], [5, 6, 8, EOS_ID, PAD_ID], False),
        ([5, 6, 8, 9, EOS_ID, 5, 6], [5, 6, 8, EOS_ID, PAD_ID], True),
        ([5, 6, 8, 9, 4, 5, 6], [5, 6, 8, EOS_ID, PAD_ID], True),
        ([5, EOS_ID, 8, 9, 4, 5, 6], [5, EOS_ID, PAD_ID, PAD_ID, PAD_ID], False),
        ([5], [5, EOS_ID], False),
        ([], [PAD_ID], False),
    ],
    ids=str,
)
def test_ids_of_any_number_become_a_source(ids, source, truncated):
    """With a place to spare, as wide as the ids, or as the most of them, allow."""
    found, flag = ANY_NUMBER(tf.constant([ids], tf.int32))
    assert (found[0].numpy().tolist(), bool(flag[0])) == (source, truncated)


@tf.function(input_signature=[tf.TensorSpec([1, None], tf.int32)])
def ANY_NUMBER(ids):
    return tf_reframed(ids, 4, vocab_size=10, wordless_ids=WORDLESS)


def test_the_lines_of_a_batch_that_have_words_stay_and_the_others_become_padding():
    batch = [[5, EOS_ID, PAD_ID], [7, UNK_ID, EOS_ID], [UNK_ID, 6, EOS_ID], [EOS_ID, PAD_ID, PAD_ID]]
    found = tf_without_wordless(tf.constant(batch), WORDLESS).numpy().tolist()
    assert found == [batch[0], [PAD_ID] * 3, batch[2], [PAD_ID] * 3]


def test_a_line_has_words_if_the_vocabulary_knows_anything_in_it(tiny_trained):
    tokenizer = tiny_trained.source_tokenizer
    said = [has_words(ids, tokenizer) for ids in tokenizer.encode(["", "☃", " ☃ cat", "the"])]
    assert said == [False, False, True, True]


def test_a_graph_reads_as_many_characters_of_a_text_as_it_may_whatever_their_bytes(tiny_trained):
    tokenizer = tiny_trained.source_tokenizer
    wide = "\u3000" * (longest_text(4) - len("the cat"))  # three bytes each, which normalisation removes
    lines = [f"{wide}the cat", f"{wide}\u3000\u3000\u3000\u3000the cat"]
    found = tf_framed(tf.constant(lines), tokenizer, 4).numpy().tolist()
    expected = [source_of(ids, 4) for ids in tokenizer.encode(["the cat", "the"])]
    assert [[piece_id for piece_id in row if piece_id != PAD_ID] for row in found] == expected


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


def test_control_characters_are_these_and_no_others():
    others = " ~\xa0\xadé\u2027\u202a語😀"
    assert one_line(CONTROL_CHARACTERS + others) == " " * len(CONTROL_CHARACTERS) + others
    assert tf_one_line(CONTROL_CHARACTERS + others).numpy().decode() == " " * len(CONTROL_CHARACTERS) + others
    assert len(CONTROL_CHARACTERS) == 32 + 33 + 2


def test_only_a_shape_that_may_be_empty_gets_a_column():
    fixed = tf.constant([[5, EOS_ID]])
    assert tf_never_empty(fixed) is fixed
    function = tf.function(tf_never_empty, input_signature=[tf.TensorSpec([None, None], tf.int32)])
    np.testing.assert_array_equal(function(fixed), [[5, EOS_ID, PAD_ID]])
