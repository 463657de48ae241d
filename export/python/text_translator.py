"""Translates text with a `.tflite` that `keras-attn export --format litert --text` wrote. No keras_attn:

    pip install ai-edge-litert numpy tensorflow-text
    python text_translator.py model.tflite < in.txt > out.txt

The file cuts text and puts it together itself, with the operators of tensorflow-text.
"""

import argparse
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
        ValueError: the file is missing, or takes no text.
    """
    interpreter = InterpreterWithCustomOps(tflite_registrar.SELECT_TFTEXT_OPS, model_path=path)
    run = interpreter.get_signature_runner("translate_text")
    return lambda text: {name: value[0] for name, value in run(text=np.array([text], object)).items()}


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
    except (OSError, ValueError) as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
