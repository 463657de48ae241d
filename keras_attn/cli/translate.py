"""`keras-attn translate`: lines in, lines out."""

import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from keras_attn.cli.loading import MODEL, load_translator
from keras_attn.cli.messages import probabilities
from keras_attn.text.glossary import Glossary

if TYPE_CHECKING:
    from keras_attn.inference.translation import Translation

CHUNK = 1 << 16  # bytes read at a time; from a terminal or a slow pipe, what is there


@click.command(short_help="Translate the lines of stdin.")
@click.argument("folders", type=MODEL, nargs=-1, required=True)
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
@click.option(
    "--diversity", type=click.FloatRange(0), help="Larger makes an n-best list more varied. [default: 0]"
)
@click.option("--min-length", type=click.IntRange(0), help="Sub-words, end included. [default: the model's]")
@click.option(
    "--no-repeat-ngram",
    type=click.IntRange(0),
    help="No sequence of so many sub-words comes twice. [default: the model's]",
)
@click.option("--prefix", metavar="TEXT", help="Every translation begins so.")
@click.option(
    "--glossary",
    type=click.Path(exists=True, dir_okay=False),
    help="Terms that have to be translated so: a file of two columns, a tab between them.",
)
@click.option("--batch-size", type=click.IntRange(1), help="Lines translated at once. [default: the model's]")
@click.option(
    "--n-best", type=click.IntRange(1), help="Print so many: line number, score, text; tab-separated."
)
@click.option(
    "--word-scores",
    is_flag=True,
    help="After a tab, print the probability of each word and, last, of the end.",
)
@click.option(
    "--tags",
    is_flag=True,
    help="The lines are HTML: translate the text, and put each tag where the words that it holds have gone.",
)
@click.option("--sample", is_flag=True, help="Draw a translation instead of searching for the best.")
@click.option("--temperature", type=click.FloatRange(0, min_open=True), help="With --sample. [default: 1]")
@click.option("--top-k", type=click.IntRange(0), help="With --sample: of the k most probable. [default: all]")
@click.option(
    "--top-p", type=click.FloatRange(0, 1, min_open=True), help="With --sample: nucleus. [default: 1]"
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="With --sample. [default: 1]")
def translate(
    folders: tuple[str, ...],
    sample: bool,
    glossary: str | None,
    word_scores: bool,
    tags: bool,
    n_best: int | None,
    **options: Any,
) -> None:
    """Translates the lines of stdin, one line out for every line in. Several models of one vocabulary translate together.

    Bytes that are not UTF-8 are replaced and reported by line number.

    \b
    Example:
      keras-attn translate runs/en-de --beam-size 5 < test.en > test.de
      keras-attn translate runs/seed-1 runs/seed-2 runs/seed-3 < test.en > test.de
      echo "I gave <b>my dog</b> a bone." | keras-attn translate tatoeba-en-es --tags
    """
    sampling = {name: options.pop(name) for name in ("temperature", "top_k", "top_p", "seed")}
    sampling = {name: value for name, value in sampling.items() if value is not None}
    if sampling and not sample:
        raise click.UsageError(f"--{next(iter(sampling)).replace('_', '-')} needs --sample.")
    of_a_beam = ("beam_size", "length_penalty", "coverage_penalty", "diversity")
    if sample and (glossary or any(options[name] is not None for name in of_a_beam)):
        raise click.UsageError(
            "--beam-size, the penalties, --diversity and --glossary play no part in --sample."
        )
    if tags and (n_best or word_scores):
        raise click.UsageError(
            "--tags places the tags of the best translation: leave out --n-best and --word-scores."
        )
    if sys.stdin is None:
        raise click.UsageError("standard input is closed: expected lines to translate.")
    if glossary:
        options["glossary"] = Glossary.read(glossary)
    translator = load_translator(*folders)
    from keras_attn.alignment.marks import translate_marked
    from keras_attn.search import Sampling

    if sample:
        options["sampling"] = Sampling(**sampling)
    for first, lines in _chunks(sys.stdin.buffer):
        texts = _decoded(lines, first)
        if n_best or word_scores:
            translations = translator.translate(texts, **options, n_best=n_best or 1, word_scores=word_scores)
            out = _tables(translations, first, numbered=n_best is not None)
        else:
            out = translate_marked(translator, texts, **options) if tags else translator(texts, **options)
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


def _tables(translations: Sequence["Translation"], first: int, *, numbered: bool) -> Iterator[str]:
    """Columns: line number and score where `numbered`, text, and the probabilities of its words where they are known."""
    for number, best in enumerate(translations, start=first):
        for translation in (best, *best.alternatives):
            columns = [f"{number}", f"{translation.score:.4f}"] if numbered else []
            columns.append(translation.text)
            if translation.words:
                columns.append(probabilities(translation.words))
            yield "\t".join(columns)
