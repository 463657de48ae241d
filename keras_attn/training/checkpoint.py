"""Everything needed to resume training as if nothing had happened, in one file that is either complete or missing.

`checkpoint/state.npz` holds the variables of the model (the states of its random generators among them) and of the optimizer
(its step, moments and moving averages), the vocabularies, the rounds so far, and the original config.
`checkpoint/previous.npz` is the previous checkpoint, in case the newest gets damaged on disk.
"""

import contextlib
import dataclasses
import errno
import json
import math
import re
import tomllib
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import keras
import numpy as np
from keras import ops

from keras_attn import config as configs
from keras_attn import files
from keras_attn.config import Config
from keras_attn.files import give_second_name, new_file
from keras_attn.text.tokenizer import Tokenizer
from keras_attn.training.devices import Devices
from keras_attn.training.history import Round

FILE, PREVIOUS = Path("checkpoint", "state.npz"), Path("checkpoint", "previous.npz")
_CHUNK = 1 << 20

Values = list[tuple[str, np.ndarray]]  # variables in their order, each with its path, shape and dtype


class CheckpointError(ValueError):
    """A checkpoint from which training cannot be resumed; the message says why, and what to do."""


@dataclasses.dataclass(frozen=True)
class TrainingState:
    """The state of training, except for its variables.

    Attributes:
        config: the given config, `without_files`; `corpus_digest` stands for the content of the files.
        corpus_digest: a checksum of all training and development pairs, and of the links that guide attention.
        source_tokenizer: vocabulary of the source language.
        target_tokenizer: vocabulary of the target language.
        rounds: the completed rounds.
        finished: whether no more rounds follow.
        best_by: the score that chooses the best model, a key of `best_by.SCORES`.
    """

    config: Config
    corpus_digest: str
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    rounds: tuple[Round, ...] = ()
    finished: bool = False
    best_by: str = "bleu"


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Makes the folder if needed, and locks it against other training runs; a killed run leaves no lock behind.

    Raises:
        CheckpointError: another training run is using the folder.
        OSError: the folder cannot be made.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(files.locked(folder))
        except BlockingIOError:
            raise CheckpointError(
                f"another training run is using {folder}: wait until it ends, or train in another folder"
            ) from None
        except OSError as error:
            raise OSError(f"cannot write {folder}: {error.strerror}") from None
        yield


def save_checkpoint(folder: Path, state: TrainingState, variables: Sequence[keras.Variable]) -> None:
    """Writes the folder's newest checkpoint and keeps the previous one. A kill at any moment leaves the old or the new one.

    Raises:
        OSError: the folder cannot be written, or is full; the old checkpoint stays.
    """
    newest = folder / FILE
    meta = {
        "config": configs.to_toml(state.config),
        "corpus_digest": state.corpus_digest,
        "rounds": [dataclasses.asdict(one) for one in state.rounds],
        "finished": state.finished,
        "best_by": state.best_by,
        "variables": [_name(variable) for variable in variables],
    }
    arrays = {
        "meta": _as_array(json.dumps(meta).encode()),
        "source": _as_array(state.source_tokenizer.model_proto),
        "target": _as_array(state.target_tokenizer.model_proto),
        **{str(i): ops.convert_to_numpy(variable) for i, variable in enumerate(variables)},
    }
    with new_file(newest) as part:
        with part.open("wb") as stream:
            np.savez(stream, **arrays)
        if newest.exists():
            give_second_name(newest, folder / PREVIOUS)


def load_checkpoint(folder: Path) -> tuple[TrainingState, Values] | None:
    """The state and the values of the variables in the folder's checkpoint, or None if there is none.

    If the newest cannot be used, the previous one is used instead, with a warning.

    Raises:
        CheckpointError: no checkpoint can be used: each is damaged, or was written by a version that this one cannot read.
        OSError: the folder cannot be read or written.
    """
    newest, previous = folder / FILE, folder / PREVIOUS
    try:
        return _read(newest)
    except CheckpointError as error:
        if not previous.exists():
            raise CheckpointError(f"{error}: train in another folder") from None
        damage = error
    except (FileNotFoundError, NotADirectoryError):
        if not previous.exists():
            return None
        damage = f"{newest} is missing"
    try:
        saved = _read(previous)
    except CheckpointError as error:
        raise CheckpointError(f"{damage}, and {error}: train in another folder") from None
    give_second_name(previous, newest)
    warnings.warn(
        f"{damage}: resuming from the previous checkpoint, {previous.name}, of step {_step(saved[0])}",
        stacklevel=2,
    )
    return saved


