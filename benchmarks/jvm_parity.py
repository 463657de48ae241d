"""Compares the Kotlin client on a desktop JVM with the Python client, on the first sentences of Tatoeba's test split.

    python benchmarks/jvm_parity.py saved_models/tatoeba-en-es-litert build/jvm --json benchmarks/log/jvm_parity.json

EXPORT is a folder of `keras-attn export --format litert`. Into FOLDER goes what `tests/export/jvm/build.sh` compiles; it says what
it needs. Tatoeba lies in KERAS_ATTN_DATA, or in the download cache. A sentence counts as the same if all texts of its n-best list,
their flags and every text of its stream are. Exits with 1 if one is not, or if two scores are more than 0.001 nats apart.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import ai_edge_litert

from keras_attn.corpora.named import load_corpus
from keras_attn.export.description import MODEL
from keras_attn.files import write_text

sys.path.insert(0, str(Path(__file__).parents[1] / "export" / "python"))
from litert_translator import Translator

BUILD = Path(__file__).parents[1] / "tests" / "export" / "jvm" / "build.sh"
TOLERANCE = 1e-3  # nats


def jvm_answers(file: Path, folder: Path, lines: list[str]) -> list[dict]:
    """What the Kotlin client says of each line."""
    subprocess.run([BUILD, folder, ai_edge_litert.__path__[0]], check=True)
    texts = folder / "texts.json"
    texts.write_text(json.dumps(lines))
    told = subprocess.run([folder / "run", file, texts], stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in told.stdout.splitlines()]


def python_answers(file: Path, lines: list[str]) -> list[dict]:
    translator = Translator(str(file))
    return [
        {
            "translations": [list(each) for each in translator.nbest(line)],
            "stream": list(translator.stream(line)),
        }
        for line in lines
    ]


def without_scores(answer: dict) -> tuple:
    return [[text, *flags] for text, _, *flags in answer["translations"]], answer["stream"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("export", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=1000, help="different sentences. [default: 1000]")
    parser.add_argument("--json", type=Path, help="where the numbers go")
    args = parser.parse_args()
    languages = json.loads((args.export / "model.json").read_text())["languages"]
    corpus = load_corpus("tatoeba", languages["source"], languages["target"], "test")
    lines = list(dict.fromkeys(corpus.source))[: args.count]
    expected = python_answers(args.export / MODEL, lines)
    found = jvm_answers(args.export / MODEL, args.folder, lines)
    pairs = list(zip(expected, found, strict=True))
    same = [without_scores(one) == without_scores(other) for one, other in pairs]
    apart = max(
        abs(a[1] - b[1])
        for one, other in pairs
        for a, b in zip(one["translations"], other["translations"], strict=True)
    )
    numbers = {
        "export": args.export.name,
        "sentences": len(lines),
        "the same": sum(same),
        "unknown": sum(each["translations"][0][3] for each in expected),
        "texts of streams": sum(len(each["stream"]) for each in expected),
        "scores apart at most, nats": apart,
    }
    print(json.dumps(numbers, indent=2))
    if args.json:
        write_text(args.json, json.dumps(numbers, indent=2) + "\n")
    for line, equal, (one, other) in zip(lines, same, pairs, strict=True):
        if not equal:
            print(f"{line!r}:\n  {one}\n  {other}", file=sys.stderr)
    if not all(same) or apart > TOLERANCE:
        sys.exit(1)


if __name__ == "__main__":
    main()
