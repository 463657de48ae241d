"""Translations that break off: of the test split, or of other files.

    python benchmarks/broken_off.py tatoeba-en-de tatoeba-de-en
    python benchmarks/broken_off.py tatoeba-de-en --source captions.de --reference captions.en

Takes model folders or names of packaged models. Counts, by each model's own search in its own engine, the translations without a
final mark whose reference has one, those of less than half the characters of their reference, and those of more than twice as many.
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
from keras_attn.text.corpus import read_parallel

MARKS = (".", "?", "!", "…", '"', "»", "“")


def row(name: str, source: Path | None, reference: Path | None) -> dict[str, float | int | str]:
    folder = packaged.folder(name) if name in packaged.names() else Path(name)
    pairs = read_parallel(source, reference) if source else split_corpus(load_data_config(folder), "test")
    references = list(pairs.target)
    said = BulkTranslator(folder).translate(list(pairs.source)).tolist()
    both = list(zip(said, references, strict=True))
    return {
        "model": name,
        "sentences": len(references),
        "no mark": sum(there.rstrip().endswith(MARKS) and not here.endswith(MARKS) for here, there in both),
        "short": sum(2 * len(here) < len(there) for here, there in both),
        "long": sum(len(here) > 2 * len(there) for here, there in both),
        "BLEU": corpus_scores(said, references).bleu,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+")
    parser.add_argument("--source", type=Path)
    parser.add_argument("--reference", type=Path)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    if bool(args.source) != bool(args.reference):
        parser.error("--source and --reference go together")
    rows = [row(name, args.source, args.reference) for name in args.models]
    print("| model | sentences | no final mark | less than half | more than twice | BLEU |")
    print("|---|---|---|---|---|---|")
    for each in rows:
        *counts, bleu = list(each.values())
        print(f"| {' | '.join(map(str, counts))} | {bleu:.1f} |")
    if args.json:
        write_text(args.json, json.dumps(rows, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
