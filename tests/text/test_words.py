import pytest

from keras_attn.text.words import (
    EOS_PIECE,
    are_single_words,
    may_follow_a_word,
    word_of_pieces,
    words_of_pieces,
)


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


@pytest.mark.parametrize("piece", ["▁", "▁dog", ".", ",-", "</s>"])
def test_what_may_follow_a_word(piece):
    assert may_follow_a_word(piece)


@pytest.mark.parametrize("piece", ["s", "9", "é", "\u0301", "<0xE2>", "<unk>"])
def test_what_may_go_on_with_a_word(piece):
    assert not may_follow_a_word(piece)


def test_words_are_what_their_pieces_spell():
    assert words_of_pieces(["▁un", "▁ch", "at", ".", "</s>"]) == ["un", "chat.", "</s>"]
    assert words_of_pieces([]) == []
    assert words_of_pieces(["▁caf", "<0xC3>", "<0xA9>", "▁", "<0xF0>"]) == ["café", "\ufffd"]


@pytest.mark.parametrize(("single", "expected"), [(10, True), (9, True), (8, False)])
def test_nine_lines_in_ten_of_one_word_are_single_words(single, expected):
    assert are_single_words(["Anna"] * single + ["two words"] * (10 - single)) == expected
