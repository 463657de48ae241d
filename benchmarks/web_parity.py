"""Compares the web page in Chromium with the Python client, on sentences and on what nobody should type.

    python benchmarks/web_parity.py EXPORT SENTENCES --hostile 10000

EXPORT is a folder of `keras-attn export --format litert` (greedy search, a fixed source length), SENTENCES a text file. Needs node,
Chromium and `make web-packages`, beside what `export/python` needs. It prints what came of it and exits with 1 if a sentence has
other ids than in Python, if hostile text gets no answer or a malformed one, if it took longer than 2 s, or if memory grew.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from hostile_saved_model import GROWTH, SECONDS, inputs

from keras_attn.export.runner import LiteRTTranslator

ANSWERS = Path(__file__).with_name("web_answers.mjs")


def answers(export: str, lines: list[str]) -> tuple[list[dict], list[float]]:
    """The page's answers to lines, and its memory in MB as they went."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "lines.json")
        file.write_text(json.dumps(lines))
        told = subprocess.run(["node", ANSWERS, export, file], stdout=subprocess.PIPE, text=True, check=True)
    found = [json.loads(line) for line in told.stdout.splitlines()]
    return [each for each in found if "rss" not in each], [each["rss"] for each in found if "rss" in each]


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
    client = LiteRTTranslator(args.export)
    sentences = Path(args.sentences).read_text(encoding="utf-8").splitlines()
    hostile = inputs(args.hostile)
    texts = [
        text.decode("utf-8", "surrogatepass" if kind == "surrogates" else "replace") for kind, text in hostile
    ]
    lines = [*sentences, *texts, sentences[0]]  # and once more an ordinary one, after all that
    found, memory = answers(args.export, lines)
    same = [
        answer.get("ids") == client.translate_ids(ids)[0]
        for answer, ids in zip(found, client.encode(lines), strict=True)
    ]
    ordinary = same[: len(sentences)]
    print(f"sentences: the ids of Python for {sum(ordinary)} of {len(ordinary)}")
    failures = [f"{line!r}: other ids" for line, equal in zip(lines, ordinary, strict=False) if not equal]
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
        vocab_size = client.target_tokenizer.vocab_size
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
