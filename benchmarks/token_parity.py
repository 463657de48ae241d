"""Whether a `.tflite` cuts text and puts it together as SentencePiece does, for whole corpora and for hostile text.

    KERAS_ATTN_DATA=FOLDER python benchmarks/token_parity.py [--random 100000] [--lines N]

Trains a vocabulary of 6,000 pieces for each corpus, converts its graphs, and compares ids and texts, line by line; then strings
drawn at random, with the vocabulary of the first corpus; and both once more with one that falls back to bytes. Prints a line for
each, the first lines that differ, and how long a sentence of 60 bytes takes; exits with 1 if any differs.
"""

import argparse
import gzip
import os
import random
import sys
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import sentencepiece
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter
from shared.hostile_text import KINDS

from keras_attn.export.conversion import convert
from keras_attn.export.tokens.joining import joined
from keras_attn.export.tokens.tokenizing import tokenized
from keras_attn.export.tokens.vocabulary_tables import vocabulary_tables
from keras_attn.text.tokenizer import Tokenizer, train_tokenizer

SIZES = (512, 4096)  # graphs for most lines, and for the longest
SENTENCE = "Where is the station, please? I have to go to the bank today"


class Graphs:
    """A vocabulary in LiteRT: text of fewer than `size` bytes to ids, `most` of them, and back."""

    def __init__(self, model_proto: bytes, size: int, most: int) -> None:
        tables, self._size, self._most = vocabulary_tables(model_proto), size, most

        def tokenize(*, text: tf.Tensor) -> dict[str, tf.Tensor]:
            found = tokenized(text[0], tables, most)
            return {"ids": found.ids, "length": found.length, "truncated": tf.cast(found.truncated, tf.int32)}

        def detokenize(*, ids: tf.Tensor) -> dict[str, tf.Tensor]:
            return {"text": joined(ids, tables.surfaces).codes[0]}

        specs = {
            tokenize: tf.TensorSpec([1, size], tf.int32, "text"),
            detokenize: tf.TensorSpec([1, most], tf.int32, "ids"),
        }
        traced = {
            function.__name__: tf.function(function, autograph=False).get_concrete_function(
                **{spec.name: spec}
            )
            for function, spec in specs.items()
        }
        model = convert(traced, "float32")
        self._interpreter = Interpreter(model_content=model, num_threads=1)
        self._tokenize, self._detokenize = map(self._interpreter.get_signature_runner, traced)

    def ids(self, text: bytes) -> list[int] | None:
        """`None`: there was no room for the text."""
        given = np.full([1, self._size], -1, np.int32)
        given[0, : len(text)] = list(text[: self._size])
        found = self._tokenize(text=given)
        return None if found["truncated"] else found["ids"][: int(found["length"])].tolist()

    def text(self, ids: list[int]) -> bytes:
        given = np.zeros([1, self._most], np.int32)
        given[0, : len(ids)] = ids
        found = self._detokenize(ids=given)["text"]
        return bytes(found[found >= 0].astype(np.uint8))


