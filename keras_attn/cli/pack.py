"""`keras-attn pack`: makes a small model folder to share."""

from pathlib import Path

import click

from keras_attn.cli.loading import MODEL, NEW_FOLDER, add_engine, load_keras
from keras_attn.files import new_folder
from keras_attn.storage.model_folder import check_model_folder, load_metrics, load_model, save_model


@click.command(short_help="Copy a model to a small folder to share.")
@click.argument("folder", type=MODEL)
@click.argument("output", type=NEW_FOLDER)
def pack(folder: str, output: str) -> None:
    """Copies a trained model to a folder of its own, without checkpoints and logs and with float16 weights.

    The copy has an engine, so that `translate` starts fast.

    \b
    Example:
      keras-attn pack runs/en-es saved_models/en-es
    """
    check_model_folder(folder)
    if Path(output).exists() and any(Path(output).iterdir()):
        raise ValueError(f"{output} is not empty: name a new folder")
    load_keras()
    with new_folder(Path(output)) as packed:
        save_model(packed, load_model(folder), load_metrics(folder), precision="float16")
        add_engine(packed, name=output)
    size = sum(file.stat().st_size for file in Path(output).iterdir())
    click.echo(f"{output}  {size / 1e6:.1f} MB")
