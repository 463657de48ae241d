"""Translates text with a `.tflite` that `keras-attn export --format litert --text` wrote. No keras_attn:

    pip install ai-edge-litert numpy tensorflow-text
    python text_translator.py model.tflite < in.txt > out.txt

The file cuts text and puts it together itself, with the operators of tensorflow-text.
"""

import argparse
import hashlib
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from ai_edge_litert.interpreter import InterpreterWithCustomOps
from tensorflow_text import tflite_registrar


def load(path: str) -> Callable[[bytes], dict[str, Any]]:
    """From UTF-8 to `translation`, UTF-8; `score`, a float; `truncated`, 1 if the text was longer than the file takes.

    Raises:
        ValueError, OSError: the file is missing, damaged, or takes no text.
    """
    check_sum(path)
    interpreter = InterpreterWithCustomOps(tflite_registrar.SELECT_TFTEXT_OPS, model_path=path)
    run = interpreter.get_signature_runner("translate_text")
    return lambda text: {name: value[0] for name, value in run(text=np.array([text], object)).items()}


def check_sum(path: str) -> None:
    """Compares a file with its line in the `SHA256SUMS` beside it; warns where there is none.

    Raises:
        ValueError: they differ.
    """
    folder, name = os.path.split(path)
    try:
        with open(os.path.join(folder, "SHA256SUMS"), encoding="utf-8", errors="replace") as sums:
            lines = sums.read(1 << 16).splitlines()
    except FileNotFoundError:
        lines = []
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    expected = next((line[:64] for line in lines if line[66:] == name), None)
    if expected is None:
        print(f"Warning: {name!r} has no SHA-256 beside it, so damage may go unnoticed", file=sys.stderr)
    elif found != expected:
        raise ValueError(f"{path!r} is damaged or was changed: its SHA-256 is another. Get it again")


def main() -> None:
    parser = argparse.ArgumentParser(description="Translates the lines of standard input.")
    parser.add_argument("model", help="a .tflite that `keras-attn export --format litert --text` wrote")
    arguments = parser.parse_args()
    if sys.stdin is None:  # closed: there is nothing to translate
        return
    try:
        translate = load(arguments.model)
        for line in sys.stdin.buffer:
            sys.stdout.buffer.write(translate(line.removesuffix(b"\n"))["translation"] + b"\n")
            sys.stdout.buffer.flush()
    # Nobody reads the answers any more; Python itself would complain of it while it ends.
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, RuntimeError) as error:  # the last of a stranger's graphs
        print(f"Error: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
