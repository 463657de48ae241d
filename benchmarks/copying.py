"""What copying does for numbers and names, with the same config trained with and without it.

    python benchmarks/copying.py configs/tatoeba_en_es.toml runs/copying --seeds 1

Trainings of English to Spanish with `model.copy` false and true, each into a folder of its own; what is trained already is not
trained again. Prints test BLEU, and the share of the numbers, times, prices, dates and names of 500 generated sentences
(`shared/challenge.py`) that the model's own search translates right. `--models FOLDER ...` scores model folders and trains nothing.
"""

from pathlib import Path

from shared.challenge import KINDS, challenges, shares_right
from shared.variants import command_line_with_seeds, measure_seeds, spread, table

from keras_attn.inference.translator import Translator

COLUMNS = (*KINDS, "numbers")


def main() -> None:
    parser = command_line_with_seeds(__doc__)
    parser.add_argument("--models", nargs="+", type=Path, default=[], help="model folders to score instead")
    args = parser.parse_args()
    folders = {folder.name: [folder] for folder in args.models}
    if not folders:
        rows = {}
        for copy in ("false", "true"):
            settings = [*args.set, f"model.copy={copy}"]
            rows[copy] = measure_seeds(args.config, settings, args.folder / copy, args.seeds)
            folders[copy] = [args.folder / copy / f"seed-{seed}" for seed in range(1, args.seeds + 1)]
        print(table(rows, "copy"))
    print(f"| model | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 1)}")
    for name, trained in folders.items():
        shares = [_shares(folder) for folder in trained]
        cells = [spread([share[column] for share in shares], ".1f") for column in COLUMNS]
        print(f"| {name} | {' | '.join(cells)} |")


def _shares(folder: Path) -> dict[str, float]:
    given = challenges()
    return shares_right(given, Translator.load(folder)([one.sentence for one in given]))


if __name__ == "__main__":
    main()
