"""Compares a `.tflite` with a Transformer in CTranslate2, int8, one thread: milliseconds per sentence, time to load, bytes.

    pip install ctranslate2 ai-edge-litert sentencepiece numpy
    python benchmarks/ctranslate2_speed.py phone/model.tflite runs/mine/target.spm test.en

CTranslate2 runs no recurrent models, so it is given the Transformer of Multi30k's tables: Transformer-Tiny of Wu et al. 2021, 4
layers on either side, width 128, inner width 256, 4 heads, all embeddings tied. Its vocabulary is that of the model, a joint
one. Its weights are random: how fast it is does not depend on them, but on how much it writes, and so it writes as many sub-
words for each sentence as the `.tflite` does. Both run in turn on each sentence, text in and text out, greedily. Prints a
Markdown table: medians of the rounds, with their range. Let the machine be quiet.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import ctranslate2
from sentencepiece import SentencePieceProcessor

CLIENT = Path(__file__).parents[1] / "export" / "python"
sys.path.insert(0, str(CLIENT))

from litert_translator import Translator  # noqa: E402
from shared.transformer_tiny import save_transformer  # noqa: E402


class Transformer:
    """Text to text by CTranslate2, the number of sub-words given."""

    def __init__(self, folder: str, tokenizer) -> None:
        self._tokenizer = tokenizer
        self._model = ctranslate2.Translator(folder, compute_type="int8", inter_threads=1, intra_threads=1)

    def __call__(self, text: str, length: int) -> str:
        pieces = [*self._tokenizer.encode(text, out_type=str), "</s>"]
        (found,) = self._model.translate_batch(
            [pieces], beam_size=1, min_decoding_length=length, max_decoding_length=length
        )
        return self._tokenizer.decode(found.hypotheses[0])


def timed(work: Callable) -> tuple[float, object]:
    """Milliseconds, and what the work gave."""
    start = time.perf_counter()
    found = work()
    return 1e3 * (time.perf_counter() - start), found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tflite")
    parser.add_argument("vocabulary", help="its joint vocabulary, a `.spm` file of the model folder")
    parser.add_argument("source", help="a text file, one sentence per line")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    lines = Path(args.source).read_text(encoding="utf-8").splitlines()
    client = Translator(args.tflite)
    tokenizer = SentencePieceProcessor(model_file=args.vocabulary)
    about = json.loads(Path(args.tflite).with_name("model.json").read_text(encoding="utf-8"))
    pieces = [tokenizer.id_to_piece(i) for i in range(tokenizer.vocab_size())]
    lengths = [len(client.align(line).target) for line in lines]
    times = {"tflite": [], "ctranslate2": [], "load tflite": [], "load ctranslate2": []}
    with tempfile.TemporaryDirectory() as folder:
        parameters = save_transformer(folder, pieces)
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
        for _ in range(args.rounds):
            load, ours = timed(lambda: Translator(args.tflite))
            times["load tflite"].append(load)
            load, theirs = timed(lambda: Transformer(folder, tokenizer))
            times["load ctranslate2"].append(load)
            once = {"tflite": [], "ctranslate2": []}
            for line, length in zip(lines, lengths, strict=True):
                once["tflite"].append(timed(lambda: ours(line))[0])  # noqa: B023
                once["ctranslate2"].append(timed(lambda: theirs(line, length))[0])  # noqa: B023
            for name, each in once.items():
                times[name].append(statistics.median(each))
    rows = {
        "tflite": (about["parameters"], Path(args.tflite).stat().st_size),
        "ctranslate2": (parameters, size),
    }
    print("| | parameters | MB | load, ms | ms per sentence |\n|---|---|---|---|---|")
    for name, (count, size) in rows.items():
        print(
            f"| {name} | {count:,} | {size / 1e6:.2f} | {spread(times[f'load {name}'])} | {spread(times[name])} |"
        )
    ratios = [a / b for a, b in zip(times["tflite"], times["ctranslate2"], strict=True)]
    print(
        f"\n{len(lines)} sentences, {statistics.mean(lengths):.1f} sub-words each; tflite / ctranslate2: {spread(ratios)}"
    )


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


if __name__ == "__main__":
    main()
