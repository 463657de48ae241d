import dataclasses

import pytest

from keras_attn.config import (
    Config,
    ConfigError,
    DataConfig,
    ModelConfig,
    SearchConfig,
    TokenizerConfig,
    TrainingConfig,
)
from keras_attn.text.tokenizer import train_tokenizer
from keras_attn.training.checkpoint import TrainingState
from keras_attn.training.same_config import with_config


@pytest.fixture(scope="module")
def state():
    tokenizer = train_tokenizer(["a b", "b a"], 10)
    return TrainingState(Config(search=SearchConfig(beam_size=2)), "digest", tokenizer, tokenizer)


def test_a_changed_config_is_refused_by_the_names_of_its_keys(state):
    changed = dataclasses.replace(state.config, training=TrainingConfig(batch_size=3, r_drop=1.0))
    with pytest.raises(
        ConfigError, match=r"training.batch_size was 64 and is 3; training.r_drop was 0.0 and is 1.0\. Set"
    ):
        with_config(state, changed)


def test_the_search_and_the_end_of_a_training_may_change(state):
    search, training = SearchConfig(beam_size=4, batch_size=3), TrainingConfig(epochs=30, patience=2)
    changed = dataclasses.replace(state.config, search=search, training=training)
    assert with_config(state, changed).config == changed


@pytest.mark.parametrize("bound", [{"schedule": "cosine"}, {"scheduled_sampling": 0.5}])
def test_the_end_of_what_is_made_for_a_number_of_epochs_may_not_change(state, bound):
    before, after = (TrainingConfig(epochs=epochs, **bound) for epochs in (20, 30))
    state = dataclasses.replace(state, config=dataclasses.replace(state.config, training=before))
    with pytest.raises(ConfigError, match=r"training.epochs was 20 and is 30\. Set it back"):
        with_config(state, dataclasses.replace(state.config, training=after))


def test_files_may_have_moved(state):
    files = {name: (f"elsewhere/{name}.tsv",) for name in ("train", "dev", "test")}
    moved = dataclasses.replace(state.config, data=DataConfig(**files, links="elsewhere/links"))
    assert with_config(state, moved) == state


@pytest.mark.parametrize(
    "changes",
    [
        {"data": DataConfig(max_length=99)},
        {"tokenizer": TokenizerConfig(vocab_size=99)},
        {"model": ModelConfig(decoder_units=99)},
        {"training": TrainingConfig(seed=99)},
    ],
    ids=str,
)
def test_every_other_section_stays_as_it_was(state, changes):
    ((section, _),) = changes.items()
    with pytest.raises(ConfigError, match=rf"another config: {section}\.\w+ was \d+ and is 99\. Set it back"):
        with_config(state, dataclasses.replace(state.config, **changes))


def test_what_a_training_runs_on_may_change(state):
    training = TrainingConfig(devices=2, jit_compile=False, steps_per_execution=4)
    changed = dataclasses.replace(state.config, training=training)
    assert with_config(state, changed).config == changed
