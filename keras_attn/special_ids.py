"""The four special ids at the beginning of every vocabulary, and which ids make a source."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

PAD_ID = 0
UNK_ID = 1
BOS_ID = 2
EOS_ID = 3


def check_source_ids(ids: "np.ndarray", size: int) -> None:
    """Refuses what is no source of a vocabulary of `size` ids.

    Args:
        ids: integers `[..., S]`, at least one.

    Raises:
        ValueError: an id is not in the vocabulary, or padding comes before an id.
    """
    if ids.min() < 0 or ids.max() >= size:
        raise ValueError(f"expected ids from 0 to {size - 1}; got some from {ids.min()} to {ids.max()}")
    real = ids != PAD_ID
    if (real[..., 1:] > real[..., :-1]).any():
        raise ValueError(
            f"expected padding ({PAD_ID}) only on the right of a source; got some before an id. Move the ids to the left"
        )
