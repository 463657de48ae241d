"""Trainings whose attention is guided by word links, of seconds each."""

import shutil

import keras
import numpy as np
import pytest

from keras_attn import config as configs
from keras_attn.alignment.align import align
from keras_attn.alignment.word_alignment import alignment_error_rate
from keras_attn.config import ConfigError
from keras_attn.corpora import phrasebook
from keras_attn.inference.translator import Translator
from keras_attn.models.build import build_seq2seq
from keras_attn.storage.model_folder import load_model
from keras_attn.text.corpus import read_pairs
from keras_attn.text.links import format_pharaoh
from keras_attn.training.checkpoint import FILE, CheckpointError, load_checkpoint
from keras_attn.training.fit import train
from keras_attn.training.losses import AttentionCrossEntropy, SmoothedCrossEntropy

pytestmark = pytest.mark.slow

RECIPE = {"epochs": 6, "evaluate_every": 9}  # 6 rounds, which do not end where epochs do


@pytest.fixture(scope="module")
def guided(recipe, pair_files):
    """Makes a config for lines that are said backwards, with the links of their words."""

    def make(*overrides, **training):
        config = recipe(**{"guided_alignment": 0.5, **training})
        return configs.override(config, [f"data.links={pair_files / 'train.links'}", *overrides])

    return make


@pytest.fixture(scope="module")
def small_phrasebook(tmp_path_factory):
    folder = tmp_path_factory.mktemp("phrasebook")
    for split, size in (("train", 2000), ("dev", 4)):
        pairs = phrasebook.generate(size, split=split)
        (folder / f"{split}.tsv").write_text("".join(f"{pair.source}\t{pair.target}\n" for pair in pairs))
        links = [f"{format_pharaoh(set(pair.alignment))}\n" for pair in pairs]
        (folder / f"{split}.links").write_text("".join(links))
    return folder


def phrasebook_model(folder, weight):
    """Two epochs: too few for good translations, and for the attention to find its way alone."""
    config = configs.from_tables(
        {
            "data": {
                "train": [str(folder / "train.tsv")],
                "dev": [str(folder / "dev.tsv")],
                "links": str(folder / "train.links"),
            },
            "tokenizer": {"vocab_size": 500},
            "model": {
                "preset": "cs224n",
                "attention_score": "dot",
                "embedding_dim": 32,
                "encoder_units": 32,
                "decoder_units": 64,
            },
            "training": {
                "epochs": 2,
                "batch_size": 32,
                "learning_rate": 0.01,
                "evaluate_every": 126,
                "guided_alignment": weight,
            },
            "search": {"max_length_factor": 1.0},
        }
    )
    train(config, folder / f"guided-{weight}")
    return folder / f"guided-{weight}"


def error_rate(folder):
    pairs = phrasebook.generate(100, split="test")
    found = align(Translator.load(folder), [pair.source for pair in pairs], [pair.target for pair in pairs])
    return alignment_error_rate(found, [set(pair.alignment) for pair in pairs])


@pytest.fixture(scope="module")
def guided_folder(small_phrasebook):
    return phrasebook_model(small_phrasebook, 1.0)


def test_guided_attention_aligns_far_better(small_phrasebook, guided_folder):
    unguided = error_rate(phrasebook_model(small_phrasebook, 0.0))
    assert error_rate(guided_folder) < 0.5 * unguided  # seen: 0.33 and 0.90


def test_a_guided_training_leaves_an_ordinary_model(guided_folder):
    trained = load_model(guided_folder)
    assert len(trained.model.inputs) == 2 and len(trained.model.outputs) == 1
    assert trained.config.data.links == "train.links"  # nothing from the machine it was trained on
    assert len(Translator.from_trained(trained)(["Where is the station?"])) == 1


def test_tokens_without_links_are_counted_too(guided_folder, small_phrasebook):
    lines = read_pairs([small_phrasebook / "train.tsv"]).target
    tokens = sum(len(ids) + 1 for ids in load_model(guided_folder).target_tokenizer.encode(lines))
    (both_epochs,) = load_checkpoint(guided_folder)[0].rounds
    assert both_epochs.tokens == 2 * tokens


