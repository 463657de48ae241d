import io
import types

from tqdm import tqdm

from keras_attn.training.progress import ShowProgress

NEVER, ALWAYS = 1e9, 0.0


def steps(every, disable, file=None, count=3):
    bar = tqdm(total=10, initial=4, disable=disable, file=file)
    shown = ShowProgress(bar, every)
    shown.on_epoch_begin(0)
    for step in range(count):
        shown.on_train_batch_end(step, {"loss": 2.5, "tokens": 30.0 * (step + 1)})
    shown.on_epoch_end(0)
    bar.close()


def test_without_a_terminal_a_log_gets_lines(capsys):
    steps(ALWAYS, disable=True)
    *lines, last = capsys.readouterr().err.splitlines()
    assert [line.partition(", ")[0] for line in lines] == [f"step {n} of 10: loss 2.500" for n in (5, 6, 7)]
    assert last == "evaluating the development set"


def test_steps_that_follow_fast_upon_one_another_get_no_line_each(capsys):
    steps(NEVER, disable=True)
    assert capsys.readouterr().err == ""


def test_a_terminal_has_its_bar_and_no_lines(capsys):
    terminal = io.StringIO()
    steps(ALWAYS, disable=False, file=terminal)
    assert "7/10" in terminal.getvalue() and "loss 2.500" in terminal.getvalue()
    assert capsys.readouterr().err == ""


def test_lines_are_as_far_apart_as_asked(capsys, monkeypatch):
    """A step every 20 seconds, and a line every 30: after 40 seconds, and after 80."""
    times = iter([0.0, 0.0, 20.0, 40.0, 60.0, 80.0, 100.0, 100.0])
    monkeypatch.setattr("keras_attn.training.progress.time", types.SimpleNamespace(monotonic=times.__next__))
    steps(30.0, disable=True, count=5)
    *lines, _ = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["step 6 of 10", "step 8 of 10"]
