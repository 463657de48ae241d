"""Measures the `.tflite` files of one model: size, BLEU, load time, memory and milliseconds per sentence.

    python benchmarks/litert.py MODEL test.en test.de

Every file is measured by `litert_speed.py` in a process of its own: greedy search and beam 4, sources padded to 64 and to 48 or of
any length, up to 48 and up to the model's limit, both precisions, on one thread and on two. Prints a Markdown table. Let the
machine be quiet.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

MEASURE = Path(__file__).with_name("litert_speed.py")
PRECISIONS = ("float32", "int8")
KINDS = {
    "greedy, 64": {},
    "greedy, 48": {"source_length": 48},
    "greedy, any up to 48": {"source_length": 48, "padded": False},
    "greedy, any length": {"source_length": None, "padded": False},
    "beam 4, 64": {"beam_size": 4},
}
COLUMNS = (
    "precision | search, length | MB | bytes per parameter | BLEU | load, ms | peak memory, MB | "
    "ms, 1 thread | 2 threads"
)


def measured(model: Path, source: str, threads: int) -> dict:
    command = [sys.executable, MEASURE, model, source, "--threads", str(threads)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", help="a model folder")
    parser.add_argument("source", help="a text file, one sentence per line")
    parser.add_argument("reference", help="its translations")
    args = parser.parse_args()
    # Here, because TensorFlow looks for a module named `litert` when a program beside this one imports it.
    from keras_attn.evaluation.scores import corpus_scores
    from keras_attn.export.litert import export_litert
    from keras_attn.storage.model_folder import load_model

    trained = load_model(args.model)
    references = Path(args.reference).read_text(encoding="utf-8").splitlines()
    print(f"| {COLUMNS} |\n{'|---' * 9}|")
    with tempfile.TemporaryDirectory() as folder:
        export = Path(folder, "export")
        for precision in PRECISIONS:
            for kind, options in KINDS.items():
                export_litert(trained, export, precision=precision, **options)
                about = json.loads((export / "model.json").read_text())
                one, two = (measured(export / "model.tflite", args.source, threads) for threads in (1, 2))
                scores = corpus_scores(one["texts"], references)
                size = f"{about['bytes'] / 1e6:.2f} | {about['bytes_per_parameter']:.3f} | {scores.bleu:.2f}"
                cost = f"{one['load']:.0f} | {one['memory']:.0f} | {one['median']:.2f} | {two['median']:.2f}"
                print(f"| {precision} | {kind} | {size} | {cost} |", flush=True)
    print(f"\n{len(references)} sentences, BLEU {scores.bleu_signature}")


if __name__ == "__main__":
    main()
