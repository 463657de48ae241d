"""The sentence pairs and vocabularies that a training starts from."""

import dataclasses
import hashlib
from itertools import chain

from keras_attn.config import Config, ConfigError, TokenizerConfig
from keras_attn.data.splits import split_corpus
from keras_attn.text.corpus import Corpus, read_pairs
from keras_attn.text.links import format_pharaoh
from keras_attn.text.tokenizer import Tokenizer, train_tokenizer


def load_pairs(config: Config) -> tuple[Corpus, Corpus]:
    """The training and the development pairs, from the named corpus or from files.

    The training pairs have links where `training.guided_alignment` asks for them, and only there.

    Raises:
        ConfigError: both are given, or there are no links to guide the attention.
        CorpusError: neither is given, or the pairs or their links cannot be loaded.
    """
    data = config.data
    if data.corpus and (data.train or data.dev or data.links):
        raise ConfigError(
            f"data.corpus = {data.corpus!r} brings its own splits: remove it, or remove data.train, data.dev and data.links"
        )
    load = _load_guided if config.training.guided_alignment else _load_unguided
    return load(config, "train"), _load_unguided(config, "dev")


def _load_unguided(config: Config, split: str) -> Corpus:
    return dataclasses.replace(split_corpus(config.data, split), links=None)


def _load_guided(config: Config, split: str) -> Corpus:
    data = config.data
    pairs = read_pairs(data.train, links=data.links) if data.links else split_corpus(data, split)
    if pairs.links is None:
        raise ConfigError(
            f"training.guided_alignment = {config.training.guided_alignment} needs word links: name a file of them in "
            "data.links (`keras-attn align` prints one), or set it to 0"
        )
    return pairs


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
    """SHA-256 of all lines, and of the links where there are any."""
    checksum = hashlib.sha256()
    for corpus in corpora:
        for line in chain(corpus.source, corpus.target, map(format_pharaoh, corpus.links or ())):
            checksum.update(line.encode() + b"\n")
    return checksum.hexdigest()
