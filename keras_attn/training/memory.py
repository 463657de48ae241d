"""Checks, before anything is allocated, that this machine has enough memory to train a model."""

import os

from keras_attn.config import ConfigError, ModelConfig
from keras_attn.config.sizes import fewest_parameters

_BYTES_PER_PARAMETER = 16  # the weight, its gradient and the two moments of Adam


def check_memory(model: ModelConfig) -> None:
    """Refuses a model that needs more memory than the machine has.

    Raises:
        ConfigError: see above.
    """
    parameters = fewest_parameters(model)
    needed, there = (
        parameters * _BYTES_PER_PARAMETER,
        os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    )
    if needed > there:
        raise ConfigError(
            f"the model has {parameters:,} parameters or more, which take {needed / 1e9:,.0f} GB in training, and this machine has "
            f"{there / 1e9:,.0f} GB: make model.decoder_units, encoder_units, embedding_dim or a vocabulary smaller"
        )
