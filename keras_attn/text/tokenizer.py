"""SentencePiece unigram vocabularies (Kudo 2018, https://aclanthology.org/P18-1007): text to ids and back.

Python lists go through SentencePiece's library, and graphs through tensorflow-text's operator, which exported models contain too.
Both encode and decode alike, so training, serving and devices agree. The operator is right only for unigram models: without any
warning, it encodes BPE models wrongly, and models that mark the ends of words too. These are refused here, and so are damaged
models. The operator also ignores byte fallback, so in graphs such vocabularies use SentencePiece's own operator, at half the speed.
Other vocabularies decode by string operations, because the operator drops other spaces at the beginning than SentencePiece does.

Normalisation is SentencePiece's `nmt_nfkc`: compatibility forms are unified, control and zero-width characters are removed, runs of
whitespace become one space, and case is kept. Symbols are an exception: only their whitespace is normalised. A character outside
the vocabulary becomes the unknown id, which decodes to " ⁇ ", as in SentencePiece itself. If the vocabulary has byte fallback, it
becomes its UTF-8 bytes, each a piece; when decoding, each byte that is not valid UTF-8 becomes U+FFFD.
"""

import functools
import hashlib
import io
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from keras_attn.files import write_text
from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from keras_attn.text.capitals import (
    lowers_capitals,
    tf_without_capitals,
    with_lower_capitals,
    without_capitals,
)
from keras_attn.text.vocabulary_checks import byte_ids, checked_pieces
from keras_attn.text.words import WORD_START, may_follow_a_word

if TYPE_CHECKING:
    import numpy as np
    import tensorflow as tf
    from sentencepiece import SentencePieceProcessor
    from sentencepiece.sentencepiece_model_pb2 import ModelProto

    from keras_attn.text.subword_sampling import SubwordSampler

KINDS = {
    "unigram": "unigram",
    "characters": "char",
    "words": "word",
    "symbols": "word",
}  # SentencePiece's names of its trainers
# Every kind of whitespace becomes a space: one rule per line, code points in hexadecimal.
_SPACES_ALONE = "".join(
    f"{point:X}\t20\n" for point in range(0x3001) if chr(point).isspace() and point != 0x20
)
_NOT_TEXT = (PAD_ID, BOS_ID, EOS_ID)
_MAX_LINE_BYTES = 1 << 16  # SentencePiece skips longer lines in training; its default is 4192


