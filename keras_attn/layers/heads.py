"""Splits vectors among the heads of an attention."""

from keras import ops

from keras_attn.layers.checks import check_counts, check_width


def split_heads(x, num_heads):
    """`(B, L, W) -> (B, H, L, W / H)`: head h takes the features h, h + H, h + 2 H, ...

    So every head of a memory `[forward; backward]` reads from both directions.
    """
    batch, length, width = ops.shape(x)
    return ops.transpose(ops.reshape(x, (batch, length, width // num_heads, num_heads)), (0, 3, 1, 2))


def join_heads(x):
    """`(B, H, L, W) -> (B, L, H W)`, the inverse of `split_heads`."""
    batch, num_heads, length, width = ops.shape(x)
    return ops.reshape(ops.transpose(x, (0, 2, 3, 1)), (batch, length, width * num_heads))


def check_heads(num_heads, **widths):
    """Refuses widths that are unknown or cannot be split among the heads."""
    check_counts(num_heads=num_heads)
    for name, width in widths.items():
        check_width(name, width)
    if any(width % num_heads for width in widths.values()):
        raise ValueError(
            f"num_heads must divide the widths that it splits. Received: num_heads={num_heads}, "
            + ", ".join(f"{name} {width}" for name, width in widths.items())
            + "."
        )
