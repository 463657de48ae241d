"""`keras-attn align`: which words belong together, according to the attention weights."""

from typing import Any

import click

from keras_attn.cli.loading import MODEL, load_translator
from keras_attn.text.corpus import Corpus, read_lines, read_parallel
from keras_attn.text.links import format_pharaoh

FILE = click.Path(exists=True, dir_okay=False)


@click.command(short_help="Draw attention weights, or print word alignments.")
@click.argument("folder", type=MODEL)
@click.argument("source_file", type=FILE, required=False)
@click.argument("target_file", type=FILE, required=False)
@click.option(
    "--gold",
    type=FILE,
    help="Gold links (i-j sure, ipj possible): print the error rate instead of the links.",
)
@click.option("--one-based", is_flag=True, help="The gold file counts words from 1 instead of 0.")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1, min_open=True),
    help="Link all pairs of at least this weight. [default: the largest of each target word]",
)
@click.option(
    "--next-step",
    is_flag=True,
    help="Use the attention of the step after a word instead of the step that produced it.",
)
@click.option(
    "--reverse",
    type=MODEL,
    help="A model of the other direction: combine both by grow-diag-final-and.",
)
@click.option("--source-text", help="Draw the attention of this one sentence instead.")
@click.option("--target-text", help="Its translation. [default: the model's]")
@click.option("--output", type=click.Path(dir_okay=False), help="Where to save the picture, .png or .svg.")
def align(
    folder: str,
    source_file: str | None,
    target_file: str | None,
    gold: str | None,
    one_based: bool,
    reverse: str | None,
    source_text: str | None,
    target_text: str | None,
    output: str | None,
    **how: float | bool | None,
) -> None:
    """Prints the linked source-target word numbers for each line of two files, or draws one sentence.

    \b
    Example:
      keras-attn align runs/en-de test.en test.de > test.pharaoh
      keras-attn align runs/en-de test.en test.de --reverse runs/de-en --gold test.gold
      keras-attn align runs/en-de --source-text "a small dog" --output dog.png
    """
    if source_text is not None:
        if source_file or gold or reverse or any(how.values()) or not output:
            raise click.UsageError("--source-text needs --output, and takes only --target-text besides.")
        _draw(folder, source_text, target_text, output)
    elif not target_file or output or target_text is not None:
        raise click.UsageError("give SOURCE_FILE and TARGET_FILE, or --source-text and --output.")
    elif one_based and not gold:
        raise click.UsageError("--one-based needs --gold.")
    else:
        _align(folder, reverse, read_parallel(source_file, target_file), gold, one_based, how)


def _draw(folder: str, source: str, target: str | None, output: str) -> None:
    from keras_attn.alignment.heatmap import check_picture

    check_picture(output)
    translator = load_translator(folder)
    from keras_attn.alignment.align import draw_attention

    click.echo(draw_attention(translator, source, target, output).text)


def _align(
    folder: str, reverse: str | None, pairs: Corpus, gold: str | None, one_based: bool, how: dict[str, Any]
) -> None:
    from keras_attn.alignment import word_alignment as alignment

    if gold:
        sure, possible = alignment.parse_gold(read_lines(gold), first=int(one_based))
        if len(sure) != len(pairs):
            raise ValueError(f"{gold} has {len(sure)} lines but there are {len(pairs)} pairs to align")
    translators = [load_translator(each) for each in (folder, reverse) if each]
    from keras_attn.alignment.align import align, align_both_ways

    if reverse:
        alignments = align_both_ways(*translators, pairs.source, pairs.target, **how)
    else:
        alignments = align(*translators, pairs.source, pairs.target, **how)
    if not gold:
        for links in alignments:
            click.echo(format_pharaoh(links))
        return
    precision, recall = alignment.precision_and_recall(alignments, sure, possible)
    error_rate = alignment.alignment_error_rate(alignments, sure, possible)
    click.echo(
        f"AER {error_rate:.3f}  precision {precision:.3f}  recall {recall:.3f}  ({len(alignments)} sentences)"
    )
