"""The splits of a corpus: which pairs a model is trained on, chosen by and scored on."""

import dataclasses
from collections.abc import Callable, Sequence

from keras_attn.config import DataConfig
from keras_attn.corpora.named import load_corpus
from keras_attn.text.corpus import Corpus, CorpusError, read_pairs


@dataclasses.dataclass(frozen=True)
class Splits:
    """The pairs of one training.

    Attributes:
        train: what the model learns from; its word links guide the attention where a training asks for that.
        dev: what the best model is chosen by.

    Raises:
        CorpusError: one of them is empty.
    """

    train: Corpus
    dev: Corpus

    def __post_init__(self) -> None:
        for name, corpus in vars(self).items():
            if not len(corpus):
                raise CorpusError(f"the {name} split holds no pairs")


def split_corpus(
    data: DataConfig, split: str, *, read: Callable[[Sequence[str]], Corpus] = read_pairs
) -> Corpus:
    """The pairs of one split: of the named corpus, else from the files of that split.

    Args:
        data: names the corpus or the files.
        split: `"train"`, `"dev"`, `"test"` or, of a named corpus, another one that it has.
        read: what reads files; `open_pairs` leaves the pairs there.

    Returns:
        The pairs, with their word links where a named corpus has some.

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
