"""`keras-attn distill`: a model that learns from its corpus and from teachers of both directions."""

import json

import click

from keras_attn import config as configs
from keras_attn.cli.loading import add_engine, load_tensorflow

OVERRIDE = {"multiple": True, "metavar": "SECTION.KEY=VALUE"}


@click.command(short_help="Train teachers, and a better model from what they make.")
@click.argument("config", type=click.Path(exists=True, dir_okay=False))
@click.argument("folder", type=click.Path(file_okay=False))
@click.option("--rounds", type=click.IntRange(1), default=1, show_default=True, help="Of teachers.")
@click.option(
    "--teachers", type=click.IntRange(1), default=1, show_default=True, help="Of each direction, in a round."
)
@click.option("--set", "overrides", **OVERRIDE, help="Override the config; repeatable.")
@click.option("--student", "choices", **OVERRIDE, help="Override it for the student alone; repeatable.")
def distill(
    config: str,
    folder: str,
    rounds: int,
    teachers: int,
    overrides: tuple[str, ...],
    choices: tuple[str, ...],
) -> None:
    """Trains the model that CONFIG describes into FOLDER, on its sentence pairs and on what teachers make of them. The teachers are
    models of the same config, in both directions, and lie in FOLDER/teachers. That is 2 x rounds x teachers + 1 trainings; it pays
    where pairs are few. The same command resumes an interrupted distillation.

    \b
    Example:
      keras-attn distill my.toml runs/mine --rounds 2 --student model.decoder_units=384
    """
    settings = configs.load(config, overrides)
    student = configs.override(settings, choices)
    load_tensorflow()
    from keras_attn.training import distillation

    metrics = distillation.distill(settings, folder, rounds=rounds, teachers=teachers, student=student)
    add_engine(folder)
    click.echo(json.dumps(metrics, indent=2, ensure_ascii=False))
