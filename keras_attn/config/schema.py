"""The keys of a config, with their defaults: a frozen dataclass for each section.

Some keys belong to one kind of attention, encoder, readout or optimizer. They say so (`only_with`), and are an error with another
kind.
"""

import dataclasses
from typing import Any


class ConfigError(ValueError):
    """An unusable configuration; the message says what was expected, what came and what to do."""


Kinds = dict[str, tuple[Any, ...]]  # for each key, the values of which it must have one
LARGEST_BEAM = 1000
LARGEST_MIN_LENGTH = 10_000


def choice(default: str, *others: str, only_with: tuple[Kinds, ...] = ()) -> Any:
    """A string field that takes one of the given values."""
    metadata = {"choices": (default, *others), "only_with": only_with}
    return dataclasses.field(default=default, metadata=metadata)


def option(default: Any, *only_with: Kinds) -> Any:
    """A field that applies only together with one of the given kinds, and is an error otherwise."""
    return dataclasses.field(default=default, metadata={"only_with": only_with})


def limited(default: Any, most: int) -> Any:
    """A number up to a limit. No machine could handle values far beyond it, so such a value is a mistake or an attack."""
    return dataclasses.field(default=default, metadata={"most": most})


def automatic(kind: type) -> Any:
    """A field of the given type, or `"auto"`, the default."""
    return dataclasses.field(default="auto", metadata={"automatic": kind})


_ADDITIVE = {"attention": ("bahdanau", "coverage", "monotonic")}
_MULTIPLICATIVE = {"attention": ("luong", "luong-monotonic", "local-m", "local-p")}
_LOCAL = {"attention": ("local-m", "local-p")}
_ANY_ATTENTION = {"attention": (*_ADDITIVE["attention"], *_MULTIPLICATIVE["attention"])}


@dataclasses.dataclass(frozen=True, kw_only=True)
class DataConfig:
    """Where the sentence pairs come from: a named corpus, or files (two plain or `.gz` files, or one `.tsv`)."""

    corpus: str = ""  # a name that `corpora.named` knows; empty: use the files below
    source_language: str = "source"
    target_language: str = "target"
    train: tuple[str, ...] = ()
    dev: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    links: str = ""  # word links of `train` in Pharaoh's format, plain or `.gz`, for guided_alignment
    # how many varied copies a training pair gets: other names, numbers and months, careless sources (keras_attn.data.augmentation);
    # from one on, lines as in everyday life as well (keras_attn.data.everyday)
    augmentation: int = limited(0, 100)
    # how many lines of two or three pairs are added for each pair (keras_attn.data.concatenation); varied copies are pairs, too
    concatenations: float = limited(0.0, 100)
    max_length: int = 100  # pairs with more sub-words on either side are left out of training, and counted


@dataclasses.dataclass(frozen=True, kw_only=True)
class TokenizerConfig:
    """SentencePiece vocabularies."""

    vocab_size: int = 8000  # an upper limit; a small corpus yields fewer pieces
    joint: bool = True  # one vocabulary for both languages
    # unigram: sub-words; words: separated by spaces; symbols: the same, such as phonemes, but never normalised
    kind: str = choice("unigram", "characters", "words", "symbols")
    # kind of the target's own vocabulary
    target_kind: str = choice(
        "same", "unigram", "characters", "words", "symbols", only_with=({"joint": (False,)},)
    )
    character_coverage: float = 1.0
    # Spell characters that have no piece in UTF-8 bytes, instead of treating them as unknown.
    byte_fallback: bool = False
    # Ignore capitals in the source; a joint vocabulary ignores them in the target too, so translations have none.
    lowercase: bool = option(False, {"kind": ("unigram", "characters", "words")})
    # Read a line in capitals in small letters; with a joint vocabulary, in the target too.
    lower_capitals: bool = option(False, {"kind": ("unigram", "characters", "words"), "lowercase": (False,)})