class Tokenizer:
    """The tokenizer of one language; a joint vocabulary is two tokenizers with the same model.

    Args:
        model_proto: the bytes of a `.spm` file.

    Attributes:
        model_proto: the same bytes.
        vocab_size: number of pieces, the four special ones included.
        wordless_ids: ids without text: the four special ones, which include the unknown id, and a bare "▁". In a line that has no
            other ids, such as "☃", nothing is known.

    Raises:
        ValueError: the bytes are not a SentencePiece model or are damaged, the model is not unigram, marks the ends of words or
            spells spaces in bytes, or its special ids are not those of `keras_attn.special_ids`.
    """

    def __init__(self, model_proto: bytes) -> None:
        self._pieces = checked_pieces(model_proto)
        self.model_proto = model_proto
        self.vocab_size = len(self._pieces)
        special = {PAD_ID, UNK_ID, BOS_ID, EOS_ID}
        self.wordless_ids = special | {i for i, piece in enumerate(self._pieces) if piece == "▁"}

    def __reduce__(self) -> tuple[type, tuple[bytes]]:
        return Tokenizer, (self.model_proto,)

    def encode(self, lines: Sequence[str], threads: int = 1) -> list[list[int]]:
        """The ids of each line, without BOS and EOS; a line without any piece, such as "", has none.

        A lone surrogate, which UTF-8 cannot hold, counts as a question mark. More threads give the same ids.
        """
        return self._library.encode([self._readable(line) for line in lines], num_threads=threads)

    def encode_as_written(self, lines: Sequence[str]) -> list[list[int]]:
        """The ids that spell each line: the same, but even a line in capitals stays so (see `lower_capitals`)."""
        return self._library.encode([_without_surrogates(line) for line in lines])

    def sample(self, lines: Sequence[str], alpha: float, seed: int) -> list[list[int]]:
        """The ids of a random segmentation of each line: segmentation x has a probability proportional to P(x) ** alpha.

        Segmentations that differ from epoch to epoch keep a model from memorising words; see `subword_sampling`. The same lines,
        alpha and seed give the same ids in every process.
        """
        return self._sampler.sample([self._readable(line) for line in lines], alpha, seed)

    def decode(self, ids: Sequence[Sequence[int]]) -> list[str]:
        """The text of each sequence of ids; padding, BOS and EOS are ignored, and no ids give "".

        Raises:
            ValueError: an id is outside the vocabulary.
        """
        rows = [
            [self._in_vocabulary(piece_id) for piece_id in row if piece_id not in _NOT_TEXT] for row in ids
        ]
        return self._library.decode(rows, num_threads=1) if rows else []

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """The pieces that ids stand for, special ones included; "▁" marks where a word begins.

        Raises:
            ValueError: an id is outside the vocabulary.
        """
        return [self._pieces[self._in_vocabulary(piece_id)] for piece_id in ids]

    def tf_encode(self, lines: "tf.Tensor") -> "tf.RaggedTensor":
        """Encodes inside a graph: string `[batch]` to int32 `[batch, (ids)]`, without BOS and EOS."""
        return self.operator.tokenize(tf_without_capitals(lines) if self.lower_capitals else lines)

    def tf_decode(self, ids: "tf.Tensor | tf.RaggedTensor") -> "tf.Tensor":
        """Decodes inside a graph: int32 `[batch, ids]`, padded or ragged, to string `[batch]`."""
        import tensorflow as tf

        if self._model.trainer_spec.byte_fallback:
            text_ids = tf.ragged.boolean_mask(ids, (ids != PAD_ID) & (ids != BOS_ID) & (ids != EOS_ID))
            return self.operator.detokenize(text_ids)
        joined = tf.strings.reduce_join(tf.gather(self._surfaces, ids), axis=-1)
        spec = self._model.normalizer_spec
        dropped = "▁*" if spec.remove_extra_whitespaces else "▁?" if spec.add_dummy_prefix else ""
        return tf.strings.regex_replace(tf.strings.regex_replace(joined, f"^{dropped}", ""), WORD_START, " ")

    @functools.cached_property
    def digit_counts(self) -> "np.ndarray":
        """How often each id says each decimal digit, of any script: int32 `(vocab_size, 10)`. Bytes say digits only in ASCII."""
        import numpy as np

        counts = np.zeros((self.vocab_size, 10), np.int32)
        for number, piece in enumerate(self._model.pieces):
            if piece.type in (piece.NORMAL, piece.USER_DEFINED):
                for character in filter(str.isdecimal, piece.piece):
                    counts[number, int(character)] += 1
        for digit, number in enumerate(byte_ids(self._model.pieces)[ord("0") : ord("9") + 1]):
            counts[number, digit] = 1
        return counts

    @functools.cached_property
    def may_follow_a_word(self) -> "np.ndarray":
        """Which ids may come after a whole word, see `words`: bool `(vocab_size,)`."""
        import numpy as np

        return np.array([may_follow_a_word(piece) for piece in self._pieces])

    @functools.cached_property
    def lower_capitals(self) -> bool:
        """Whether a line in capitals is read in small letters, see `capitals`."""
        return lowers_capitals(self._model)

    @functools.cached_property
    def _model(self) -> "ModelProto":
        from sentencepiece.sentencepiece_model_pb2 import ModelProto

        return ModelProto.FromString(self.model_proto)

    @functools.cached_property
    def _library(self) -> "SentencePieceProcessor":
        from sentencepiece import SentencePieceProcessor

        return SentencePieceProcessor(model_proto=self.model_proto)

    @functools.cached_property
    def operator(self) -> "tf.Module":
        """The tokenizer and detokenizer in graphs; a SavedModel must contain it."""
        import tensorflow as tf
        import tensorflow_text

        with tf.init_scope():  # its tensors must outlive the graph that uses it first
            if self._model.trainer_spec.byte_fallback:
                # A loaded SavedModel finds its operators by name: without names, two of them would both read the first vocabulary.
                name = f"vocabulary_{hashlib.sha256(self.model_proto).hexdigest()}"
                return tensorflow_text.SentencepieceTokenizer(self.model_proto, name=name)
            return tensorflow_text.FastSentencepieceTokenizer(self.model_proto)

    @functools.cached_property
    def _surfaces(self) -> "tf.Tensor":
        """The text of each piece, string `[V]`; a space that is dropped where a text begins is still "▁"."""
        import tensorflow as tf

        texts = [
            piece.piece[:1] + piece.piece[1:].replace(WORD_START, " ")
            if piece.type in (piece.NORMAL, piece.USER_DEFINED)
            else ""
            for piece in self._model.pieces
        ]
        texts[UNK_ID] = self._model.trainer_spec.unk_surface
        with tf.init_scope():  # it must outlive the graph that uses it first
            return tf.constant(texts)

    @functools.cached_property
    def _sampler(self) -> "SubwordSampler":
        from keras_attn.text.subword_sampling import SubwordSampler

        return SubwordSampler(self.model_proto)

    def _readable(self, line: str) -> str:
        text = _without_surrogates(line)
        return without_capitals(text) if self.lower_capitals else text

    def _in_vocabulary(self, piece_id: int) -> int:
        if not 0 <= piece_id < self.vocab_size:
            raise ValueError(f"id {piece_id} is outside the vocabulary of {self.vocab_size} pieces")
        return piece_id


