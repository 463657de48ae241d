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
