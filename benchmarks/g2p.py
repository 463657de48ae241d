"""Grapheme to phoneme in the ten languages of SIGMORPHON 2021 (Ashby et al. 2021), one config for all, official splits.

    python benchmarks/g2p.py configs/g2p.toml runs/g2p                      # medium, one model per language
    python benchmarks/g2p.py configs/g2p.toml runs/g2p --seeds 5            # and ensembles of five
    python benchmarks/g2p.py configs/g2p_low.toml runs/g2p --setting low --seeds 5 --together

Reads `g2p/sigmorphon2021/` in the folder that KERAS_ATTN_DATA names (the repository sigmorphon/2021-task1 on GitHub, `data/`).
Models that are already trained are not trained again, and a stopped training run is resumed. All languages are trained with the
first seed before any is with the second. After each run the results so far are written to FOLDER/SETTING.json, or `--json`.

With `--together`, one model reads all languages: the code of its language stands before the letters of a word, as one symbol more.

A word is given as its letters, decomposed (NFD: Hangul as jamo, tones separate from vowels) and separated by spaces. WER is the
task's: the share of words with a pronunciation other than the reference, in per cent.
"""

import argparse
import json
import os
from pathlib import Path
from statistics import fmean

from shared.recipes import letters, scores, train_seed

from keras_attn import config as configs
from keras_attn.data.splits import Splits
from keras_attn.files import write_text
from keras_attn.text.corpus import Corpus, read_pairs
from keras_attn.training.distillation import together


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("config")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--setting", choices=("low", "medium", "high"), default="medium")
    parser.add_argument("--languages", nargs="+", help="codes as in the file names. [default: all]")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument(
        "--together", action="store_true", help="one model for all languages, not one for each"
    )
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    parser.add_argument("--json", type=Path, help="where the results go. [default: FOLDER/SETTING.json]")
    args = parser.parse_args()
    config = configs.load(args.config, args.set)
    home = data_folder(args.setting)
    folder = args.folder / args.setting
    result = args.json or args.folder / f"{args.setting}.json"
    languages = args.languages or sorted(
        path.name.removesuffix("_train.tsv") for path in home.glob("*_train.tsv")
    )
    groups = {"together": languages} if args.together else {language: [language] for language in languages}
    found: dict[str, dict] = {language: {} for language in languages}
    for seed in range(1, args.seeds + 1):
        for group, members in groups.items():
            corpora = {
                (language, split): words(
                    home / f"{language}_{split}.tsv", tag=language if args.together else None
                )
                for language in members
                for split in ("train", "dev", "test")
            }
            train, dev = (
                together(corpora[language, split] for language in members) for split in ("train", "dev")
            )
            place = folder / group
            models = [train_seed(config, Splits(train, dev), place, one) for one in range(1, seed + 1)]
            for language in members:
                splits = {split: corpora[language, split] for split in ("dev", "test")}
                alone = models[-1] / f"scores-{language}.json"
                found[language][f"seed {seed}"] = scores(models[-1:], splits, alone)
                if seed == args.seeds > 1:
                    ensemble = scores(models, splits, place / f"ensemble-{seed}-{language}.json")
                    found[language][f"ensemble of {seed}"] = ensemble
            write_text(result, json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    print(table(found))


def data_folder(setting: str) -> Path:
    """The official files of a setting."""
    home = Path(os.environ.get("KERAS_ATTN_DATA", ""), "g2p", "sigmorphon2021", setting)
    if not home.is_dir():
        raise SystemExit(f"no folder {home}: set KERAS_ATTN_DATA to where g2p/sigmorphon2021/ lies")
    return home


def words(path: Path, tag: str | None = None) -> Corpus:
    """Letters, after the tag if there is one, and phonemes of the words of an official file."""
    pairs = read_pairs([path])
    before = f"{tag} " if tag else ""
    return Corpus([before + letters(word) for word in pairs.source], pairs.target)


def table(found: dict[str, dict]) -> str:
    """Markdown: of each language WER on dev and test by every model, and their mean over the languages."""
    models = list(next(iter(found.values())))
    columns = [(model, split) for model in models for split in ("dev", "test")]
    rows = {
        language: [100 - found[language][model][split]["exact"] for model, split in columns]
        for language in found
    }
    rows["mean"] = [fmean(column) for column in zip(*rows.values(), strict=True)]
    lines = [["WER, %", *(f"{model}, {split}" for model, split in columns)], ["---"] * (len(columns) + 1)]
    lines += [[language, *(f"{value:.1f}" for value in values)] for language, values in rows.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main()
