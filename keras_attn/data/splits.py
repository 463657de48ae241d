"""The splits of a corpus: the pairs for training a model, choosing the best one, and scoring it."""

import dataclasses
from collections.abc import Callable, Sequence

from keras_attn.config import DataConfig
from keras_attn.corpora.named import load_corpus
from keras_attn.text.corpus import Corpus, CorpusError, read_pairs


@dataclasses.dataclass(frozen=True)
class Splits:
    """The pairs of a training run.

    Attributes:
        train: the pairs to learn from; with guided alignment, their word links guide the attention.
        dev: the pairs by which the best model is chosen.

    Raises:
        CorpusError: a split is empty.
    """

    train: Corpus
    dev: Corpus

    def __post_init__(self) -> None:
        for name, corpus in vars(self).items():
            if not len(corpus):
                raise CorpusError(f"the {name} split has no pairs")


def split_corpus(
    data: DataConfig, split: str, *, read: Callable[[Sequence[str]], Corpus] = read_pairs
) -> Corpus:
    """The pairs of one split, from the named corpus or from the files of that split.

    Args:
        data: names the corpus or the files.
        split: `"train"`, `"dev"`, `"test"` or another split of a named corpus.
        read: the function that reads files; `open_pairs` leaves the pairs in their files.

    Returns:
        The pairs, with word links if a named corpus has them.

    Raises:
        CorpusError: there is no such split, or its files cannot be read.
    """
    if data.corpus:
        return load_corpus(data.corpus, data.source_language, data.target_language, split)
    files = {"train": data.train, "dev": data.dev, "test": data.test}
    if split not in files:
        raise CorpusError(f"unknown split: {split!r}; a model trained on files has train, dev, test")
    if not files[split]:
        raise CorpusError(f"no files for the {split} split: set data.{split}, or name the files to use")
    return read(files[split])
