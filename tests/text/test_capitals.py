"""Lines in capitals, read in small letters."""

import random

import pytest
import tensorflow as tf

from keras_attn.export.tokens.double_array import NO_BYTE
from keras_attn.export.tokens.quiet import without_capitals as without_capitals_of_bytes
from keras_attn.text.capitals import (
    SMALL_LETTERS,
    tf_without_capitals,
    with_lower_capitals,
    without_capitals,
)
from keras_attn.text.tokenizer import train_tokenizer

LINES = {
    "THE TRAIN LEAVES AT TEN.": "The train leaves at ten.",
    "¡ÉCOLE ÉTÉ!": "¡École été!",
    "ПРИВЕТ МИР": "Привет мир",
    "ẤẦ ΚΑΙ ԲԱՐԵՎ": "Ấầ και բարեվ",
    "12 OK": "12 Ok",
    # Not in capitals.
    "The TRAIN": "The TRAIN",
    "NASA и": "NASA и",
    "I": "I",
    "A 1": "A 1",
    "": "",
    "漢字": "漢字",
    # Letters whose other form has another length.
    "STRAẞE": "Straẞe",
    "İSTANBUL": "İStanbul",
}


@pytest.fixture(scope="module")
def in_graph():
    run = tf.function(tf_without_capitals, input_signature=[tf.TensorSpec([None], tf.string)])
    return lambda lines: [line.decode() for line in run(tf.constant(lines, tf.string)).numpy()]


def drawn(count):
    """Lines of capitals alone, and of any letters of the blocks that they are in."""
    draw = random.Random(1)
    letters = [*range(0x20, 0x590), *range(0x1E00, 0x1F00), 0x2C6F, 0x6F22, 0x1F600]
    for number in range(count):
        points = draw.choices(letters if number % 2 else [*SMALL_LETTERS, 0x20], k=draw.randrange(7))
        yield "".join(map(chr, points))


@pytest.mark.parametrize(("line", "read"), LINES.items())
def test_a_line_in_capitals_keeps_only_the_first(line, read):
    assert without_capitals(line) == read


def test_every_letter_stays_where_it_is():
    for line in drawn(2000):
        sizes = [[len(letter.encode()) for letter in each] for each in (line, without_capitals(line))]
        assert sizes[0] == sizes[1]


def test_graphs_read_lines_as_python_does(in_graph):
    lines = [*LINES, *drawn(2000)]
    read = [without_capitals(line) for line in lines]
    assert in_graph(lines) == read
    assert sum(a != b for a, b in zip(lines, read, strict=True)) > 500


def test_graphs_take_no_lines(in_graph):
    assert in_graph([]) == []


def test_bytes_that_are_not_utf8_are_marked_in_lines_in_capitals(in_graph):
    assert in_graph([b"AB\xffC"]) == ["Ab\ufffdc"]


def in_litert_file(line):
    codes = without_capitals_of_bytes(tf.constant([*line, NO_BYTE, NO_BYTE], tf.int32)).numpy()
    return bytes(codes[codes < NO_BYTE].tolist()).decode(errors="replace")


def test_graphs_read_bytes_that_are_not_utf8_as_a_litert_file_does():
    draw = random.Random(2)
    broken = [b"\xff", b"\xc3", b"\xe1\xba", b"\x80", b"\xf0\x9f\x98"]
    lines = [
        draw.choice(broken).join([line[:3].encode(), line[3:].encode()]) for line in [*LINES, *drawn(500)]
    ]
    read = [line.decode(errors="replace") for line in tf_without_capitals(tf.constant(lines)).numpy()]
    assert read == [in_litert_file(line) for line in lines]


@pytest.mark.parametrize(
    "line", [b"Hello \xff WORLD", b"\xffHello WORLD", b"HELLO w\xc3", b"\xf0\x9fA \xc3\xa9 B"]
)
def test_a_line_with_small_letters_and_bytes_that_are_not_utf8_stays_as_it_is(line):
    assert tf_without_capitals(tf.constant([line])).numpy().tolist() == [line]


def test_a_vocabulary_that_lowers_capitals_already_stays_as_it_is():
    lowering = with_lower_capitals(b"")
    assert with_lower_capitals(lowering) == lowering != b""


def test_what_must_be_said_is_spelled_as_it_is_written():
    lines = ["NASA", "it is NASA", "it is Nasa", "a Nasa"]
    tokenizer = train_tokenizer(lines, 40, lower_capitals=True)
    assert tokenizer.encode(["NASA", "Nasa"]) == tokenizer.encode(["Nasa"]) * 2
    assert tokenizer.decode(tokenizer.encode_as_written(["NASA", "it is NASA"])) == ["NASA", "it is NASA"]
