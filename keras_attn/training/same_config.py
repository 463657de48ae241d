"""Checks whether a run can be resumed with the present config."""

import dataclasses

from keras_attn.config import Config, ConfigError
from keras_attn.training.checkpoint import TrainingState


def without_files(config: Config) -> Config:
    """The config without the names of files, which may have moved in the meantime."""
    data = dataclasses.replace(config.data, train=(), dev=(), test=(), links="")
    return dataclasses.replace(config, data=data)


def with_config(state: TrainingState, config: Config) -> TrainingState:
    """The state of a run that is resumed with this config.

    Some values may differ from those with which training began: `[search]`, when training ends (`training.epochs`,
    `training.patience`) and how it runs (`training.devices`, `jit_compile`, `tensorboard`, and `steps_per_execution` if rounds keep
    their length). With the cosine schedule or scheduled sampling `training.epochs` must stay: both depend on it.

    Raises:
        ConfigError: any other value has changed; the message names the keys.
    """
    config = without_files(config)
    before, now = dataclasses.asdict(state.config), dataclasses.asdict(config)
    free = {f"search.{key}" for key in now["search"]}
    free |= {
        f"training.{key}"
        for key in ("patience", "devices", "jit_compile", "steps_per_execution", "tensorboard")
    }
    if config.training.schedule != "cosine" and not config.training.scheduled_sampling:
        free.add("training.epochs")
    changes = [
        f"{section}.{key} was {before[section][key]!r} and is {value!r}"
        for section in now
        for key, value in now[section].items()
        if value != before[section][key] and f"{section}.{key}" not in free
    ]
    if changes:
        raise ConfigError(
            f"training in this folder began with another config: {'; '.join(changes)}. "
            "Set it back to resume, or train in another folder"
        )
    return dataclasses.replace(state, config=config)
