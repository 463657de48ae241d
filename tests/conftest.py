"""A tiny model with random weights: what it says is gibberish, how it is said is what many tests look at."""

import contextlib
import dataclasses
import gc
import os
import random
import resource
import shutil

import numpy as np
import pytest

from keras_attn.config import Config, DataConfig, ModelConfig, SearchConfig
from keras_attn.special_ids import EOS_ID
from keras_attn.text.tokenizer import train_tokenizer

SOURCE_WORDS = "the a cat dog bird house tree river sees likes finds big small old young green red"
TARGET_WORDS = (
    "le un chat chien oiseau maison arbre rivière voit aime trouve grand petit vieux jeune vert rouge"
)


def generate_lines(words, count, seed):
    draw = random.Random(seed)
    return [" ".join(draw.choices(words.split(), k=draw.randint(1, 9))) for _ in range(count)]


# Tracing makes many objects that are not garbage. Looking through them again and again takes a sixth of the time of an export.
gc.set_threshold(50_000, 20, 20)


def pytest_collection_finish():
    """Every conversion to LiteRT collects garbage; what was imported is none."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def cache_of_this_run(tmp_path_factory):
    """No test reads or fills the user's own cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERAS_ATTN_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module", autouse=True)
def modules_leave_nothing_to_clear_up():
    yield
    if os.environ.get("KERAS_BACKEND") == "jax":
        import jax

        # XLA crashes in a process that keeps some thousands of compiled programs.
        jax.clear_caches()
    # What is still there will be needed again: only what is made from now on is looked through.
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def source_lines():
    return generate_lines(SOURCE_WORDS, 200, seed=1)


@pytest.fixture(scope="session")
def target_lines():
    return generate_lines(TARGET_WORDS, 200, seed=2)


def tiny_config(source_tokenizer, target_tokenizer):
    return Config(
        data=DataConfig(source_language="en", target_language="fr", test=("test.en", "test.fr")),
        model=ModelConfig(
            source_vocab_size=source_tokenizer.vocab_size,
            target_vocab_size=target_tokenizer.vocab_size,
            embedding_dim=8,
            encoder_units=8,
            decoder_units=8,
            attention_units=8,
            readout_units=8,
        ),
        search=SearchConfig(beam_size=3, max_length_factor=1.0, max_length_extra=3, batch_size=8),
    )


def fill(model, seed):
    """The same random weights on every backend, large enough for clearly different words, and some ends."""
    draw = np.random.default_rng(seed)
    for variable in model.trainable_variables:
        variable.assign(draw.normal(0, 1 if len(variable.shape) > 1 else 0.1, variable.shape))
    output = model.get_layer("output")
    output.bias.assign([3.0 if word == EOS_ID else 0.0 for word in range(output.units)])


@pytest.fixture(scope="session")
def tiny_trained(source_lines, target_lines):
    from keras_attn.models.build import build_seq2seq
    from keras_attn.storage.model_folder import TrainedModel

    source, target = train_tokenizer(source_lines, 60), train_tokenizer(target_lines, 60)
    config = tiny_config(source, target)
    model = build_seq2seq(config.model)
    fill(model, seed=4)
    return TrainedModel(config, source, target, model)


@pytest.fixture(scope="session")
def translator(tiny_trained):
    """Of the tiny model. Compiling a search takes seconds, so all tests of a process share what it has compiled."""
    from keras_attn.inference.translator import Translator

    return Translator.from_trained(tiny_trained)


@pytest.fixture(scope="session")
def copying_trained(source_lines, target_lines):
    """With one vocabulary for both languages, of which the output may copy."""
    from keras_attn.models.build import build_seq2seq
    from keras_attn.storage.model_folder import TrainedModel

    tokenizer = train_tokenizer([*source_lines, *target_lines], 90)
    config = tiny_config(tokenizer, tokenizer)
    config = dataclasses.replace(config, model=dataclasses.replace(config.model, copy=True))
    model = build_seq2seq(config.model)
    fill(model, seed=4)
    return TrainedModel(config, tokenizer, tokenizer, model)


@pytest.fixture(scope="session")
def attentionless_trained(tiny_trained):
    from keras_attn.models.build import build_seq2seq

    model_config = ModelConfig(
        source_vocab_size=tiny_trained.source_tokenizer.vocab_size,
        target_vocab_size=tiny_trained.target_tokenizer.vocab_size,
        embedding_dim=8,
        encoder_units=8,
        decoder_units=8,
        readout_units=8,
        attention="none",
        feed="none",
    )
    config = dataclasses.replace(tiny_trained.config, model=model_config)
    return dataclasses.replace(tiny_trained, config=config, model=build_seq2seq(model_config))


@pytest.fixture(scope="session")
def saved_tiny_folder(tmp_path_factory, tiny_trained):
    from keras_attn.storage.model_folder import save_model

    folder = tmp_path_factory.mktemp("models") / "tiny"
    save_model(folder, tiny_trained)
    return folder


@pytest.fixture
def model_folder(saved_tiny_folder, tmp_path):
    """A copy of the tiny model's folder, for the test to do with as it likes."""

    return shutil.copytree(saved_tiny_folder, tmp_path / "model")


@pytest.fixture
def file_size_limit():
    """`with file_size_limit(bytes):` no file grows beyond so many bytes: what a full disk looks like to a program. Within
    the block alone, because pytest's own report may be going to a file."""

    @contextlib.contextmanager
    def limit(size):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return limit
