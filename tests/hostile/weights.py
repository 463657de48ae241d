"""Files of weights that Keras did not write: HDF5 can name data in other files, claim arrays of any size, and go in circles."""

import io
from collections.abc import Callable, Iterator

import h5py
import numpy as np
from damage import damaged


def hostile_weights(good: bytes) -> Iterator[tuple[str, bytes]]:
    """Named variants of a good `.weights.h5`, which comes first."""
    yield "good", good
    yield from damaged(good, cuts=12, flips=24)
    with h5py.File(io.BytesIO(good)) as file:
        names: list[str] = []
        file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
    for name, change in _CHANGES.items():
        stream = io.BytesIO(good)
        with h5py.File(stream, "r+") as file:
            change(file, names[0])
        yield name, stream.getvalue()


def _replace(make: Callable[[h5py.File, str], object]) -> Callable[[h5py.File, str], None]:
    def change(file: h5py.File, name: str) -> None:
        del file[name]
        make(file, name)

    return change


def _link(link: object) -> Callable[[h5py.File, str], None]:
    return _replace(lambda file, name: file.__setitem__(name, link))


def _array(**options: object) -> Callable[[h5py.File, str], None]:
    return _replace(lambda file, name: file.create_dataset(name, **options))


def _virtual(file: h5py.File, name: str) -> None:
    layout = h5py.VirtualLayout((4, 4), "float32")
    layout[:] = h5py.VirtualSource("/tmp/other.h5", "data", (4, 4))
    file.create_virtual_dataset(name, layout)


def _deep(file: h5py.File, name: str) -> None:
    group = file
    for _ in range(1000):
        group = group.create_group("g")


def _many(file: h5py.File, name: str) -> None:
    for number in range(5000):
        file.create_group(f"group {number}")


_CHANGES: dict[str, Callable[[h5py.File, str], object]] = {
    "an array in another file": _array(shape=(4, 4), dtype="float32", external=[("/etc/passwd", 0, 64)]),
    "an array in a device": _array(
        shape=(4, 4), dtype="float32", external=[("/dev/zero", 0, h5py.h5f.UNLIMITED)]
    ),
    "an array pieced together from another file": _replace(_virtual),
    "a link to another file": _link(h5py.ExternalLink("/etc/passwd", "/")),
    "a link into a device": _link(h5py.ExternalLink("/dev/zero", "/")),
    "a soft link": _link(h5py.SoftLink("/nowhere")),
    "a soft link to itself": _replace(lambda file, name: file.__setitem__(name, h5py.SoftLink(f"/{name}"))),
    "a circle": lambda file, name: file.__setitem__("circle", file["/"]),
    "an array of 2 ** 50 numbers": _array(shape=(1 << 50,), dtype="float32", chunks=(1024,)),
    "an array of 2 ** 62 numbers": _array(shape=(1 << 31, 1 << 31), dtype="float32", chunks=(16, 16)),
    "zeros that unpack to a gigabyte": _array(
        shape=(1 << 28,), dtype="float32", compression="gzip", fillvalue=0
    ),
    "ten megabytes that were packed": _array(data=np.zeros(2_500_000, "float32"), compression="gzip"),
    "text": _array(data=np.array([b"text"] * 4)),
    "text of any length": _array(data=["text"] * 4, dtype=h5py.string_dtype()),
    "records": _array(data=np.zeros(4, [("a", "f4"), ("b", "i4")])),
    "references": _array(shape=(4,), dtype=h5py.ref_dtype),
    "complex numbers": _array(data=np.zeros((4, 4), "complex64")),
    "truth values": _array(data=np.zeros((4, 4), "bool")),
    "no shape": _array(data=h5py.Empty("float32")),
    "a number": _array(data=np.float32(1)),
    "no numbers": _array(shape=(0, 8), dtype="float32"),
    "thirty dimensions": _array(data=np.zeros([1] * 30, "float32")),
    "another shape": _array(data=np.zeros((3, 5), "float32")),
    "a group in place of an array": _replace(lambda file, name: file.create_group(name)),
    "nothing in place of an array": lambda file, name: file.__delitem__(name),
    "no arrays": lambda file, name: file.clear(),
    "a thousand groups within one another": _deep,
    "five thousand groups": _many,
    "numbers that are none": lambda file, name: file[name].__setitem__(..., float("nan")),
    "a name that moves the cursor": lambda file, name: file.__setitem__("\x1b[2J", h5py.SoftLink("\x1b[2J")),
    "attributes": lambda file, name: file[name].attrs.__setitem__("a" * 1000, np.zeros(5000)),
}
