"""Translations that break off: of the test split, or of other files.

    python benchmarks/broken_off.py tatoeba-en-de tatoeba-de-en
    python benchmarks/broken_off.py tatoeba-de-en --source captions.de --reference captions.en
    python benchmarks/broken_off.py tatoeba-de-en --split dev --penalties 1,0 1.2,0 1,0.05

Takes model folders or names of packaged models. Counts the translations without a final mark whose reference has one, those of less
than half the characters of their reference, and those of more than twice as many. The search is the model's own, in its own engine,
or a beam with each pair of a length and a coverage penalty.
"""

import argparse
import json
from pathlib import Path

from keras_attn.data.splits import split_corpus
from keras_attn.evaluation.scores import corpus_scores
from keras_attn.files import write_text
from keras_attn.inference.bulk import BulkTranslator
from keras_attn.storage import packaged
from keras_attn.storage.model_folder import load_data_config
from keras_attn.text.corpus import Corpus, read_parallel

MARKS = (".", "?", "!", "…", '"', "»", "“")


def row(name: str, folder: Path, pairs: Corpus, search: dict[str, float]) -> dict[str, float | int | str]:
    references = list(pairs.target)
    said = BulkTranslator(folder, **search).translate(list(pairs.source)).tolist()
    scores = corpus_scores(said, references)
    both = list(zip(said, references, strict=True))
    return {
        "model": ", ".join([name, *(f"{option} {value:g}" for option, value in search.items())]),
        "sentences": len(references),
        "no mark": sum(there.rstrip().endswith(MARKS) and not here.endswith(MARKS) for here, there in both),
        "short": sum(2 * len(here) < len(there) for here, there in both),
        "long": sum(len(here) > 2 * len(there) for here, there in both),
        "BLEU": scores.bleu,
        "chrF": scores.chrf,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+")
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    parser.add_argument("--source", type=Path)
    parser.add_argument("--reference", type=Path)
    parser.add_argument("--penalties", nargs="+", default=[], metavar="LENGTH,COVERAGE", help="of the beam")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    if bool(args.source) != bool(args.reference):
        parser.error("--source and --reference go together")
    searches = [
        dict(zip(("length_penalty", "coverage_penalty"), map(float, pair.split(",")), strict=True))
        for pair in args.penalties
    ]
    rows = []
    print("| model | sentences | no final mark | less than half | more than twice | BLEU | chrF |")
    print("|---|---|---|---|---|---|---|")
    for name in args.models:
        folder = packaged.locate(name)
        given = read_parallel(args.source, args.reference) if args.source else None
        pairs = given or split_corpus(load_data_config(folder), args.split)
        for search in searches or [{}]:
            rows.append(row(name, folder, pairs, search))
            *counts, bleu, chrf = list(rows[-1].values())
            print(f"| {' | '.join(map(str, counts))} | {bleu:.1f} | {chrf:.1f} |", flush=True)
    if args.json:
        write_text(args.json, json.dumps(rows, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
