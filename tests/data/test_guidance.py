import numpy as np
import pytest

from keras_attn.data.guidance import reference_weights, subword_links, words_of
from keras_attn.text.ragged import Ragged
from keras_attn.text.tokenizer import train_tokenizer


@pytest.fixture(scope="module")
def tokenizer():
    """Cuts "doorbell" in two, because each half is also a word of its own."""
    return train_tokenizer(
        ["die Haus tür ist alt", "the front door bell is old", "tür bell"] * 50, vocab_size=32
    )


def words(tokenizer, line):
    ids = tokenizer.encode([line])
    return tokenizer.pieces(ids[0]), words_of([line], Ragged.of(ids), tokenizer)[0]


def test_each_sub_word_belongs_to_a_word_of_the_line(tokenizer):
    pieces, found = words(tokenizer, "the doorbell is old")
    assert len(pieces) > 4 and found[0] == 0 and found[-1] == 3
    for word, text in enumerate(["the", "doorbell", "is", "old"]):
        spelled = "".join(piece for piece, number in zip(pieces, found, strict=True) if number == word)
        assert spelled == "▁" + text


@pytest.mark.parametrize("line", ["bell\u200bbell", "bell \u200b bell", "bell¨bell"])
def test_a_line_that_the_normaliser_cuts_into_other_words_has_none_to_link(tokenizer, line):
    assert words(tokenizer, line)[1] == []


def test_links_between_words_are_links_between_all_their_sub_words():
    # die Haus|tür ist alt -> the front door is old: Haustür is linked to "front" and to "door"
    links = {(0, 0), (1, 1), (1, 2), (2, 3), (3, 4)}
    found = subword_links([links, set()], [[0, 1, 1, 2, 3], [0]], [[0, 1, 2, 3, 4], [0]])
    assert [found.take(np.array([pair])).values.tolist() for pair in range(2)] == [
        [[0, 0], [1, 1], [1, 2], [2, 1], [2, 2], [3, 3], [4, 4]],  # target, source
        [],
    ]


def test_a_line_without_known_words_has_no_links():
    assert subword_links([{(0, 0)}], [[]], [[0, 0]]).lengths.tolist() == [0]


def test_a_sub_word_looks_at_all_it_is_linked_to_alike():
    links = Ragged.of([[[0, 1], [0, 2], [2, 0]], [[0, 0]]], shape=(2,))
    reference, linked = reference_weights(links, (2, 3, 4))
    expected = np.array(
        [
            [[0, 0.5, 0.5, 0], [0, 0, 0, 0], [1, 0, 0, 0]],
            [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
        ]
    )
    np.testing.assert_array_equal(reference, expected)
    np.testing.assert_array_equal(linked, [[1, 0, 1], [1, 0, 0]])
    assert (reference.dtype, linked.dtype) == (np.float32, np.float32)


def test_a_batch_without_any_link_has_an_empty_reference():
    reference, linked = reference_weights(subword_links([set()], [[0]], [[0]]), (1, 2, 1))
    np.testing.assert_array_equal(reference, np.zeros((1, 2, 1)))
    np.testing.assert_array_equal(linked, np.zeros((1, 2)))
