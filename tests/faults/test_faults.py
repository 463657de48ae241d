"""Training, packing and exporting with every single write, fsync and rename failing, and with the process killed before each.

But of a training's consecutive writes to one file the first, one in the middle and the last stand for all of them, unless
`KERAS_ATTN_FAULTS=all` (six minutes instead of one). What fails is the real call of a real process (see `interception`): a write
with ENOSPC, and so does every later one, as on a full disk; all others with EIO, once.
"""

import errno
import hashlib
import itertools
import os
import random
import shutil

import pytest

pytestmark = pytest.mark.slow

CONFIG = """
[data]
train = ["{0}/train.tsv"]
dev = ["{0}/dev.tsv"]

[tokenizer]
vocab_size = 60

[model]
embedding_dim = 4
encoder_units = 4
decoder_units = 4
attention = "luong"
query_state = "current"
feed = "none"
readout = "attentional"
readout_units = 4
readout_dropout = 0.2

[training]
epochs = 8
evaluate_every = 12
batch_size = 16
learning_rate = 0.05
best_by = "loss"

[search]
max_length_factor = 1.0
max_length_extra = 2
"""
SYLLABLES = ["ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du"]


@pytest.fixture(scope="module")
def worker():
    from interception import start_worker

    try:
        worker = start_worker()
    except OSError as error:
        pytest.skip(f"calls of another process cannot be intercepted here: {error}")
    yield worker
    worker.close()


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    """The file of a training of two rounds, the second of which gives the better model: the perplexity falls."""
    folder, draw = tmp_path_factory.mktemp("pairs"), random.Random(3)
    for name, count in (("train", 48), ("dev", 6)):
        sources = [draw.choices(SYLLABLES, k=draw.randint(1, 6)) for _ in range(count)]
        lines = [f"{' '.join(words)}\t{' '.join(words).upper()}\n" for words in sources]
        (folder / f"{name}.tsv").write_text("".join(lines))
    (folder / "config.toml").write_text(CONFIG.format(folder))
    return folder / "config.toml"


@pytest.fixture(scope="module")
def trained(worker, config, tmp_path_factory):
    """The folder of that training."""
    folder = tmp_path_factory.mktemp("trained") / "run"
    assert worker.call("train", str(config), str(folder)) is None
    return folder


