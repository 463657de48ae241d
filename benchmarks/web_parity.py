"""Compares the web page in Chromium with the Python client, on sentences and on what nobody should type.

    python benchmarks/web_parity.py EXPORT SENTENCES --hostile 10000

EXPORT is a folder of `keras-attn export --format litert` (greedy search, a fixed source length), SENTENCES a text file. Needs node,
Chromium and `make web-packages`. It prints what came of it and exits with 1 if a sentence has other ids than in Python for which
rounding is no excuse (in int8 a rounding can be a whole step of a number's 256), if hostile text gets no answer or a malformed one,
if it took longer than 2 s, or if memory grew.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from shared.hostile_text import GROWTH, SECONDS, inputs

from keras_attn.export.description import MODEL, read_litert_description
from keras_attn.export.parity import TOLERANCE
from keras_attn.special_ids import BOS_ID

INT8_TOLERANCE = 0.1  # nats
ANSWERS = Path(__file__).with_name("web_answers.mjs")


def answers(export: str, lines: list[str]) -> tuple[list[dict], list[float]]:
    """The page's answers to lines, and its memory in MB as they went."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "lines.json")
        file.write_text(json.dumps(lines))
        told = subprocess.run(["node", ANSWERS, export, file], stdout=subprocess.PIPE, text=True, check=True)
    found = [json.loads(line) for line in told.stdout.splitlines()]
    return [each for each in found if "rss" not in each], [each["rss"] for each in found if "rss" in each]


class Client:
    """The file itself, in Python."""

    def __init__(self, export: str) -> None:
        self.description = read_litert_description(Path(export), "translate")
        self._interpreter = Interpreter(str(Path(export, MODEL)))
        names = self._interpreter.get_signature_list()
        self._run = {name: self._interpreter.get_signature_runner(name) for name in names}
        self._text = self.description["signatures"]["tokenize"]["inputs"]["text"]["shape"]

    def source(self, line: str) -> np.ndarray:
        """Source ids, as `translate` reads them."""
        given = np.full(self._text, -1, np.int32)
        utf8 = line.encode("utf-8", "replace")[: given.size]
        given[0, : len(utf8)] = list(utf8)
        return self._run["tokenize"](text=given)["ids"]

    def translate(self, source: np.ndarray) -> list[int]:
        """Target ids."""
        found = self._run["translate"](source=source)
        return found["ids"][0, : found["lengths"][0]].tolist()

    def gap(self, source: np.ndarray, one: list[int], other: list[int]) -> float:
        """Nats between the two words where two translations part."""
        state = self._run["encode"](source=source)
        read = self._run["step"].get_input_details()
        for before, a, b in zip([BOS_ID, *one], one, other, strict=False):
            given = {name: tensor for name, tensor in state.items() if name in read}
            found = self._run["step"](token=np.array([before], np.int32), **given)
            state.update(found)
            if a != b:
                return abs(float(found["log_probs"][0, a] - found["log_probs"][0, b]))
        return float("inf")  # one goes on where the other ends


def complaint(answer: dict, vocab_size: int) -> str | None:
    """What is wrong with an answer, if anything is; a clear error is an answer."""
    if "error" in answer:
        return None if answer["error"] else "an error without a message"
    if any(not 0 <= token < vocab_size for token in answer["ids"]):
        return "ids outside the vocabulary"
    if "\n" in answer["text"]:
        return "more than one line"
    seconds = answer["milliseconds"] / 1e3
    return f"{seconds:.1f} s" if seconds > SECONDS else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("export")
    parser.add_argument("sentences")
    parser.add_argument("--hostile", type=int, default=0)
    args = parser.parse_args()
    client = Client(args.export)
    sentences = Path(args.sentences).read_text(encoding="utf-8").splitlines()
    hostile = inputs(args.hostile)
    texts = [
        text.decode("utf-8", "surrogatepass" if kind == "surrogates" else "replace") for kind, text in hostile
    ]
    lines = [*sentences, *texts, sentences[0]]  # and once more an ordinary one, after all that
    found, memory = answers(args.export, lines)
    sources = [client.source(line) for line in lines]
    expected = [client.translate(source) for source in sources]
    same = [answer.get("ids") == ids for answer, ids in zip(found, expected, strict=True)]
    ordinary = same[: len(sentences)]
    print(f"sentences: the ids of Python for {sum(ordinary)} of {len(ordinary)}")
    bound = TOLERANCE if client.description["precision"] == "float32" else INT8_TOLERANCE
    gaps = {
        i: client.gap(sources[i], expected[i], found[i]["ids"])
        for i, equal in enumerate(ordinary)
        if not equal
    }
    if gaps:
        print(f"where they part, the two words are at most {max(gaps.values()):.2g} nats apart")
    failures = [f"{lines[i]!r}: other ids, {nats:.2g} nats apart" for i, nats in gaps.items() if nats > bound]
    if hostile:
        answered = found[len(sentences) : -1]
        seconds = max(
            (answer.get("milliseconds", 0) / 1e3, kind)
            for answer, (kind, _) in zip(answered, hostile, strict=True)
        )
        print(f"hostile: the ids of Python for {sum(same[len(sentences) : -1])} of {len(hostile)}")
        print(
            f"errors: {sum('error' in answer for answer in answered)}; slowest: {seconds[0]:.2f} s, {seconds[1]}"
        )
        settled = memory[(len(sentences) + len(hostile) // 5) // 100]
        print(
            f"memory: {memory[0]:.0f} MB at first, {settled:.0f} MB after a fifth, {memory[-1]:.0f} MB at the end"
        )
        vocab_size = client.description["vocab_sizes"]["target"]
        complaints = (
            (kind, complaint(answer, vocab_size)) for (kind, _), answer in zip(hostile, answered, strict=True)
        )
        failures += [f"{kind}: {what}" for kind, what in complaints if what]
        if memory[-1] - settled > GROWTH:
            failures.append(f"memory grew by {memory[-1] - settled:.0f} MB")
        if found[-1].get("ids") != found[0].get("ids"):
            failures.append("the first sentence has other ids afterwards")
    if failures:
        sys.exit("\n".join(failures[:20]))


if __name__ == "__main__":
    main()
