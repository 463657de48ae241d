"""Seconds of each epoch of the phrasebook: on JAX with nothing compiled before, on JAX once more, and on TensorFlow.

    python benchmarks/jax_first_epoch.py --json benchmarks/log/jax_first_epoch.json

Three training runs of three epochs, one after the other, each in a process of its own; the two on JAX share a compilation cache.
Prints a Markdown table. The machine should be quiet.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from keras_attn.files import write_text

CONFIG = Path(__file__).resolve().parents[1] / "configs" / "phrasebook.toml"
EPOCHS = 3


def trained(folder: Path, backend: str, cache: Path) -> list[dict[str, float]]:
    """The epochs of a training: seconds, without the development set's, and target tokens/s."""
    command = [sys.executable, "-m", "keras_attn", "train", CONFIG, folder]
    command += ["--set", f"training.epochs={EPOCHS}"]
    settings = {
        "KERAS_BACKEND": backend,
        "JAX_COMPILATION_CACHE_DIR": str(cache),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.5",
    }
    subprocess.run(command, env={**os.environ, **settings}, check=True)
    with (folder / "log.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [
        {"seconds": float(row["seconds"]), "tokens_per_second": float(row["tokens"]) / float(row["seconds"])}
        for row in rows
    ]


def table(measured: dict[str, list[dict[str, float]]]) -> str:
    """Markdown."""
    lines = ["| seconds, target tokens/s | first epoch | second | third |", "|---|---|---|---|"]
    for name, epochs in measured.items():
        cells = [f"{each['seconds']:.0f} s, {each['tokens_per_second']:,.0f}" for each in epochs]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, help="where the seconds go")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        runs = {"JAX, nothing compiled before": "jax", "JAX, once more": "jax", "TensorFlow": "tensorflow"}
        measured = {
            name: trained(Path(scratch, str(number)), backend, Path(scratch, "compiled"))
            for number, (name, backend) in enumerate(runs.items())
        }
    print(table(measured))
    if args.json:
        write_text(args.json, json.dumps(measured, indent=2) + "\n")


if __name__ == "__main__":
    main()
