"""`keras-attn align`: what the attention weights say about which words belong together."""

import click

from keras_attn.cli.loading import load_translator
from keras_attn.text.corpus import Corpus, read_lines

FILE = click.Path(exists=True, dir_okay=False)


@click.command(short_help="Draw attention weights, or print word alignments.")
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
@click.argument("source_file", type=FILE, required=False)
@click.argument("target_file", type=FILE, required=False)
@click.option(
    "--gold", type=FILE, help="Alignments to compare with, as this command prints them: print the error rate."
)
@click.option("--source-text", help="Draw one sentence instead.")
@click.option("--target-text", help="Its translation. [default: the model's]")
@click.option("--output", type=click.Path(dir_okay=False), help="The picture, .png or .svg.")
def align(
    folder: str,
    source_file: str | None,
    target_file: str | None,
    gold: str | None,
    source_text: str | None,
    target_text: str | None,
    output: str | None,
) -> None:
    """Prints a line of source-target word numbers for each line of two files, or draws one sentence.

    \b
    Example:
      keras-attn align runs/en-de test.en test.de > test.pharaoh
      keras-attn align runs/en-de test.en test.de --gold test.gold
      keras-attn align runs/en-de --source-text "a small dog" --output dog.png
    """
    if source_text is not None:
        if source_file or gold or not output:
            raise click.UsageError("--source-text needs --output, and neither files nor --gold.")
        _draw(folder, source_text, target_text, output)
    elif not target_file or output or target_text is not None:
        raise click.UsageError("give SOURCE_FILE and TARGET_FILE, or --source-text and --output.")
    else:
        _align(folder, source_file, target_file, gold)


def _draw(folder: str, source: str, target: str | None, output: str) -> None:
    from keras_attn.evaluation.heatmap import check_picture

    check_picture(output)
    translator = load_translator(folder)
    from keras_attn.evaluation.align import draw_attention

    click.echo(draw_attention(translator, source, target, output).text)


def _align(folder: str, source_file: str, target_file: str, gold: str | None) -> None:
    from keras_attn.evaluation import alignment

    pairs = Corpus(read_lines(source_file), read_lines(target_file))
    sure = alignment.parse_pharaoh(read_lines(gold)) if gold else None
    if sure is not None and len(sure) != len(pairs):
        raise ValueError(f"{gold} has {len(sure)} lines but {source_file} has {len(pairs)}")
    translator = load_translator(folder)
    from keras_attn.evaluation.align import align

    found = align(translator, pairs.source, pairs.target)
    if sure is None:
        for links in found:
            click.echo(alignment.format_pharaoh(links))
        return
    precision, recall = alignment.precision_and_recall(found, sure)
    error_rate = alignment.alignment_error_rate(found, sure)
    click.echo(
        f"AER {error_rate:.3f}  precision {precision:.3f}  recall {recall:.3f}  ({len(found)} sentences)"
    )
