"""Training batches from parallel lines, with tf.data (which `fit` takes on every Keras backend)."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import compress

import numpy as np
import tensorflow as tf

from keras_attn.config import DataConfig, TrainingConfig
from keras_attn.data import bucketing
from keras_attn.data.guidance import reference_weights, subword_links, words_of
from keras_attn.special_ids import PAD_ID
from keras_attn.text.corpus import Corpus, CorpusError
from keras_attn.text.framing import tf_training_pair
from keras_attn.text.tokenizer import Tokenizer

_CHUNK = 4096  # lines tokenised at a time
_WORKERS, _READY = 2, 8  # batches padded at the same time, and padded ahead of the training step

Sample = Callable[[int], list[list[int]]]


class TrainingBatches:
    """Endless training batches of pairs of about equal length.

    A batch is `((source, target_in), target_out, weight)`, right-padded to the longest of its sentences:
    `source` int32 `[B, S]` ends with EOS, `target_in` int32 `[B, T]` starts with BOS, `target_out` int32 `[B, T]` ends
    with EOS, `weight` float32 `[B, T]` is 1 at real tokens of `target_out` and 0 at padding.

    With links it is `((source, target_in), (target_out, reference), (weight, linked))`: `reference` float32 `[B, T, S]` is what the
    attention that produces `target_out` is to be like, `linked` float32 `[B, T]` is 1 at tokens with links. Padding has
    none, and EOS has none: to link it to the source's EOS did not help the words. See `guidance.reference_weights`.

    For R-Drop a batch holds its pairs twice, the whole batch again after itself.

    Attributes:
        steps_per_epoch: batches in every epoch.
        pairs: sentence pairs in every epoch.
        dropped: pairs left out, because a side has more than `data.max_length` sub-words or none.
    """

    def __init__(
        self,
        source: tf.RaggedTensor,
        target: tf.RaggedTensor,
        dropped: int,
        training: TrainingConfig,
        samples: Sequence[Sample] = (),
        links: tf.RaggedTensor | None = None,
    ) -> None:
        """Takes sub-word ids, int32 `[pairs, (ids)]`, without BOS and EOS.

        `samples`, for source and target, cut the same pairs at random by a seed: every epoch has a seed of its own. Which pairs may
        share a batch, the given ids decide. `links`, int32 `[pairs, (links), 2]` (target, source), are between the given ids.
        """
        lengths = 1 + np.maximum(source.row_lengths().numpy(), target.row_lengths().numpy())  # with EOS
        ends = np.array(bucketing.boundaries(lengths.max()))
        bucket = np.searchsorted(ends, lengths)  # [pairs]
        self._bucket = tf.constant(bucket, tf.float64)
        self._splits = bucketing.batch_splits(ends[np.sort(bucket)], training)  # [steps + 1]
        self._ids = source, target
        self._samples = samples
        self._links = links
        self._seed = training.seed
        self._passes = 2 if training.r_drop else 1
        self.pairs = len(lengths)
        self.dropped = dropped
        self.steps_per_epoch = len(self._splits) - 1

    def stream(self, start_step: int = 0) -> tf.data.Dataset:
        """Batches from the given step on, without end.

        Epoch e is shuffled by (`training.seed`, e): the same seed gives the same batches, and a stream that starts at
        step n gives what an unbroken one gives from its n-th batch on.
        """
        first_epoch, done = divmod(start_step, self.steps_per_epoch)
        options = tf.data.Options()
        options.autotune.enabled = (
            False  # its thread sleeps ever longer, and whoever leaves the stream waits for it
        )

        def epoch_batches(epoch: tf.Tensor) -> tf.data.Dataset:
            skipped = tf.where(epoch == first_epoch, tf.constant(done, tf.int64), 0)
            rows = self._shuffled(epoch).skip(skipped)
            return rows.map(partial(_batch, *self._sides(epoch), self._links), _WORKERS, deterministic=True)

        with tf.device("CPU"):
            batches = tf.data.Dataset.counter(first_epoch).flat_map(epoch_batches)
            return batches.prefetch(_READY).with_options(options)

    def _shuffled(self, epoch: tf.Tensor) -> tf.data.Dataset:
        """The pairs of each batch, int32 `[B]`: at random within their bucket, and the batches in random order.

        With R-Drop each batch stands there twice.
        """
        seed = tf.stack([tf.cast(self._seed, tf.int64), epoch])
        noise = tf.random.stateless_uniform([self.pairs + self.steps_per_epoch], seed, dtype=tf.float64)
        pairs = tf.argsort(self._bucket + noise[: self.pairs])
        batches = tf.RaggedTensor.from_row_splits(pairs, self._splits)
        batches = tf.gather(batches, tf.argsort(noise[self.pairs :]))
        return tf.data.Dataset.from_tensor_slices(tf.tile(batches, [1, self._passes]))

    def _sides(self, epoch: tf.Tensor) -> tuple[tf.RaggedTensor, tf.RaggedTensor]:
        """Sub-word ids of all pairs, as this epoch cuts them: `[pairs, (S)]` with EOS, `[pairs, (T + 1)]` with BOS and EOS."""
        source, target = self._ids
        if self._samples:
            source, target = (
                _in_graph(partial(self._sample, side), epoch, self.pairs)
                for side in range(len(self._samples))
            )
        return tf_training_pair(source, target)

    def _sample(self, side: int, epoch: int) -> list[list[int]]:
        seed = np.random.SeedSequence([self._seed, int(epoch), side]).generate_state(1)
        return self._samples[side](int(seed[0]) >> 1)


def _in_graph(function: Callable[[int], list[list[int]]], argument: tf.Tensor, rows: int) -> tf.RaggedTensor:
    """What a Python function returns, int32 `[rows, (ids)]`, when the graph is run."""

    def flat(argument: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ids = function(argument)
        return np.concatenate(ids).astype(np.int32), np.array([len(row) for row in ids], np.int64)

    values, lengths = tf.numpy_function(flat, [argument], [tf.int32, tf.int64])
    return tf.RaggedTensor.from_row_lengths(tf.ensure_shape(values, [None]), tf.ensure_shape(lengths, [rows]))


def _batch(
    source: tf.RaggedTensor, target: tf.RaggedTensor, links: tf.RaggedTensor | None, pairs: tf.Tensor
) -> tuple:
    source = tf.gather(source, pairs).to_tensor(PAD_ID)  # [B, S]
    target = tf.gather(target, pairs)  # [B, (T + 1)]
    target_in, target_out = target[:, :-1].to_tensor(PAD_ID), target[:, 1:].to_tensor(PAD_ID)  # [B, T]
    weight = tf.cast(target_out != PAD_ID, tf.float32)
    if links is None:
        return (source, target_in), target_out, weight
    lengths = tf.shape(target_out)[1], tf.shape(source)[1]
    reference, linked = reference_weights(tf.gather(links, pairs), *lengths)
    return (source, target_in), (target_out, reference), (weight, linked)


def training_batches(
    corpus: Corpus,
    source_tokenizer: Tokenizer,
    target_tokenizer: Tokenizer,
    data: DataConfig,
    training: TrainingConfig,
) -> TrainingBatches:
    """Tokenises a corpus, once unless words are cut anew in every epoch, and cuts it into batches.

    Args:
        corpus: the sentence pairs; with links if `training.guided_alignment` is not 0.
        source_tokenizer: vocabulary of the source language.
        target_tokenizer: vocabulary of the target language.
        data: `max_length` is the most sub-words a side may have.
        training: `seed`, as the budget of a batch either `batch_size` or `batch_tokens`, whether `r_drop` doubles it, and one of
            `subword_sampling` and `guided_alignment`, if any.

    Raises:
        ConfigError: not exactly one of `training.batch_size` and `training.batch_tokens` is positive.
        CorpusError: no pair is short enough.
    """
    with tf.device("CPU"):
        source = _tokenise(corpus.source, source_tokenizer)
        target = _tokenise(corpus.target, target_tokenizer)
        kept = _within(source, data.max_length) & _within(target, data.max_length)
        pairs = int(tf.math.count_nonzero(kept))
        if not pairs:
            raise CorpusError(
                f"none of the {len(corpus)} pairs has at most {data.max_length} sub-words on both sides: "
                "raise data.max_length or shorten the lines"
            )
        source, target = tf.ragged.boolean_mask(source, kept), tf.ragged.boolean_mask(target, kept)
        source_lines, target_lines = (
            list(compress(lines, kept.numpy())) for lines in (corpus.source, corpus.target)
        )
        samples, links = [], None
        if training.subword_sampling:
            sides = (source_lines, source_tokenizer), (target_lines, target_tokenizer)
            samples = [
                partial(tokenizer.sample, lines, training.subword_sampling) for lines, tokenizer in sides
            ]
        if training.guided_alignment:
            links = subword_links(
                list(compress(corpus.links, kept.numpy())),
                words_of(source_lines, source, source_tokenizer),
                words_of(target_lines, target, target_tokenizer),
            )
        return TrainingBatches(source, target, len(corpus) - pairs, training, samples, links)


def _tokenise(lines: Sequence[str], tokenizer: Tokenizer) -> tf.RaggedTensor:
    chunks = tf.data.Dataset.from_tensor_slices(tf.constant(lines, tf.string)).batch(_CHUNK)
    ids = chunks.map(tokenizer.tf_encode, tf.data.AUTOTUNE, deterministic=True)
    return tf.concat(list(ids), axis=0)  # [pairs, (ids)]


def _within(ids: tf.RaggedTensor, max_length: int) -> tf.Tensor:
    lengths = ids.row_lengths()
    return (lengths > 0) & (lengths <= max_length)
