"""The signatures of a model with vocabularies on a device, as graphs of bytes; one sentence at a time.

    tokenize         text -> ids, length, starts, truncated, unknown     sub-words as `translate`, `align` and `encode` read them
    detokenize       ids -> text, length, ends                           the text of a translation
    translate_text   text -> text, lengths, scores, truncated, unknown   the whole search, the best translation first

Text is int32: UTF-8 bytes, then -1. Shapes: N bytes of text, where at least one must be -1, or the text counts as too long; S
source length, M beam size, L the most tokens of a translation, K the most bytes of a translation. With
`search.keep_numbers`, the best translation is the best with the digits of the text, if there is one.
"""

import tensorflow as tf

from keras_attn.export.id_signatures import Signature
from keras_attn.export.subject import Subject
from keras_attn.export.tokens.cutting import BLOCK
from keras_attn.export.tokens.joining import joined
from keras_attn.export.tokens.tokenizing import tokenized
from keras_attn.export.tokens.vocabulary_tables import vocabulary_tables
from keras_attn.special_ids import EOS_ID, PAD_ID, UNK_ID
from keras_attn.text.framing import tf_known

BYTES_PER_TOKEN = (
    8  # room for text, per sub-word; real sentences take about five bytes per sub-word, spaces included
)


def text_signatures(
    subject: Subject, translate: Signature, *, source_length: int, max_length: int
) -> dict[str, Signature]:
    """The graphs, by name.

    `tokenize`: text int32 `[1, N]` to ids `[1, S]`, sub-words, EOS, then 0; length `[1]`, the number of sub-words; starts `[1, S]`,
    the byte of the text at which each begins; truncated `[1]`, 1 if the text does not fit; unknown `[1]`, 1 if the text contains
    something that the vocabulary does not know.

    `detokenize`: ids int32 `[1, L]` to text `[1, K]`; length `[1]`, in bytes; ends `[1, L]`, where the text of each id ends.

    `translate_text`: text int32 `[1, N]` to text `[M, K]`; lengths `[M]`, in bytes; scores float32 `[M]`, -1e9 if the search
    found fewer translations; truncated and unknown `[1]`. A text in which nothing is known translates to "" with score 0.

    Args:
        subject: the model with its vocabularies.
        translate: its graph of ids with the fixed source length, see `id_signatures`.
        source_length: S.
        max_length: L.

    Raises:
        ValueError: a vocabulary needs something that graphs cannot do.
    """
    graphs = _Graphs(subject, translate, source_length)
    size = -(-BYTES_PER_TOKEN * source_length // BLOCK) * BLOCK
    text = {"text": tf.TensorSpec([1, size], tf.int32, "text")}
    ids = {"ids": tf.TensorSpec([1, max_length], tf.int32, "ids")}
    methods = {graphs.tokenize: text, graphs.detokenize: ids, graphs.translate_text: text}
    return {
        method.__name__: tf.function(method, autograph=False).get_concrete_function(**inputs)
        for method, inputs in methods.items()
    }


class _Graphs:
    """The function of each signature."""

    def __init__(self, subject: Subject, translate: Signature, source_length: int) -> None:
        self._source = vocabulary_tables(subject.source_tokenizer.model_proto)
        self._target = vocabulary_tables(subject.target_tokenizer.model_proto)
        self._vocab_size = subject.target_tokenizer.vocab_size
        self._translate, self._source_length = translate, source_length
        self._most = min(subject.search.max_source_length, source_length)

    def tokenize(self, *, text: tf.Tensor) -> dict[str, tf.Tensor]:
        found = tokenized(text[0], self._source, self._source_length)
        length = tf.minimum(found.length, self._most - 1)
        places = tf.range(self._source_length)
        ids = tf.where(places < length, found.ids, tf.where(places == length, EOS_ID, PAD_ID))
        truncated = found.truncated | (found.length > length)
        flags = {"truncated": truncated, "unknown": tf.reduce_any(ids == UNK_ID)}
        return {
            "ids": ids[None],
            "length": length[None],
            "starts": found.starts[None],
            **{name: tf.cast(flag, tf.int32)[None] for name, flag in flags.items()},
        }

    def detokenize(self, *, ids: tf.Tensor) -> dict[str, tf.Tensor]:
        text, ends = joined(tf_known(ids, self._vocab_size), self._target.surfaces)
        return {"text": text, "length": ends[:, -1], "ends": ends}

    def translate_text(self, *, text: tf.Tensor) -> dict[str, tf.Tensor]:
        read = self.tokenize(text=text)
        found = self._translate(source=read["ids"])
        said, ends = joined(found["ids"], self._target.surfaces_in_line)
        return {
            "text": said,
            "lengths": ends[:, -1],
            "scores": found["scores"],
            "truncated": read["truncated"],
            "unknown": read["unknown"],
        }
