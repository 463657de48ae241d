"""`keras-attn score`: the probability of given translations."""

import click

from keras_attn.cli.loading import MODEL, load_translator
from keras_attn.cli.messages import probabilities
from keras_attn.text.corpus import read_parallel


@click.command(short_help="Print the log-probability of given translations.")
@click.argument("folder", type=MODEL)
@click.argument("source", type=click.Path(exists=True, dir_okay=False))
@click.argument("target", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--word-scores",
    is_flag=True,
    help="Also print, after a tab, the probability of each word and of the end.",
)
def score(folder: str, source: str, target: str, word_scores: bool) -> None:
    """Prints the natural log-probability of each line of TARGET, given the same line of SOURCE.

    \b
    Example:
      keras-attn score runs/en-de test.en test.de
    """
    pairs = read_parallel(source, target)
    for forced in load_translator(folder).force(pairs.source, pairs.target):
        words = f"\t{probabilities(forced.words)}" if word_scores else ""
        click.echo(f"{forced.log_prob:.4f}{words}")
