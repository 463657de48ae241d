"""Configs as TOML; a file contains only what differs from the defaults in `schema`."""

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from keras_attn.bounded import TooLargeError, read_bytes
from keras_attn.config.schema import Config, ConfigError
from keras_attn.config.tables import Tables, completed, from_tables, override, to_tables

# Far larger than any config. A hostile file can make the parser's time quadratic in its size: a second or two at this size.
MOST_BYTES = 1 << 15
_OF_A_MODEL = ("tokenizer", "model", "search")


def load(path: str | Path, overrides: Iterable[str] = (), *, start: Config | None = None) -> Config:
    """Reads a TOML file and applies `section.key=value` overrides.

    Args:
        path: the file.
        overrides: applied one after the other.
        start: that of a model to start from. It gives the values of `[tokenizer]`, `[model]` and `[search]` that the file leaves
            out.

    Raises:
        ConfigError: the file is missing, is not TOML, or contains an unknown key or an unusable value.
    """
    tables = load_tables(path)
    if start:
        tables = completed(tables, start, _OF_A_MODEL)
    return override(from_tables(tables), overrides)


def load_tables(path: str | Path) -> Tables:
    """The content of a TOML file, unchecked.

    Raises:
        ConfigError: the file is missing, is not TOML or is larger than any config.
    """
    try:
        text = read_bytes(Path(path), MOST_BYTES).decode("utf-8-sig")  # some editors begin a file with a mark
        return tomllib.loads(text)
    except FileNotFoundError:
        raise ConfigError(f"no config file at {path}") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a folder; expected a TOML file") from None
    except RecursionError:
        raise ConfigError(f"{path} is nested too deeply to be a config") from None
    except TooLargeError as error:
        raise ConfigError(f"{error}: expected a config") from None
    except ValueError as error:  # tomllib has no error of its own for a number with too many digits
        raise ConfigError(f"{path} is not valid TOML: {error}") from None


def to_toml(config: Config) -> str:
    """The whole configuration as TOML, as in a model folder: defaults included, with the keys of each section that apply."""
    lines = []
    for name, values in to_tables(config).items():
        lines += [f"[{name}]", *(f"{key} = {_toml_text(value)}" for key, value in values.items()), ""]
    return "\n".join(lines)


def _toml_text(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml_text, value)) + "]"
    # JSON's strings, numbers and booleans are also TOML's, except for one control character that JSON does not escape.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
