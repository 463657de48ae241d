"""Vocabularies of characters, of words and of symbols."""

import pytest
import sentencepiece

from keras_attn.special_ids import UNK_ID
from keras_attn.text.tokenizer import KINDS, train_tokenizer

PHONEMES = ["tʰ ɛ n tʃ", "t ɛ", "a̠ː tʰ"]
LINES = [
    "hello world",
    "held  hole",
    "",
    " ",
    "☃",
    "tʃ ɛ zz ɛx",
    "▁ ▁hello",
    "ﬁne ｆｕｌｌ",
    "hello\tworld\u3000held",
    "a" * 300,
]


@pytest.fixture(scope="module", params=KINDS)
def tokenizer(request):
    return train_tokenizer(["hello world", "held hole", *PHONEMES], 60, kind=request.param)


def test_every_kind_cuts_as_sentencepiece_itself(tokenizer):
    processor = sentencepiece.SentencePieceProcessor(model_proto=tokenizer.model_proto)
    assert tokenizer.encode(LINES) == processor.encode(LINES)


def test_every_kind_gives_known_lines_back(tokenizer):
    lines = ["hello world", "held hole"]
    assert tokenizer.decode(tokenizer.encode(lines)) == lines


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_lines_give_the_same_bytes(kind):
    first, second = (train_tokenizer(PHONEMES, 60, kind=kind).model_proto for _ in range(2))
    assert first == second


def pieces(kind, line, lines=("hello world", "held hole"), size=60):
    tokenizer = train_tokenizer(lines, size, kind=kind)
    return tokenizer.pieces(tokenizer.encode([line])[0])


def test_characters_are_apart_and_so_are_spaces():
    assert pieces("characters", "hello hero") == [*"▁hello▁hero"]


def test_words_are_whole():
    assert pieces("words", "world hello") == ["▁world", "▁hello"]


def test_an_unknown_word_is_one_unknown():
    assert pieces("words", "hello brave world") == ["▁hello", "<unk>", "▁world"]


def test_symbols_are_whole_and_every_mark_of_them_stays():
    assert pieces("symbols", "tʰ a̠ː tʃ t", PHONEMES) == ["▁tʰ", "▁a̠ː", "▁tʃ", "▁t"]
    tokenizer = train_tokenizer(PHONEMES, 60, kind="symbols")
    assert tokenizer.decode(tokenizer.encode(PHONEMES)) == PHONEMES


def test_whitespace_of_any_kind_stands_between_symbols():
    assert pieces("symbols", " t\tɛ\u3000n\u00a0t ", PHONEMES) == ["▁t", "▁ɛ", "▁n", "▁t"]


def test_words_in_their_compatible_forms_are_the_same_word():
    assert pieces("words", "ｈｅｌｄ") == ["▁held"]


def test_the_most_frequent_words_get_the_pieces_there_are():
    tokenizer = train_tokenizer(["one one one two two three"], 6, kind="words")
    assert tokenizer.vocab_size == 6
    assert [UNK_ID in ids for ids in tokenizer.encode(["one", "two", "three"])] == [False, False, True]


def test_what_can_be_cut_in_one_way_only_is_sampled_that_way():
    tokenizer = train_tokenizer(["hello world"], 60, kind="characters")
    assert tokenizer.sample(["hello"], 0.1, seed=1) == tokenizer.encode(["hello"])


def test_another_kind_is_refused():
    with pytest.raises(
        ValueError, match=r"kind must be one of unigram, characters, words, symbols\. Received: 'bpe'"
    ):
        train_tokenizer(["a"], 10, kind="bpe")


@pytest.mark.parametrize("kind", ["unigram", "characters", "words"])
def test_capitals_are_read_as_small_letters_where_that_is_asked_for(kind):
    tokenizer = train_tokenizer(["Hello World", "held hole"], 60, kind=kind, lowercase=True)
    assert tokenizer.encode(["HELLO wOrLd"]) == tokenizer.encode(["hello world"])
    assert UNK_ID not in tokenizer.encode(["HELLO wOrLd"])[0]
