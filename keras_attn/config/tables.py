"""Turns nested dictionaries into a `Config` and checks every name and value.

An unknown section or key is an error that names the nearest known one. A value of the wrong type or outside its choices is an error
too, and so is a key that does not apply to the kind of model that the others describe.
"""

import dataclasses
import difflib
import math
import tomllib
from collections.abc import Iterable
from typing import Any, get_args, get_origin

from keras_attn.config.presets import PRESETS
from keras_attn.config.schema import Config, ConfigError, ModelConfig, applies, refusal

Tables = dict[str, Any]  # keys and values of a section; or sections by name
_SECTIONS = {field.name: field.type for field in dataclasses.fields(Config)}
_LARGEST_INT = 2**31 - 1  # TensorFlow and SentencePiece count with these
_ARTICLES = {int: "an integer", float: "a number", bool: "true or false", str: "a string"}


def from_tables(tables: Tables) -> Config:
    """Builds a `Config`.

    Raises:
        ConfigError: an unknown section or key, an unusable value, or a key that does not apply.
    """
    for name, table in tables.items():
        if name not in _SECTIONS:
            homes = [
                each
                for each, cls in _SECTIONS.items()
                if name in {field.name for field in dataclasses.fields(cls)}
            ]
            if homes and not isinstance(table, dict):
                raise ConfigError(f"{name} belongs in the section [{homes[0]}]")
            raise ConfigError(f"unknown section [{name}]{_nearest(name, _SECTIONS)}")
        if not isinstance(table, dict):
            raise ConfigError(f"{name} is a section: write [{name}] and its keys below it")
    return Config(**{name: section(name, _SECTIONS[name], table) for name, table in tables.items()})


def to_tables(config: Config) -> Tables:
    """The whole configuration, defaults included, with the keys of each section that apply."""
    return {field.name: _applicable(getattr(config, field.name)) for field in dataclasses.fields(config)}


def override(config: Config, assignments: Iterable[str]) -> Config:
    """Applies `section.key=value` strings; values are TOML, and a bare word is a string.

    If an override changes the kind of attention, encoder, readout or optimizer, the keys of the old kind are dropped.

    Raises:
        ConfigError: as for `from_tables`, or a string of another form.
    """
    tables = to_tables(config)
    given: dict[str, set[str]] = {name: set() for name in tables}
    for assignment in assignments:
        if not _is_unicode(assignment):
            raise ConfigError(
                f"{assignment!r} is not UTF-8, as a config has to be; rename the file if it is one"
            )
        path, equals, value = assignment.partition("=")
        name, dot, key = path.strip().partition(".")
        if not (equals and dot):
            raise ConfigError(f"expected section.key=value, got {assignment!r}")
        table = tables.setdefault(name, {})
        if (name, key) == ("model", "preset"):
            preset = _preset(_toml_value(value.strip()))
            table |= preset
            given[name] -= preset.keys()
        else:
            table[key] = _toml_value(value.strip())
            given.setdefault(name, set()).add(key)
    for name in given.keys() & _SECTIONS.keys():
        tables[name] = _without_left_over(name, tables[name], keep=given[name])
    return from_tables(tables)


def completed(tables: Tables, config: Config, names: Iterable[str]) -> Tables:
    """The tables, the named ones with the values of the config that they leave out, as far as these apply.

    Raises:
        ConfigError: an unusable value of a named section.
    """
    kept, result = to_tables(config), dict(tables)
    for name in names:
        own = tables.get(name, {})
        if isinstance(own, dict):
            preset = _preset(own["preset"]) if "preset" in own else {}
            given = {key: value for key, value in own.items() if key != "preset"}
            result[name] = _without_left_over(name, kept[name] | preset | given, keep=given)
    return result


def without_unused(tables: Tables) -> Tables:
    """Leaves out the keys that do not apply; configs written by versions before 0.2 contain them all."""
    return {
        name: _without_left_over(name, table, keep=())
        if name in _SECTIONS and isinstance(table, dict)
        else table
        for name, table in tables.items()
    }


