"""Whole trainings, of seconds each."""

import csv
import dataclasses
import shutil
import types

import keras
import numpy as np
import pytest

from keras_attn import config as configs
from keras_attn.config import ConfigError, TrainingConfig
from keras_attn.data.splits import Splits
from keras_attn.evaluation.scores import corpus_scores
from keras_attn.inference.translator import Translator
from keras_attn.storage.model_folder import load_metrics, load_model, update_metrics
from keras_attn.text.corpus import Corpus, read_pairs
from keras_attn.text.tokenizer import train_tokenizer
from keras_attn.training import fit
from keras_attn.training.checkpoint import (
    FILE,
    CheckpointError,
    TrainingState,
    load_checkpoint,
    save_checkpoint,
)
from keras_attn.training.devices import Devices
from keras_attn.training.divergence import TrainingDiverged
from keras_attn.training.fit import train
from keras_attn.training.history import Round
from keras_attn.training.inputs import digest
from keras_attn.training.plan import Plan

pytestmark = pytest.mark.slow

# 240 steps in 4 rounds, which do not end where epochs do.
RECIPE = {
    "epochs": 30,
    "evaluate_every": 60,
    "learning_rate": 0.05,
    "schedule": "inverse_sqrt",
    "warmup_steps": 4,
    "ema_decay": 0.9,
}


@pytest.fixture(scope="module")
def unbroken(recipe, tmp_path_factory):
    """The folder of a training that nothing disturbed, and what it returned."""
    folder = tmp_path_factory.mktemp("runs") / "unbroken"
    return folder, train(recipe(**RECIPE), folder)


@pytest.fixture
def finished(unbroken, tmp_path):
    """A copy of it, for the test to do with as it likes."""
    return shutil.copytree(unbroken[0], tmp_path / "finished")


def rounds_of(folder):
    return load_checkpoint(folder)[0].rounds


class AtStep(keras.callbacks.Callback):
    """Acts after one step of a round; both are counted from 0."""

    def __init__(self, number, step, act):
        super().__init__()
        self._when, self._act = (number, step), act
        self._number = 0

    def on_epoch_begin(self, epoch, logs=None):
        self._number = epoch

    def on_train_batch_end(self, batch, logs=None):
        if (self._number, batch) == self._when:
            self._act()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupted_training_says_where_it_goes_on(recipe, tmp_path, capsys, error):
    def interrupt():
        raise error

    with pytest.raises(error):
        train(recipe(epochs=1000, evaluate_every=8), tmp_path, callbacks=[AtStep(2, 1, interrupt)])
    assert "stopped; run the same command again to resume from step 16 of 8000" in capsys.readouterr().err


def test_the_first_line_says_what_the_best_model_is_chosen_by(recipe, tmp_path, capsys):
    train(recipe(epochs=1, best_by="cer"), tmp_path)
    lines = capsys.readouterr().err.splitlines()
    parameters = load_model(tmp_path).model.count_params()
    assert lines[0] == (
        "120 training pairs (0 left out as empty or too long), 8 steps per epoch, "
        f"{parameters:,} parameters, step 0 of 12; "
        "the best model is chosen by character error rate on the development set (training.best_by)"
    )
    assert lines[1] == "computing in float32 (training.mixed_precision)"
    assert lines[2].startswith("unknown symbols of the development set: 0 of ")
    best = load_metrics(tmp_path)
    assert lines[-1] == (
        f"best model in {tmp_path}: dev character error rate {best['dev_cer']:.2f} %, greedy, "
        f"at step {best['best_step']}  {best['dev_error_signature']}"
    )


def test_the_folder_holds_the_best_model(unbroken, pair_files):
    folder, metrics = unbroken
    dev = read_pairs([pair_files / "dev.tsv"])
    bleu = corpus_scores(Translator.load(folder)(dev.source, beam_size=1), dev.target).bleu
    assert 0 < bleu == metrics["dev_bleu"] == max(one.dev_bleu for one in rounds_of(folder))


def test_metrics_say_how_good_and_how_costly_the_model_is(unbroken):
    folder, metrics = unbroken
    assert metrics == load_metrics(folder)
    assert metrics["steps"] == 240
    assert metrics["parameters"] == load_model(folder).model.count_params()
    tokens, seconds = (sum(getattr(one, name) for one in rounds_of(folder)) for name in ("tokens", "seconds"))
    assert metrics["training_seconds"] == round(seconds, 1) > 0
    assert metrics["tokens_per_second"] == round(tokens / seconds) > 0
    assert metrics["best_by"] == "dev_bleu"
    assert "tok:13a" in metrics["dev_bleu_signature"]


