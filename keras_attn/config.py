"""The configuration of one model: frozen dataclasses, written and read as TOML.

A config file holds only what differs from the defaults below. An unknown section or key is an error that names the nearest
known one, a value of the wrong type or outside its choices an error that says what was expected.
"""

import dataclasses
import difflib
import json
import math
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args, get_origin

from keras_attn.presets import PRESETS


class ConfigError(ValueError):
    """A configuration that cannot be used; the message says what was expected, what came and what to do."""


def choice(default: str, *others: str) -> Any:
    """A string field that takes one of the given values."""
    return dataclasses.field(default=default, metadata={"choices": (default, *others)})


@dataclasses.dataclass(frozen=True, kw_only=True)
class DataConfig:
    """Where the sentence pairs come from: a named corpus, or files (two plain or `.gz` files, or one `.tsv`)."""

    corpus: str = ""  # a name `text.corpora` knows; empty: the files below
    source_language: str = "source"
    target_language: str = "target"
    train: tuple[str, ...] = ()
    dev: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    links: str = ""  # word links of `train` in Pharaoh's format, plain or `.gz`, for guided_alignment
    max_length: int = 100  # pairs with more sub-words on either side are dropped from training, and counted


@dataclasses.dataclass(frozen=True, kw_only=True)
class TokenizerConfig:
    """SentencePiece unigram vocabulary."""

    vocab_size: int = 8000  # an upper limit: a small corpus has fewer pieces
    joint: bool = True  # one vocabulary for both languages
    character_coverage: float = 1.0


