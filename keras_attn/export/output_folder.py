"""An export's folder appears whole or not at all, and replaces nothing but an earlier export."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

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
    """
    output = Path(output).absolute()
    _refuse_to_replace(output, description)
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{output.name}.", dir=output.parent) as aside:
        new, old = Path(aside, "new"), Path(aside, "old")
        new.mkdir()
        yield new
        if output.exists():
            output.rename(old)
        new.rename(output)


def _refuse_to_replace(output: Path, description: str) -> None:
    if not output.exists() or (output.is_dir() and not any(output.iterdir())):
        return
    try:
        read_description(output, description)
    except ValueError:
        raise FileExistsError(
            f"{output} exists and is not an earlier export of this kind: expected a new name. Remove it or choose another"
        ) from None