def content(folder):
    """Every file and folder below it, by its path, with a checksum."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else "folder"
        for path in sorted(folder.rglob("*"))
    }


def copied(source, place):
    """A copy of a folder in the place of whatever is there."""
    shutil.rmtree(place, ignore_errors=True)
    return shutil.copytree(source, place)


class Run:
    """An action of the worker on a folder, to be done as often as one likes, from the same beginning.

    Attributes:
        before, after: what the folder holds at the beginning, and after the undisturbed action; see `content`.
        places: the calls to disturb, by their number, counted from 0.
    """

    def __init__(self, worker, folder, *command, of_consecutive_writes=list):
        self._worker, self._folder, self._command = worker, folder, [str(each) for each in command]
        self._beginning = copied(folder, folder.with_name("beginning"))
        self.before = content(folder)
        calls = []
        assert self(lambda number, call: calls.append(call) or 0) is None
        self.after = content(folder)
        self.places = [
            place
            for _, group in itertools.groupby(range(len(calls)), lambda n: (calls[n].name, calls[n].path))
            for place in of_consecutive_writes(list(group))
        ]

    def __call__(self, decide):
        """Does it, and gives what the user is told; `decide(number, call)` is asked about each call in the folder."""
        numbers = itertools.count()

        def within(call):
            return decide(next(numbers), call) if call.path.startswith(f"{self._folder}/") else 0

        return self._worker.call(*self._command, decide=within)

    def again(self):
        """Undisturbed, from where the folder is."""
        return self(lambda number, call: 0)

    def now(self):
        return content(self._folder)

    def begin(self, folder=None):
        """Puts a copy of this folder in place, or of the beginning."""
        copied(folder or self._beginning, self._folder)

    def failing(self, place):
        """From the beginning, with this call failing."""
        self.begin()

        def decide(number, call):
            if number < place:
                return 0
            full = "write" in call.name
            return errno.ENOSPC if full else errno.EIO if number == place else 0

        return self(decide)

    def kept(self):
        """What kills before each of the calls leave: copies of the folder, one where several leave the same."""
        self.begin()
        copies = []

        def decide(number, call):
            if number in self.places and (not copies or content(copies[-1]) != self.now()):
                copies.append(copied(self._folder, self._folder.with_name(f"kept-{number}")))
            return 0

        assert self(decide) is None
        return copies


def first_middle_and_last(group):
    return sorted({group[0], group[len(group) // 2], group[-1]})


@pytest.fixture(scope="module")
def training(worker, config, tmp_path_factory):
    folder = tmp_path_factory.mktemp("training") / "all"
    folder.mkdir()
    command = "train", config, folder / "run"
    which = list if os.environ.get("KERAS_ATTN_FAULTS") == "all" else first_middle_and_last
    return Run(worker, folder, *command, of_consecutive_writes=which)


@pytest.fixture(scope="module")
def exporting(worker, trained, tmp_path_factory):
    """Makes the run of an action that makes a folder of a model; `over` an earlier one, or where there is none."""

    def make(action, *, over=False):
        folder = tmp_path_factory.mktemp(action) / "all"
        folder.mkdir()
        if over:
            assert worker.call(action, str(trained), str(folder / "made")) is None
            (folder / "made" / "of the earlier one").touch()
        return Run(worker, folder, action, trained, folder / "made")

    return make


def test_a_training_killed_at_any_write_has_a_whole_model_and_ends_in_the_same_bits(training, worker):
    kept = training.kept()
    models = [worker.call("read", str(folder / "run")) for folder in kept]
    steps = [model.split()[0] for model in models]
    first, second = steps.index("12"), steps.index("24")
    assert all("Error:" in step for step in steps[:first])  # no model yet, and it says so
    assert len(set(models[first:second])) == len(set(models[second:])) == 1
    for folder in kept:
        training.begin(folder)
        assert training.again() is None
        assert training.now() == training.after


def test_a_training_with_any_write_failing_says_so_and_ends_in_the_same_bits_when_called_again(training):
    endings = []
    for place in training.places:
        told = training.failing(place)
        left = training.now()
        assert left == training.after or told.startswith("OSError: ")
        assert not any("part" in name for name in left)
        if left not in endings:
            endings.append(left)
            assert training.again() is None
            assert training.now() == training.after
    assert (
        len(endings) > 5
    )  # nothing, after no round, after one, after two, and with a model that the checkpoint does not know


def test_a_checkpoint_with_any_write_failing_leaves_the_newest_and_a_good_one_before(worker, tmp_path):
    folder = tmp_path / "all"
    checksums = {}
    for value in (1, 2):
        assert worker.call("save_checkpoint", str(folder), value) is None
        checksums[value] = content(folder)["checkpoint/state.npz"]
    run = Run(worker, folder, "save_checkpoint", folder, 3)
    assert len(run.places) > 10
    checksums[3] = run.after["checkpoint/state.npz"]
    for place in run.places:
        told = run.failing(place)
        left = run.now()
        assert left["checkpoint/state.npz"] == checksums[2 if told else 3]
        assert left["checkpoint/previous.npz"] in (checksums[1], checksums[2])
        assert run.again() is None
        assert run.now()["checkpoint/state.npz"] == checksums[3]


@pytest.mark.parametrize(
    ("action", "over", "every"),
    [
        ("pack", False, 1),
        ("export_litert", False, 1),
        ("export_litert", True, 1),
        (
            "export_saved_model",
            True,
            9,
        ),  # which takes a second, and begins with removing what the killed one left
    ],
)
def test_a_folder_made_of_a_model_is_whole_or_as_it_was(exporting, action, over, every):
    run = exporting(action, over=over)
    for place in run.places:
        told = run.failing(place)
        assert run.now() == (run.before if told else run.after), (place, told)
        assert told is None or told.startswith("OSError: ")
    kept = run.kept()
    for folder in kept:
        assert {name: sum_ for name, sum_ in content(folder).items() if name.startswith("made")} in (
            run.before,
            run.after,
        )
    for folder in [*kept[::every], kept[-1]]:
        run.begin(folder)
        assert run.again() is None
        assert run.now() == run.after
