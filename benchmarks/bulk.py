"""Sentences a second in bulk: a model folder's engines, Keras and CTranslate2, in turn.

    python benchmarks/bulk.py tatoeba-en-es test.en --json bulk.json [--sentences N] [--engine ctranslate2 ...]

One process and one thread each, but Keras, which takes the threads that TensorFlow takes; with `--processes 2` the folder's engines
run in two. CTranslate2 (`pip install ctranslate2`) gets Transformer-Tiny of Wu et al. 2021 with random weights, int8, and writes as
many sub-words for each sentence as the int8 engine does, in batches of sentences of equal target length. Medians of the rounds,
with their range, and how many sentences differ from Keras.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from keras_attn.inference.bulk import BulkTranslator
from keras_attn.storage import packaged
from keras_attn.text.tokenizer import Tokenizer

ENGINES = ("int8", "litert", "keras", "ctranslate2")

_translator: BulkTranslator | None = None  # of a worker process


def start(translator: BulkTranslator) -> None:
    global _translator
    _translator = translator
    translator.translate(["Hello."])


def share(lines: list[str]) -> list[str]:
    return _translator.translate(lines).tolist()


class InProcesses:
    """A `BulkTranslator` in this many processes, each with one share."""

    def __init__(self, translator: BulkTranslator, processes: int) -> None:
        self._count = processes
        self._pool = ProcessPoolExecutor(processes, get_context("spawn"), start, (translator,))

    def __call__(self, lines: list[str]) -> list[str]:
        shares = [lines[i :: self._count] for i in range(self._count)]
        translated = list(self._pool.map(share, shares))
        return [translated[i % self._count][i // self._count] for i in range(len(lines))]


class CTranslate2:
    """Transformer-Tiny; `lengths` says how many sub-words it writes for each line."""

    def __init__(
        self, folder: str, tokenizer: Tokenizer, lengths: dict[str, int], beam_size: int, threads: int
    ):
        import ctranslate2
        from shared.transformer_tiny import save_transformer

        save_transformer(folder, tokenizer.pieces(range(tokenizer.vocab_size)))
        self._model = ctranslate2.Translator(
            folder, compute_type="int8", inter_threads=threads, intra_threads=1
        )
        self._tokenizer, self._lengths, self._beam_size = tokenizer, lengths, beam_size

    def __call__(self, lines: list[str]) -> list[str]:
        batches = defaultdict(list)
        for line, ids in zip(lines, self._tokenizer.encode(lines), strict=True):
            batches[self._lengths[line]].append([*self._tokenizer.pieces(ids), "</s>"])
        for length, batch in batches.items():
            found = self._model.translate_batch(
                batch,
                beam_size=self._beam_size,
                min_decoding_length=length,
                max_decoding_length=length,
                max_batch_size=64,
            )
            self._tokenizer.decode([[4] * length for _ in found])
        return []


def measured(works: dict[str, Callable], lines: list[str], rounds: int) -> tuple[dict, dict]:
    """Sentences a second of each round, and what each said."""
    speeds, said = defaultdict(list), {}
    for number in range(rounds + 1):
        for name, work in works.items():
            begin = time.perf_counter()
            said[name] = work(lines)
            if number:  # the first round warms up
                speeds[name].append(len(lines) / (time.perf_counter() - begin))
    return speeds, said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", help="a model folder, or the name of a packaged model")
    parser.add_argument("source", type=Path, help="a text file, one sentence per line")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--sentences", type=int)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--beam-size", type=int, action="append", help="[default: 1 and the model's]")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="[default: all but ctranslate2]")
    args = parser.parse_args()
    lines = list(dict.fromkeys(args.source.read_text(encoding="utf-8").splitlines()))[: args.sentences]
    folder = packaged.locate(args.folder)
    tokenizer = Tokenizer((folder / "target.spm").read_bytes())
    engines, rows = args.engine or ENGINES[:-1], []
    for beam_size in args.beam_size or (1, 5):
        works: dict[str, Callable] = {}
        for engine in engines:
            if engine == "ctranslate2":
                continue
            translator = BulkTranslator(folder, engine=engine, beam_size=beam_size)
            alone = engine == "keras" or args.processes == 1
            works[engine] = translator.translate if alone else InProcesses(translator, args.processes)
        with tempfile.TemporaryDirectory() as scratch:
            if "ctranslate2" in engines:
                lengthwise = BulkTranslator(folder, engine="int8", beam_size=beam_size)
                said = tokenizer.encode(lengthwise.translate(lines).tolist())
                lengths = {line: len(ids) + 1 for line, ids in zip(lines, said, strict=True)}
                works["ctranslate2"] = CTranslate2(scratch, tokenizer, lengths, beam_size, args.processes)
            speeds, said = measured(works, lines, args.rounds)
        for name, each in speeds.items():
            differ = None
            if "keras" in said and len(said[name]):
                differ = sum(a != b for a, b in zip(said[name], said["keras"], strict=True))
            rows.append(
                {
                    "engine": name,
                    "beam": beam_size,
                    "processes": 1 if name == "keras" else args.processes,
                    "per_second": statistics.median(each),
                    "range": [min(each), max(each)],
                    "differ": differ,
                }
            )
    print("| engine | beam | processes | sentences/s | differ from Keras |\n|---|---|---|---|---|")
    for row in rows:
        low, high = row["range"]
        print(
            f"| {row['engine']} | {row['beam']} | {row['processes']} | {row['per_second']:.0f} ({low:.0f}-{high:.0f}) | "
            f"{'' if row['differ'] is None else row['differ']} |"
        )
    if args.json:
        about = {"folder": args.folder, "sentences": len(lines), "rounds": args.rounds, "rows": rows}
        args.json.write_text(json.dumps(about, indent=2) + "\n")


if __name__ == "__main__":
    main()