@dataclasses.dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The network. In TOML, `preset` names a paper's choices (see `presets.py`); keys given beside it win."""

    source_vocab_size: int = 0  # both are set by training, from the trained tokenizer
    target_vocab_size: int = 0
    embedding_dim: int = 256
    tied_embeddings: str = choice(
        "none", "target", "all"
    )  # target: decoder input and output; all: the source too
    cell: str = choice("gru", "lstm", "layer_norm_gru")
    encoder: str = choice("bidirectional", "transformer")
    encoder_units: int = (
        256  # bidirectional only: width of each direction; the transformer's is embedding_dim
    )
    encoder_heads: int = 4  # transformer only
    encoder_layers: int = 1
    decoder_units: int = 256
    decoder_layers: int = 1
    residual: bool = False  # around every layer but the first
    attention: str = choice("bahdanau", "coverage", "monotonic", "luong", "local-m", "local-p", "none")
    attention_units: int = 256  # width of the additive and concat alignment models
    attention_score: str = choice("general", "dot", "concat")  # luong, local-m, local-p
    attention_scale: bool = False  # luong, local-m, local-p: a trained factor on the scores
    attention_window: int = 10  # local-m, local-p: words on either side of the centre
    attention_heads: int = 1  # bahdanau, luong
    attention_normalize: bool = False  # bahdanau only: weight-normalised scoring vector
    # s_{t-1} asks (Bahdanau, J&M), or s_t (Luong, CS224n), or one between them (Nematus)
    query_state: str = choice("previous", "current", "intermediate")
    feed: str = choice("context", "attentional", "none")  # what joins the input of the decoder's cell
    readout: str = choice("maxout", "attentional", "plain")
    readout_units: int = 256  # width of the maxout and attentional readouts
    word_dropout: float = 0.0  # of whole words, source and target (Gal and Ghahramani 2016)
    embedding_dropout: float = 0.0
    layer_dropout: float = 0.0  # between stacked layers (Zaremba et al. 2014)
    memory_dropout: float = 0.0  # on the encoder's states
    attention_dropout: float = 0.0  # on the attention weights
    readout_dropout: float = 0.0  # before the output projection
    variational_dropout: bool = False  # of embeddings, memory and readout: the same units at every position

    @classmethod
    def from_preset(cls, name: str, **choices: Any) -> "ModelConfig":
        """The preset's choices with `choices` over them.

        Raises:
            ConfigError: there is no such preset, or a choice is not one.
        """
        return _section("model", cls, {"preset": name, **choices})


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How the network is trained."""

    seed: int = 1
    epochs: int = 20
    batch_size: int = 64  # sentences; 0 when batch_tokens rules
    batch_tokens: int = 0  # target tokens, padding included; 0 when batch_size rules
    evaluate_every: int = 0  # steps between checkpoints and evaluations; 0: once an epoch
    optimizer: str = choice("adam", "adamw")
    learning_rate: float = 0.001
    schedule: str = choice("constant", "inverse_sqrt", "cosine")
    warmup_steps: int = 0
    weight_decay: float = 0.0  # adamw only
    subword_sampling: float = (
        0.0  # alpha of Kudo 2018: every epoch cuts the words anew; 0: always the best cut
    )
    label_smoothing: float = 0.1
    r_drop: float = (
        0.0  # alpha of Liang et al. 2021: a batch holds each pair twice, and both passes are to agree
    )
    guided_alignment: float = 0.0  # weight of the loss of attention against word links (Chen et al. 2016)
    clip_norm: float = 1.0
    ema_decay: float = 0.0  # 0: no moving average
    patience: int = 0  # evaluations without a better development BLEU before stopping; 0: never
    mixed_precision: str = choice("float32", "mixed_float16", "mixed_bfloat16")
    tensorboard: bool = False


@dataclasses.dataclass(frozen=True, kw_only=True)
class SearchConfig:
    """How translations are searched for, unless the caller says otherwise."""

    beam_size: int = 5
    length_penalty: float = 1.0  # alpha in ((5 + n) / 6) ** alpha, Wu et al. 2016, equation 14
    coverage_penalty: float = (
        0.0  # beta of the same equation: for source words that were not read; needs attention
    )
    max_length_factor: float = 2.0  # at most factor * source length + extra target sub-words
    max_length_extra: int = 10
    max_source_length: int = 256  # longer input is cut here, with a warning
    batch_size: int = 64

    def length_limit(self, length: int) -> int:
        """The most target sub-words, EOS included, for a source of `length` sub-words, EOS not counted."""
        return max(1, int(self.max_length_factor * length + self.max_length_extra))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Config:
    """All sections of a config file."""

    data: DataConfig = DataConfig()
    tokenizer: TokenizerConfig = TokenizerConfig()
    model: ModelConfig = ModelConfig()
    training: TrainingConfig = TrainingConfig()
    search: SearchConfig = SearchConfig()


def load(path: str | Path, overrides: Iterable[str] = ()) -> Config:
    """Reads a TOML file and applies `section.key=value` overrides.

    Raises:
        ConfigError: the file is missing, is not TOML, or holds an unknown key or an unusable value.
    """
    try:
        tables = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"no config file at {path}") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a folder; expected a TOML file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None
    return override(from_tables(tables), overrides)


def from_tables(tables: dict[str, Any]) -> Config:
    """Builds a `Config` from nested dictionaries, checking every name and value."""
    sections = {field.name: field.type for field in dataclasses.fields(Config)}
    for name, table in tables.items():
        if name not in sections:
            raise ConfigError(f"unknown section [{name}]{_nearest(name, sections)}")
        if not isinstance(table, dict):
            raise ConfigError(f"{name} is a section: write [{name}] and its keys below it")
    return Config(**{name: _section(name, sections[name], table) for name, table in tables.items()})


def override(config: Config, assignments: Iterable[str]) -> Config:
    """Applies `section.key=value` strings; values are TOML, and a bare word is a string."""
    tables = dataclasses.asdict(config)
    for assignment in assignments:
        path, equals, value = assignment.partition("=")
        section, dot, key = path.strip().partition(".")
        if not (equals and dot):
            raise ConfigError(f"expected section.key=value, got {assignment!r}")
        table = tables.setdefault(section, {})
        table[key] = _toml_value(value.strip())
        if (section, key) == ("model", "preset"):
            table.update(_preset(table.pop(key)))
    return from_tables(tables)


def to_toml(config: Config) -> str:
    """The whole configuration as TOML, defaults included: what a model folder keeps."""
    lines = []
    for section in dataclasses.fields(config):
        values = dataclasses.asdict(getattr(config, section.name))
        lines += [f"[{section.name}]", *(f"{key} = {_toml_text(value)}" for key, value in values.items()), ""]
    return "\n".join(lines)


def _preset(name: Any) -> dict[str, Any]:
    if name not in tuple(PRESETS):
        raise ConfigError(f"model.preset takes {', '.join(map(repr, PRESETS))}; got {name!r}")
    return PRESETS[name]


def _section(name: str, cls: type, table: dict[str, Any]) -> Any:
    fields = {field.name: field for field in dataclasses.fields(cls)}
    known = ["preset", *fields] if cls is ModelConfig else [*fields]
    for key in table:
        if key not in known:
            raise ConfigError(f"unknown key {name}.{key}{_nearest(key, known)}")
    if "preset" in table:
        choices = {key: value for key, value in table.items() if key != "preset"}
        table = {**_preset(table["preset"]), **choices}
    return cls(**{key: _checked(f"{name}.{key}", fields[key], value) for key, value in table.items()})


def _checked(path: str, field: dataclasses.Field, value: Any) -> Any:
    choices = field.metadata.get("choices")
    if choices and value not in choices:
        raise ConfigError(f"{path} takes {', '.join(map(repr, choices))}; got {value!r}")
    if get_origin(field.type) is tuple:
        item = get_args(field.type)[0]
        if isinstance(value, list | tuple) and all(isinstance(v, item) for v in value):
            return tuple(value)
        raise ConfigError(f"{path} takes a list of {item.__name__}; got {value!r}")
    if field.type is float and type(value) is int:
        value = float(value)
    if type(value) is not field.type:
        raise ConfigError(f"{path} takes a {field.type.__name__}; got {value!r}")
    if field.type is float and not math.isfinite(value):
        raise ConfigError(f"{path} takes a finite number; got {value!r}")
    if field.type in (int, float) and value < 0:
        raise ConfigError(f"{path} cannot be negative; got {value!r}")
    if field.type is float and field.name.endswith("_dropout") and value >= 1:
        raise ConfigError(f"{path} takes a rate from 0 up to, not including, 1; got {value!r}")
    return value


def _nearest(name: str, known: Iterable[str]) -> str:
    matches = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"; did you mean {matches[0]!r}?" if matches else f"; known: {', '.join(known)}"


def _toml_value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _toml_text(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml_text, value)) + "]"
    # JSON's strings, numbers and booleans are TOML's, but for the one control character that JSON leaves bare.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
