"""Measures the `.tflite` files of one model: size, BLEU, load time, memory and milliseconds a sentence.

    python benchmarks/litert.py MODEL test.en test.de

Every file is measured in a process of its own that has only the Python client: greedy search and beam 4, sources padded to 64 and
to 48 or of any length, up to 48 and up to the model's limit, the three precisions, on one thread and on two. Prints a Markdown
table. Let the machine be quiet.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLIENT = Path(__file__).parents[1] / "export" / "python"
PRECISIONS = ("float32", "float16", "int8")
KINDS = {
    "greedy, 64": {},
    "greedy, 48": {"source_length": 48},
    "greedy, any up to 48": {"source_length": 48, "padded": False},
    "greedy, any length": {"source_length": None, "padded": False},
    "beam 4, 64": {"beam_size": 4},
}
WARM = 20


def measure(model: str, source: str, threads: int) -> dict:
    """In a process of its own: memory is the most that loading and translating add, load ends with a first translation."""
    sys.path.insert(0, str(CLIENT))
    from litert_translator import Translator

    lines = Path(source).read_text(encoding="utf-8").splitlines()
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    before, start = _status("VmRSS"), time.perf_counter()
    translate = Translator(model, threads)
    translate(lines[0])
    load = time.perf_counter() - start
    for line in lines[:WARM]:
        translate(line)
    texts, seconds = [], []
    for line in lines:
        start = time.perf_counter()
        texts.append(translate(line).text)
        seconds.append(time.perf_counter() - start)
    memory = _status("VmHWM") - before
    return {"load": 1e3 * load, "memory": memory, "median": 1e3 * statistics.median(seconds), "texts": texts}


def _status(name: str) -> float:
    """MB of memory this process holds (VmRSS), or held at most (VmHWM)."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines[name].split()[0]) * 1024 / 1e6


def measured(model: Path, source: str, threads: int) -> dict:
    command = [sys.executable, __file__, "--measure", str(model), source, str(threads)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("model", help="a model folder")
    parser.add_argument("source", help="a text file, a sentence a line")
    parser.add_argument("reference", help="its translations")
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measure(args.model, args.source, int(args.reference))))
        return
    from keras_attn.evaluation.scores import corpus_scores
    from keras_attn.export.litert import export_litert
    from keras_attn.storage.model_folder import load_model

    trained = load_model(args.model)
    references = Path(args.reference).read_text(encoding="utf-8").splitlines()
    columns = "precision | search, length | MB | bytes a parameter | BLEU | load, ms | peak memory, MB | ms, 1 thread | 2 threads"
    print(f"| {columns} |\n{'|---' * 9}|")
    with tempfile.TemporaryDirectory() as folder:
        for precision in PRECISIONS:
            for kind, options in KINDS.items():
                export_litert(trained, Path(folder, "export"), precision, **options)
                about = json.loads(Path(folder, "export", "model.json").read_text())
                one, two = (measured(Path(folder, "export", "model.tflite"), args.source, n) for n in (1, 2))
                scores = corpus_scores(one["texts"], references)
                size = f"{about['bytes'] / 1e6:.2f} | {about['bytes_per_parameter']:.3f} | {scores.bleu:.2f}"
                cost = f"{one['load']:.0f} | {one['memory']:.0f} | {one['median']:.2f} | {two['median']:.2f}"
                print(f"| {precision} | {kind} | {size} | {cost} |", flush=True)
    print(f"\n{len(references)} sentences, BLEU {scores.bleu_signature}")


if __name__ == "__main__":
    main()
