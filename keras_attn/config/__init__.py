"""The configuration of one model: its sections (`schema`), the search methods (`methods`), the choices of papers by name
(`presets`), and TOML (`toml`)."""

from keras_attn.config.methods import Beam, Sampling
from keras_attn.config.schema import (
    Config,
    ConfigError,
    DataConfig,
    ModelConfig,
    SearchConfig,
    TokenizerConfig,
    TrainingConfig,
)
from keras_attn.config.tables import from_tables, override, to_tables, without_unused
from keras_attn.config.toml import load, load_tables, to_toml

__all__ = [
    "Beam",
    "Config",
    "ConfigError",
    "DataConfig",
    "ModelConfig",
    "Sampling",
    "SearchConfig",
    "TokenizerConfig",
    "TrainingConfig",
    "from_tables",
    "load",
    "load_tables",
    "override",
    "to_tables",
    "to_toml",
    "without_unused",
]