@pytest.fixture(scope="module")
def unbroken(guided, tmp_path_factory):
    """A training that nothing disturbed, and its checkpoint after a round that was not the last."""
    folder, checkpoints = tmp_path_factory.mktemp("guided") / "unbroken", []
    copy = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: checkpoints.append((folder / FILE).read_bytes())
    )
    train(guided(**RECIPE), folder, callbacks=[copy])
    return folder, checkpoints[1]


def outcome(folder):
    state, variables = load_checkpoint(folder)
    measured = [(one.step, one.loss, one.tokens, one.dev_perplexity) for one in state.rounds]
    return [*(value for _, value in variables), np.array(measured)]


def test_a_resumed_guided_training_ends_as_an_unbroken_one(unbroken, guided, tmp_path):
    folder = shutil.copytree(unbroken[0], tmp_path / "resumed")
    (folder / FILE).write_bytes(unbroken[1])
    assert len(load_checkpoint(folder)[0].rounds) == 2
    train(guided(**RECIPE), folder)
    for value, expected in zip(outcome(folder), outcome(unbroken[0]), strict=True):
        np.testing.assert_array_equal(value, expected)


def test_other_links_are_refused(unbroken, guided, pair_files, tmp_path):
    folder = shutil.copytree(unbroken[0], tmp_path / "resumed")
    (folder / FILE).write_bytes(unbroken[1])
    first, *rest = (pair_files / "train.links").read_text().splitlines(keepends=True)
    assert first != "\n"
    (tmp_path / "other.links").write_text("".join(["\n", *rest]))
    with pytest.raises(CheckpointError, match="the sentence pairs are not those"):
        train(guided(f"data.links={tmp_path / 'other.links'}", **RECIPE), folder)


@pytest.mark.parametrize(
    "choices",
    [
        {"attention_heads": 2},
        {"attention": "monotonic"},
        {"attention": "luong", "query_state": "current", "feed": "attentional", "readout": "attentional"},
        {"attention": "luong", "query_state": "current", "feed": "none"},
        {"attention": "luong", "feed": "none"},
        {"attention": "local-p", "query_state": "current"},
    ],
    ids=str,
)
def test_every_attention_can_be_guided_in_mixed_precision(choices):
    sizes = ("embedding_dim", "encoder_units", "decoder_units", "attention_units", "readout_units")
    table = {"source_vocab_size": 9, "target_vocab_size": 9, **dict.fromkeys(sizes, 8), **choices}
    config = configs.from_tables(configs.without_unused({"model": table})).model
    keras.utils.set_random_seed(1)
    keras.config.set_dtype_policy("mixed_float16")
    try:
        model = build_seq2seq(config, return_attention_scores=True)
    finally:
        keras.config.set_dtype_policy("float32")
    model.compile(
        keras.optimizers.Adam(0.05), [SmoothedCrossEntropy(), AttentionCrossEntropy()], run_eagerly=True
    )
    source, target_in, target_out = [[5, 6, 3], [7, 3, 0]], [[2, 8], [2, 0]], [[8, 3], [3, 0]]
    reference = np.array([[[0, 1, 0], [0.5, 0.5, 0]], [[1, 0, 0], [0, 0, 0]]], "float32")
    batch = (
        [np.array(source), np.array(target_in)],
        [np.array(target_out), reference],
        [np.array(target_out) > 0, reference.sum(axis=-1)],
    )
    _, _, before = model.train_on_batch(*batch)
    for _ in range(3):
        model.reset_metrics()
        _, _, after = model.train_on_batch(*batch)
    assert np.isfinite(before) and after < before


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            ["model.attention=none", "model.feed=none"],
            "guided_alignment needs attention, and model.attention",
        ),
        (
            ["training.subword_sampling=0.1"],
            "needs the same sub-words in every epoch: set training.subword_sampling to 0",
        ),
        (["data.links="], r"guided_alignment = 0.5 needs word links: .* data.links"),
    ],
)
def test_what_cannot_be_guided_is_refused_before_anything_is_written(guided, tmp_path, overrides, message):
    with pytest.raises(ConfigError, match=message):
        train(guided(*overrides), tmp_path / "run")
    assert not (tmp_path / "run").exists()
