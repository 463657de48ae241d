"""Checks of what a layer is given. They read static shapes only, so they add nothing to a graph."""

import numbers

import numpy as np


def check_counts(**counts):
    """Refuses anything but integers of at least 1."""
    for name, count in counts.items():
        if not isinstance(count, numbers.Integral) or count < 1:
            raise ValueError(f"{name} must be an integer of at least 1. Received: {name}={count!r}.")


def check_width(name, width):
    """Refuses an unknown width, because weights need one."""
    if width is None:
        raise ValueError(
            f"{name} must have a last axis of known size. Received: None. Give the size, as in keras.Input((None, 128))."
        )


def check_shapes(sizes, **tensors):
    """Refuses tensors whose shapes do not fit together, as far as they are known.

    Args:
        sizes: the sizes of axes that are known beforehand.
        tensors: for each name, a tensor (or `None`), its axes, such as `"batch, positions"`, and advice for whoever has another
            shape. An axis has one size wherever its name occurs.

    Raises:
        ValueError: a tensor has other axes or sizes, or an axis after the first is empty.
    """
    sizes = dict(sizes)
    for name, (tensor, axes, advice) in tensors.items():
        if tensor is None:
            continue
        shape, names = tuple(np.shape(tensor)), axes.split(", ")
        wanted = tuple(sizes.get(axis) for axis in names)
        fits = len(shape) == len(wanted) and all(
            None in pair or pair[0] == pair[1] for pair in zip(shape, wanted, strict=True)
        )
        if not fits:
            here = f", here {wanted}" if any(wanted) else ""
            raise ValueError(f"{name} must be ({axes}){here}. Received: {shape}. {advice}")
        if 0 in shape[1:]:
            raise ValueError(
                f"{name} must be ({axes}), at least one of each. Received: {shape}. Pad it, or leave the call out."
            )
        sizes |= {axis: size for axis, size in zip(names, shape, strict=True) if size is not None}
