"""`keras-attn export`: exports a model for servers or devices, and compares the export with the model."""

from pathlib import Path

import click

from keras_attn.cli import messages
from keras_attn.cli.loading import MODEL, NEW_FOLDER, load_keras, why_missing
from keras_attn.config import DataConfig
from keras_attn.config.schema import LARGEST_BEAM
from keras_attn.storage import packaged
from keras_attn.storage.model_folder import check_model_folder, load_data_config, load_model
from keras_attn.text.corpus import Corpus, CorpusError, read_lines

FILE = click.Path(exists=True, dir_okay=False)


@click.command(short_help="Export a model as a SavedModel or for LiteRT.")
@click.argument("folder", type=MODEL)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["saved-model", "litert"]),
    required=True,
    help="saved-model for servers, litert for devices.",
)
@click.option("--precision", type=click.Choice(["float32", "int8"]), help="litert only. [default: float32]")
@click.option(
    "--beam-size",
    type=click.IntRange(1, LARGEST_BEAM),
    help="1 is greedy. [default: 1 for litert, the model's for saved-model]",
)
@click.option(
    "--source-length",
    type=click.IntRange(2),
    help="litert only: the most source ids, EOS included. [default: 64; with --any-source-length the model's]",
)
@click.option(
    "--max-length",
    type=click.IntRange(1),
    help="The most ids of a translation, EOS included. [default: 64 for litert, what the model's search allows for saved-model]",
)
@click.option(
    "--any-source-length",
    is_flag=True,
    help="litert only, not for browsers: take any number of ids up to the limit, without padding; the longest must come first.",
)
@click.option(
    "--output",
    type=NEW_FOLDER,
    help="[default: FOLDER/saved-model, FOLDER/litert-PRECISION; of a packaged model, such a folder here, with its name in front]",
)
@click.option(
    "--source",
    type=FILE,
    help="At least 50 lines on which to compare the export. [default: the dev split of a named corpus]",
)
@click.option("--reference", type=FILE, help="Their translations, for BLEU.")
def export(
    folder: str,
    kind: str,
    precision: str | None,
    beam_size: int | None,
    source_length: int | None,
    max_length: int | None,
    any_source_length: bool,
    output: str | None,
    source: str | None,
    reference: str | None,
) -> None:
    """Exports a model, then runs the export and the model on the same sentences and compares the results.

    \b
    Example:
      keras-attn export runs/en-de --format saved-model
      keras-attn export runs/en-de --format saved-model --output models/en-de/1   (the layout of TensorFlow Serving)
      keras-attn export runs/en-de --format litert --precision int8 --source-length 48 --output phone/en-de
    """
    if kind == "saved-model" and (precision or source_length or any_source_length):
        raise click.UsageError("--precision and the source lengths need --format litert.")
    if reference and not source:
        raise click.UsageError("--reference needs --source.")
    precision = precision or "float32"
    output = output or _default_output(folder, kind if kind == "saved-model" else f"litert-{precision}")
    check_model_folder(folder)
    load_keras()
    trained = load_model(folder)
    sources = read_lines(source) if source else None
    references = read_lines(reference) if reference else None
    if not source and (corpus := _dev_split(load_data_config(folder))):
        sources, references = corpus.source, corpus.target
    if kind == "saved-model":
        from keras_attn.export.saved_model import export_saved_model

        parity = export_saved_model(
            trained,
            output,
            beam_size=beam_size,
            max_length=max_length,
            sources=sources,
            references=references,
        )
    else:
        from keras_attn.export.litert import export_litert

        parity = export_litert(
            trained,
            output,
            precision=precision,
            beam_size=beam_size or 1,
            source_length=source_length or (None if any_source_length else 64),
            max_length=max_length or 64,
            sources=sources,
            references=references,
            padded=not any_source_length,
        )
    click.echo(output)
    if parity:
        click.echo(parity)


def _default_output(folder: str, name: str) -> str:
    """In the model's folder, unless that is part of the package."""
    return f"{Path(folder).name}-{name}" if packaged.holds(folder) else str(Path(folder, name))


def _dev_split(data: DataConfig) -> Corpus | None:
    from keras_attn.data.splits import split_corpus

    try:
        return split_corpus(data, "dev")
    except CorpusError as error:
        messages.warning(
            f"not compared with the model: {error}{why_missing(data, 'dev')}. Name a file with --source"
        )
        return None
