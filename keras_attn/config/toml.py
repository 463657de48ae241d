"""A config as TOML: a file holds only what differs from the defaults of `schema`."""

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from keras_attn.bounded import TooLargeError, read_bytes
from keras_attn.config.schema import Config, ConfigError
from keras_attn.config.tables import Tables, from_tables, override, to_tables

# Far more than a config holds. The parser's time grows with the square of a hostile file: a second or two for one of this size.
MOST_BYTES = 1 << 15


def load(path: str | Path, overrides: Iterable[str] = ()) -> Config:
    """Reads a TOML file and applies `section.key=value` overrides.

    Raises:
        ConfigError: the file is missing, is not TOML, or holds an unknown key or an unusable value.
    """
    return override(from_tables(load_tables(path)), overrides)


def load_tables(path: str | Path) -> Tables:
    """What a TOML file holds, as it stands there.

    Raises:
        ConfigError: the file is missing, is not TOML or larger than any config.
    """
    try:
        text = read_bytes(Path(path), MOST_BYTES).decode("utf-8")
        return tomllib.loads(text)
    except FileNotFoundError:
        raise ConfigError(f"no config file at {path}") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a folder; expected a TOML file") from None
    except RecursionError:
        raise ConfigError(f"{path} is nested too deeply to be a config") from None
    except TooLargeError as error:
        raise ConfigError(f"{error}: expected a config") from None
    except ValueError as error:  # a number of too many digits is none of tomllib's own
        raise ConfigError(f"{path} is not valid TOML: {error}") from None


def to_toml(config: Config) -> str:
    """The whole configuration as TOML, defaults included, of each section the keys that apply: what a model folder keeps."""
    lines = []
    for name, values in to_tables(config).items():
        lines += [f"[{name}]", *(f"{key} = {_toml_text(value)}" for key, value in values.items()), ""]
    return "\n".join(lines)


def _toml_text(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml_text, value)) + "]"
    # JSON's strings, numbers and booleans are TOML's, but for the one control character that JSON leaves bare.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
