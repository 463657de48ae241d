"""What text costs in `.tflite` files: bytes, and the time that `translate_text` takes more than `translate`.

    python benchmarks/litert_text.py OLD.tflite NEW.tflite --json benchmarks/log/phone.json

Runs `tokenize`, `detokenize`, `translate` and `translate_text` of every file on one sentence of 60 bytes, in turn, on one thread,
and keeps the least of the processor's time for each, the calls from Python included. Prints a table. Let the machine be quiet.
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
    least = [dict.fromkeys(SIGNATURES, float("inf")) for _ in every]
    for _ in range(ROUNDS):
        for name in SIGNATURES:
            for signatures, times in zip(every, least, strict=True):
                start = time.thread_time()
                for _ in range(CALLS):
                    signatures[name]()
                times[name] = min(times[name], 1e3 * (time.thread_time() - start) / CALLS)
    rows = [{"bytes": Path(p).stat().st_size, **times} for p, times in zip(args.models, least, strict=True)]
    print(
        "| file | bytes | "
        + ", ms | ".join(SIGNATURES)
        + ", ms | more with text, ms |\n|---|---|---|---|---|---|---|"
    )
    for path, row in zip(args.models, rows, strict=True):
        more = row["translate_text"] - row["translate"]
        cells = [f"{row[name]:.3f}" for name in SIGNATURES]
        print(f"| {path} | {row['bytes']:,} | {' | '.join(cells)} | {more:.3f} |")
    if args.json:
        args.json.write_text(json.dumps(dict(zip(args.models, rows, strict=True)), indent=2) + "\n")


if __name__ == "__main__":
    main()
