import dataclasses
import errno
import json
import subprocess
import sys
from unittest.mock import Mock

import keras
import numpy as np
import pytest

from keras_attn.config import Config, SearchConfig
from keras_attn.text.tokenizer import train_tokenizer
from keras_attn.training import checkpoint as checkpoints
from keras_attn.training.checkpoint import CheckpointError, TrainingState
from keras_attn.training.devices import Devices
from keras_attn.training.history import Round


@pytest.fixture(scope="session")
def state():
    tokenizer = train_tokenizer(["a b", "b a"], 10)
    rounds = (Round(7, 0.1 + 0.2, 2.5, 1e-3, 31.25, 8.0, 400, 1.5),)
    return TrainingState(Config(search=SearchConfig(beam_size=2)), "digest", tokenizer, tokenizer, rounds)


def make_variables(value):
    return [
        keras.Variable(np.full((2, 3), value, "float32"), name="kernel"),
        keras.Variable(np.array([int(value), 7]), dtype="int32", name="seed"),
    ]


def test_what_was_saved_comes_back(tmp_path, state):
    another = train_tokenizer(["c d", "d c"], 10)
    state = dataclasses.replace(state, best_by="cer", finished=True, target_tokenizer=another)
    checkpoints.save_checkpoint(tmp_path, state, make_variables(1 / 3))
    loaded, values = checkpoints.load_checkpoint(tmp_path)
    variables = make_variables(0)
    checkpoints.restore(variables, values)
    assert loaded.rounds == state.rounds
    assert loaded.config == state.config
    assert loaded.best_by == "cer"
    assert loaded.finished and loaded.corpus_digest == "digest"
    assert loaded.source_tokenizer.model_proto == state.source_tokenizer.model_proto
    assert loaded.target_tokenizer.model_proto == another.model_proto
    for variable, original in zip(variables, make_variables(1 / 3), strict=True):
        np.testing.assert_array_equal(variable.numpy(), original.numpy())


def test_a_checkpoint_of_an_older_version_goes_on_by_bleu(tmp_path, state):
    checkpoints.save_checkpoint(tmp_path, dataclasses.replace(state, best_by="exact"), make_variables(1))
    file = tmp_path / checkpoints.FILE
    with np.load(file) as stored:
        arrays = dict(stored)
    meta = json.loads(arrays["meta"].tobytes())
    del meta["best_by"]
    meta["rounds"] = [
        {
            name: value
            for name, value in one.items()
            if name not in ("dev_chrf", "dev_exact", "dev_cer", "dev_wer", "dev_seconds")
        }
        for one in meta["rounds"]
    ]
    meta["config"] = meta["config"].replace('best_by = "auto"\n', "")
    np.savez(file, **{**arrays, "meta": np.frombuffer(json.dumps(meta).encode(), np.uint8)})
    loaded, _ = checkpoints.load_checkpoint(tmp_path)
    assert (loaded.best_by, loaded.rounds, loaded.config) == ("bleu", state.rounds, state.config)


def test_a_folder_without_checkpoint_has_none(tmp_path):
    assert checkpoints.load_checkpoint(tmp_path) is None


@pytest.mark.parametrize(
    "damage", [lambda data: data[: len(data) // 2], lambda data: b"", lambda data: b"no zip"]
)
def test_a_broken_checkpoint_is_an_error_that_says_what_to_do(tmp_path, state, damage):
    checkpoints.save_checkpoint(tmp_path, state, make_variables(1))
    file = tmp_path / checkpoints.FILE
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(CheckpointError, match=r"state.npz is not usable .*: train in another folder"):
        checkpoints.load_checkpoint(tmp_path)


def test_variables_of_another_shape_are_not_restored(tmp_path, state):
    checkpoints.save_checkpoint(tmp_path, state, make_variables(1))
    _, values = checkpoints.load_checkpoint(tmp_path)
    others = [keras.Variable(np.zeros((3, 3)), name="kernel"), make_variables(1)[1]]
    with pytest.raises(CheckpointError, match="the model built now have different variables, such as kernel"):
        checkpoints.restore(others, values)


def flip(data, place):
    return data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]


def read_value(folder):
    """Of the first variable in the checkpoint that is found."""
    return checkpoints.load_checkpoint(folder)[1][0][1][0, 0]


def test_a_damaged_checkpoint_falls_back_to_the_one_before_and_says_so(tmp_path, state):
    later = (*state.rounds, dataclasses.replace(state.rounds[0], step=14))
    checkpoints.save_checkpoint(tmp_path, state, make_variables(1))
    checkpoints.save_checkpoint(tmp_path, dataclasses.replace(state, rounds=later), make_variables(2))
    file = tmp_path / checkpoints.FILE
    file.write_bytes(flip(file.read_bytes(), 1000))
    with pytest.warns(
        UserWarning, match=r"state.npz is not usable .*: resuming from .* previous.npz, of step 7$"
    ):
        assert read_value(tmp_path) == 1.0


@pytest.mark.filterwarnings("error::UserWarning")
def test_a_fall_back_is_told_once_and_no_damaged_checkpoint_is_kept(tmp_path, state):
    for value in (1, 2):
        checkpoints.save_checkpoint(tmp_path, state, make_variables(value))
    (tmp_path / checkpoints.FILE).write_bytes(b"damaged")
    with pytest.warns(UserWarning, match="resuming from the previous checkpoint"):
        checkpoints.load_checkpoint(tmp_path)
    assert read_value(tmp_path) == 1.0  # without another warning, which would be an error here
    checkpoints.save_checkpoint(tmp_path, state, make_variables(3))
    (tmp_path / checkpoints.FILE).unlink()
    with pytest.warns(UserWarning, match=r"state.npz is missing: resuming"):
        assert read_value(tmp_path) == 1.0


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), MemoryError("no room")])
def test_a_checkpoint_that_cannot_be_read_just_now_is_not_damaged(tmp_path, state, monkeypatch, error):
    for value in (1, 2):
        checkpoints.save_checkpoint(tmp_path, state, make_variables(value))
    with monkeypatch.context() as patch:
        patch.setattr(np, "load", Mock(side_effect=error))
        with pytest.raises(type(error), match=str(error.args[-1])):
            checkpoints.load_checkpoint(tmp_path)
    assert read_value(tmp_path) == 2.0


