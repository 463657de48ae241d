"""A softmax over memory positions that ignores padding."""

from keras import ops


def masked_softmax(scores, mask=None):
    """Softmax over the last axis in float32, exactly zero where `mask` is `False`.

    A row without a single `True` gives zeros, not NaN: a row of padding attends to nothing.

    Args:
        scores: float tensor `(..., S)`, finite, at padding too.
        mask: boolean tensor broadcastable to `scores`, `True` at real positions. `None`: all are real.

    Returns:
        float32 tensor of the shape of `scores`.
    """
    scores = ops.cast(scores, "float32")
    if mask is None:
        return ops.softmax(scores, axis=-1)
    kept = ops.cast(mask, "float32")
    # Any score of a trained model is far above -1e9, so a masked position is never the largest in its row.
    return ops.softmax(scores * kept + (kept - 1.0) * 1e9, axis=-1) * kept
