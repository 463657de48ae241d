"""What a file of weights holds, told without reading any of it. HDF5 files come from strangers, and the format can do more than
hold arrays: name data in other files, and claim arrays of any size."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import h5py

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
