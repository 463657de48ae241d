"""Graphs that cut text and put it together, against SentencePiece; `benchmarks/token_parity.py` does it for whole corpora."""

import random

import pytest
import sentencepiece
import tensorflow as tf

from keras_attn.export.tokens.joining import joined
from keras_attn.export.tokens.vocabulary_tables import vocabulary_tables
from keras_attn.text.capitals import SMALL_LETTERS, with_lower_capitals, without_capitals
from keras_attn.text.framing import one_line
from keras_attn.text.tokenizer import train_tokenizer

ODD = [
    b"",
    b" ",
    b"  two  spaces ",
    b"\ttab\there\r\nand there",
    "ﬁne ﬂight Ⅷ ½ ① ª ² ﷺ".encode(),
    "ｆｕｌｌ　ｗｉｄｔｈ ～".encode(),
    "Cafe\u0301 ka\u0308u\u0308 e\u0301\u0301\u0301".encode(),
    "\u1112\u1161\u11ab 한국 \uffa1\uffc2".encode(),
    "no\u00a0break\u2003em\u2028line \ufeffmark \u200bzero \u200d \u061c \u0344".encode(),
    "▁under▁score ▁▁".encode(),
    b"control\x01\x02char\x7facter \x00 \x85 \x00",
    b"</s> <unk> <s> <pad>",
    "unknown ☃☃ ☃ 日本語 日本".encode(),
    "😀 👩‍👩‍👧 🇩🇪 dog \U0010ffff".encode(),
    b"a" * 300,
    "日".encode() * 100,
    b"\xff\xfe dog \xc3( \xe2\x82 \xed\xa0\x80 \xf4\x90\x80\x80 \xc0\xaf \xf0\x9f\x98",
    b"\xe2\x82\xe2\x82\xac dog\xe2",
    b"\xc3",
]
VOCABULARIES = {
    "as trained": {},
    "not normalised": {"normalization_rule_name": "identity"},
    "lowercased": {"normalization_rule_name": "nfkc_cf"},
    "no space in front": {"add_dummy_prefix": False},
    "spaces kept": {"remove_extra_whitespaces": False},
    "pieces across words": {"split_by_whitespace": False, "max_sentencepiece_length": 24, "vocab_size": 400},
    "symbols of the user": {"user_defined_symbols": ["<2de>", "ﬁ", "dog", "das Gras", "▁▁"]},
    "another unknown": {"unk_surface": "<?>"},
    "bytes": {"byte_fallback": True, "vocab_size": 400, "character_coverage": 0.98},
    "bytes, spaces kept": {"byte_fallback": True, "vocab_size": 400, "remove_extra_whitespaces": False},
}


KINDS = ["characters", "words", "symbols"]
SPELLED = [f"{kind}, bytes" for kind in KINDS]


@pytest.fixture(scope="module", params=[*VOCABULARIES, *KINDS, *SPELLED])
def vocabulary(request, lines, train, cutter):
    kind, _, spelled = request.param.partition(", ")
    if kind in KINDS:
        size = 400 if spelled else 100
        return cutter(train_tokenizer(lines, size, kind=kind, byte_fallback=bool(spelled)).model_proto)
    return cutter(train(**VOCABULARIES[request.param]))


def drawn_strings(count):
    """Characters of every plane and of what text is made of, and bytes that are no UTF-8."""
    draw = random.Random(1)
    ranges = [(0, 0x80), (0x80, 0x800), (0x300, 0x370), (0x1100, 0x1200), (0x2000, 0x2070), (0xFB00, 0x10000)]
    ranges += [(plane << 16, (plane + 1) << 16) for plane in range(17)]
    for _ in range(count):
        text = "".join(chr(draw.randrange(*draw.choice(ranges))) for _ in range(draw.randint(0, 20)))
        text = text.encode("utf-8", errors="surrogatepass") + draw.choice([b"", b" dog", b" a  Hund "])
        yield text if draw.random() < 0.7 else text[draw.randint(0, 3) :] + draw.randbytes(3)


@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_odd_text_is_cut_and_joined_as_sentencepiece_does(vocabulary, text):
    ids, _, truncated = vocabulary.cut(text)
    assert (ids, truncated) == (vocabulary.reference.encode(text), False)
    assert vocabulary.join(ids)[0].decode("utf-8") == vocabulary.reference.decode(ids)


