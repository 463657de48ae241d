"""Checks, before anything is allocated, that a model folder's config fits its weights and that its search fits into memory."""

from collections.abc import Mapping

from keras_attn.config import ModelConfig, SearchConfig
from keras_attn.config.sizes import fewest_parameters

_MOST_ROWS = 1 << 14  # hypotheses that a search keeps at once, for all lines of a batch
_MOST_TOKENS = 1 << 24  # of all these together


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
    length = search.length_limit(search.max_source_length - 1)
    if rows * length > _MOST_TOKENS:
        raise ValueError(
            f"{rows:,} hypotheses at once (search.beam_size times search.batch_size) of up to {length:,} sub-words "
            f"(search.max_length_factor, max_length_extra and min_length) make {rows * length:,}; a model folder may ask for "
            f"{_MOST_TOKENS:,}"
        )
