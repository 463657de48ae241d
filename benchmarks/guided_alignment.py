"""The attention guided by word links, with several weights: what becomes of BLEU and, on the phrasebook, of the alignments.

    python benchmarks/guided_alignment.py configs/phrasebook.toml runs/guided --set training.epochs=3

Trainings with three seeds for each weight of `training.guided_alignment`, 0 being without links, each into a folder of its own;
what is trained already is not trained again. Prints mean and range of test BLEU and, on the phrasebook, whose gold links guide it,
of the alignment error rate on test sentences. Other corpora have no links: name files in `data.train`, `data.dev`, `data.test`, and
of links in `data.links`.
"""

from shared.variants import command_line_with_seeds, measure_seeds, table

WEIGHTS = (0.0, 0.1, 0.5, 1.0)


def main() -> None:
    args = command_line_with_seeds(__doc__).parse_args()
    rows = {}
    for weight in WEIGHTS:
        settings = [*args.set, f"training.guided_alignment={weight}"]
        rows[f"{weight:g}"] = measure_seeds(args.config, settings, args.folder / f"{weight:g}", args.seeds)
    print(table(rows, "guided_alignment"))


if __name__ == "__main__":
    main()
