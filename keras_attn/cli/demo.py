"""`keras-attn demo`: every step once on the phrasebook, from text to pictures and exported files."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from keras_attn.cli.loading import NEW_FOLDER, add_engine, load_keras

if TYPE_CHECKING:
    from keras_attn.corpora.phrasebook import PhrasePair
    from keras_attn.inference.translator import Translator

HELD_OUT = 500
SENTENCES = (
    "Where is the nearest station?",
    "I do not want your pizza because it is too cold.",
    "We are going to the airport by train tomorrow.",
)


@click.command(short_help="Train, evaluate and export a small model.")
@click.argument("config", type=click.Path(exists=True, dir_okay=False))
@click.argument("folder", type=NEW_FOLDER)
def demo(config: str, folder: str) -> None:
    """Trains on the generated English-Spanish phrasebook, evaluates on held-out sentences, exports the model and runs the exports.

    The config is in the repository, not in the wheel.

    \b
    Example:
      keras-attn demo configs/phrasebook.toml demo
    """
    from keras_attn import config as configs

    settings = configs.load(config)
    started = time.perf_counter()
    load_keras()
    from keras_attn.corpora import phrasebook
    from keras_attn.export.subject import require_tensorflow
    from keras_attn.inference.translator import Translator
    from keras_attn.training.fit import train

    require_tensorflow()
    out = Path(folder)
    _title("Train")
    train(settings, out / "model")
    add_engine(out / "model")
    translator = Translator.load(out / "model")

    pairs = phrasebook.generate(HELD_OUT, split="test")
    _title(f"Evaluate on {HELD_OUT} held-out sentences")
    _evaluate(translator, pairs)
    _title("Export, and run the exports on the same sentences")
    _export(out, pairs)
    _title("Translate")
    _translate(translator, out)
    _title(f"All of this took {time.perf_counter() - started:.0f} s. Files")
    for file in sorted(path for path in out.rglob("*") if path.is_file()):
        click.echo(f"{file.stat().st_size:>12,}  {file}")


def _title(text: str) -> None:
    click.echo(f"\n{text}\n{'-' * len(text)}")


def _evaluate(translator: "Translator", pairs: Sequence["PhrasePair"]) -> None:
    from keras_attn.alignment.align import align
    from keras_attn.alignment.word_alignment import alignment_error_rate
    from keras_attn.evaluation.evaluate import evaluate

    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    for evaluation in evaluate(translator, sources, targets):
        click.echo(evaluation)
    error_rate = alignment_error_rate(
        align(translator, sources, targets), [set(pair.alignment) for pair in pairs]
    )
    click.echo(f"alignment error rate {error_rate:.3f} (arg-max of the attention weights against gold links)")


def _export(out: Path, pairs: Sequence["PhrasePair"]) -> None:
    from keras_attn.export.litert import export_litert
    from keras_attn.export.saved_model import export_saved_model

    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    for name, export, options in (
        ("saved-model", export_saved_model, {}),
        ("litert-float32", export_litert, {"precision": "float32"}),
        ("litert-int8", export_litert, {"precision": "int8"}),
    ):
        parity = export(out / "model", out / name, sources=sources, references=targets, **options)
        click.echo(f"{out / name}\n{parity}")


def _translate(translator: "Translator", out: Path) -> None:
    from keras_attn.alignment.align import draw_attention

    for number, sentence in enumerate(SENTENCES, start=1):
        picture = out / f"attention-{number}.png"
        drawn = draw_attention(translator, sentence, None, picture)
        click.echo(f"{sentence}\n  {drawn.text}\n  attention: {picture}")
