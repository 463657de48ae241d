"""`keras-attn train`: from a config file to a model folder."""

import json

import click

from keras_attn import config as configs
from keras_attn.cli.loading import MODEL, NEW_FOLDER, add_engine, load_keras
from keras_attn.storage.model_folder import load_config


@click.command(short_help="Train a model.")
@click.argument("config", type=click.Path(exists=True, dir_okay=False))
@click.argument("folder", type=NEW_FOLDER)
@click.option(
    "--set", "overrides", multiple=True, metavar="SECTION.KEY=VALUE", help="Override the config; repeatable."
)
@click.option(
    "--devices",
    type=click.IntRange(1),
    help="How many devices share every batch. [default: all that Keras finds]",
)
@click.option(
    "--from",
    "start",
    type=MODEL,
    help="Start from this trained model. What CONFIG leaves out of [tokenizer], [model] and [search] is as there.",
)
@click.option(
    "--new-vocabulary",
    is_flag=True,
    help="With --from: train a new vocabulary, and keep the weights of the pieces that both share.",
)
def train(
    config: str,
    folder: str,
    overrides: tuple[str, ...],
    devices: int | None,
    start: str | None,
    new_vocabulary: bool,
) -> None:
    """Trains the model that CONFIG describes and saves it in FOLDER. Run the same command again to resume.

    \b
    Example:
      keras-attn train my.toml runs/mine --set training.epochs=5
      keras-attn train my.toml runs/new --from tatoeba-en-es
    """
    if new_vocabulary and not start:
        raise click.UsageError("--new-vocabulary needs --from.")
    if devices:
        overrides += (f"training.devices={devices}",)
    settings = configs.load(config, overrides, start=load_config(start) if start else None)
    load_keras()
    from keras_attn.training import fit
    from keras_attn.training.start import Start

    started = Start(start, new_vocabulary) if start else None
    scores = fit.train(settings, folder, start=started)
    add_engine(folder)
    click.echo(json.dumps(scores, indent=2, ensure_ascii=False))
