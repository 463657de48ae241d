import io
import types

from tqdm import tqdm

from keras_attn.training.best_by import SCORES
from keras_attn.training.compiling import CompileClock
from keras_attn.training.history import Round
from keras_attn.training.plan import Plan
from keras_attn.training.progress import ShowProgress, describe_round

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


def test_steps_of_one_execution_are_counted(capsys):
    shown = ShowProgress(tqdm(total=10, initial=4, disable=True), ALWAYS)
    shown.on_epoch_begin(1)
    shown.on_train_batch_end(2, {"loss": 2.5, "tokens": 90.0})
    shown.on_train_batch_end(5, {"loss": 2.5, "tokens": 180.0})
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["step 7 of 10", "step 10 of 10"]


def test_what_was_compiled_in_a_round_is_told_at_its_end(capsys, monkeypatch):
    clock = CompileClock(programs=3, seconds=1.0)
    monkeypatch.setattr("keras_attn.training.progress.compile_clock", lambda: clock)
    shown = ShowProgress(tqdm(total=10, disable=True), NEVER)
    shown.on_epoch_begin(0)
    clock.note("/jax/core/compile/backend_compile_duration", 2.5, fun_name="step")
    clock.note("/jax/core/compile/jaxpr_trace_duration", 7.0)
    shown.on_epoch_end(0)
    shown.on_epoch_begin(1)
    shown.on_epoch_end(1)
    assert capsys.readouterr().err == "compiled 1 programs in 2.5 s: JAX needs one for every batch shape\n"


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


def test_the_speed_is_that_of_the_round_so_far(capsys, monkeypatch):
    """The second round begins after 100 seconds, and has 500 tokens after 10 seconds and 1200 after 40."""
    times = iter([0.0, 100.0, 110.0, 140.0])
    monkeypatch.setattr("keras_attn.training.progress.time", types.SimpleNamespace(monotonic=times.__next__))
    shown = ShowProgress(tqdm(total=20, initial=4, disable=True), ALWAYS)
    shown.on_epoch_begin(1)
    shown.on_train_batch_end(0, {"loss": 2.5, "tokens": 500.0})
    shown.on_train_batch_end(1, {"loss": 2.25, "logits_tokens": 1200.0})
    assert capsys.readouterr().err.splitlines() == [
        "step 5 of 20: loss 2.500, 50 tokens/s",
        "step 6 of 20: loss 2.250, 30 tokens/s",
    ]


def test_a_bar_moves_by_all_steps_of_an_execution():
    terminal = io.StringIO()
    bar = tqdm(total=10, initial=1, file=terminal)
    shown = ShowProgress(bar, NEVER)
    for number in range(2):
        shown.on_epoch_begin(number)
        shown.on_train_batch_end(2, {"loss": 2.5, "tokens": 90.0})
        shown.on_epoch_end(number)
    assert bar.n == 7
    bar.close()


def rounds(**last):
    """Two rounds of ten steps; the first has 300 tokens in 5 seconds, the second 900 in 25."""
    first = Round(10, 0.5, 3.0, 0.001, 10.0, 8.0, 300, 5.0)
    return [first, Round(**{**vars(first), "step": 20, "epoch": 1.0, "tokens": 900, "seconds": 25.0, **last})]


def test_a_round_is_told_with_its_own_speed_and_the_time_left_at_that_of_all():
    """20 steps took 30 seconds, so 80 more take 120."""
    assert describe_round(rounds(loss=2.125, dev_bleu=12.5), Plan(20, 10, rounds=10)) == (
        "epoch 1.0, step 20 of 100: loss 2.125, dev BLEU 12.50 (best), perplexity 8.00, 36 tokens/s, 02:00 left"
    )


def test_the_time_left_counts_the_evaluations():
    """20 steps took 30 seconds and their evaluations 10, of which an older version did not measure the first: 80 more take 160."""
    told = describe_round(rounds(dev_seconds=10.0), Plan(20, 10, rounds=10))
    assert told.endswith(" 36 tokens/s, 02:40 left")


def test_perplexity_is_told_once_where_it_chooses_the_best_model():
    told = describe_round(rounds(dev_perplexity=9.0), Plan(20, 10, rounds=2, best_by=SCORES["loss"]))
    assert told.endswith("loss 3.000, dev perplexity 9.00, 36 tokens/s, 00:00 left")
