"""The attention guided by word links, with several weights: what becomes of BLEU and, on the phrasebook, of the alignments.

    python benchmarks/guided_alignment.py configs/phrasebook.toml runs/guided --set training.epochs=3

One training for each weight of `training.guided_alignment`, 0 being the training without links, into a folder of its own; what is
trained already is not trained again. Prints test BLEU and, on the phrasebook, whose gold links guide it, the alignment error rate
on test sentences. Other corpora have no links: name files in `data.train`, `data.dev`, `data.test`, and of links in `data.links`.
"""

from presets import command_line, measure, table

from keras_attn import config as configs

WEIGHTS = (0.0, 0.1, 0.5, 1.0)


def main() -> None:
    args = command_line(__doc__).parse_args()
    rows = {}
    for weight in WEIGHTS:
        config = configs.load(args.config, [*args.set, f"training.guided_alignment={weight}"])
        rows[f"{weight:g}"] = measure(config, args.folder / f"{weight:g}")
    print(table(rows, "guided_alignment"))
    print(rows["0"]["signature"])


if __name__ == "__main__":
    main()
