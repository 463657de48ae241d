"""The subject of an export: a model, its search, and its vocabularies if it has any."""

import dataclasses
from pathlib import Path
from typing import NamedTuple, TypeAlias

import keras
import numpy as np

from keras_attn.config import SearchConfig
from keras_attn.inference.translator import Translator
from keras_attn.models.encoding import PADDING_MATTERS
from keras_attn.models.ensemble import Ensemble
from keras_attn.models.seq2seq import Seq2Seq
from keras_attn.special_ids import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from keras_attn.storage.model_folder import TrainedModel
from keras_attn.text.tokenizer import Tokenizer

# A model; a model with its vocabularies; the content of a model folder; or the folder.
Exportable: TypeAlias = Seq2Seq | Translator | TrainedModel | str | Path

# Of a bare model: only an export's own `max_length` limits a target, however short its source is.
_BARE_SEARCH = SearchConfig(min_length=0, max_length_factor=0.0, max_length_extra=10_000)
_BARE_LONGEST = 512


class Digits(NamedTuple):
    """The digits of the ids of both vocabularies, see `Tokenizer.digit_counts`."""

    source: np.ndarray
    target: np.ndarray


def require_tensorflow() -> None:
    """Raises ValueError if Keras runs on another backend, on which nothing can be exported."""
    if keras.backend.backend() != "tensorflow":
        raise ValueError(
            f"exports are TensorFlow graphs, but Keras runs on {keras.backend.backend()}: set KERAS_BACKEND=tensorflow. "
            "A model folder loads on any backend"
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class Subject:
    """The subject of an export.

    Attributes:
        translator: the model with its vocabularies; `None` for a bare model, from numbers to ids.
    """

    model: Seq2Seq | Ensemble
    search: SearchConfig
    translator: Translator | None = None

    @property
    def languages(self) -> tuple[str, str]:
        """The names of source and target."""
        return self.translator.languages if self.translator else ("source", "target")

    @property
    def attribution(self) -> str:
        """Whom the export must credit; "": nobody."""
        return self.translator.attribution if self.translator else ""

    @property
    def source_tokenizer(self) -> Tokenizer:
        """Only for a model with vocabularies."""
        return self.translator.source_tokenizer

    @property
    def target_tokenizer(self) -> Tokenizer:
        """Only for a model with vocabularies."""
        return self.translator.target_tokenizer

    @property
    def source_vocab_size(self) -> int | None:
        """How many ids the model can read; `None`: it reads numbers."""
        return getattr(self.model.source_embedding, "input_dim", None)

    @property
    def longest_target(self) -> int:
        """The most target tokens that the search allows for the longest source; 512 for a bare model, whose search has no limit."""
        return (
            self.search.length_limit(self.search.max_source_length - 1) if self.translator else _BARE_LONGEST
        )

    @property
    def digits(self) -> Digits | None:
        """For `keep_numbers`, if the search has it."""
        if not (self.search.keep_numbers and self.translator):
            return None
        return Digits(self.source_tokenizer.digit_counts, self.target_tokenizer.digit_counts)

    @property
    def wordless_ids(self) -> set[int]:
        """Source ids without meaning."""
        return self.source_tokenizer.wordless_ids if self.translator else {PAD_ID, UNK_ID, BOS_ID, EOS_ID}

    def random_sources(self, count: int) -> np.ndarray:
        """Random inputs for a bare model, if no real ones were given; the same at every call."""
        draw = np.random.default_rng(0)
        shape = [size or 16 for size in self.model.inputs[0].shape[1:]]
        if not self.model.reads_ids:
            return draw.normal(size=(count, *shape)).astype("float32")
        longest = min(16, self.search.max_source_length)
        ids = draw.integers(EOS_ID + 1, self.source_vocab_size, (count, longest))
        lengths = draw.integers(1, longest, (count, 1))  # one more with EOS
        places = np.arange(longest)
        return np.where(places < lengths, ids, np.where(places == lengths, EOS_ID, PAD_ID)).astype("int32")


def load_subject(
    model: Exportable, *, beam_size: int | None = None, max_source_length: int | None = None
) -> Subject:
    """The subject of an export, from any of its forms.

    Args:
        model: see `Exportable`.
        beam_size: the beam size of the export's search. `None`: the model's own.
        max_source_length: the most source ids that the export takes; of a model with vocabularies, no more than its own limit.
            `None`: that limit.

    Raises:
        ValueError: an invalid `beam_size`, Keras does not run on TensorFlow, or padding changes the encoder's output.
        ModelFolderError, FileNotFoundError: as `load_model`.
    """
    require_tensorflow()
    if beam_size is not None and beam_size < 1:
        raise ValueError(f"beam_size must be at least 1. Received: beam_size={beam_size}")
    if isinstance(model, TrainedModel):
        model = Translator.from_trained(model)
    elif isinstance(model, str | Path):
        model = Translator.load(model)
    translator = model if isinstance(model, Translator) else None
    search = translator.search if translator else _BARE_SEARCH
    if beam_size is not None:
        search = dataclasses.replace(search, beam_size=beam_size)
    if max_source_length is not None:
        most = min(search.max_source_length, max_source_length) if translator else max_source_length
        search = dataclasses.replace(search, max_source_length=most)
    if search.beam_size == 1:  # a greedy search has nothing to choose from
        search = dataclasses.replace(search, coverage_penalty=0.0, keep_numbers=False)
    subject = Subject(model=translator.model if translator else model, search=search, translator=translator)
    if subject.model.reads_ids:
        if subject.source_vocab_size is None:
            raise ValueError(
                "an export must know how many source ids there are: give the source embedding an attribute `input_dim`, as "
                f"in keras.layers.Embedding. Received: {subject.model.source_embedding!r}"
            )
        for each in subject.model.models if isinstance(subject.model, Ensemble) else [subject.model]:
            _check_padding(each, subject.random_sources(1))
    return subject


def _check_padding(model: Seq2Seq, source: np.ndarray) -> None:
    """Refuses an encoder with an output that depends on padding: an export pads differently, so it would translate differently."""
    source = source[:, : np.count_nonzero(source)]
    plain = model.encode(source)
    padded = model.encode(np.pad(source, [(0, 0), (0, 4)], constant_values=PAD_ID))
    real = plain.memory.shape[1]
    pairs = [(plain.memory, padded.memory[:, :real])]
    pairs += zip(
        keras.tree.flatten(plain.state["cells"]), keras.tree.flatten(padded.state["cells"]), strict=True
    )
    if not all(np.allclose(one, other, atol=1e-3) for one, other in pairs):
        raise ValueError(PADDING_MATTERS.format(model.encoder.name))