def test_random_strings_are_cut_and_joined_as_sentencepiece_does(vocabulary):
    for text in drawn_strings(500):
        ids, _, truncated = vocabulary.cut(text)
        assert (text, ids, truncated) == (text, vocabulary.reference.encode(text), False)
        assert vocabulary.join(ids)[0].decode("utf-8") == vocabulary.reference.decode(ids)


def test_any_ids_are_joined_as_sentencepiece_does(vocabulary):
    draw = random.Random(2)
    size = vocabulary.reference.get_piece_size()
    for _ in range(300):
        ids = [draw.choice([draw.randrange(size), draw.randrange(8)]) for _ in range(draw.randint(0, 12))]
        assert vocabulary.join(ids)[0].decode("utf-8") == vocabulary.reference.decode(ids)


def test_every_sub_word_tells_where_it_begins_in_the_text(usual):
    text = "  A  small ﬁne dog".encode()
    ids, starts, _ = usual.cut(text)
    begins = [
        start for i, start in zip(ids, starts, strict=True) if usual.reference.id_to_piece(i).startswith("▁")
    ]
    assert [text[start:] for start in begins] == [
        text,
        b"  small \xef\xac\x81ne dog",
        b" \xef\xac\x81ne dog",
        b" dog",
    ]


@pytest.mark.parametrize("times", [1, 6], ids=["short", "long"])
def test_plain_text_between_two_beginnings_is_the_sub_word(usual, times):
    text = b" ".join([b"A small dog runs across the green grass. Two dogs are running"] * times)
    ids, starts, _ = usual.cut(text)
    pieces = [usual.reference.id_to_piece(i).replace("▁", " ") for i in ids]
    parts = [text[start:end].decode() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    assert parts == [pieces[0].lstrip(), *pieces[1:]]


def test_every_id_tells_where_its_part_of_the_text_ends(usual):
    ids = usual.reference.encode("A small dog")
    text, ends = usual.join(ids)
    assert text == b"A small dog"
    assert [text[:end].decode() for end in ends] == [
        usual.reference.decode(ids[: i + 1]) for i in range(len(ids))
    ]


@pytest.fixture(scope="module")
def quiet(train, cutter):
    """Of a vocabulary that has lines in capitals read in small letters."""
    return cutter(with_lower_capitals(train(byte_fallback=True, vocab_size=400)))


def drawn_capitals(count):
    """Capitals and letters of their blocks, with bytes that are no UTF-8, at the end of the room for a short text too."""
    draw = random.Random(3)
    letters = [*range(0x20, 0x590), *range(0x1E00, 0x1F00), 0x2C6F, 0x6F22, 0x1F600]
    for number in range(count):
        points = letters if number % 3 == 0 else [*SMALL_LETTERS, 0x20, 0x31]
        text = "".join(map(chr, draw.choices(points, k=draw.choice([3, 9, 60, 62, 64, 200])))).encode()
        broken = draw.choice([b"", b"", b"\xc1\x81", b"\xe0\x81\x81", b"\xc3", b"\xe1\xba", b"\x80", b"\xff"])
        yield broken + text if draw.random() < 0.5 else text[:-1] + broken + text


def test_a_line_in_capitals_is_cut_as_in_small_letters(quiet):
    changed = 0
    for text in [*ODD, *drawn_strings(200), *drawn_capitals(600)]:
        line = without_capitals(text[:511].decode("utf-8", errors="surrogateescape"))
        ids, _, truncated = quiet.cut(text)
        if not truncated:
            read = line.encode("utf-8", errors="surrogateescape")
            assert (text, ids) == (text, quiet.reference.encode(read))
            changed += read != text
    assert changed > 200


def test_other_vocabularies_keep_capitals(usual):
    assert usual.cut(b"A DOG")[0] == usual.reference.encode("A DOG") != usual.reference.encode("A dog")


@pytest.mark.parametrize(("count", "truncated"), [(127, False), (511, False), (512, True), (600, True)])
def test_a_text_has_room_unless_it_fills_all_places(usual, count, truncated):
    text = b"dog " * 200
    ids, _, flag = usual.cut(text[:count])
    assert flag == truncated
    assert ids == usual.reference.encode(text[: min(count, 511)])


@pytest.mark.parametrize("unit", ["é", "日", "😀", "ﷺ", "½", "日é"])
def test_a_text_that_is_too_long_is_cut_between_characters(usual, unit):
    ids, _, truncated = usual.cut((unit * 600).encode())
    assert truncated
    whole = usual.reference.encode(unit * 600)
    assert ids == usual.reference.encode(usual.reference.decode(ids)) or ids == whole[: len(ids)]
    assert len(ids) > 1


def test_a_short_text_that_grows_long_is_whole(usual):
    text = "ﷺ".encode() * 14
    assert usual.cut(text)[:1] == (usual.reference.encode(text),)


def test_only_so_many_sub_words_are_told(train, cutter):
    few = cutter(train(), size=256, most=5)
    assert (
        few.cut(b"A small dog runs across the beach")[0]
        == few.reference.encode("A small dog runs across the beach")[:5]
    )


@pytest.mark.parametrize("length", [64, 300])
def test_a_vocabulary_with_an_endless_piece_is_refused(train, length):
    vocabulary_tables(train(user_defined_symbols=["x" * 63]))
    with pytest.raises(ValueError, match=f"makes {length} bytes of a character or a symbol"):
        vocabulary_tables(train(user_defined_symbols=["x" * length]))


def test_a_vocabulary_that_keeps_its_spaces_is_refused(train):
    with pytest.raises(ValueError, match="cannot be put into a graph"):
        vocabulary_tables(spaces_kept(train()))


def spaces_kept(model_proto):
    from sentencepiece.sentencepiece_model_pb2 import ModelProto

    model = ModelProto.FromString(model_proto)
    model.normalizer_spec.escape_whitespaces = False
    return model.SerializeToString()


def in_line(model_proto, ids):
    found = joined(tf.constant([ids], tf.int32), vocabulary_tables(model_proto).surfaces_in_line)
    codes, ends = found.codes.numpy()[0], found.ends.numpy()[0]
    return bytes(codes[codes >= 0].astype("uint8")).decode(), ends.tolist()


@pytest.mark.parametrize(
    "control", ["\t", "\n", "\x0b", "\x00", "\x7f", "\x85", "\u2028", "\u2029"], ids=ascii
)
def test_a_control_character_in_a_piece_or_spelled_becomes_one_space(train, control):
    model_proto = train(
        normalization_rule_name="identity",
        byte_fallback=True,
        vocab_size=400,
        user_defined_symbols=[f"x{control}y"] if control != "\x00" else [],
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model_proto)
    spelled = [processor.piece_to_id(f"<0x{byte:02X}>") for byte in control.encode()]
    whole = processor.encode(f"x{control}y")
    assert in_line(model_proto, whole)[0] == one_line(processor.decode(whole))
    ids = [*processor.encode("dog"), *spelled, *processor.encode("dog")]
    text, ends = in_line(model_proto, ids)
    assert text == one_line(processor.decode(ids))
    parts = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    first = len(processor.encode("dog"))  # the space belongs to the last of its bytes
    assert parts[first : first + len(spelled)] == [*[""] * (len(spelled) - 1), " "]
    assert ends[-1] == len(text)


@pytest.mark.parametrize("count", [1, 300])
def test_a_vocabulary_of_more_than_64_kilobytes_is_joined_as_a_small_one(train, count):
    from sentencepiece.sentencepiece_model_pb2 import ModelProto

    model = ModelProto.FromString(train())
    for number in range(count):
        model.pieces.add(piece=f"▁{'x' * 220}{number:03d}", score=-20)
    model_proto = model.SerializeToString()
    processor = sentencepiece.SentencePieceProcessor(model_proto=model_proto)
    size = processor.get_piece_size()
    ids = [5, size - 1, 9, size // 2, size - count, 12]
    surfaces = vocabulary_tables(model_proto).surfaces
    found = joined(tf.constant([ids], tf.int32), surfaces)
    codes = found.codes.numpy()[0]
    assert bytes(codes[codes >= 0].astype("uint8")).decode() == processor.decode(ids)
    assert (len(surfaces.text) > 1 << 16) == (count == 300)


def test_a_spelled_character_belongs_to_the_last_of_its_bytes(train, cutter):
    usual = cutter(train(byte_fallback=True, vocab_size=400))
    ids, starts, _ = usual.cut("a 😀 b".encode())
    text, ends = usual.join(ids)
    assert text == "a 😀 b".encode()
    parts = [text[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    assert "😀".encode() in parts and all(part.decode() is not None for part in parts)
    first = ids.index(usual.reference.piece_to_id("<0xF0>"))
    assert starts[first : first + 4] == [2, 2, 2, 2]