def _without_surrogates(line: str) -> str:
    return line.encode("utf-8", errors="replace").decode()


def train_tokenizer(
    lines: Iterable[str],
    vocab_size: int,
    character_coverage: float = 1.0,
    *,
    kind: str = "unigram",
    byte_fallback: bool = False,
    lowercase: bool = False,
    lower_capitals: bool = False,
) -> Tokenizer:
    """Trains a vocabulary; the same lines in the same order give the same bytes.

    Characters and words use unigram vocabularies too, so one implementation reads every kind on servers, phones and web pages. An
    unknown word that begins with a known one is read as the known word and an unknown rest.

    Args:
        lines: text of one language, or of both for a joint vocabulary.
        vocab_size: the most pieces, special ones included; a small text yields fewer.
        character_coverage: share of the text's characters that get a piece; the rest become unknown. Not used for words.
        kind: a key of `KINDS`: `"unigram"` for sub-words, `"characters"`, `"words"`, separated by whitespace, or `"symbols"`, also
            separated by whitespace, for notations in which every mark counts, such as phonemes. Only symbols are not normalised.
        byte_fallback: whether to add the 256 bytes to the vocabulary and to spell unknown characters or words in them. Then nothing
            is unknown, and emoji and unseen letters come through.
        lowercase: whether to ignore case (by Unicode's case folding); not for symbols.
        lower_capitals: whether to read a line in capitals in small letters, see `capitals`; not for symbols.

    Raises:
        ValueError: there is no text, no such kind, or `vocab_size` cannot hold even the single characters of sub-words.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}. Received: {kind!r}")
    if vocab_size <= EOS_ID + 1:
        raise ValueError(
            f"tokenizer.vocab_size must be at least {EOS_ID + 2}: {EOS_ID + 1} special pieces and one of the text. Received: "
            f"{vocab_size}"
        )
    import sentencepiece

    lower_capitals &= kind != "symbols"
    text = [_without_surrogates(line) for line in lines if line.strip()]
    if lower_capitals:
        text = [without_capitals(line) for line in text]
    if not text:
        raise ValueError("cannot train a vocabulary: there is no text")
    model = io.BytesIO()
    needs_space = byte_fallback and KINDS[kind] == "word"  # every word begins with it, and it is not a piece
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder, "rules.tsv")
        write_text(rules, _SPACES_ALONE)
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(text),
                model_writer=model,
                model_type=KINDS[kind],
                vocab_size=vocab_size - needs_space,
                hard_vocab_limit=False,
                character_coverage=character_coverage,
                max_sentence_length=_MAX_LINE_BYTES,
                pad_id=PAD_ID,
                unk_id=UNK_ID,
                bos_id=BOS_ID,
                eos_id=EOS_ID,
                minloglevel=2,
                byte_fallback=byte_fallback,
                **_normalization(kind, rules, lowercase=lowercase),
            )
        except RuntimeError as error:
            # Without the position in SentencePiece's source code, and with our name of an option.
            reason = (str(error).rpartition("] ")[2] or str(error)).replace(
                "--character_coverage option", "tokenizer.character_coverage"
            )
            raise ValueError(f"cannot train a vocabulary of {vocab_size} pieces: {reason}") from None
    proto = model.getvalue() if kind == "unigram" else _as_unigram(model.getvalue(), needs_space)
    return Tokenizer(with_lower_capitals(proto) if lower_capitals else proto)


def _normalization(kind: str, rules: Path, *, lowercase: bool) -> dict[str, str]:
    """SentencePiece's options."""
    if kind == "symbols":
        return {"normalization_rule_tsv": str(rules)}
    return {"normalization_rule_name": "nmt_nfkc_cf"} if lowercase else {}


def _as_unigram(model_proto: bytes, needs_space: bool) -> bytes:
    """Turns a model into a unigram model with the same pieces and scores, which are log-frequencies.

    Our own rules for whitespace get a name, by which the web page recognises them.
    """
    from sentencepiece.sentencepiece_model_pb2 import ModelProto

    model = ModelProto.FromString(model_proto)
    model.trainer_spec.model_type = model.trainer_spec.UNIGRAM
    if model.normalizer_spec.name == "user_defined":
        model.normalizer_spec.name = "spaces"
    model.normalizer_spec.ClearField(
        "normalization_rule_tsv"
    )  # refers to a deleted file; its rules are in the model
    if needs_space:
        least = min(piece.score for piece in model.pieces if piece.type == piece.NORMAL)
        model.pieces.add(piece=WORD_START, score=least)
    return model.SerializeToString(deterministic=True)
