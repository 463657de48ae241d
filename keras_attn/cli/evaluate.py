"""`keras-attn evaluate`: BLEU, chrF, exact match and error rates of a model or an ensemble."""

from typing import Any

import click

from keras_attn.cli import messages
from keras_attn.cli.loading import MODEL, load_translator, why_missing
from keras_attn.config.schema import LARGEST_BEAM
from keras_attn.storage import packaged
from keras_attn.storage.model_folder import load_data_config, update_metrics
from keras_attn.text.corpus import read_lines, read_parallel
from keras_attn.text.line_files import CorpusError

FILE = click.Path(exists=True, dir_okay=False)


@click.command(short_help="Score a model's translations of a test set.")
@click.argument("folders", type=MODEL, nargs=-1, required=True)
@click.option("--split", help="A split of the named corpus that the model was trained on. [default: test]")
@click.option("--source", type=FILE, help="A file to translate instead of a split; needs --reference.")
@click.option(
    "--reference", "references", type=FILE, multiple=True, help="Its translations, raw text; repeatable."
)
@click.option(
    "--beam-size",
    type=click.IntRange(1, LARGEST_BEAM),
    help="Hypotheses kept; 1 means greedy only. [default: the model's]",
)
@click.option(
    "--tokenized-reference",
    type=FILE,
    help="Moses-tokenised, lowercased: also score as papers do. [default: Multi30k's own, for its test sets]",
)
def evaluate(
    folders: tuple[str, ...],
    split: str | None,
    source: str | None,
    references: tuple[str, ...],
    beam_size: int | None,
    tokenized_reference: str | None,
) -> None:
    """Translates with greedy and with beam search, and prints BLEU and chrF with confidence intervals, exact match, character and
    word error rate, with their signatures. If the references have no spaces, it prints no BLEU. docs/reference/scores.md defines
    the scores. They are saved in the folder's metrics.json, except for packaged models. Several models with the same vocabulary are
    evaluated as an ensemble, and their metrics.json files stay unchanged.

    \b
    Example:
      keras-attn evaluate runs/en-de --split test
      keras-attn evaluate runs/en-de --source my.en --reference my.de
    """
    if bool(source) != bool(references):
        raise click.UsageError("--source and --reference go together.")
    if source and split:
        raise click.UsageError("--split and --source exclude each other: leave one out.")
    translator = load_translator(*folders)
    from keras_attn.data.splits import split_corpus
    from keras_attn.evaluation.evaluate import evaluate, tokenized_references

    tokenized = read_lines(tokenized_reference) if tokenized_reference else None
    others: list[list[str]] = []
    if source:
        name = click.format_filename(source, shorten=True)
        corpus = read_parallel(source, references[0])
        # The source may be a pipe, which can be read only once.
        others = [read_lines(reference) for reference in references[1:]]
    else:
        name, data = split or "test", load_data_config(folders[0])
        try:
            corpus = split_corpus(data, name)
        except CorpusError as error:
            why = why_missing(data, name)
            raise CorpusError(f"{error}{why}. Name the files to use with --source and --reference") from None
        tokenized = tokenized or tokenized_references(data, name)
    click.echo(f"translating {len(corpus)} lines of {name}", err=True)
    evaluations = evaluate(
        translator,
        corpus.source,
        corpus.target,
        beam_size,
        tokenized,
        more_references=others,
    )
    for evaluation in evaluations:
        click.echo(evaluation)
        if len(folders) == 1 and not packaged.holds(folders[0]):
            _save(folders[0], {f"{name}_{evaluation.name}": evaluation.as_dict()})


def _save(folder: str, scores: dict[str, Any]) -> None:
    try:
        update_metrics(folder, scores)
    except OSError as error:
        messages.warning(f"the scores are not saved in {folder}: {error.strerror or error}")