@dataclasses.dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The network. In TOML, `preset` names a paper's choices (see `presets.py`); other keys override them."""

    source_vocab_size: int = 0  # both are set by training, from the trained tokenizer
    target_vocab_size: int = 0
    embedding_dim: int = 256
    # target: decoder input and output share a matrix; all: the source shares it too
    tied_embeddings: str = choice("none", "target", "all")
    cell: str = choice("gru", "lstm", "layer_norm_gru", "gru_reset_after")
    encoder: str = choice("bidirectional", "transformer")
    # per direction; a transformer is as wide as its input
    encoder_units: int = option(256, {"encoder": ("bidirectional",)})
    encoder_heads: int = option(4, {"encoder": ("transformer",)})
    encoder_layers: int = limited(1, 100)
    decoder_units: int = 256
    decoder_layers: int = limited(1, 100)
    residual: bool = False  # around every layer but the first
    attention: str = choice(
        "bahdanau", "coverage", "monotonic", "luong", "luong-monotonic", "local-m", "local-p", "none"
    )
    # width of the additive and concat alignment models
    attention_units: int = option(256, _ADDITIVE, {**_MULTIPLICATIVE, "attention_score": ("concat",)})
    attention_score: str = choice("general", "dot", "concat", only_with=(_MULTIPLICATIVE,))
    attention_scale: bool = option(
        False, _MULTIPLICATIVE
    )  # whether to multiply the scores by a trained factor
    attention_window: int = option(10, _LOCAL)  # words on either side of the centre
    attention_heads: int = option(1, {"attention": ("bahdanau", "luong")})
    attention_normalize: bool = option(False, {"attention": ("bahdanau",)})  # weight-normalised vector
    # the query is s_{t-1} (Bahdanau, J&M), s_t (Luong, CS224n), or a state between them (Nematus)
    query_state: str = choice("previous", "current", "intermediate")
    feed: str = choice("context", "attentional", "none")  # what is added to the input of the decoder's cell
    readout: str = choice("maxout", "attentional", "linear", "plain")
    readout_units: int = option(256, {"readout": ("maxout", "attentional", "linear")})
    # a pointer-generator: the output may copy words from the source (See et al. 2017); needs tokenizer.joint
    copy: bool = option(False, _ANY_ATTENTION)
    word_dropout: float = 0.0  # of whole words, source and target
    embedding_dropout: float = 0.0
    layer_dropout: float = 0.0  # between stacked layers (Zaremba et al. 2014)
    memory_dropout: float = 0.0  # on the encoder's states
    attention_dropout: float = option(0.0, _ANY_ATTENTION)  # on the attention weights
    readout_dropout: float = 0.0  # before the output projection
    variational_dropout: bool = (
        False  # embedding, memory and readout dropout drop the same units at every position
    )

    @classmethod
    def from_preset(cls, name: str, **choices: Any) -> "ModelConfig":
        """The preset's choices, overridden by `choices`.

        Raises:
            ConfigError: there is no such preset, or a choice is invalid.
        """
        from keras_attn.config.tables import section

        return section("model", cls, {"preset": name, **choices})


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How the network is trained."""

    seed: int = 1
    epochs: int = 20
    batch_size: int = 64  # sentences; 0 if batch_tokens is used
    batch_tokens: int = 0  # target tokens, padding included; 0 if batch_size is used
    evaluate_every: int = 0  # steps between checkpoints and evaluations; 0: once an epoch
    optimizer: str = choice("adam", "adamw")
    learning_rate: float = 0.001
    schedule: str = choice("constant", "inverse_sqrt", "cosine")
    warmup_steps: int = 0
    weight_decay: float = option(0.0, {"optimizer": ("adamw",)})
    # alpha of Kudo 2018: every epoch segments the words anew; 0: always use the best segmentation
    subword_sampling: float = 0.0
    label_smoothing: float = 0.1
    # alpha of Liang et al. 2021: a batch contains each pair twice, and the loss makes both passes agree
    r_drop: float = 0.0
    # the share of its own words that the decoder reads at the end of training; it grows from 0 (Bengio et al. 2015)
    scheduled_sampling: float = 0.0
    guided_alignment: float = 0.0  # weight of the loss that guides attention by word links (Chen et al. 2016)
    clip_norm: float = 1.0
    gradient_accumulation: int = 1  # batches per update, which uses their mean gradient
    ema_decay: float = 0.0  # 0: no moving average
    # the development score that chooses the best model; auto: exact for single words, chrf for text without spaces, else bleu
    best_by: str = choice("auto", "bleu", "chrf", "exact", "cer", "wer", "loss")
    patience: int = 0  # evaluations without a better model before training stops; 0: never
    # auto: mixed_bfloat16 if the processor or accelerator can multiply in it, else float32
    mixed_precision: str = choice("float32", "auto", "mixed_float16", "mixed_bfloat16")
    devices: int | str = automatic(int)  # per process; they share every batch; auto: all
    jit_compile: bool | str = automatic(bool)  # XLA; auto: on JAX, and on TensorFlow with an accelerator
    steps_per_execution: int = 1  # steps between checks of the loss
    tensorboard: bool = False


@dataclasses.dataclass(frozen=True, kw_only=True)
class SearchConfig:
    """How to search for translations, unless the caller says otherwise."""

    beam_size: int = limited(5, LARGEST_BEAM)
    length_penalty: float = 1.0  # alpha in ((5 + n) / 6) ** alpha, Wu et al. 2016, equation 14
    # beta of the same equation: penalises source words that were not read; needs attention
    coverage_penalty: float = 0.0
    # the fewest target sub-words, EOS included; 2: no translation ends at once, and hardly any is empty
    min_length: int = limited(2, LARGEST_MIN_LENGTH)
    no_repeat_ngram: int = 0  # no sequence of this many sub-words is repeated; 0: no limit
    # instead of a translation with other digits than its source, take the best one of the beam with the same
    keep_numbers: bool = False
    max_length_factor: float = limited(2.0, 100)  # at most factor * source length + extra target sub-words
    max_length_extra: int = limited(10, 10_000)
    max_source_length: int = limited(256, 100_000)  # longer input is cut here, with a warning
    batch_size: int = limited(64, 10_000)

    def __post_init__(self) -> None:
        for key in ("beam_size", "batch_size"):
            if getattr(self, key) < 1:
                raise ConfigError(f"search.{key} must be at least 1. Received: {getattr(self, key)}")
        if self.max_source_length < 2:
            raise ConfigError(
                f"search.max_source_length must be at least 2: one sub-word plus EOS. Received: {self.max_source_length}"
            )

    def length_limit(self, length: int) -> int:
        """The most target sub-words, EOS included, for a source of `length` sub-words, EOS not counted."""
        return max(1, self.min_length, int(self.max_length_factor * length + self.max_length_extra))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Config:
    """All sections of a config file."""

    data: DataConfig = DataConfig()
    tokenizer: TokenizerConfig = TokenizerConfig()
    model: ModelConfig = ModelConfig()
    training: TrainingConfig = TrainingConfig()
    search: SearchConfig = SearchConfig()


def applies(section: Any, key: str) -> bool:
    """Whether a key applies to the kinds that the section's other keys choose."""
    only_with = next(field.metadata for field in dataclasses.fields(section) if field.name == key).get(
        "only_with"
    )
    if not only_with:
        return True
    return any(all(getattr(section, name) in kinds for name, kinds in each.items()) for each in only_with)


def refusal(name: str, section: Any, key: str) -> str:
    """The error message for a key that does not apply."""
    only_with = next(field.metadata for field in dataclasses.fields(section) if field.name == key)[
        "only_with"
    ]
    wanted = ", or ".join(
        " and ".join(f"{other} = {' or '.join(map(repr, kinds))}" for other, kinds in each.items())
        for each in only_with
    )
    others = dict.fromkeys(other for each in only_with for other in each if applies(section, other))
    chosen = " and ".join(f"{name}.{other} = {getattr(section, other)!r}" for other in others)
    return f"{name}.{key} does not apply to {chosen}: it is for {wanted}. Remove it"


def check_applicable(name: str, section: Any) -> None:
    """Refuses a section if a key that does not apply differs from its default.

    Raises:
        ConfigError: the message names the key and the kinds it is for.
    """
    for field in dataclasses.fields(section):
        if getattr(section, field.name) != field.default and not applies(section, field.name):
            raise ConfigError(refusal(name, section, field.name))
