"""Training batches from parallel lines: NumPy arrays, or a tf.data stream that makes them beside the training step."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import compress, count
from typing import TYPE_CHECKING, Any

import numpy as np

from keras_attn.config import DataConfig, TrainingConfig
from keras_attn.data.bucketing import Shape, layout
from keras_attn.data.guidance import reference_weights, subword_links, words_of
from keras_attn.data.token_store import TokenStore, token_store
from keras_attn.special_ids import PAD_ID
from keras_attn.text.corpus import Corpus
from keras_attn.text.framing import training_arrays
from keras_attn.text.ragged import Ragged
from keras_attn.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    import tensorflow as tf

_READY = 8  # batches prepared ahead of the training step

Sample = Callable[[int], list[list[int]]]


@dataclasses.dataclass(frozen=True)
class Share:
    """The rows of every batch that one of several processes prepares.

    Attributes:
        multiple: the number of rows in a whole batch is a multiple of this; if there are too few pairs, the last rows are only
            padding. It is itself a multiple of `count`.
        index: the number of this share, from 0; shares are in order within a batch.
        count: the number of shares.
    """

    multiple: int = 1
    index: int = 0
    count: int = 1

    def rows(self, size: int) -> slice:
        """The rows of a batch of `size` pairs."""
        each = -(-size // self.multiple) * self.multiple // self.count
        return slice(self.index * each, (self.index + 1) * each)


WHOLE = Share()


class TrainingBatches:
    """Endless training batches of pairs with about equal length.

    A batch is `((source, target_in), target_out, weight)`, right-padded to one of a few shapes, see `bucketing.layout`:
    `source` int32 `[B, S]` ends with EOS, `target_in` int32 `[B, T]` starts with BOS, `target_out` int32 `[B, T]` ends
    with EOS, `weight` float32 `[B, T]` is 1 at real tokens of `target_out` and 0 at padding. The last batch may end in rows
    of padding.

    With links it is `((source, target_in), (target_out, reference), (weight, linked))`: `reference` float32 `[B, T, S]` is the
    reference for the attention that produces `target_out`, and `linked` float32 `[B, T]` is 1 at tokens with links. Padding and EOS
    have none; linking EOS to the source's EOS did not help the words. See `guidance.reference_weights`.

    For R-Drop, a batch contains each pair twice, one after the other.

    Args:
        source, target: sub-word ids of the pairs, without BOS and EOS.
        training: the seed, the budget of a batch, and whether it is doubled for R-Drop.
        samples: for source and target, segments the pairs at random with a seed, which differs in every epoch. The given ids still
            decide which pairs may share a batch. A batch is as long as its longest sentence, because random segmentations vary.
        links: for each pair, int32 `[links, 2]` (target, source), between the given ids.

    Attributes:
        steps_per_epoch: batches in every epoch.
        pairs: sentence pairs in every epoch.
    """

    def __init__(
        self,
        source: Ragged,
        target: Ragged,
        training: TrainingConfig,
        *,
        samples: Sequence[Sample] = (),
        links: Ragged | None = None,
    ) -> None:
        self._layout = layout(1 + source.lengths, 1 + target.lengths, training)
        self._ids = source, target
        self._samples = samples
        self._links = links
        self._seed = training.seed
        self._passes = 2 if training.r_drop else 1
        self.pairs = len(source)
        self.steps_per_epoch = len(self._layout.shapes)

    def stream(self, start_step: int = 0, share: Share = WHOLE) -> "tf.data.Dataset":
        """The batches of `arrays` as a tf.data pipeline, which prepares some of them ahead."""
        import tensorflow as tf

        options = tf.data.Options()
        options.autotune.enabled = (
            False  # its thread sleeps longer and longer, and leaving the stream waits for it
        )
        with tf.device("CPU"):
            batches = tf.data.Dataset.from_generator(
                partial(self.arrays, start_step, share), output_signature=self._signature()
            )
            return batches.prefetch(_READY).with_options(options)

    def arrays(self, start_step: int = 0, share: Share = WHOLE) -> Iterator[tuple[Any, ...]]:
        """Endless batches of NumPy arrays from the given step on; one share of each batch.

        Epoch e is shuffled with (`training.seed`, e): the same seed gives the same batches, and an iterator that starts at step n
        equals an uninterrupted one from its n-th batch on.
        """
        first_epoch, done = divmod(start_step, self.steps_per_epoch)
        for epoch in count(first_epoch):
            sides = self._sides(epoch)
            for pairs, shape in self._shuffled(epoch)[done:]:
                yield self._batch(*sides, pairs, shape, share)
            done = 0

    def _shuffled(self, epoch: int) -> list[tuple[np.ndarray, Shape]]:
        """The pairs and the shape of each batch: pairs in random order within their bucket, and batches in random order."""
        draw = np.random.RandomState(
            [self._seed, epoch]
        )  # the only generator with numbers that NumPy guarantees never to change
        shuffled = np.concatenate(self._layout.buckets)
        for bucket in np.split(shuffled, np.cumsum([len(each) for each in self._layout.buckets])[:-1]):
            draw.shuffle(bucket)
        splits, shapes = self._layout.splits, self._layout.shapes
        order = draw.permutation(self.steps_per_epoch)
        return [(shuffled[splits[i] : splits[i + 1]], shapes[i]) for i in order]

    def _sides(self, epoch: int) -> tuple[Ragged, Ragged]:
        """The sub-word ids of all pairs in this epoch."""
        if not self._samples:
            return self._ids
        return tuple(Ragged.of(self._sample(side, epoch)) for side in range(len(self._samples)))

    def _sample(self, side: int, epoch: int) -> list[list[int]]:
        seed = np.random.SeedSequence([self._seed, epoch, side]).generate_state(1)
        return self._samples[side](int(seed[0]) >> 1)

    def _batch(
        self, source: Ragged, target: Ragged, pairs: np.ndarray, shape: Shape, share: Share
    ) -> tuple[Any, ...]:
        lengths = shape.source, shape.target
        if self._samples:
            lengths = tuple(1 + side.take(pairs).lengths.max() for side in (source, target))
        rows = share.rows(shape.rows)
        pairs, rows = pairs[rows], rows.stop - rows.start
        arrays = training_arrays(source.take(pairs), target.take(pairs), rows=rows, lengths=lengths)
        source, target_in, target_out = (self._in_passes(array) for array in arrays)
        weight = (target_out != PAD_ID).astype(np.float32)
        if self._links is None:
            return (source, target_in), target_out, weight
        links = reference_weights(self._links.take(pairs), (rows, target_out.shape[1], source.shape[1]))
        reference, linked = (self._in_passes(array) for array in links)
        return (source, target_in), (target_out, reference), (weight, linked)

    def _in_passes(self, array: np.ndarray) -> np.ndarray:
        return np.repeat(array, self._passes, axis=0)

    def _signature(self) -> tuple[Any, ...]:
        import tensorflow as tf

        ids, weight = tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None, None], tf.float32)
        if self._links is None:
            return (ids, ids), ids, weight
        return (ids, ids), (ids, tf.TensorSpec([None, None, None], tf.float32)), (weight, weight)


def training_batches(
    corpus: Corpus,
    source_tokenizer: Tokenizer,
    target_tokenizer: Tokenizer,
    data: DataConfig,
    training: TrainingConfig,
) -> TrainingBatches:
    """Tokenises a corpus, only once unless every epoch samples new sub-words, and divides it into batches.

    Args:
        corpus: the sentence pairs, with links if `training.guided_alignment` is not 0.
        source_tokenizer: vocabulary of the source language.
        target_tokenizer: vocabulary of the target language.
        data: `max_length` is the most sub-words a side may have.
        training: `seed`, either `batch_size` or `batch_tokens` as the budget of a batch, `r_drop`, which doubles a batch, and at
            most one of `subword_sampling` and `guided_alignment`. These two keep the text of all pairs in memory.

    Raises:
        ConfigError: neither or both of `training.batch_size` and `training.batch_tokens` are positive.
        CorpusError: no pair is short enough.
        OSError: the ids cannot be written to the cache.
    """
    tokenizers = source_tokenizer, target_tokenizer
    store = token_store(corpus, *tokenizers, max_length=data.max_length)
    samples, links = [], None
    if training.subword_sampling:
        samples = [
            partial(tokenizer.sample, lines, training.subword_sampling)
            for tokenizer, lines in zip(tokenizers, _kept_lines(corpus, store), strict=True)
        ]
    if training.guided_alignment:
        links = _links(corpus, store, tokenizers)
    return TrainingBatches(store.source, store.target, training, samples=samples, links=links)


def _kept_lines(corpus: Corpus, store: TokenStore) -> list[list[str]]:
    return [list(compress(lines, store.kept)) for lines in (corpus.source, corpus.target)]


def _links(corpus: Corpus, store: TokenStore, tokenizers: tuple[Tokenizer, Tokenizer]) -> Ragged:
    sides = zip(_kept_lines(corpus, store), (store.source, store.target), tokenizers, strict=True)
    words = [words_of(lines, ids, tokenizer) for lines, ids, tokenizer in sides]
    return subword_links(list(compress(corpus.links, store.kept)), *words)
