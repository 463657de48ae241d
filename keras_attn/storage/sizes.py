"""Checks, before anything is allocated, that a model folder's config fits its weights and that its search fits into memory."""

from collections.abc import Mapping

from keras_attn.config import ModelConfig, SearchConfig
from keras_attn.config.sizes import fewest_parameters

_MOST_ROWS = 1 << 14  # hypotheses that a search keeps at once, for all lines of a batch


def check_weights(model: ModelConfig, sizes: Mapping[str, int]) -> None:
    """Refuses a config that describes a larger model than the weights belong to.

    Args:
        model: the config.
        sizes: the number of elements in each array of weights.

    Raises:
        ValueError: see above.
    """
    layers, weights, held = (
        model.encoder_layers + model.decoder_layers,
        fewest_parameters(model),
        sum(sizes.values()),
    )
    if layers > len(sizes) or weights > held:
        raise ValueError(
            f"the files belong to different models. Expected {layers} layers of at least {weights:,} weights, found "
            f"{len(sizes)} arrays of {held:,}"
        )


def check_search(search: SearchConfig) -> None:
    """Refuses a search that would fill the memory.

    Raises:
        ValueError: see above.
    """
    rows = search.beam_size * search.batch_size
    if rows > _MOST_ROWS:
        raise ValueError(
            f"search.beam_size={search.beam_size} times search.batch_size={search.batch_size} makes {rows:,} hypotheses at once; "
            f"a model folder may ask for {_MOST_ROWS:,}"
        )
