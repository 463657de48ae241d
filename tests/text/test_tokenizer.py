import gzip
import io
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import sentencepiece
import tensorflow as tf
from ai_edge_litert.interpreter import InterpreterWithCustomOps
from sentencepiece.sentencepiece_model_pb2 import ModelProto
from tensorflow_text import tflite_registrar

from keras_attn.export.tokens.joining import joined
from keras_attn.export.tokens.vocabulary_tables import vocabulary_tables
from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from keras_attn.text import vocabulary_checks
from keras_attn.text.tokenizer import Tokenizer, train_tokenizer

ROOT = Path(__file__).parents[2]
LINES = [
    "A small dog runs across the green grass.",
    "Two dogs are running on the beach!",
    "The tall man in a red jacket is reading a book.",
    "Ein kleiner Hund läuft über das grüne Gras.",
    "Zwei Hunde rennen am Strand!",
    "Der große Mann in roter Jacke liest ein Buch.",
] * 5

HOSTILE = {
    "nothing": "",
    "spaces": " \t  ",
    "a line feed": "a\nb",
    "NUL": "\x00",
    "NUL at the end": "dog\x00",
    "control characters": "".join(map(chr, range(1, 32))) + "\x7f\x9f",
    "emoji": "😀 👩‍👩‍👧 🇩🇪 dog",
    "combining marks": "e\u0301 " + "a" + "\u0301" * 300,
    "right-to-left override": "\u202edog\u202c",
    "zero-width space": "\u200b",
    "byte order mark": "\ufeffdog",
    "unicode line ends": "a\u2028b\u2029c\u0085d",
    "the word mark": "▁dog ▁▁",
    "names of special pieces": "<s> dog </s> <unk> <pad>",
    "unknown script": "日本語",
    "2,000 words": "dog " * 2000,
    "one word of 20,000 characters": "x" * 20_000,
    "outside the basic plane": "\U0001d400\U0010ffff",
}


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer(LINES, vocab_size=120)


@pytest.fixture(scope="module")
def reference(tokenizer):
    return sentencepiece.SentencePieceProcessor(model_proto=tokenizer.model_proto)


def train_foreign_model(**options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES),
        model_writer=model,
        hard_vocab_limit=False,
        minloglevel=2,
        **{"vocab_size": 100, "pad_id": 0, "unk_id": 1, "bos_id": 2, "eos_id": 3, **options},
    )
    return model.getvalue()


def decoded_in_graph(tokenizer, rows):
    ids = tf.ragged.constant(rows, dtype=tf.int32, row_splits_dtype=tf.int32).to_tensor(PAD_ID)
    return [text.decode() for text in tokenizer.tf_decode(ids).numpy()]


def drawn_rows(tokenizer):
    """Rows of eight ids, half of them unknown or spaces."""
    draw = random.Random(1)
    pieces = tokenizer.pieces(range(tokenizer.vocab_size))
    odd = [UNK_ID, *(i for i, piece in enumerate(pieces) if piece.startswith("▁▁") or piece == "▁")]
    usual = range(EOS_ID + 1, tokenizer.vocab_size)
    return [[draw.choice(draw.choice([odd, usual])) for _ in range(8)] for _ in range(400)]


def multi30k_lines(split, language):
    if "KERAS_ATTN_DATA" not in os.environ:
        pytest.skip("set KERAS_ATTN_DATA to the folder of the corpora")
    path = Path(os.environ["KERAS_ATTN_DATA"], "multi30k", f"{split}.{language}.gz")
    return gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]


def test_decoding_gives_the_line_back_with_its_case(tokenizer):
    assert tokenizer.decode(tokenizer.encode(LINES)) == LINES


def test_encoding_adds_no_special_ids(tokenizer):
    assert not {PAD_ID, UNK_ID, BOS_ID, EOS_ID} & {i for row in tokenizer.encode(LINES) for i in row}