def share_checkpoint(folder: Path, devices: Devices) -> None:
    """Gives the first process' checkpoint to the others, if there are any.

    The first one reads it before, which puts the previous one in its place if it cannot be used.

    Raises:
        CheckpointError, OSError: see `load_checkpoint`.
    """
    if devices.processes > 1:
        if devices.process == 0:
            load_checkpoint(folder)
        devices.give_all(folder / FILE)


def _step(state: TrainingState) -> int:
    return state.rounds[-1].step if state.rounds else 0


def _read(path: Path) -> tuple[TrainingState, Values]:
    try:
        with np.load(path) as file:
            arrays = dict(file)
        meta = json.loads(arrays["meta"].tobytes())
        state = TrainingState(
            config=configs.from_tables(configs.without_unused(tomllib.loads(meta["config"]))),
            corpus_digest=meta["corpus_digest"],
            source_tokenizer=Tokenizer(arrays["source"].tobytes()),
            target_tokenizer=Tokenizer(arrays["target"].tobytes()),
            rounds=tuple(Round(**one) for one in meta["rounds"]),
            finished=meta["finished"],
            best_by=meta.get("best_by", "bleu"),  # older checkpoints do not say so, and mean this
        )
        return state, [(name, arrays[str(i)]) for i, name in enumerate(meta["variables"])]
    # On a damaged file, zipfile, NumPy and SentencePiece raise more than they document.
    except Exception as error:
        if isinstance(error, MemoryError):
            raise
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):  # EINVAL: a damaged offset
            raise  # of the disk, and perhaps passing: the file may be whole
        raise CheckpointError(f"{path} is not usable ({error})") from None


def restore(variables: Sequence[keras.Variable], values: Values) -> None:
    """Sets the variables to a checkpoint's values.

    Raises:
        CheckpointError: the saved variables are different ones.
    """
    names, saved = [_name(variable) for variable in variables], [name for name, _ in values]
    if names != saved:
        others = sorted(set(names) ^ set(saved)) or names
        raise CheckpointError(
            f"the checkpoint and the model built now have different variables, such as {others[0]}: the checkpoint is from another "
            "version of keras-attn or Keras. Resume with that version, or train in another folder"
        )
    for variable, (_, value) in zip(variables, values, strict=True):
        variable.assign(value)


def check_space(folder: Path, size: int) -> None:
    """Raises OSError early if `size` more bytes cannot be written to the folder."""
    probe = folder / FILE.parent / "space.part"
    try:
        probe.parent.mkdir(parents=True, exist_ok=True)
        with probe.open("wb") as stream:
            for start in range(0, size, _CHUNK):
                stream.write(bytes(min(_CHUNK, size - start)))
    except OSError as error:
        raise OSError(f"cannot write {size / 1e6:.1f} MB more to {folder}: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()


def state_variables(model: keras.Model) -> list[keras.Variable]:
    """Everything that training changes: weights, random generators, and the optimizer's variables."""
    return [*model.variables, *model.optimizer.variables]


def size_of(variables: Sequence[keras.Variable]) -> int:
    """The total size of all values in bytes."""
    return sum(math.prod(each.shape) * np.dtype(each.dtype).itemsize for each in variables)


def path_of(variable: keras.Variable) -> str:
    """Its path without the numbers that Keras adds to the names in all but the first model of a process."""
    return re.sub(r"_\d+(?=[_/]|$)", "", variable.path)


def _name(variable: keras.Variable) -> str:
    return f"{path_of(variable)} {list(variable.shape)} {variable.dtype}"


def _as_array(data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.uint8)
