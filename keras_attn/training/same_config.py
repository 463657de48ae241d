"""Whether a training can go on with the config that is given now."""

import dataclasses

from keras_attn.config import Config, ConfigError
from keras_attn.training.checkpoint import TrainingState


def without_files(config: Config) -> Config:
    """The config without the names of files, which may be elsewhere the next time."""
    data = dataclasses.replace(config.data, train=(), dev=(), test=(), links="")
    return dataclasses.replace(config, data=data)


def with_config(state: TrainingState, config: Config) -> TrainingState:
    """The state of a training that goes on with this config.

    What `[search]` says, when the training ends (`training.epochs`, `training.patience`) and what it runs on (`training.devices`,
    `jit_compile`, `steps_per_execution`) may be others than it began with. Only the cosine schedule and scheduled sampling, which
    are made for a number of epochs, are bound to them.

    Raises:
        ConfigError: other values have changed; the message names their keys.
    """
    config = without_files(config)
    before, now = dataclasses.asdict(state.config), dataclasses.asdict(config)
    free = {f"search.{key}" for key in now["search"]}
    free |= {f"training.{key}" for key in ("patience", "devices", "jit_compile", "steps_per_execution")}
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
            f"this folder's training began with another config: {'; '.join(changes)}. "
            "Set it back to go on, or train in another folder"
        )
    return dataclasses.replace(state, config=config)
