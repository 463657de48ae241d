"""Measures one `.tflite` by the Python client: time to load, peak memory and milliseconds per sentence.

    python benchmarks/litert_speed.py phone/model.tflite test.en --threads 1

Needs what `export/python` needs, and not keras_attn, on Linux. Prints JSON: `load` and `median` in ms, a load with a first
translation; `memory`, the most MB that loading and translating add; `texts`, the translations. Let the machine be quiet.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "export" / "python"))

from litert_translator import Translator

WARM = 20  # sentences before those that count


def measure(model: str, lines: list[str], threads: int) -> dict:
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    before, start = memory("VmRSS"), time.perf_counter()
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
    peak = memory("VmHWM")
    return {
        "load": 1e3 * load,
        "memory": peak - before,
        "median": 1e3 * statistics.median(seconds),
        "texts": texts,
    }


def memory(name: str) -> float:
    """MB of memory this process holds (VmRSS), or held at most (VmHWM)."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines[name].split()[0]) * 1024 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", help="a .tflite that `keras-attn export` wrote")
    parser.add_argument("source", type=Path, help="a text file, one sentence per line")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    lines = args.source.read_text(encoding="utf-8").splitlines()
    print(json.dumps(measure(args.model, lines, args.threads), ensure_ascii=False))


if __name__ == "__main__":
    main()
