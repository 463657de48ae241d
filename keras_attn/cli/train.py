"""`keras-attn train`: from a config file to a model folder."""

import json

import click

from keras_attn import config as configs
from keras_attn.cli.loading import load_tensorflow


@click.command(short_help="Train a model.")
@click.argument("config", type=click.Path(exists=True, dir_okay=False))
@click.argument("folder", type=click.Path(file_okay=False))
@click.option(
    "--set", "overrides", multiple=True, metavar="SECTION.KEY=VALUE", help="Override the config; repeatable."
)
def train(config: str, folder: str, overrides: tuple[str, ...]) -> None:
    """Trains the model that CONFIG describes, into FOLDER. The same command goes on with a training that was interrupted.

    \b
    Example:
      keras-attn train configs/phrasebook.toml runs/phrasebook --set training.epochs=5
    """
    settings = configs.load(config, overrides)
    load_tensorflow()
    from keras_attn.training import fit

    click.echo(json.dumps(fit.train(settings, folder), indent=2, ensure_ascii=False))
