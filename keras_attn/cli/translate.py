"""`keras-attn translate`: lines in, lines out."""

import select
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import click

from keras_attn.cli import messages
from keras_attn.cli.loading import MODEL
from keras_attn.cli.translate_lines import Block, LineTranslator, in_processes, in_this_process
from keras_attn.config import Sampling
from keras_attn.config.schema import LARGEST_BEAM, LARGEST_MIN_LENGTH
from keras_attn.inference.options import ENGINES
from keras_attn.text.glossary import Glossary
from keras_attn.text.line_files import MAX_LINE_BYTES

CHUNK = 1 << 16  # bytes read at a time; from a terminal or a slow pipe, whatever is available
BLOCKS = (
    16,
    64,
    256,
    1024,
)  # lines translated before they are printed: few at first, so that output appears soon
LONG = 10_000  # lines
_FOR_LONG_INPUTS = (
    "for long inputs: --engine int8 is the fastest, --workers N uses N cores, and Ray, Spark and Beam use many machines; see "
    "docs/guides/bulk.md"
)


@click.command(short_help="Translate the lines of stdin.")
@click.argument("folders", type=MODEL, nargs=-1, required=True)
@click.option(
    "--beam-size",
    type=click.IntRange(1, LARGEST_BEAM),
    help="Hypotheses kept; 1 is greedy. [default: the model's]",
)
@click.option(
    "--length-penalty",
    type=click.FloatRange(0),
    help="Larger values favour longer translations. [default: the model's]",
)
@click.option(
    "--coverage-penalty",
    type=click.FloatRange(0),
    help="Larger values penalise source words left unread. [default: the model's]",
)
@click.option(
    "--diversity",
    type=click.FloatRange(0),
    help="Larger values make an n-best list more varied. [default: 0]",
)
@click.option(
    "--min-length",
    type=click.IntRange(0, LARGEST_MIN_LENGTH),
    help="The fewest sub-words, end included. [default: the model's]",
)
@click.option(
    "--no-repeat-ngram",
    type=click.IntRange(0),
    help="Never repeat a sequence of this many sub-words. [default: the model's]",
)
@click.option("--prefix", metavar="TEXT", help="Start every translation with this text.")
@click.option(
    "--glossary",
    type=click.Path(exists=True, dir_okay=False),
    help="Required translations of terms: a file with two columns, separated by a tab.",
)
@click.option("--batch-size", type=click.IntRange(1), help="Lines per batch. [default: the model's]")
@click.option(
    "--n-best",
    type=click.IntRange(1),
    help="Print this many per line: line number, score and text, tab-separated.",
)
@click.option(
    "--word-scores",
    is_flag=True,
    help="Also print, after a tab, the probability of each word and of the end.",
)
@click.option(
    "--tags",
    is_flag=True,
    help="The lines are HTML: translate the text and put the tags around the corresponding words.",
)
@click.option(
    "--sample", is_flag=True, help="Sample a translation at random instead of searching for the best."
)
@click.option("--temperature", type=click.FloatRange(0, min_open=True), help="With --sample. [default: 1]")
@click.option(
    "--top-k", type=click.IntRange(0), help="With --sample: from the k most probable. [default: all]"
)
@click.option(
    "--top-p",
    type=click.FloatRange(0, 1, min_open=True),
    help="With --sample: nucleus sampling. [default: 1]",
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="litert starts fast, int8 is fast in bulk and nearly as good, keras supports every option.",
)
@click.option(
    "--workers", type=click.IntRange(1), default=1, show_default=True, help="How many processes translate."
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="With --sample. [default: 1]")
def translate(
    folders: tuple[str, ...],
    sample: bool,
    glossary: str | None,
    word_scores: bool,
    tags: bool,
    n_best: int | None,
    engine: str,
    workers: int,
    **options: Any,
) -> None:
    """Translates stdin, one line out for every line in.

    FOLDERS are model folders, or names of packaged models such as tatoeba-en-es. Several with the
    same vocabulary translate together.

    Bytes that are not UTF-8 are replaced, and reported with their line number.

    \b
    Example:
      keras-attn translate runs/en-de --beam-size 5 < test.en > test.de
      keras-attn translate runs/seed-1 runs/seed-2 runs/seed-3 < test.en > test.de
      keras-attn translate runs/en-de --engine int8 --workers 8 < million.en > million.de
      echo "I gave <b>my dog</b> a bone." | keras-attn translate tatoeba-en-es --tags
    """
    sampling = {name: options.pop(name) for name in ("temperature", "top_k", "top_p", "seed")}
    sampling = {name: value for name, value in sampling.items() if value is not None}
    if sampling and not sample:
        raise click.UsageError(f"--{next(iter(sampling)).replace('_', '-')} needs --sample.")
    of_a_beam = ("beam_size", "length_penalty", "coverage_penalty", "diversity")
    if sample and (glossary or any(options[name] is not None for name in of_a_beam)):
        raise click.UsageError(
            "--beam-size, the penalties, --diversity and --glossary do not apply to --sample."
        )
    if tags and (n_best or word_scores):
        raise click.UsageError(
            "--tags places the tags of the best translation: leave out --n-best and --word-scores."
        )
    if sys.stdin is None:
        raise click.UsageError("standard input is closed: expected lines to translate.")
    if glossary:
        options["glossary"] = Glossary.read(glossary)
    if sample:
        options["sampling"] = Sampling(**sampling)
        if workers > 1:
            raise click.UsageError("--sample uses one process: leave out --workers.")
    translate_block = LineTranslator(
        folders,
        engine,
        {key: value for key, value in options.items() if value is not None},
        n_best=n_best,
        word_scores=word_scores,
        tags=tags,
    )
    # Unbuffered, because Python cannot end while a thread waits for a buffered one.
    blocks = _blocks(_chunks(getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)))
    if workers > 1:
        translated = in_processes(translate_block, blocks, workers)
    else:
        translate_block.load()
        translated = in_this_process(translate_block, blocks)
    with _progress() as advance:
        for count, out in translated:
            click.echo(out.encode(), nl=False)
            advance(count)