def test_the_vocabulary_begins_with_the_special_pieces(tokenizer):
    assert tokenizer.pieces([PAD_ID, UNK_ID, BOS_ID, EOS_ID]) == ["<pad>", "<unk>", "<s>", "</s>"]


def test_pieces_spell_the_line(tokenizer):
    [ids] = tokenizer.encode(["The tall man"])
    assert "".join(tokenizer.pieces(ids)) == "▁The▁tall▁man"


def test_every_line_is_encoded_as_if_it_were_alone(tokenizer):
    lines = ["dog", "", "日", "The tall man", " "]
    assert tokenizer.encode(lines) == [tokenizer.encode([line])[0] for line in lines]


def test_no_lines_give_no_lists(tokenizer):
    assert tokenizer.encode([]) == []
    assert tokenizer.decode([]) == []


def test_no_ids_decode_to_an_empty_string(tokenizer):
    [dog] = tokenizer.encode(["dog"])
    assert tokenizer.decode([[], dog, [], [BOS_ID, EOS_ID, PAD_ID]]) == ["", "dog", "", ""]
    assert tokenizer.decode([[]]) == [""]


def test_special_ids_are_ignored_when_decoding(tokenizer):
    [ids] = tokenizer.encode(["The tall man"])
    assert tokenizer.decode([[BOS_ID, *ids, EOS_ID, PAD_ID, PAD_ID]]) == ["The tall man"]


def test_nothing_is_known_of_a_line_of_wordless_ids_alone(tokenizer):
    unknown, mixed = (
        set(ids) - tokenizer.wordless_ids for ids in tokenizer.encode(["日本語 ☃", "日本語 dog"])
    )
    assert not unknown and mixed


def test_unknown_characters_show_in_the_decoded_text(tokenizer):
    ids = tokenizer.encode(["日本語", "The 日 man"])
    assert all(UNK_ID in row for row in ids)
    assert [text.split() for text in tokenizer.decode(ids)] == [["⁇"], ["The", "⁇", "man"]]


def test_an_id_outside_the_vocabulary_is_refused(tokenizer):
    for piece_id in (-1, tokenizer.vocab_size):
        with pytest.raises(ValueError, match=f"id {piece_id} is outside the vocabulary"):
            tokenizer.decode([[piece_id]])
        with pytest.raises(ValueError, match=f"id {piece_id} is outside the vocabulary"):
            tokenizer.pieces([piece_id])


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_line_is_cut_as_the_reference_cuts_it(tokenizer, reference, line):
    assert tokenizer.encode([line]) == [reference.encode(line)]


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_line_decodes_as_the_reference_decodes_it(tokenizer, reference, line):
    ids = reference.encode(line)
    assert tokenizer.decode([ids]) == [reference.decode(ids)]


def test_a_lone_surrogate_counts_as_a_question_mark(tokenizer):
    assert tokenizer.encode(["dog \ud800"]) == tokenizer.encode(["dog ?"])


def test_real_sentences_are_cut_and_joined_as_the_reference_does():
    dev = multi30k_lines("val", "en") + multi30k_lines("val", "de")
    train = multi30k_lines("train", "en")[:5000] + multi30k_lines("train", "de")[:5000]
    tokenizer = train_tokenizer(train, vocab_size=4000)
    reference = sentencepiece.SentencePieceProcessor(model_proto=tokenizer.model_proto)
    ids = tokenizer.encode(dev)
    assert ids == reference.encode(dev)
    assert tokenizer.decode(ids) == reference.decode(ids)


def test_graph_and_python_give_the_same_ids(tokenizer):
    encode = tf.function(tokenizer.tf_encode, input_signature=[tf.TensorSpec([None], tf.string)])
    rows = encode(tf.constant(["The tall man", "", "dog"]))
    assert rows.dtype == tf.int32
    assert rows.to_list() == tokenizer.encode(["The tall man", "", "dog"])


