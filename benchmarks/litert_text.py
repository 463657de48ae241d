"""What text costs in `.tflite` files: bytes, and the time that `translate_text` takes more than `translate`.

    python benchmarks/litert_text.py OLD.tflite NEW.tflite --json benchmarks/log/phone.json

Runs `tokenize`, `detokenize`, `translate` and `translate_text` of every file on one sentence of 60 bytes, in turn, on one thread,
and keeps the least of the processor's time for each, the calls from Python included; the first two again right after a translation,
whose weights have pushed their tables out of the cache. Prints a table. Let the machine be quiet.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter

SENTENCE = b"Where is the station, please? I have to go to the bank today"
SIGNATURES = ("tokenize", "detokenize", "translate", "translate_text")
AFTERWARDS = ("tokenize", "detokenize")  # of which the whole has one more each
ROUNDS, CALLS = 20, 5


def calls(path: str) -> dict[str, Callable[[], object]]:
    """Each signature on what the sentence is there."""
    interpreter = Interpreter(path, num_threads=1)
    run = {name: interpreter.get_signature_runner(name) for name in SIGNATURES}
    text = np.full(run["tokenize"].get_input_details()["text"]["shape"], -1, np.int32)
    text[0, : len(SENTENCE)] = list(SENTENCE)
    source = run["tokenize"](text=text)["ids"]
    ids = run["translate"](source=source)["ids"][:1]
    return {
        "tokenize": lambda: run["tokenize"](text=text),
        "detokenize": lambda: run["detokenize"](ids=ids),
        "translate": lambda: run["translate"](source=source),
        "translate_text": lambda: run["translate_text"](text=text),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    every = [calls(path) for path in args.models]
    least: list[dict[str, float]] = [{} for _ in every]

    def keep(times: dict[str, float], name: str, start: float, count: int) -> None:
        times[name] = min(times.get(name, float("inf")), 1e3 * (time.thread_time() - start) / count)

    for _ in range(ROUNDS):
        for signatures, times in zip(every, least, strict=True):
            for name in SIGNATURES:
                start = time.thread_time()
                for _ in range(CALLS):
                    signatures[name]()
                keep(times, name, start, CALLS)
            for name in AFTERWARDS:
                signatures["translate"]()
                start = time.thread_time()
                signatures[name]()
                keep(times, f"{name} after translating", start, 1)
    names = [*SIGNATURES, *(f"{name} after translating" for name in AFTERWARDS), "more with text"]
    print(f"| file | bytes | {', ms | '.join(names)}, ms |\n" + "|---" * (len(names) + 2) + "|")
    for path, times in zip(args.models, least, strict=True):
        times["more with text"] = times["translate_text"] - times["translate"]
        cells = " | ".join(f"{times[name]:.3f}" for name in names)
        times["bytes"] = Path(path).stat().st_size
        print(f"| {path} | {times['bytes']:,} | {cells} |")
    if args.json:
        args.json.write_text(json.dumps(dict(zip(args.models, least, strict=True)), indent=2) + "\n")


if __name__ == "__main__":
    main()
