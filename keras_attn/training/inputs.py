"""The sentence pairs and vocabularies that a training run starts from."""

import dataclasses
import hashlib
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice

from keras_attn.config import Config, ConfigError, DataConfig, TokenizerConfig
from keras_attn.data.augmentation import with_augmentation
from keras_attn.data.concatenation import with_concatenations
from keras_attn.data.everyday import with_everyday_lines
from keras_attn.data.splits import Splits, split_corpus
from keras_attn.special_ids import UNK_ID
from keras_attn.text.corpus import Corpus, Lines, open_pairs, read_pairs
from keras_attn.text.links import format_pharaoh
from keras_attn.text.tokenizer import Tokenizer, train_tokenizer

VOCABULARY_LINES = 200_000


def training_pairs(config: Config, given: Splits | None = None) -> Splits:
    """The pairs to train on: those given, else those of the named corpus or of the files in the config.

    With `data.augmentation`, lines from everyday life are among the training pairs. They keep their links where
    `training.guided_alignment` asks for them, and only there.

    Raises:
        ConfigError: the pairs come from two places, or there are no links to guide the attention.
        CorpusError: they come from nowhere, or the pairs or their links cannot be loaded.
    """
    _check_one_origin(config.data, given)
    pairs = given or _load(config)
    train = pairs.train if config.training.guided_alignment else dataclasses.replace(pairs.train, links=None)
    if config.training.guided_alignment and train.links is None:
        raise ConfigError(
            f"training.guided_alignment = {config.training.guided_alignment} needs word links: name a file of them in "
            "data.links (`keras-attn align` prints one), give training pairs that have links, or set it to 0"
        )
    if config.data.augmentation:
        languages = config.data.source_language, config.data.target_language
        train = with_everyday_lines(train, languages=languages)
    dev = dataclasses.replace(
        pairs.dev, source=list(pairs.dev.source), target=list(pairs.dev.target), links=None
    )
    return Splits(train, dev)


def with_drawn_pairs(train: Corpus, config: Config) -> Corpus:
    """The training pairs, the varied ones that `data.augmentation` asks for, and the lines of several of `data.concatenations`.

    They are drawn by the seed. Vocabularies are trained without them, so models with different seeds can be an ensemble.
    """
    data, seed = config.data, config.training.seed
    if data.augmentation:
        languages = data.source_language, data.target_language
        train = with_augmentation(train, data.augmentation, seed, languages=languages)
    return with_concatenations(train, data.concatenations, seed) if data.concatenations else train


def _check_one_origin(data: DataConfig, given: Splits | None) -> None:
    named = [f"data.{key}" for key in ("corpus", "train", "dev", "links") if getattr(data, key)]
    if given and named:
        raise ConfigError(
            f"the sentence pairs are given to `train` and named in the config: leave out {', '.join(named)}"
        )
    if data.corpus and len(named) > 1:
        raise ConfigError(
            f"data.corpus = {data.corpus!r} brings its own splits: remove it, or remove data.train, data.dev and data.links"
        )


def _load(config: Config) -> Splits:
    data = config.data
    linked = config.training.guided_alignment and data.links
    read = partial(read_pairs, links=data.links) if linked else open_pairs
    return Splits(split_corpus(data, "train", read=read), split_corpus(data, "dev"))


def train_tokenizers(corpus: Corpus, config: TokenizerConfig) -> tuple[Tokenizer, Tokenizer]:
    """The vocabularies of the source and of the target language; the same one twice when they are joint.

    Of a large corpus they are trained on `VOCABULARY_LINES` lines a side, spread evenly over it.

    Raises:
        ValueError: what `train_tokenizer` refuses.
    """
    train = partial(
        train_tokenizer,
        vocab_size=config.vocab_size,
        character_coverage=config.character_coverage,
        byte_fallback=config.byte_fallback,
    )
    reading = partial(
        train, kind=config.kind, lowercase=config.lowercase, lower_capitals=config.lower_capitals
    )
    source, target = map(_sample, (corpus.source, corpus.target))
    if config.joint:
        joint = reading(chain(source, target))
        return joint, joint
    target_kind = config.kind if config.target_kind == "same" else config.target_kind
    return reading(source), train(target, kind=target_kind)


def describe_unknown(dev: Corpus, source_tokenizer: Tokenizer, target_tokenizer: Tokenizer) -> str:
    """A line about how many symbols of the development set have no piece in the vocabularies; unknown neighbours count as one."""
    counts = []
    for lines, tokenizer in ((dev.source, source_tokenizer), (dev.target, target_tokenizer)):
        ids = list(chain.from_iterable(tokenizer.encode(lines)))
        counts.append(f"{ids.count(UNK_ID):,} of {len(ids):,}")
    return f"unknown symbols of the development set: {counts[0]} in the source, {counts[1]} in the target"


def _sample(lines: Lines) -> Iterator[str]:
    return islice(lines, 0, None, -(-len(lines) // VOCABULARY_LINES))


def digest(pairs: Splits) -> str:
    """SHA-256 of all lines, and of the links where there are any."""
    checksum = hashlib.sha256()
    for corpus in (pairs.train, pairs.dev):
        for line in chain(corpus.source, corpus.target, map(format_pharaoh, corpus.links or ())):
            checksum.update(line.encode(errors="replace") + b"\n")
    return checksum.hexdigest()