def test_graph_and_python_give_the_same_text(tokenizer):
    decode = tf.function(tokenizer.tf_decode, input_signature=[tf.TensorSpec([None, None], tf.int32)])
    lines = ["The tall man", "", "dog"]
    ids = tf.ragged.constant(tokenizer.encode(lines), dtype=tf.int32).to_tensor(PAD_ID)
    assert [text.decode() for text in decode(ids).numpy()] == lines


def test_special_ids_are_ignored_when_decoding_in_a_graph(tokenizer):
    [ids] = tokenizer.encode(["The tall man"])
    rows = [[BOS_ID, *ids, EOS_ID, PAD_ID], [BOS_ID, EOS_ID, *[PAD_ID] * (len(ids) + 1)]]
    assert [text.decode() for text in tokenizer.tf_decode(tf.constant(rows)).numpy()] == ["The tall man", ""]


def test_spaces_of_words_are_dropped_at_the_beginning_and_those_of_an_unknown_kept(tokenizer):
    pieces = tokenizer.pieces(range(tokenizer.vocab_size))
    dog, space = pieces.index("▁dog"), pieces.index("▁")
    rows = [[space, space, dog], [dog, UNK_ID], [UNK_ID, dog], [BOS_ID, space, UNK_ID]]
    texts = ["dog", "dog ⁇ ", " ⁇  dog", " ⁇ "]
    assert tokenizer.decode(rows) == decoded_in_graph(tokenizer, rows) == texts


@pytest.mark.parametrize(
    "name", ["cmudict/source", "cmudict/target", "tatoeba-en-es/source", "tatoeba-en-fr/source"]
)
def test_random_ids_of_a_packaged_vocabulary_decode_everywhere_as_the_reference_decodes_them(name):
    model_proto = (ROOT / "saved_models" / f"{name}.spm").read_bytes()
    tokenizer = Tokenizer(model_proto)
    rows = drawn_rows(tokenizer)
    expected = sentencepiece.SentencePieceProcessor(model_proto=model_proto).decode(rows)
    codes = joined(tf.constant(rows), vocabulary_tables(model_proto).surfaces).codes.numpy()
    assert tokenizer.decode(rows) == expected
    assert decoded_in_graph(tokenizer, rows) == expected
    assert [bytes(row[row >= 0].astype(np.uint8)).decode() for row in codes] == expected


@pytest.mark.parametrize(
    "options",
    [
        {"add_dummy_prefix": False},
        {"remove_extra_whitespaces": False},
        {"add_dummy_prefix": False, "remove_extra_whitespaces": False},
        {"unk_surface": "<?>"},
        {"user_defined_symbols": ["▁▁", "▁▁▁dog"]},
        {"byte_fallback": True, "vocab_size": 400},
    ],
    ids=lambda options: " ".join(options),
)
def test_random_ids_of_other_vocabularies_decode_in_a_graph_as_the_reference_decodes_them(options):
    tokenizer = Tokenizer(train_foreign_model(**options))
    rows = drawn_rows(tokenizer)
    reference = sentencepiece.SentencePieceProcessor(model_proto=tokenizer.model_proto)
    assert decoded_in_graph(tokenizer, rows) == reference.decode(rows)


def test_a_tokenizer_first_used_inside_one_graph_works_in_the_next(tokenizer):
    fresh = Tokenizer(tokenizer.model_proto)
    for _ in range(2):
        encode = tf.function(lambda lines: fresh.tf_encode(lines).to_tensor())
        assert encode(tf.constant(["dog"])).numpy().tolist() == tokenizer.encode(["dog"])


def test_a_batch_of_padding_alone_decodes_to_empty_strings(tokenizer):
    assert tokenizer.tf_decode(tf.zeros([2, 3], tf.int32)).numpy().tolist() == [b"", b""]
    assert tokenizer.tf_decode(tf.zeros([2, 0], tf.int32)).numpy().tolist() == [b"", b""]


