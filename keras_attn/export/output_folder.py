"""An export's folder replaces nothing but an earlier export of its kind."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from keras_attn import files
from keras_attn.export.description import read_description


@contextlib.contextmanager
def new_folder(output: str | Path, description: str) -> Iterator[Path]:
    """A folder to write an export to, put in the place of `output` when the `with` block ends without an error.

    Args:
        output: where the export is to be; its parents are made. There may be an earlier export, which stays until the new one
            is complete, or an empty folder.
        description: the JSON file, relative to the folder, by which an earlier export is known.

    Raises:
        FileExistsError: `output` is something else.
        OSError: the folder cannot be written, or another export to it is going on.
    """
    output = Path(output).absolute()
    _refuse_to_replace(output, description)
    with files.new_folder(output) as folder:
        yield folder


def _refuse_to_replace(output: Path, description: str) -> None:
    if not output.exists() or (output.is_dir() and not any(output.iterdir())):
        return
    try:
        read_description(output, description)
    except ValueError:
        raise FileExistsError(
            f"{output} exists and is not an earlier export of this kind: expected a new name. Remove it or choose another"
        ) from None
