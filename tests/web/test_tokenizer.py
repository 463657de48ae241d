"""The page's tokenizer against SentencePiece itself."""

import gzip
import io
import json
import os
from pathlib import Path

import pytest
import sentencepiece

from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from keras_attn.text.tokenizer import KINDS, train_tokenizer

ENCODE = Path(__file__).with_name("encode.mjs")
WORDS = (
    "café élève Apfelbäume fine flight unknown full width don't won't pad unk the a of . , ! ? - 1 2 10 100"
)
ODD_LINES = [
    "",
    " ",
    "  two  spaces ",
    "\ttab\there\r\nand there",
    "ﬁne ﬂight Ⅷ ½ ① ª ²",
    "ｆｕｌｌ　ｗｉｄｔｈ ～",
    "Cafe\u0301 e\u0301le\u0300ve Apfelba\u0308ume",
    "no\u00a0break\u2003em\u2028line \ufeffmark \u200bzero",
    "▁under▁score",
    "control\x01\x02char\x7facter",
    "</s> <unk> <s> <pad>",
    "…dots… “quotes” ‘s’ —dash– don’t",
    "你好 한국어 \u1112\u1161\u11ab привет ﷺ",
    "unknown ☃☃ ☃ words",
    "a" * 300,
]
# What @huggingface/tokenizers normalises otherwise: the one limit the README names.
OTHERWISE = {0x0344, 0x061C, 0x200D}


@pytest.fixture
def encode(node, tmp_path):
    """`encode(model_proto, lines)`: what the page makes of each line."""

    def run(model_proto, lines):
        (tmp_path / "vocabulary.spm").write_bytes(model_proto)
        (tmp_path / "lines.json").write_text(json.dumps(lines))
        made = node(ENCODE, tmp_path / "vocabulary.spm", tmp_path / "lines.json")
        assert made.returncode == 0, made.stderr
        return json.loads(made.stdout)

    return run


@pytest.fixture(scope="module")
def small_vocabulary():
    return train_tokenizer([WORDS, WORDS.title(), WORDS.upper()] * 5, 200).model_proto


def test_a_thousand_real_lines_are_cut_and_joined_as_sentencepiece_does(encode):
    data = os.environ.get("KERAS_ATTN_DATA")
    if not data:
        pytest.skip("set KERAS_ATTN_DATA to a folder with multi30k/")
    vocabulary = train_tokenizer(multi30k(data, "val.en") + multi30k(data, "val.de"), 3000).model_proto
    lines = multi30k(data, "test_2016_flickr.en")[:500] + multi30k(data, "test_2016_flickr.de")[500:1000]
    assert len(lines) == 1000
    assert_as_sentencepiece(encode(vocabulary, lines), vocabulary, lines)


@pytest.mark.parametrize("kind", KINDS)
def test_odd_lines_are_cut_and_joined_as_sentencepiece_does(encode, kind):
    vocabulary = train_tokenizer([WORDS, WORDS.title(), WORDS.upper()] * 5, 200, kind=kind).model_proto
    assert_as_sentencepiece(encode(vocabulary, ODD_LINES), vocabulary, ODD_LINES)


def test_symbols_keep_their_marks_and_whitespace_of_any_kind_parts_them(encode):
    vocabulary = train_tokenizer(["tʰ ɛ n tʃ a̠ː"], 60, kind="symbols").model_proto
    lines = ["tʰ ɛ n", "tʃ\ta̠ː", *(f"n{chr(code)}ɛ" for code in range(1, 0x3001))]
    assert_as_sentencepiece(encode(vocabulary, lines), vocabulary, lines)


def test_characters_are_normalised_as_sentencepiece_does(encode, small_vocabulary):
    characters = [chr(code) for code in range(1, 0x3000) if code not in OTHERWISE]
    lines = [f"a{character}b" for character in characters]
    reference = sentencepiece.SentencePieceProcessor(model_proto=small_vocabulary)
    expected = [reference.normalize(line).removeprefix("▁").split("▁") for line in lines]
    assert [made["words"] for made in encode(small_vocabulary, lines)] == expected


@pytest.mark.parametrize(
    "options", [{"model_type": "bpe"}, {"normalization_rule_name": "identity"}], ids=["bpe", "not normalised"]
)
def test_a_vocabulary_of_another_kind_is_refused(node, tmp_path, options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([WORDS] * 9), model_writer=model, vocab_size=60, hard_vocab_limit=False, minloglevel=2,
        pad_id=PAD_ID, unk_id=UNK_ID, bos_id=BOS_ID, eos_id=EOS_ID, **options,
    )  # fmt: skip
    (tmp_path / "other.spm").write_bytes(model.getvalue())
    (tmp_path / "lines.json").write_text("[]")
    refused = node(ENCODE, tmp_path / "other.spm", tmp_path / "lines.json")
    assert refused.returncode != 0
    assert "Expected a unigram SentencePiece model normalised by nmt_nfkc or spaces" in refused.stderr


def assert_as_sentencepiece(made, vocabulary, lines):
    reference = sentencepiece.SentencePieceProcessor(model_proto=vocabulary)
    assert [each["ids"] for each in made] == [reference.encode(line) for line in lines]
    assert [each["text"] for each in made] == [decoded(reference, each["ids"]) for each in made]


def decoded(reference, ids):
    """As TensorFlow's operator has it: unlike SentencePiece itself, without the space before an unknown that comes first."""
    text = reference.decode(ids) if ids else ""
    return text.removeprefix(" ") if ids[:1] == [UNK_ID] else text


def multi30k(data, name):
    with gzip.open(Path(data, "multi30k", f"{name}.gz"), "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines]
