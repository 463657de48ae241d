"""A process that trains, packs and exports a tiny model as often as it is asked to, and quickly: what only computes does so once.

Everything that reads or writes a file under test is as the package has it.
"""

import contextlib
import functools
import io
import itertools
import socket
import sys
import types
from pathlib import Path

from interception import ask_for_permission, serve

SYLLABLES = ("ba", "be", "bi", "bo", "bu", "da", "de", "di")
LINES = [f"{one} {other}" for one in SYLLABLES for other in SYLLABLES]


def train(config: str, folder: str) -> None:
    from keras_attn import config as configs
    from keras_attn.training import fit

    fit.train(configs.load(config), folder)


def save_checkpoint(folder: str, value: int) -> None:
    import keras
    import numpy as np

    from keras_attn.training.checkpoint import save_checkpoint

    save_checkpoint(
        Path(folder), _state(), [keras.Variable(np.full((2, 3), value, "float32"), name="kernel")]
    )


def export_saved_model(folder: str, output: str) -> None:
    from keras_attn.export import saved_model

    saved_model.export_saved_model(_loaded(folder), output, beam_size=1, sources=LINES)


def export_litert(folder: str, output: str) -> None:
    from keras_attn.export import litert

    litert.export_litert(_loaded(folder), output, source_length=8, max_length=8, sources=LINES)


def pack(folder: str, output: str) -> None:
    from keras_attn.cli.pack import pack

    pack.callback(folder, output)


def read(folder: str) -> str:
    """The weights and the metrics of the model in a folder: those of one model, or the folder is broken."""
    import hashlib

    from keras_attn.storage.model_folder import load_metrics, load_model

    weights = b"".join(each.tobytes() for each in load_model(folder).model.get_weights())
    return f"{load_metrics(folder)['best_step']} {hashlib.sha256(weights).hexdigest()}"


def told(action):
    """The action; it answers with what a user would be told about what went wrong."""

    def run(*arguments: str) -> str | None:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            try:
                return action(*arguments)
            except (OSError, ValueError) as error:  # what the command prints in one line
                return f"{type(error).__name__}: {error}"

    return run


@functools.cache
def _state():
    from keras_attn.config import Config
    from keras_attn.text.tokenizer import train_tokenizer
    from keras_attn.training.checkpoint import TrainingState

    tokenizer = train_tokenizer(["a b", "b a"], 10)
    return TrainingState(Config(), "digest", tokenizer, tokenizer)


@functools.cache
def _loaded(folder: str):
    from keras_attn.inference.translator import Translator

    return Translator.load(folder)


def compute_once() -> None:
    """Replaces what builds, traces, converts and measures by the same with a memory."""
    from keras_attn.data.pipeline import TrainingBatches
    from keras_attn.export import engine, litert, saved_model
    from keras_attn.models import build
    from keras_attn.training import callbacks, fit

    fit._build = _with_first_values(fit._build)
    fit.training_batches = _once(fit.training_batches)
    TrainingBatches.stream = functools.cache(TrainingBatches.stream)
    fit.Translator = types.SimpleNamespace(from_trained=_once(fit.Translator.from_trained))
    callbacks.time = types.SimpleNamespace(monotonic=itertools.count().__next__)  # rounds of the same seconds
    build.build_seq2seq = _once(build.build_seq2seq)  # for whom it is imported late: `load_model`
    saved_model.ServingSignatures.functions = _once(saved_model.ServingSignatures.functions)
    saved_model.ServingSignatures = _once(saved_model.ServingSignatures)
    saved_model.check_saved_model = _once(saved_model.check_saved_model)
    litert._signatures = _once(litert._signatures)
    litert.convert = _once(litert.convert)
    litert.check_litert = _once(litert.check_litert)
    engine._engines = _once(engine._engines)


def _with_first_values(build):
    """The same compiled model again, with the values it had when it was new."""
    first = []

    def built(*arguments):
        if not first:
            trained, fitted = build(*arguments)
            variables = [*fitted.variables, *fitted.optimizer.variables]
            first.append((trained, fitted, [(variable, variable.numpy()) for variable in variables]))
        trained, fitted, values = first[0]
        for variable, value in values:
            variable.assign(value)
        return trained, fitted

    return built


def _once(function):
    results = []

    @functools.wraps(function)
    def once(*arguments, **options):
        if not results:
            results.append(function(*arguments, **options))
        return results[0]

    return once


if __name__ == "__main__":
    channel = socket.socket(fileno=int(sys.argv[1]))
    ask_for_permission(channel)
    compute_once()
    actions = (train, save_checkpoint, pack, export_saved_model, export_litert, read)
    serve(channel, {action.__name__: told(action) for action in actions})