def _chunks(stream: BinaryIO) -> Iterator[tuple[int, list[bytes]]]:
    """Whole lines as they become available, with the number of the first; only "\\n" ends a line.

    Of an endless line, only the beginning is kept.
    """
    number, rest = 1, b""
    while data := _read(stream):
        first, *others = data.split(b"\n")
        if len(rest) <= MAX_LINE_BYTES < len(rest) + len(first):
            warnings.warn(
                f"line {number}: it has more than {MAX_LINE_BYTES:,} bytes; the rest is left out",
                stacklevel=1,
            )
        rest = (rest + first)[: MAX_LINE_BYTES + 1]
        if others:
            yield number, [rest, *others[:-1]]
            number, rest = number + len(others), others[-1]
    if rest:
        yield number, [rest]


def _read(stream: BinaryIO) -> bytes:
    """The next bytes; nothing at the end."""
    while (data := stream.read(CHUNK)) is None:  # another program has set the pipe not to wait
        select.select([stream], [], [])
    return data


def _blocks(chunks: Iterator[Block]) -> Iterator[Block]:
    """The same lines, in blocks that quickly become large."""
    sizes = iter(BLOCKS)
    size = next(sizes)
    for first, lines in chunks:
        done = 0
        while done < len(lines):
            yield first + done, lines[done : done + size]
            done += size
            size = next(sizes, size)


@contextmanager
def _progress() -> Iterator[Callable[[int], None]]:
    """Counts lines if the terminal shows nothing else, and once gives advice for long inputs."""
    shown = (
        sys.stderr is not None and sys.stderr.isatty() and sys.stdout is not None and not sys.stdout.isatty()
    )
    bar = None
    total = 0

    def advance(count: int) -> None:
        nonlocal bar, total
        if shown and bar is None:
            from tqdm import tqdm

            bar = tqdm(unit=" lines", mininterval=0.5)
        if bar is not None:
            bar.update(count)
        if total < LONG <= total + count:
            messages.note(_FOR_LONG_INPUTS)
        total += count

    try:
        yield advance
    finally:
        if bar is not None:
            bar.close()
