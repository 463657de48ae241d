"""What programs share that train variants of one config, each with several seeds: command line, measuring, table."""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from keras_attn import config as configs
from keras_attn.alignment.align import align
from keras_attn.alignment.word_alignment import alignment_error_rate
from keras_attn.corpora import phrasebook
from keras_attn.data.splits import split_corpus
from keras_attn.evaluation.evaluate import evaluate, tokenized_references
from keras_attn.inference.translator import Translator
from keras_attn.training.fit import train

COLUMNS = {  # of the table: its heading, a value of a row, and how it is written
    "parameters": ("parameters", ",.0f"),
    "training, s": ("training_seconds", ".0f"),
    "greedy": ("greedy", ".1f"),
    "beam": ("beam", ".1f"),
    "greedy, as papers score": ("greedy_tokenized", ".1f"),
    "beam, as papers score": ("beam_tokenized", ".1f"),
    "AER": ("aer", ".3f"),
    "AER, step after": ("aer_next", ".3f"),
}
ALIGNED = 500  # phrasebook sentences with gold links


def command_line(doc: str) -> argparse.ArgumentParser:
    """CONFIG FOLDER [--set ...], of every program that trains variants of one config."""
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("config")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    return parser


def command_line_with_seeds(doc: str) -> argparse.ArgumentParser:
    """The same and `--seeds`, of those that train each variant more than once."""
    parser = command_line(doc)
    parser.add_argument("--seeds", type=int, default=3, help="how many training runs of each")
    return parser


def measure_seeds(
    path: str, settings: Sequence[str], folder: Path, seeds: int, split: str = "test"
) -> list[dict]:
    """`measure` of the config at `path` with these settings, once for each seed from 1 on."""
    return [
        measure(configs.load(path, [*settings, f"training.seed={seed}"]), folder / f"seed-{seed}", split)
        for seed in range(1, seeds + 1)
    ]


def measure(config: configs.Config, folder: Path, split: str = "test") -> dict:
    """Trains and evaluates one model, or reads what an earlier call found."""
    result = folder / f"{split}.json"
    if result.exists():
        return json.loads(result.read_text())
    metrics = train(config, folder)
    translator = Translator.load(folder)
    pairs = split_corpus(config.data, split)
    tokenized = tokenized_references(config.data, split)
    greedy, beam = evaluate(translator, pairs.source, pairs.target, tokenized_references=tokenized)
    row = {
        "parameters": metrics["parameters"],
        "training_seconds": metrics["training_seconds"],
        "greedy": greedy.scores.bleu,
        "beam": beam.scores.bleu,
        "signature": beam.scores.bleu_signature,
        "greedy_tokenized": tokenized and greedy.tokenized.bleu,
        "beam_tokenized": tokenized and beam.tokenized.bleu,
        "signature_tokenized": tokenized and beam.tokenized.bleu_signature,
        **error_rates(translator, config.data.corpus),
    }
    result.write_text(json.dumps(row, indent=2))
    return row


def error_rates(translator: Translator, corpus: str) -> dict[str, float | None]:
    if corpus != "phrasebook" or not translator.model.has_attention:
        return {"aer": None, "aer_next": None}
    pairs = phrasebook.generate(ALIGNED, split="test")
    gold = [set(pair.alignment) for pair in pairs]
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    rates = [
        alignment_error_rate(align(translator, sources, targets, next_step=later), gold)
        for later in (False, True)
    ]
    return dict(zip(("aer", "aer_next"), rates, strict=True))


def table(rows: dict[str, list[dict]], first: str) -> str:
    """A line for each name, and in it the means of all seeds; a column without any value is left out. Then the signatures."""
    columns = {
        heading: [spread([one[key] for one in seeds], how) for seeds in rows.values()]
        for heading, (key, how) in COLUMNS.items()
    }
    columns = {heading: cells for heading, cells in columns.items() if any(cells)}
    lines = [[first, *columns], ["---"] * (len(columns) + 1), *zip(rows, *columns.values(), strict=True)]
    one = next(iter(rows.values()))[0]
    signatures = [one[key] for key in ("signature", "signature_tokenized") if one[key]]
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", *signatures, ""])


def spread(values: Sequence[float | None], how: str) -> str:
    """The mean and, where they differ, the smallest and the largest value: `25.0 (24.6-25.3)`."""
    if None in values:
        return ""
    mean, low, high = (format(each, how) for each in (fmean(values), min(values), max(values)))
    return mean if low == high else f"{mean} ({low}-{high})"