@pytest.mark.slow
def test_it_works_inside_an_exported_model_in_another_process(tokenizer, tmp_path):
    class RoundTrip(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def __call__(self, lines):
            return tokenizer.tf_decode(tokenizer.tf_encode(lines).to_tensor())

    tf.saved_model.save(RoundTrip(), str(tmp_path / "model"))
    client = (
        "import sys, tensorflow as tf, tensorflow_text\n"
        "model = tf.saved_model.load(sys.argv[1])\n"
        "print([text.decode() for text in model(tf.constant(['The tall man', '', 'dog'])).numpy()])"
    )
    command = [sys.executable, "-c", client, str(tmp_path / "model")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "['The tall man', '', 'dog']\n"


def test_it_encodes_inside_a_litert_file(tokenizer):
    @tf.function(input_signature=[tf.TensorSpec([1], tf.string)])
    def encode(lines):
        return tokenizer.tf_encode(lines).values

    converter = tf.lite.TFLiteConverter.from_concrete_functions([encode.get_concrete_function()], encode)
    converter.allow_custom_ops = True
    model = InterpreterWithCustomOps(
        model_content=converter.convert(), custom_op_registerers=tflite_registrar.SELECT_TFTEXT_OPS
    )
    model.allocate_tensors()
    for line in ["The tall man", "dog"]:
        model.set_tensor(model.get_input_details()[0]["index"], np.array([line], object))
        model.invoke()
        ids = model.get_tensor(model.get_output_details()[0]["index"])
        assert [ids.tolist()] == tokenizer.encode([line])


def test_training_twice_gives_the_same_model(tokenizer):
    assert train_tokenizer(iter(LINES), vocab_size=120).model_proto == tokenizer.model_proto


def test_a_model_read_back_from_its_bytes_encodes_alike(tokenizer):
    assert Tokenizer(tokenizer.model_proto).encode(LINES) == tokenizer.encode(LINES)


def test_a_small_text_yields_a_smaller_vocabulary():
    assert train_tokenizer(["abc def"], vocab_size=8000).pieces(range(4, 11)) == ["▁", *"abcdef"]


def test_a_line_longer_than_sentencepieces_default_limit_is_learned_from():
    tokenizer = train_tokenizer(["ab " * 100, "ж " * 3000], vocab_size=30)
    assert UNK_ID not in tokenizer.encode(["ж"])[0]


def test_characters_outside_the_coverage_become_unknown():
    tokenizer = train_tokenizer(["ab " * 1000, "ж"], vocab_size=30, character_coverage=0.99)
    assert UNK_ID in tokenizer.encode(["ж"])[0]


def test_a_vocabulary_of_special_pieces_alone_is_refused():
    with pytest.raises(
        ValueError, match=r"must be at least 5: 4 special pieces and one of the text\. Received: 4"
    ):
        train_tokenizer(["a dog"], 4)


@pytest.mark.parametrize("lines", [[], ["", "  "]])
def test_training_without_text_is_refused(lines):
    with pytest.raises(ValueError, match="there is no text"):
        train_tokenizer(lines, vocab_size=100)


def test_a_vocabulary_smaller_than_the_alphabet_is_refused():
    with pytest.raises(
        ValueError, match="a vocabulary of 8 pieces: Vocabulary size is smaller than required_chars"
    ):
        train_tokenizer(["abcdefgh"], vocab_size=8)


@pytest.mark.parametrize("kind", ["bpe", "char", "word"])
def test_a_model_that_is_not_unigram_is_refused(kind):
    with pytest.raises(ValueError, match=f"expected a unigram SentencePiece model, got {kind.upper()}"):
        Tokenizer(train_foreign_model(model_type=kind))


def test_a_model_that_marks_the_ends_of_words_is_refused():
    with pytest.raises(ValueError, match="marks the ends of words"):
        Tokenizer(train_foreign_model(treat_whitespace_as_suffix=True))


def test_a_damaged_model_is_refused_with_the_reason():
    with pytest.raises(ValueError, match=r"model is damaged \(Trie data size exceeds the input blob size\)"):
        Tokenizer(train_foreign_model().replace(b"\x00\xbc\x02\x00", b"\xff\xff\xff\x7f"))


def test_a_model_with_other_special_ids_is_refused():
    with pytest.raises(ValueError, match=r"pad, unk, bos, eos = \(0, 1, 2, 3\), got \(-1, 0, 1, 2\)"):
        Tokenizer(train_foreign_model(pad_id=-1, unk_id=0, bos_id=1, eos_id=2))


@pytest.mark.parametrize("place", ["trainer", "pieces"])
def test_a_model_with_other_special_ids_in_one_place_is_refused(tokenizer, place):
    """SentencePiece finds special pieces by their names, TensorFlow by the trainer's ids."""
    model = ModelProto.FromString(tokenizer.model_proto)
    if place == "trainer":
        model.trainer_spec.bos_id, model.trainer_spec.eos_id = EOS_ID, BOS_ID
    else:
        bos, eos = model.pieces[BOS_ID], model.pieces[EOS_ID]
        bos.piece, eos.piece = eos.piece, bos.piece
    with pytest.raises(ValueError, match=r"pad, unk, bos, eos = \(0, 1, 2, 3\), got \(0, 1, 3, 2\)"):
        Tokenizer(model.SerializeToString())


def test_a_model_with_pieces_that_are_not_used_is_refused(tokenizer):
    model = ModelProto.FromString(tokenizer.model_proto)
    model.pieces[7].type = ModelProto.SentencePiece.UNUSED
    with pytest.raises(ValueError, match="piece 7 of the SentencePiece model is of type UNUSED"):
        Tokenizer(model.SerializeToString())


def test_a_model_with_a_piece_that_is_no_text_is_refused():
    model = train_foreign_model()
    piece = "▁läuft".encode() if "▁läuft".encode() in model else "ä".encode()
    assert piece in model
    with pytest.raises(ValueError, match=r"damaged \(piece \d+ is not UTF-8\)"):
        Tokenizer(model.replace(piece, b"\xff" * len(piece)))


def test_a_model_whose_normaliser_writes_what_is_no_text_is_refused(tokenizer):
    model = ModelProto.FromString(tokenizer.model_proto)
    model.normalizer_spec.precompiled_charsmap = model.normalizer_spec.precompiled_charsmap[:-2] + b"\xff\0"
    with pytest.raises(ValueError, match="its normaliser's table is not UTF-8"):
        Tokenizer(model.SerializeToString())


@pytest.mark.parametrize(
    ("limit", "message"), [("MOST_BYTES", "bytes: expected at most"), ("_MOST_PIECES", "pieces")]
)
def test_a_model_may_be_as_large_as_the_limit(tokenizer, monkeypatch, limit, message):
    size = len(tokenizer.model_proto) if limit == "MOST_BYTES" else tokenizer.vocab_size
    monkeypatch.setattr(vocabulary_checks, limit, size)
    assert Tokenizer(tokenizer.model_proto).vocab_size == tokenizer.vocab_size
    monkeypatch.setattr(vocabulary_checks, limit, size - 1)
    with pytest.raises(ValueError, match=message):
        Tokenizer(tokenizer.model_proto)


@pytest.mark.parametrize("data", [b"", b"text", bytes(50)])
def test_bytes_that_are_no_model_are_refused(data):
    with pytest.raises(ValueError, match="not a SentencePiece model"):
        Tokenizer(data)


def test_tensorflow_is_not_imported_before_it_is_needed():
    code = "import sys, keras_attn.text.tokenizer; print('tensorflow' in sys.modules, 'sentencepiece' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False False\n"
