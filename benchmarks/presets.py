"""All presets of the literature on the same data and budget, side by side: a table and a plot.

    python benchmarks/presets.py configs/phrasebook.toml runs/presets
    python benchmarks/presets.py configs/multi30k_small.toml runs/presets-en-de

Each preset is trained from the given config (embeddings untied, because a plain readout cannot be) with three seeds, each into a
folder of its own; what is trained already is not trained again, so the command may be stopped and given once more, also with more
seeds. FOLDER/presets.md and presets.png hold means and ranges of the test BLEU of greedy and beam search, on Multi30k also as its
papers score, and on the phrasebook of the alignment error rate of the attention that each word was said with, and of the attention
of the step after it.
"""

from pathlib import Path
from statistics import fmean

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from shared.variants import command_line_with_seeds, measure_seeds, table

from keras_attn.config.presets import PRESETS


def plot(rows: dict[str, list[dict]], path: Path) -> None:
    figure = Figure(figsize=(8, 0.35 * len(rows) + 1), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    names = list(rows)[::-1]
    means = {key: [fmean(one[key] for one in rows[name]) for name in names] for key in ("greedy", "beam")}
    axes.barh(names, means["beam"], color="0.75", label="beam")
    axes.plot(means["greedy"], names, "k|", markersize=12, label="greedy")
    signature = next(iter(rows.values()))[0]["signature"]
    axes.set_xlabel(f"test BLEU  {signature}")
    figure.legend(loc="outside upper right", ncols=2)
    figure.savefig(path, dpi=120)


def main() -> None:
    args = command_line_with_seeds(__doc__).parse_args()
    rows = {}
    for name in PRESETS:
        settings = [f"model.preset={name}", "model.tied_embeddings=none", *args.set]
        print(f"\n{name}", flush=True)
        rows[name] = measure_seeds(args.config, settings, args.folder / name, args.seeds)
        (args.folder / "presets.md").write_text(table(rows, "preset"))
        plot(rows, args.folder / "presets.png")
    print(table(rows, "preset"))


if __name__ == "__main__":
    main()
