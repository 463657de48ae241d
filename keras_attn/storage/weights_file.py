"""The weights file: writing it as a whole, and listing its arrays without reading them.

HDF5 files may be untrusted, and the format can do more than store arrays: it can refer to other files, and claim arrays of any
size.
"""

import io
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from keras_attn.files import write_bytes

if TYPE_CHECKING:
    import h5py
    import keras

_MOST_OBJECTS = 100_000
_MOST_UNPACKED = 20  # times the size of the file: weights hardly compress


def array_sizes(path: Path) -> dict[str, int]:
    """The number of elements in each array of a `.weights.h5`.

    Raises:
        ValueError: the file is damaged, refers to other files, contains something other than arrays of numbers, or claims more
            numbers than its bytes can hold.
    """
    import h5py

    sizes: dict[str, int] = {}
    claimed = 0
    size = path.stat().st_size
    try:
        with h5py.File(path) as file:
            for name, array in _arrays(file):
                _check_array(name, array)
                sizes[name] = math.prod(array.shape)
                claimed += sizes[name] * array.dtype.itemsize
    except Exception as error:  # h5py raises whatever its library stumbles over
        raise ValueError(str(error).partition("\n")[0] or type(error).__name__) from None
    if claimed > _MOST_UNPACKED * size:
        raise ValueError(f"its arrays claim {claimed:,} bytes, which a file of {size:,} cannot hold")
    return sizes


def _arrays(file: "h5py.File") -> "Iterator[tuple[str, h5py.Dataset]]":
    """Every array with its name. Not `visititems_links`: exceptions out of its function lose their message, and it finds each
    object from the root, which takes seconds where groups lie deep in groups."""
    import h5py

    groups: list[tuple[str, h5py.Group]] = [("", file)]
    seen = {h5py.h5o.get_info(file.id).addr}  # a group may contain itself
    objects = 0
    while groups:
        path, group = groups.pop()
        for name in group:
            objects += 1
            if objects > _MOST_OBJECTS:
                raise ValueError(f"it holds more than {_MOST_OBJECTS:,} objects")
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise ValueError(f"{path}{name} is a link to another place, which is not followed")
            item = group[name]
            if isinstance(item, h5py.Dataset):
                yield f"{path}{name}", item
            elif isinstance(item, h5py.Group) and (address := h5py.h5o.get_info(item.id).addr) not in seen:
                seen.add(address)
                groups.append((f"{path}{name}/", item))


def _check_array(name: str, item: "h5py.Dataset") -> None:
    if item.external or item.is_virtual:
        raise ValueError(f"{name} lies in another file, which is not read")
    if item.shape is None or item.dtype.kind not in "fiu":
        raise ValueError(f"{name} is not an array of numbers")


class _Memory(io.BytesIO):
    """Writes the weights in memory first: if the disk fills up while HDF5 writes, the process crashes (SIGSEGV)."""

    def __str__(self) -> str:
        return "model.weights.h5"  # Keras accepts only such names


def write_weights(model: "keras.Model", path: Path, precision: str) -> None:
    """Writes only the weights, as float32 or float16. For a compiled model, Keras would also write the optimizer's state, twice as
    large.

    The same weights always give the same file, unlike in Keras, which writes a numbered model name.
    """
    import keras

    weights = _Memory()
    keras.Model(model.inputs, model.outputs, name="model").save_weights(weights)
    write_bytes(path, (_halved(weights) if precision == "float16" else weights).getbuffer())


def _halved(whole: io.BytesIO) -> io.BytesIO:
    """A compressed copy of the weights in float16, with the same names."""
    import h5py

    half = io.BytesIO()

    with h5py.File(whole) as source, h5py.File(half, "w") as target:

        def copy(name: str, item: "h5py.Group | h5py.Dataset") -> None:
            if isinstance(item, h5py.Group):
                copied = target.require_group(name)
            else:
                large = (
                    item.size > 10_000
                )  # for smaller arrays, the tables of compression take more than they save
                options = {"compression": "gzip", "shuffle": True} if large else {}
                copied = target.create_dataset(name, data=item[()].astype("float16"), **options)
            copied.attrs.update(item.attrs)

        target.attrs.update(source.attrs)
        source.visititems(copy)
    return half
