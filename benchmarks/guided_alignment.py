"""The attention guided by the phrasebook's gold links, with several weights: what becomes of the alignments and of BLEU.

    python benchmarks/guided_alignment.py configs/phrasebook.toml runs/guided --set training.epochs=3

One training for each weight of `training.guided_alignment`, 0 being the training without links, into a folder of its own; what is
trained already is not trained again. Prints a table of test BLEU and of the alignment error rate on test sentences.
"""

from presets import command_line, measure

from keras_attn import config as configs

WEIGHTS = (0.0, 0.1, 0.5, 1.0)
HEADER = ["guided_alignment", "training, s", "greedy", "beam", "AER", "AER, step after"]


def main() -> None:
    args = command_line(__doc__).parse_args()
    lines = [HEADER, ["---"] * len(HEADER)]
    for weight in WEIGHTS:
        config = configs.load(args.config, [*args.set, f"training.guided_alignment={weight}"])
        row = measure(config, args.folder / f"{weight:g}")
        scores = [f"{row[key]:.1f}" for key in ("greedy", "beam")]
        rates = [f"{row[key]:.3f}" for key in ("aer", "aer_next")]
        lines.append([f"{weight:g}", f"{row['training_seconds']:.0f}", *scores, *rates])
    print("\n".join(f"| {' | '.join(line)} |" for line in lines))
    print(row["signature"])


if __name__ == "__main__":
    main()
