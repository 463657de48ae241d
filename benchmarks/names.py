"""Names from Latin letters to Katakana and to Arabic, beside Phonetisaurus 0.3, a weighted transducer, on the same split.

    python -m pip install phonetisaurus==0.3.0
    python benchmarks/names.py configs/names.toml runs/names
    python benchmarks/names.py configs/names.toml runs/names --phonetisaurus /another/environment/bin/phonetisaurus

Reads `transliteration/` in the folder that KERAS_ATTN_DATA names (Merhav and Ash 2018; the repository
steveash/NETransliteration-COLING2018 on GitHub, `data/`): 64 % of the names to train on, 16 % to develop, 20 % to test. The
first 2,000 names of the development set choose the model; exact match of the best hypothesis is of all of it, and of the test
set. What is trained already is not trained again. Results go to FOLDER/names.json, or `--json`.
"""

import argparse
import gzip
import json
import os
from pathlib import Path

from shared import phonetisaurus
from shared.recipes import letters, scores, train_seed

from keras_attn import config as configs
from keras_attn.data.splits import Splits
from keras_attn.files import write_text
from keras_attn.text.corpus import Corpus

FILES = {"train": 64, "dev": 16, "test": 20}
CHOOSING = 2000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("config")
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--scripts", nargs="+", choices=("katakana", "arabic"), default=["katakana", "arabic"]
    )
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    parser.add_argument("--phonetisaurus", default="phonetisaurus", help="its command; empty: leave it out")
    parser.add_argument("--json", type=Path, help="where the results go. [default: FOLDER/names.json]")
    args = parser.parse_args()
    config = configs.load(args.config, args.set)
    result = args.json or args.folder / "names.json"
    found = json.loads(result.read_text()) if result.exists() else {}
    for script in args.scripts:
        pairs = {split: names(script, share) for split, share in FILES.items()}
        dev = pairs["dev"]
        chosen_by = Splits(pairs["train"], Corpus(dev.source[:CHOOSING], dev.target[:CHOOSING]))
        place, told = {split: pairs[split] for split in ("dev", "test")}, found.setdefault(script, {})
        for seed in range(1, args.seeds + 1):
            model = train_seed(config, chosen_by, args.folder / script, seed)
            told[f"seed {seed}"] = scores([model], place, model / "scores.json")
        if args.phonetisaurus:
            told["phonetisaurus"] = phonetisaurus.scores(
                args.phonetisaurus, pairs["train"], place, args.folder / script
            )
        write_text(result, json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    print(table(found))


def names(script: str, share: int) -> Corpus:
    """Names as letters separated by spaces, in Latin and in the other script."""
    path = Path(os.environ.get("KERAS_ATTN_DATA", ""), "transliteration", f"wd_{script}_{share}.gz")
    if not path.exists():
        raise SystemExit(f"no file {path}: set KERAS_ATTN_DATA to where transliteration/ lies")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    return Corpus([letters(row[0]) for row in rows], [row[1] for row in rows])


def table(found: dict[str, dict]) -> str:
    """Markdown: exact match on dev and test of every model."""
    lines = ["| exact match, % | model | dev | test |", "|---|---|---|---|"]
    for script, models in found.items():
        for model, splits in models.items():
            lines.append(
                f"| {script} | {model} | {splits['dev']['exact']:.1f} | {splits['test']['exact']:.1f} |"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
