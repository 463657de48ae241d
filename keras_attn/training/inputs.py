"""The sentence pairs and vocabularies that a training starts from."""

import hashlib
from itertools import chain

from keras_attn.config import ConfigError, DataConfig, TokenizerConfig
from keras_attn.evaluation.evaluate import split_corpus
from keras_attn.text.corpus import Corpus
from keras_attn.text.tokenizer import Tokenizer, train_tokenizer


def load_pairs(data: DataConfig) -> tuple[Corpus, Corpus]:
    """The training and the development pairs, from the named corpus or from files.

    Raises:
        ConfigError: both are given.
        CorpusError: neither is given, or the pairs cannot be loaded.
    """
    if data.corpus and (data.train or data.dev):
        raise ConfigError(
            f"data.corpus = {data.corpus!r} brings its own splits: remove it, or remove data.train and data.dev"
        )
    return split_corpus(data, "train"), split_corpus(data, "dev")


def train_tokenizers(corpus: Corpus, config: TokenizerConfig) -> tuple[Tokenizer, Tokenizer]:
    """The vocabularies of the source and of the target language; the same one twice when they are joint.

    Raises:
        ValueError: what `train_tokenizer` refuses.
    """
    size, coverage = config.vocab_size, config.character_coverage
    if config.joint:
        joint = train_tokenizer(chain(corpus.source, corpus.target), size, coverage)
        return joint, joint
    return train_tokenizer(corpus.source, size, coverage), train_tokenizer(corpus.target, size, coverage)


def digest(*corpora: Corpus) -> str:
    """SHA-256 of all lines."""
    checksum = hashlib.sha256()
    for corpus in corpora:
        for line in chain(corpus.source, corpus.target):
            checksum.update(line.encode() + b"\n")
    return checksum.hexdigest()
