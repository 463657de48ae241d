"""What a config is known to ask for before anything is built."""

import pytest

from keras_attn.config import ConfigError, ModelConfig
from keras_attn.config.presets import PRESETS
from keras_attn.config.sizes import fewest_parameters
from keras_attn.models.build import build_seq2seq
from keras_attn.training.memory import check_memory

SIZES = {"source_vocab_size": 50, "target_vocab_size": 60, "embedding_dim": 8, "decoder_units": 16}


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("depth", [1, 3])
def test_the_fewest_parameters_are_no_more_than_there_are_and_not_far_fewer(preset, depth):
    encoder = (
        {} if preset == "transformer_encoder" else {"encoder_units": 8}
    )  # dot products want as wide as the decoder
    config = ModelConfig.from_preset(preset, **SIZES, **encoder, encoder_layers=depth, decoder_layers=depth)
    count = build_seq2seq(config).count_params()
    assert count / 3 < fewest_parameters(config) <= count


@pytest.mark.parametrize("tied", ["target", "all"])
def test_tied_embeddings_count_once(tied):
    config = ModelConfig(
        **{**SIZES, "source_vocab_size": 60},
        encoder_units=8,
        attention_units=8,
        readout_units=8,
        tied_embeddings=tied,
    )
    count = build_seq2seq(config).count_params()
    assert count / 2 < fewest_parameters(config) <= count


@pytest.mark.parametrize(
    "key", ["decoder_units", "encoder_units", "embedding_dim", "attention_units", "readout_units"]
)
def test_a_model_larger_than_the_machine_is_refused_before_it_is_built(key):
    with pytest.raises(ConfigError, match=r"which take [\d,]+ GB in training, and this machine has"):
        check_memory(ModelConfig(**{**SIZES, key: 10**9}))


def test_a_model_that_fits_is_trained():
    check_memory(ModelConfig(**SIZES))


NARROW = {**SIZES, "encoder_units": 4, "attention_units": 5, "readout_units": 6}  # a memory of 8


@pytest.mark.parametrize(
    ("kind", "more", "added"),
    [
        ({}, {"source_vocab_size": 51}, 8),
        ({}, {"target_vocab_size": 61}, 8 + 6),  # embedding and output
        ({"readout": "plain"}, {"target_vocab_size": 61}, 8 + 16 + 8),  # from state and context
        ({"tied_embeddings": "target"}, {"target_vocab_size": 61}, 8),
        ({"tied_embeddings": "target"}, {"source_vocab_size": 51}, 8),
        ({"tied_embeddings": "all"}, {"source_vocab_size": 51}, 0),
        ({}, {"attention_units": 6}, 16 + 8),  # query and key
        ({}, {"readout_units": 7}, 16 + 8 + 60),  # from state and context, to the words
        ({"attention": "none"}, {"readout_units": 7}, 16 + 60),
        ({}, {"encoder_layers": 2}, 2 * 3 * 4 * (4 + 4)),  # two directions, three gates
        ({"encoder": "transformer"}, {"encoder_layers": 2}, 4 * 8 * 8),
        ({}, {"decoder_layers": 2}, 3 * 16 * (16 + 16)),
    ],
)
def test_one_more_of_each_adds_its_matrices(kind, more, added):
    before, after = (fewest_parameters(ModelConfig(**{**NARROW, **kind, **each})) for each in ({}, more))
    assert after - before == added


@pytest.fixture
def machine_of(monkeypatch):
    """`machine_of(pages)`: a machine with so many pages of 4 bytes."""

    def machine_of(pages):
        found = {"SC_PAGE_SIZE": 4, "SC_PHYS_PAGES": pages}
        monkeypatch.setattr("keras_attn.training.memory.os.sysconf", found.__getitem__)

    return machine_of


def test_a_parameter_takes_16_bytes_and_a_model_may_take_all_the_memory(machine_of):
    model = ModelConfig(**SIZES)
    machine_of(4 * fewest_parameters(model))
    check_memory(model)
    machine_of(4 * fewest_parameters(model) - 1)
    with pytest.raises(ConfigError):
        check_memory(model)


def test_a_model_that_is_too_large_is_told_in_parameters_and_gigabytes(machine_of, monkeypatch):
    monkeypatch.setattr("keras_attn.training.memory.fewest_parameters", lambda _: 2_000_000_000)
    machine_of(2_000_000_000)
    told = "the model has 2,000,000,000 parameters or more, which take 32 GB in training, and this machine has 8 GB"
    with pytest.raises(ConfigError, match=told):
        check_memory(ModelConfig())