def section(name: str, cls: type, table: Tables) -> Any:
    """Builds the dataclass of one section.

    Raises:
        ConfigError: as for `from_tables`.
    """
    fields = {field.name: field for field in dataclasses.fields(cls)}
    known = ["preset", *fields] if cls is ModelConfig else [*fields]
    for key in table:
        if key not in known:
            raise ConfigError(f"unknown key {name}.{key}{_nearest(key, known)}")
    given = {key: value for key, value in table.items() if key != "preset"}
    chosen = {**_preset(table["preset"]), **given} if "preset" in table else given
    built = cls(**{key: _checked(f"{name}.{key}", fields[key], value) for key, value in chosen.items()})
    for key in chosen:
        if not applies(built, key):
            if key in given:
                raise ConfigError(refusal(name, built, key))
            built = dataclasses.replace(built, **{key: fields[key].default})
    return built


def _applicable(built: Any) -> Tables:
    names = [field.name for field in dataclasses.fields(built)]
    return {name: getattr(built, name) for name in names if applies(built, name)}


def _without_left_over(name: str, table: Tables, keep: Iterable[str]) -> Tables:
    """Without the keys that do not apply, except for those to keep."""
    cls = _SECTIONS[name]
    fields = {field.name: field for field in dataclasses.fields(cls)}
    known = {key: value for key, value in table.items() if key in fields}
    chosen = {**_preset(table["preset"]), **known} if "preset" in table else known
    built = cls(**{key: _checked(f"{name}.{key}", fields[key], value) for key, value in chosen.items()})
    return {
        key: value for key, value in table.items() if key not in known or key in keep or applies(built, key)
    }


def _preset(name: Any) -> Tables:
    if name not in tuple(PRESETS):
        raise ConfigError(_no_choice("model.preset", name, PRESETS))
    return PRESETS[name]


def _checked(path: str, field: dataclasses.Field, value: Any) -> Any:
    choices = field.metadata.get("choices")
    kind = field.metadata.get("automatic", field.type)
    if kind is not field.type and value == "auto":
        return value
    if choices and value not in choices:
        raise ConfigError(_no_choice(path, value, choices))
    if get_origin(field.type) is tuple:
        item = get_args(field.type)[0]
        if isinstance(value, list | tuple) and all(isinstance(v, item) for v in value):
            return tuple(value)
        raise ConfigError(f"{path} takes a list of {_ARTICLES[item].split()[-1]}s; got {value!r}")
    if kind is float and type(value) is int:
        value = float(value) if abs(value) < 1 << 53 else math.inf
    if type(value) is not kind:
        expected = _ARTICLES[kind] if kind is field.type else f"'auto' or {_ARTICLES[kind]}"
        raise ConfigError(f"{path} takes {expected}; got {value!r}")
    if kind is float and not math.isfinite(value):
        raise ConfigError(f"{path} takes a finite number; got {value!r}")
    if kind in (int, float) and value < 0:
        raise ConfigError(f"{path} cannot be negative; got {value!r}")
    most = field.metadata.get("most", _LARGEST_INT if kind is int else None)
    if most is not None and value > most:
        raise ConfigError(f"{path} takes at most {most}; got {value!r}")
    if kind is float and field.name.endswith("_dropout") and value >= 1:
        raise ConfigError(f"{path} takes a rate from 0 up to, not including, 1; got {value!r}")
    return value


def _no_choice(path: str, value: Any, choices: Iterable[str]) -> str:
    meant = difflib.get_close_matches(str(value), choices, n=1)
    return f"{path} takes {', '.join(map(repr, choices))}; got {value!r}" + (
        f". Did you mean {meant[0]!r}?" if meant else ""
    )


def _nearest(name: str, known: Iterable[str]) -> str:
    matches = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"; did you mean {matches[0]!r}?" if matches else f"; known: {', '.join(known)}"


def _is_unicode(text: str) -> bool:
    """Whether the text is not from bytes that are not UTF-8, which Python keeps in names of files and arguments."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _toml_value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except RecursionError:
        raise ConfigError(f"a value that begins with {text[:20]!r} is nested too deeply") from None
    except tomllib.TOMLDecodeError:
        return text