def test_the_last_two_checkpoints_are_kept_and_no_more(tmp_path, state):
    for value in (1, 2, 3):
        checkpoints.save_checkpoint(tmp_path, state, make_variables(value))
    assert read_value(tmp_path) == 3.0
    files = {path.name for path in (tmp_path / "checkpoint").iterdir()}
    assert files == {"state.npz", "previous.npz"}


def test_two_damaged_checkpoints_are_an_error_that_names_both(tmp_path, state):
    for value in (1, 2):
        checkpoints.save_checkpoint(tmp_path, state, make_variables(value))
    for file in (checkpoints.FILE, checkpoints.PREVIOUS):
        (tmp_path / file).write_bytes(b"damaged")
    with pytest.raises(
        CheckpointError, match=r"state.npz is not usable .*, and .*previous.npz is not usable"
    ):
        checkpoints.load_checkpoint(tmp_path)


@dataclasses.dataclass(frozen=True)
class OneOfTwo(Devices):
    """A process whose messages go through a list."""

    messages: list = dataclasses.field(default_factory=list)
    processes: int = 2

    def from_first(self, function):
        if self.process == 0:
            self.messages.append(function())
        return self.messages[-1]


def test_a_damaged_checkpoint_of_the_first_process_is_replaced_before_the_others_get_it(tmp_path, state):
    here, there = tmp_path / "first", tmp_path / "second"
    for value in (1, 2):
        checkpoints.save_checkpoint(here, state, make_variables(value))
    (here / checkpoints.FILE).write_bytes(b"damaged")
    first = OneOfTwo()
    with pytest.warns(UserWarning, match="resuming from the previous checkpoint"):
        checkpoints.share_checkpoint(here, first)
    checkpoints.share_checkpoint(there, dataclasses.replace(first, process=1))
    assert read_value(here) == read_value(there) == 1.0


def test_no_flipped_bit_of_a_checkpoint_gives_other_values(tmp_path, state):
    checkpoints.save_checkpoint(tmp_path, state, make_variables(1 / 3))
    file = tmp_path / checkpoints.FILE
    data, expected = file.read_bytes(), checkpoints.load_checkpoint(tmp_path)
    noticed = 0
    for place in range(0, len(data), 97):
        file.write_bytes(flip(data, place))
        try:
            found = checkpoints.load_checkpoint(tmp_path)
        except CheckpointError:
            noticed += 1
            continue
        np.testing.assert_equal(found[1], expected[1])
        assert (found[0].rounds, found[0].config) == (expected[0].rounds, expected[0].config)
    assert noticed > 0.9 * len(data) / 97  # the others hit what nothing is read from, such as a date


def test_a_full_disk_leaves_the_old_checkpoint(tmp_path, state, file_size_limit):
    checkpoints.save_checkpoint(tmp_path, state, make_variables(1))
    with file_size_limit(1000), pytest.raises(OSError, match=r"cannot write .*state.npz: File too large"):
        checkpoints.save_checkpoint(tmp_path, state, make_variables(2))
    _, values = checkpoints.load_checkpoint(tmp_path)
    assert values[0][1][0, 0] == 1.0
    assert [path.name for path in (tmp_path / "checkpoint").iterdir()] == ["state.npz"]


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path, state):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"cannot write .*state.npz: Not a directory"):
        checkpoints.save_checkpoint(tmp_path / "file", state, make_variables(1))


def test_too_little_room_is_found_before_it_is_needed(tmp_path, file_size_limit):
    with file_size_limit(3_000_000):
        checkpoints.check_space(tmp_path, 2_900_000)
        with pytest.raises(OSError, match=r"cannot write 5.0 MB more to .*: File too large"):
            checkpoints.check_space(tmp_path, 5_000_000)
    assert not list((tmp_path / "checkpoint").iterdir())


def test_one_training_at_a_time_has_the_folder(tmp_path):
    folder = tmp_path / "new" / "run"
    with checkpoints.locked(folder):
        with (
            pytest.raises(CheckpointError, match=r"another training run is using .*run"),
            checkpoints.locked(folder),
        ):
            pass
        assert folder.exists()
        with checkpoints.locked(tmp_path / "other"):
            pass
    assert not folder.exists()  # nothing came of it
    with checkpoints.locked(folder):
        assert list(folder.iterdir()) == []


def test_a_killed_training_leaves_no_lock(tmp_path):
    code = "import sys, time; from pathlib import Path; from keras_attn.training.checkpoint import locked\n"
    code += "with locked(Path(sys.argv[1])): print('locked', flush=True); time.sleep(60)"
    holder = subprocess.Popen([sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "locked\n"
    with pytest.raises(CheckpointError), checkpoints.locked(tmp_path):
        pass
    holder.kill()
    holder.communicate()
    with checkpoints.locked(tmp_path):
        pass


def test_the_size_of_variables_is_that_of_their_values_in_bytes():
    assert checkpoints.size_of(make_variables(1)) == 6 * 4 + 2 * 4
    half = keras.Variable(np.zeros((5,)), dtype="float16", name="half")
    assert checkpoints.size_of([half, keras.Variable(0.0, dtype="float32", name="one")]) == 5 * 2 + 4
