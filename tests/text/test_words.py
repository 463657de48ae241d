import pytest

from keras_attn.text.words import EOS_PIECE, word_of_pieces


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        (["▁die", "▁Haus", "tür", EOS_PIECE], [0, 1, 1, 2]),
        (["or", "▁a"], [0, 1]),  # the first piece opens a word with or without a mark
        ([], []),
    ],
)
def test_a_mark_and_the_end_begin_a_word(pieces, words):
    assert word_of_pieces(pieces) == words


def test_a_lone_mark_belongs_to_the_text_that_follows():
    assert word_of_pieces(["▁a", "▁", "<unk>", "s", "▁b"]) == [0, 1, 1, 1, 2]


def test_a_mark_without_text_makes_no_word():
    assert word_of_pieces(["▁", "▁a", "▁", "▁b", "▁", EOS_PIECE]) == [0, 0, 0, 1, 1, 2]