def test_training_learns(unbroken):
    first, *_, last = rounds_of(unbroken[0])
    assert last.dev_perplexity < first.dev_perplexity < 39  # the size of the vocabulary


def test_every_real_token_of_an_epoch_is_counted_once(unbroken, pair_files):
    folder, _ = unbroken
    target = read_pairs([pair_files / "train.tsv"]).target
    expected = sum(len(ids) + 1 for ids in load_model(folder).target_tokenizer.encode(target))
    assert sum(one.tokens for one in rounds_of(folder)) == 30 * expected


def test_log_has_a_line_for_each_evaluation(unbroken):
    with (unbroken[0] / "log.csv").open(newline="") as stream:
        assert [(line["step"], line["epoch"]) for line in csv.DictReader(stream)] == [
            ("60", "7.5"),
            ("120", "15"),
            ("180", "22.5"),
            ("240", "30"),
        ]


def test_a_finished_training_says_so_and_gives_its_metrics(finished, unbroken, recipe, capsys):
    assert train(recipe(**RECIPE), finished) == unbroken[1]
    assert "is finished already" in capsys.readouterr().err


def test_another_config_is_refused(finished, recipe):
    with pytest.raises(ConfigError, match=r"training.learning_rate was 0.05 and is 0.5\. Set it back"):
        train(recipe(**{**RECIPE, "learning_rate": 0.5}), finished)


def test_a_finished_training_takes_another_search_and_writes_a_missing_log(finished, recipe):
    config = recipe(**RECIPE)
    search = dataclasses.replace(config.search, beam_size=2, length_penalty=0.6)
    log = (finished / "log.csv").read_bytes()
    (finished / "log.csv").unlink()
    train(dataclasses.replace(config, search=search), finished)
    assert Translator.load(finished).search == search
    assert (finished / "log.csv").read_bytes() == log


def outcome(folder):
    """What the same training must always end with: all variables, the best model, and what was measured."""
    state, values = load_checkpoint(folder)
    measured = [(one.step, one.loss, one.dev_bleu, one.dev_perplexity) for one in state.rounds]
    return [*(value for _, value in values), *load_model(folder).model.get_weights(), np.array(measured)]


def test_a_finished_training_goes_on_for_more_epochs_to_the_bits_of_one_that_had_them_at_once(
    finished, recipe, tmp_path
):
    longer = recipe(**{**RECIPE, "epochs": 45})
    train(longer, finished)
    train(longer, tmp_path / "at once")
    assert [one.step for one in rounds_of(finished)] == [60, 120, 180, 240, 300, 360]
    for value, expected in zip(outcome(finished), outcome(tmp_path / "at once"), strict=True):
        np.testing.assert_array_equal(value, expected)
    assert load_model(finished).config.training.epochs == 45


def test_fewer_epochs_end_a_training_where_it_is(finished, unbroken, recipe, capsys):
    assert train(recipe(**{**RECIPE, "epochs": 20}), finished) == unbroken[1]
    assert "is finished already" in capsys.readouterr().err


