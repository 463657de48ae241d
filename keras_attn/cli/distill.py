"""`keras-attn distill`: trains a model on its corpus and on the translations of teachers of both directions."""

import json

import click

from keras_attn import config as configs
from keras_attn.cli.loading import NEW_FOLDER, add_engine, load_keras

OVERRIDE = {"multiple": True, "metavar": "SECTION.KEY=VALUE"}


@click.command(short_help="Train teachers, and a better model on their translations.")
@click.argument("config", type=click.Path(exists=True, dir_okay=False))
@click.argument("folder", type=NEW_FOLDER)
@click.option("--rounds", type=click.IntRange(1), default=1, show_default=True, help="Rounds of teachers.")
@click.option(
    "--teachers",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Teachers per direction and round.",
)
@click.option("--set", "overrides", **OVERRIDE, help="Override the config; repeatable.")
@click.option(
    "--student", "choices", **OVERRIDE, help="Override the config for the student only; repeatable."
)
def distill(
    config: str,
    folder: str,
    rounds: int,
    teachers: int,
    overrides: tuple[str, ...],
    choices: tuple[str, ...],
) -> None:
    """Trains the model that CONFIG describes on its sentence pairs and on their translations by teachers, and saves it in FOLDER.
    The teachers are models of the same config, in both directions, and are saved in FOLDER/teachers. This trains 2 x rounds x
    teachers + 1 models and helps if there are few pairs. Run the same command again to resume.

    \b
    Example:
      keras-attn distill my.toml runs/mine --rounds 2 --student model.decoder_units=384
    """
    settings = configs.load(config, overrides)
    student = configs.override(settings, choices)
    load_keras()
    from keras_attn.training import distillation

    metrics = distillation.distill(settings, folder, rounds=rounds, teachers=teachers, student=student)
    add_engine(folder)
    click.echo(json.dumps(metrics, indent=2, ensure_ascii=False))
