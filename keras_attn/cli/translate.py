"""`keras-attn translate`: lines in, lines out."""

import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

import click

from keras_attn.cli.loading import MODEL, load_translator

if TYPE_CHECKING:
    from keras_attn.inference.translator import Translation

CHUNK = 1 << 16  # bytes read at a time; from a terminal or a slow pipe, what is there


@click.command(short_help="Translate the lines of stdin.")
@click.argument("folder", type=MODEL)
@click.option(
    "--beam-size", type=click.IntRange(1), help="Hypotheses kept; 1 is greedy. [default: the model's]"
)
@click.option(
    "--length-penalty", type=click.FloatRange(0), help="Larger favours longer. [default: the model's]"
)
@click.option(
    "--coverage-penalty",
    type=click.FloatRange(0),
    help="Larger punishes words left unread. [default: the model's]",
)
@click.option("--batch-size", type=click.IntRange(1), help="Lines translated at once. [default: the model's]")
@click.option(
    "--n-best", type=click.IntRange(1), help="Print so many: line number, score, text; tab-separated."
)
@click.option("--sample", is_flag=True, help="Draw a translation instead of searching for the best.")
@click.option("--temperature", type=click.FloatRange(0, min_open=True), help="With --sample. [default: 1]")
@click.option("--top-k", type=click.IntRange(0), help="With --sample: of the k most probable. [default: all]")
@click.option(
    "--top-p", type=click.FloatRange(0, 1, min_open=True), help="With --sample: nucleus. [default: 1]"
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="With --sample. [default: 1]")
def translate(
    folder: str,
    beam_size: int | None,
    length_penalty: float | None,
    coverage_penalty: float | None,
    batch_size: int | None,
    n_best: int | None,
    sample: bool,
    **sampling: float | None,
) -> None:
    """Translates the lines of stdin, one line out for every line in.

    Bytes that are not UTF-8 are replaced and reported by line number.

    \b
    Example:
      keras-attn translate runs/en-de --beam-size 5 < test.en > test.de
    """
    sampling = {name: value for name, value in sampling.items() if value is not None}
    if sampling and not sample:
        raise click.UsageError(f"--{next(iter(sampling)).replace('_', '-')} needs --sample.")
    if sample and (beam_size, length_penalty, coverage_penalty) != (None, None, None):
        raise click.UsageError("--beam-size and the penalties play no part in --sample.")
    if sys.stdin is None:
        raise click.UsageError("standard input is closed: expected lines to translate.")
    translator = load_translator(folder)
    from keras_attn.search import Sampling

    drawn = Sampling(**sampling) if sample else None
    options = {
        "beam_size": beam_size,
        "length_penalty": length_penalty,
        "coverage_penalty": coverage_penalty,
        "batch_size": batch_size,
    }
    for first, lines in _chunks(sys.stdin.buffer):
        texts = _decoded(lines, first)
        if n_best is None and drawn is None:
            out = translator(texts, **options)
        else:
            translations = translator.translate(texts, **options, n_best=n_best or 1, sampling=drawn)
            out = (
                _n_best_lines(translations, first)
                if n_best
                else [translation.text for translation in translations]
            )
        click.echo("".join(f"{line}\n" for line in out).encode(), nl=False)


def _chunks(stream: BinaryIO) -> Iterator[tuple[int, list[bytes]]]:
    """As many whole lines as there are, with the number of the first; a line ends at "\\n" and nowhere else."""
    number, rest = 1, b""
    while data := stream.read1(CHUNK):
        *lines, rest = (rest + data).split(b"\n")
        if lines:
            yield number, lines
        number += len(lines)
    if rest:
        yield number, [rest]


def _decoded(lines: Sequence[bytes], first: int) -> list[str]:
    texts = []
    for number, line in enumerate(lines, start=first):
        try:
            texts.append(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            warnings.warn(f"line {number}: byte {error.start + 1} is not UTF-8; replaced", stacklevel=1)
            texts.append(line.decode("utf-8", errors="replace"))
    return texts


def _n_best_lines(translations: Sequence["Translation"], first: int) -> Iterator[str]:
    for number, best in enumerate(translations, start=first):
        for translation in (best, *best.alternatives):
            yield f"{number}\t{translation.score:.4f}\t{translation.text}"