@pytest.mark.parametrize("how", ["damaged", "missing"])
def test_a_last_checkpoint_that_is_lost_costs_a_round_and_no_bit(finished, unbroken, recipe, how):
    (finished / FILE).unlink()
    if how == "damaged":
        (finished / FILE).write_bytes(b"damaged")
    with pytest.warns(UserWarning, match=r"resuming from the previous checkpoint, previous.npz, of step 180"):
        train(recipe(**RECIPE), finished)
    for value, expected in zip(outcome(finished), outcome(unbroken[0]), strict=True):
        np.testing.assert_array_equal(value, expected)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["search.beam_size=0"], "search.beam_size must be at least 1"),
        (["search.batch_size=0"], "search.batch_size must be at least 1"),
        (["search.max_source_length=1"], "search.max_source_length must be at least 2"),
        (
            ["search.coverage_penalty=0.2", "model.attention=none", "model.feed=none"],
            "coverage_penalty needs attention",
        ),
    ],
)
def test_a_search_that_cannot_be_is_refused_before_anything_is_written(recipe, tmp_path, overrides, message):
    with pytest.raises(ConfigError, match=message):
        train(configs.override(recipe(), overrides), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_model_without_checkpoint_is_not_overwritten(finished, recipe):
    shutil.rmtree(finished / "checkpoint")
    with pytest.raises(CheckpointError, match="contains a model but no checkpoint to resume from"):
        train(recipe(**RECIPE), finished)


def test_other_sentence_pairs_are_refused(finished, recipe, pair_files, tmp_path):
    state = dataclasses.replace(load_checkpoint(finished)[0], finished=False)
    save_checkpoint(finished, state, [])
    lines = (pair_files / "train.tsv").read_text().splitlines(keepends=True)
    (tmp_path / "shorter.tsv").write_text("".join(lines[:-1]))
    config = recipe(**RECIPE)
    data = dataclasses.replace(config.data, train=(str(tmp_path / "shorter.tsv"),))
    with pytest.raises(CheckpointError, match="the sentence pairs are not those"):
        train(dataclasses.replace(config, data=data), finished)


def test_a_diverged_training_describes_the_batch(recipe, tmp_path):
    expected = r"the loss became (nan|inf) in step \d, a batch of 16 pairs, .* the first pair '[bd][aeiou].*' and '[BD]"
    with pytest.raises(TrainingDiverged, match=expected):
        train(recipe(learning_rate=1e30, clip_norm=0.0, mixed_precision="mixed_bfloat16"), tmp_path)


def test_training_stops_when_patience_is_at_its_end(recipe, tmp_path):
    metrics = train(recipe(learning_rate=1e-30, patience=2, epochs=100, tensorboard=True), tmp_path)
    assert metrics["steps"] == 3 * 6  # the first evaluation is the best one, and two more are no better
    assert list((tmp_path / "logs").rglob("events.out.*"))


def test_a_folder_that_cannot_be_written_is_an_error_before_the_first_step(recipe, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"cannot write .*file/run: Not a directory"):
        train(recipe(), tmp_path / "file" / "run")


def test_a_full_disk_is_an_error_before_the_first_step(recipe, tmp_path, file_size_limit):
    with file_size_limit(100_000), pytest.raises(OSError, match=r"cannot write .*state.npz: File too large"):
        train(recipe(), tmp_path / "run")
    assert [path.name for path in (tmp_path / "run").rglob("*")] == ["checkpoint"]


@pytest.mark.parametrize("key", ["epochs", "gradient_accumulation", "steps_per_execution"])
def test_none_of_what_there_must_be_is_refused(recipe, tmp_path, key):
    with pytest.raises(ConfigError, match=rf"training.{key} must be at least 1"):
        train(recipe(**{key: 0}), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_share_of_all_words_and_of_none_can_be_sampled(recipe, tmp_path):
    for share in (0.0, 1.0):
        fit.check(recipe(scheduled_sampling=share), tmp_path)


def test_a_training_begins_with_the_words_of_its_pairs_and_a_score_for_the_development_pairs(recipe):
    pairs = Splits(Corpus(["a b c", "b a c"], ["d e f", "e d f"]), Corpus(["anna", "otto"], ["x y", "y x"]))
    state = fit._first_state(recipe(), pairs, None)
    assert state.best_by == "exact"  # their sources are single words
    assert (state.rounds, state.finished, state.corpus_digest) == ((), False, digest(pairs))
    assert state.config.data.train == state.config.data.dev == ()
    for tokenizer in (state.source_tokenizer, state.target_tokenizer):
        assert tokenizer.decode(tokenizer.encode(["a f"])) == ["a f"]


def test_pairs_that_were_left_out_when_they_were_read_or_for_their_length_are_counted(tiny_trained):
    """Of 1003 pairs, 3 had an empty side, and 99 of the rest are too long."""
    batches = types.SimpleNamespace(pairs=901, steps_per_epoch=50)
    pairs = Corpus(["a"] * 1000, ["b"] * 1000, dropped=3)
    tokenizers = tiny_trained.source_tokenizer, tiny_trained.target_tokenizer
    state = TrainingState(tiny_trained.config, "", *tokenizers, rounds=(None, None))
    told = fit._summary(batches, pairs, Plan(50, 25, rounds=8), tiny_trained, state)
    assert told.startswith("901 training pairs (102 left out as empty or too long), 50 steps per epoch, ")
    assert ", step 50 of 200; " in told


@pytest.mark.parametrize(
    ("best_by", "told"),
    [
        ("bleu", "dev BLEU 30.00, greedy, at step 20  of BLEU"),
        ("chrf", "dev chrF2 40.00, greedy, at step 20  of chrF2"),
        ("cer", "dev character error rate 5.00 %, greedy, at step 20  of error rates"),
        ("loss", "dev perplexity 3.00, greedy, at step 20"),  # which has no signature
    ],
)
def test_the_best_score_is_told_with_its_own_signature(tiny_trained, model_folder, capsys, best_by, told):
    signatures = {"dev_bleu": "of BLEU", "dev_chrf": "of chrF2", "dev_error": "of error rates"}
    update_metrics(model_folder, {f"{name}_signature": text for name, text in signatures.items()})
    numbers = {"loss": 2.0, "learning_rate": 0.001, "tokens": 300, "seconds": 4.06, "dev_exact": 50.0}
    rounds = [
        Round(
            step=10, epoch=0.5, dev_bleu=20, dev_chrf=30, dev_cer=6, dev_wer=7, dev_perplexity=4, **numbers
        ),
        Round(
            step=20, epoch=1.0, dev_bleu=30, dev_chrf=40, dev_cer=5, dev_wer=6, dev_perplexity=3, **numbers
        ),
    ]
    tokenizers = tiny_trained.source_tokenizer, tiny_trained.target_tokenizer
    state = TrainingState(tiny_trained.config, "", *tokenizers, tuple(rounds), best_by=best_by)
    metrics = fit._finish(model_folder, state)
    assert capsys.readouterr().err == f"best model in {model_folder}: {told}\n"
    assert metrics == load_metrics(model_folder)
    assert (metrics["steps"], metrics["training_seconds"], metrics["tokens_per_second"]) == (20, 8.1, 74)


def test_the_loss_is_the_one_that_the_config_describes():
    def objective(**training):
        return fit._objective(TrainingConfig(**training), Devices())

    plain = objective(label_smoothing=0.25)
    assert (plain["loss"].name, plain["loss"].smoothing) == ("smoothed_cross_entropy", 0.25)
    twice = objective(label_smoothing=0.25, r_drop=3.0)["loss"]
    assert (twice.name, twice.smoothing, twice.weight) == ("r_drop", 0.25, 3.0)
    guided = objective(label_smoothing=0.25, guided_alignment=0.5, r_drop=3.0)
    assert [loss.name for loss in guided["loss"]] == ["r_drop", "attention_cross_entropy"]
    assert (guided["loss"][0].weight, guided["loss_weights"]) == (3.0, [1.0, 0.5])


@pytest.fixture(scope="module")
def built():
    """`built(...)`: the model of a training of 24 steps, with its first weights, and what is fitted."""
    source, target = train_tokenizer(["a b", "b a"], 10), train_tokenizer(["c d e", "e d c"], 12)
    sizes = ("embedding_dim", "encoder_units", "decoder_units", "attention_units", "readout_units")
    table = {"model": dict.fromkeys(sizes, 4)}

    def built(**training):
        config = configs.from_tables({**table, "training": training})
        state = TrainingState(config, "", source, target)
        trained, fitted = fit._build(config, state, Plan(8, 6, rounds=4), Devices())
        assert trained.config.model.source_vocab_size == source.vocab_size
        assert trained.config.model.target_vocab_size == target.vocab_size != source.vocab_size
        return trained.model, fitted

    return built


def test_the_first_weights_are_drawn_by_the_seed(built):
    first, again, other = (built(seed=seed)[0].get_weights() for seed in (1, 1, 2))
    assert all(np.array_equal(one, same) for one, same in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


def test_the_share_of_own_words_grows_over_all_steps_of_a_training(built):
    model, fitted = built(scheduled_sampling=0.25)
    layer = fitted.get_layer("own_words")
    assert (layer.share, layer.steps, layer.model) == (0.25, 24, model)


def test_a_model_is_built_and_compiled_as_the_config_says(built):
    model, fitted = built(
        mixed_precision="mixed_bfloat16",
        guided_alignment=0.5,
        steps_per_execution=3,
        clip_norm=0.75,
        schedule="cosine",
    )
    assert fitted is model and len(model.outputs) == 2
    assert model.decoder.compute_dtype == "bfloat16"
    assert keras.config.dtype_policy().name == "float32"  # of what is built later
    assert fitted.steps_per_execution == 3
    assert fitted.optimizer.global_clipnorm == 0.75
    assert fitted.optimizer._learning_rate.decay_steps == 24
    plain, _ = built()
    assert len(plain.outputs) == 1 and plain.decoder.compute_dtype == "float32"


def test_models_of_two_seeds_that_read_lines_of_several_pairs_are_an_ensemble(recipe, tmp_path, capsys):
    for seed in (1, 2):
        config = recipe(seed=seed, epochs=1, evaluate_every=0)
        train(configs.override(config, ["data.concatenations=1.5"]), tmp_path / str(seed))
        assert "300 training pairs" in capsys.readouterr().err  # 120, and 180 lines of several
    ensemble = Translator.load(tmp_path / "1", tmp_path / "2")
    assert len(ensemble(["one two"])) == 1
