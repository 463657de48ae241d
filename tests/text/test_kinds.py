"""Vocabularies of characters, of words and of symbols."""

import io
import pickle

import pytest
import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_attn.special_ids import UNK_ID
from keras_attn.text.tokenizer import KINDS, Tokenizer, train_tokenizer

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


@pytest.mark.parametrize("kind", ["unigram", "characters", "words"])
def test_a_line_in_capitals_is_read_in_small_letters_where_that_is_asked_for(kind):
    tokenizer = train_tokenizer(["Hello World", "Hello held hole"], 60, kind=kind, lower_capitals=True)
    assert tokenizer.encode(["HELLO HELD"]) == tokenizer.encode(["Hello held"])
    assert tokenizer.sample(["HELLO HELD"], 0.1, seed=1) == tokenizer.sample(["Hello held"], 0.1, seed=1)
    assert tokenizer.encode(["Hello World"]) != tokenizer.encode(["Hello world"])
    assert pickle.loads(pickle.dumps(tokenizer)).lower_capitals


@pytest.mark.parametrize("option", ["lowercase", "lower_capitals"])
def test_capitals_of_symbols_count_even_then(option):
    tokenizer = train_tokenizer(["t T tʰ"], 60, kind="symbols", **{option: True})
    assert tokenizer.encode(["T T"]) != tokenizer.encode(["T t"])
    assert tokenizer.pieces(tokenizer.encode(["T t tʰ"])[0]) == ["▁T", "▁t", "▁tʰ"]


STRANGE = ["held 😀 höld", "日本\x00☃", "é ﬁ \u0301", "▁ ▁hello", "", "\ud800"]


@pytest.fixture(scope="module", params=KINDS)
def spelling(request):
    """Of the same lines, with the 256 bytes."""
    lines = ["hello world", "held hole", *PHONEMES]
    return train_tokenizer(lines, 320, kind=request.param, byte_fallback=True)


def test_with_bytes_every_kind_cuts_and_joins_as_sentencepiece_itself(spelling):
    processor = sentencepiece.SentencePieceProcessor(model_proto=spelling.model_proto)
    ids = spelling.encode([*LINES, *STRANGE[:-1]])
    assert ids == processor.encode([*LINES, *STRANGE[:-1]])
    assert spelling.decode(ids) == processor.decode(ids)


def test_with_bytes_nothing_is_unknown(spelling):
    assert not any(UNK_ID in row for row in spelling.encode([*LINES, *STRANGE]))


def test_emoji_and_letters_never_seen_come_through_as_bytes(spelling):
    line = "held 😀 höld ☃ 日本"
    assert spelling.decode(spelling.encode([line])) == [line]


def test_bytes_that_are_no_utf8_are_replaced_one_by_one(spelling):
    a, b = (spelling.encode(["日"])[0][-3:][place] for place in (0, 2))
    assert spelling.decode([[a, a, b]]) == ["\ufffd" * 3]


def test_cuts_drawn_at_random_spell_what_is_no_piece(spelling):
    lines = ["held 😀 höld", "\x00☃"]
    for ids, line in zip(spelling.sample(lines, 0.3, 1), lines, strict=True):
        assert spelling.decode([ids]) == [line]


def test_a_vocabulary_with_bytes_has_no_more_pieces_than_it_may(spelling):
    assert spelling.vocab_size <= 320


def test_spaces_that_would_be_spelled_in_bytes_are_refused():
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["hello world"] * 3),
        model_writer=model,
        model_type="word",
        vocab_size=300,
        hard_vocab_limit=False,
        byte_fallback=True,
        pad_id=0,
        unk_id=1,
        bos_id=2,
        eos_id=3,
        minloglevel=2,
    )
    proto = ModelProto.FromString(model.getvalue())
    proto.trainer_spec.model_type = proto.trainer_spec.UNIGRAM
    with pytest.raises(ValueError, match="falls back to bytes and has no piece for a space"):
        Tokenizer(proto.SerializeToString())


def test_words_with_byte_fallback_are_no_more_than_asked_for_with_the_space_among_them():
    words = [f"word{number}" for number in range(100)]
    tokenizer = train_tokenizer([" ".join(words)] * 3, 4 + 256 + 21, kind="words", byte_fallback=True)
    assert tokenizer.vocab_size == 4 + 256 + 21
    assert sum(piece in words for piece in (each.lstrip("▁") for each in tokenizer.pieces(range(281)))) == 20


@pytest.mark.parametrize("byte_fallback", [False, True])
def test_digits_are_counted_by_id_whatever_their_script(byte_fallback):
    lines = ["room 17 of 117", "room ٣٣ of 7", "a1b2", "½ no digit"] * 20
    tokenizer = train_tokenizer(
        lines, 400 if byte_fallback else 60, kind="words", byte_fallback=byte_fallback
    )

    def said(line):
        return {
            digit: int(count)
            for digit, count in enumerate(tokenizer.digit_counts[tokenizer.encode([line])[0]].sum(axis=0))
            if count
        }

    assert tokenizer.digit_counts.shape == (tokenizer.vocab_size, 10)
    assert said("room 17 of 117") == {1: 3, 7: 2}
    assert said("room ٣٣") == {3: 2}
    assert said("of a1b2") == {1: 1, 2: 1}
    assert said("of room") == {}
    assert said("of 4711") == ({1: 2, 4: 1, 7: 1} if byte_fallback else {})  # an unknown word has none
