"""Means that are said to help on little data, one at a time: development BLEU of a recipe and of the recipe with one change.

    python benchmarks/ablation.py configs/multi30k_hybrid.toml runs/ablation --set training.epochs=8

Trainings with three seeds of each, every one into a folder of its own; what is trained already is not trained again, so the command
may be stopped and given once more, also with more seeds. `--rows "one head" "no dropout"` asks for these two. FOLDER/ablation.md
has mean and range of BLEU on the development set, greedy and beam search: choices are made there, not on a test set.
"""

from shared.variants import command_line_with_seeds, measure_seeds, table

CHANGES = {
    "the recipe": (),
    "no dropout": (
        "model.embedding_dropout=0",
        "model.layer_dropout=0",
        "model.readout_dropout=0",
    ),
    "R-Drop 5, each pair twice": ("training.r_drop=5",),
    "dropout 0.3, 0.5, 0.5 (Caglayan et al. 2017)": (
        "model.memory_dropout=0.5",
        "model.readout_dropout=0.5",
    ),
    "bidirectional GRU for encoder": (
        "model.encoder=bidirectional",
        "model.encoder_units=128",
        "model.encoder_layers=1",
        "model.memory_dropout=0.3",
    ),
    "one transition, query s_{t-1}": ("model.query_state=previous",),
    "query s_t, input feeding": (
        "model.query_state=current",
        "model.readout=attentional",
        "model.feed=attentional",
    ),
    "one head": ("model.attention_heads=1",),
    "one head, with coverage": ("model.attention_heads=1", "model.attention=coverage"),
    "two decoder layers": ("model.decoder_layers=2", "model.residual=true"),
    "layer-normalised GRU": ("model.cell=layer_norm_gru",),
    "embeddings not tied": ("model.tied_embeddings=none",),
    "vocabulary of 2,000": ("tokenizer.vocab_size=2000",),
    "vocabulary of 8,000": ("tokenizer.vocab_size=8000",),
    "subword sampling 0.3": ("training.subword_sampling=0.3",),
    "variational dropout": ("model.variational_dropout=true",),
    "word dropout 0.1": ("model.word_dropout=0.1",),
    "attention dropout 0.1": ("model.attention_dropout=0.1",),
    "no label smoothing": ("training.label_smoothing=0",),
    "no moving average": ("training.ema_decay=0",),
    "batches of 32": ("training.batch_size=32",),
    "learning rate 0.001": ("training.learning_rate=0.001",),
    "vocabulary of 12,000": ("tokenizer.vocab_size=12000",),
    "scheduled sampling 0.25 (Bengio et al. 2015)": ("training.scheduled_sampling=0.25",),
}


def main() -> None:
    parser = command_line_with_seeds(__doc__)
    parser.add_argument("--rows", nargs="+", choices=CHANGES, default=list(CHANGES), metavar="NAME")
    args = parser.parse_args()
    rows = {}
    for number, (name, changes) in enumerate(CHANGES.items()):
        if name in args.rows:
            print(f"\n{name}", flush=True)
            folder = args.folder / f"{number:02}"
            rows[name] = measure_seeds(args.config, [*args.set, *changes], folder, args.seeds, split="dev")
            (args.folder / "ablation.md").write_text(table(rows, "change"))
    print(table(rows, "change"))


if __name__ == "__main__":
    main()