def compare(name: str, lines: Iterable[bytes], model_proto: bytes) -> int:
    """How many lines differ."""
    usual, longest = (Graphs(model_proto, size, size // 2) for size in SIZES)
    reference = sentencepiece.SentencePieceProcessor(model_proto=model_proto)
    count = differing = cut = 0
    start = time.thread_time()
    for line in lines:
        expected = reference.encode(line)
        graphs = usual
        if (found := usual.ids(line)) is None or len(found) < len(expected):
            graphs = longest
            found = longest.ids(line)
        count += 1
        if found is None:
            cut += 1
            continue
        text = graphs.text(found)
        if found != expected or text.decode("utf-8") != reference.decode(expected):
            differing += 1
            if differing <= 5:
                print(f"  {line!r}: {found}, expected {expected}; {text!r}")
    seconds = time.thread_time() - start
    print(f"{name}: {count} lines, {differing} differ, {cut} too long; {seconds:.0f} s", flush=True)
    return differing


def random_strings(count: int, words: list[str], seed: int = 1) -> Iterator[bytes]:
    """Strings of every plane, of combining marks, of controls and spaces, of broken UTF-8, and of all that among words."""
    draw = random.Random(seed)
    kinds = list(KINDS.values())
    for i in range(count):
        parts = [kinds[i % len(kinds)](draw)]
        while draw.random() < 0.5:
            parts += [draw.choice([b" ", b"  ", b""]), draw.choice(words).encode(), draw.choice(kinds)(draw)]
        yield b"".join(parts)


def corpora(data: Path) -> dict[str, Callable[[], list[str]]]:
    """Lines by the corpus's name."""

    def tatoeba(archive: str, member: str) -> list[str]:
        with zipfile.ZipFile(data / "tatoeba" / archive) as files:
            rows = files.read(member).decode().splitlines()
        return [side for row in rows for side in row.split("\t")[:2]]

    def gzipped(pattern: str) -> list[str]:
        paths = sorted(data.glob(pattern))
        return [line for path in paths for line in gzip.decompress(path.read_bytes()).decode().splitlines()]

    def tables() -> list[str]:
        paths = sorted((data / "g2p" / "sigmorphon2021").rglob("*.tsv"))
        return [side for path in paths for line in path.read_text().splitlines() for side in line.split("\t")]

    def names() -> list[str]:
        return [side for line in gzipped("transliteration/*.gz") for side in line.split("\t")[:2]]

    return {
        "Tatoeba en, es": lambda: tatoeba("spa-eng.zip", "spa-eng/spa.txt"),
        "Tatoeba en, fr": lambda: tatoeba("fra-eng.zip", "fra-eng/fra.txt"),
        "Tatoeba en, de": lambda: tatoeba("deu-eng.zip", "deu.txt"),
        "Multi30k en, de, fr": lambda: gzipped("multi30k/*.gz"),
        "G2P": lambda: [*tables(), *gzipped("g2p/*.gz")],
        "transliteration": names,
    }


def seconds_for(model_proto: bytes) -> tuple[float, float]:
    """The least time that cutting and joining a short sentence takes, of many tries, for a source of 64 ids."""
    graphs, line = Graphs(model_proto, 512, 64), SENTENCE.encode()
    ids = graphs.ids(line)

    def least(call: Callable[[], object]) -> float:
        times = []
        for _ in range(50):
            start = time.thread_time()
            for _ in range(20):
                call()
            times.append((time.thread_time() - start) / 20)
        return min(times)

    return least(lambda: graphs.ids(line)), least(lambda: graphs.text(ids))


def microseconds_a_line(model_proto: bytes, lines: list[str]) -> dict[str, float]:
    """What cutting a line takes in the three ways there are on a server, by the processor's clock."""
    tokenizer, tables = Tokenizer(model_proto), vocabulary_tables(model_proto)
    processor = sentencepiece.SentencePieceProcessor(model_proto=model_proto)
    graph = tf.function(
        lambda text: tokenized(text, tables, 64).ids, [tf.TensorSpec([512], tf.int32)], autograph=False
    )
    rows = [
        np.pad(list(line.encode())[:512], (0, 512), constant_values=-1)[:512].astype(np.int32)
        for line in lines
    ]
    ways = {
        "tensorflow-text's operator": lambda: tokenizer.tf_encode(tf.constant(lines)),
        "SentencePiece's library": lambda: processor.encode(lines, num_threads=1),
        "the graph, in TensorFlow": lambda: [graph(row) for row in rows],
    }
    found = {}
    for name, cut in ways.items():
        cut()
        start = time.process_time()
        cut()
        found[name] = 1e6 * (time.process_time() - start) / len(lines)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--random", type=int, default=100_000, help="how many random strings")
    parser.add_argument("--lines", type=int, help="the most lines of a corpus")
    parser.add_argument("--only", help="a part of the name of a corpus")
    arguments = parser.parse_args()
    data = Path(
        os.environ.get("KERAS_ATTN_DATA") or sys.exit("set KERAS_ATTN_DATA to the folder of the corpora")
    )
    differing, first = 0, None
    for name, read in corpora(data).items():
        if arguments.only and arguments.only not in name:
            continue
        lines = list(dict.fromkeys(read()))[: arguments.lines]
        model_proto = train_tokenizer(lines[:200_000], 6000).model_proto
        first = first or (
            model_proto,
            lines[:1000],
            [word for line in lines[:20_000] for word in line.split()],
        )
        differing += compare(name, (line.encode() for line in lines), model_proto)
    model_proto, lines, words = first
    differing += compare("random", random_strings(arguments.random, words), model_proto)
    spelling = train_tokenizer(lines, 1000, 0.98, byte_fallback=True).model_proto
    differing += compare("lines, bytes", (line.encode() for line in lines), spelling)
    differing += compare("random, bytes", random_strings(arguments.random, words), spelling)
    cutting, joining = seconds_for(model_proto)
    print(
        f"{len(SENTENCE.encode())} bytes, a source of 64 ids: {1e3 * cutting:.3f} ms to cut, {1e3 * joining:.3f} ms to join"
    )
    for way, microseconds in microseconds_a_line(model_proto, lines).items():
        print(f"{way}: {microseconds:.0f} µs per line, {len(lines)} of them")
    sys.exit(differing > 0)


if __name__ == "__main__":
    main()
