"""The file of weights: written whole, and told what it holds without reading any of it.

HDF5 files come from strangers, and the format can do more than hold arrays: name data in other files, and claim arrays of any size.
"""

import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keras_attn.files import write_bytes

if TYPE_CHECKING:
    import h5py
    import keras

_MOST_OBJECTS = 100_000
_MOST_UNPACKED = 20  # times the file: weights hardly shrink when they are packed


def array_sizes(path: Path) -> dict[str, int]:
    """How many numbers each array in a `.weights.h5` has.

    Raises:
        ValueError: the file is damaged, refers to other files, or holds what is no array of numbers, or more numbers than bytes to
            make them of.
    """
    import h5py

    sizes: dict[str, int] = {}
    seen = claimed = 0

    def note(name: str, link: Any) -> None:
        nonlocal seen, claimed
        seen += 1
        if seen > _MOST_OBJECTS:
            raise ValueError(f"it holds more than {_MOST_OBJECTS:,} objects")
        if not isinstance(link, h5py.HardLink):
            raise ValueError(f"{name} is a link to another place, which is not followed")
        if isinstance(item := file[name], h5py.Dataset):
            _check_array(name, item)
            sizes[name] = math.prod(item.shape)
            claimed += sizes[name] * item.dtype.itemsize

    size = path.stat().st_size
    try:
        with h5py.File(path) as file:
            file.visititems_links(note)
    except Exception as error:  # h5py raises whatever its library stumbles over
        raise ValueError(str(error).partition("\n")[0] or type(error).__name__) from None
    if claimed > _MOST_UNPACKED * size:
        raise ValueError(f"its arrays claim {claimed:,} bytes, which a file of {size:,} cannot hold")
    return sizes


def _check_array(name: str, item: "h5py.Dataset") -> None:
    if item.external or item.is_virtual:
        raise ValueError(f"{name} lies in another file, which is not read")
    if item.shape is None or item.dtype.kind not in "fiu":
        raise ValueError(f"{name} is no array of numbers")


class _Memory(io.BytesIO):
    """A file of weights in memory: a disk that runs full under HDF5's own writes ends the process (SIGSEGV)."""

    def __str__(self) -> str:
        return "model.weights.h5"  # Keras writes to names of this kind alone


def write_weights(model: "keras.Model", path: Path, precision: str) -> None:
    """Writes the weights alone, float32 or float16: Keras would write the state of a compiled model's optimizer beside them, twice
    their size.

    And always the same file of the same weights: Keras writes the model's name, which it numbers through a process.
    """
    import keras

    weights = _Memory()
    keras.Model(model.inputs, model.outputs, name="model").save_weights(weights)
    write_bytes(path, (_halved(weights) if precision == "float16" else weights).getbuffer())


def _halved(whole: io.BytesIO) -> io.BytesIO:
    """A copy of the weights in float16, compressed; the names stay."""
    import h5py

    half = io.BytesIO()

    with h5py.File(whole) as source, h5py.File(half, "w") as target:

        def copy(name: str, item: "h5py.Group | h5py.Dataset") -> None:
            if isinstance(item, h5py.Group):
                copied = target.require_group(name)
            else:
                large = item.size > 10_000  # below, the tables of a compressed array take more than they save
                options = {"compression": "gzip", "shuffle": True} if large else {}
                copied = target.create_dataset(name, data=item[()].astype("float16"), **options)
            copied.attrs.update(item.attrs)

        target.attrs.update(source.attrs)
        source.visititems(copy)
    return half
