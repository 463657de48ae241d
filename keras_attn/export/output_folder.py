"""The folder of an export, which may replace only an earlier export of the same kind."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from keras_attn import files
from keras_attn.export.description import read_description


@contextlib.contextmanager
def new_folder(output: str | Path, description: str) -> Iterator[Path]:
    """A folder for writing an export; it replaces `output` when the `with` block ends without an error.

    Args:
        output: the export's folder; its parents are made. It may be an empty folder or an earlier export, which stays until the new
            one is complete.
        description: the JSON file, relative to the folder, that identifies an earlier export.

    Raises:
        FileExistsError: `output` is something else.
        OSError: the folder cannot be written, or another export is writing to it.
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
