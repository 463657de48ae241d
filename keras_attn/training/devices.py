"""The devices that share a training: several of one process, or those of several processes, each on a host of its own.

Each device has all weights and takes its rows of every batch: `MirroredStrategy` on TensorFlow,
`keras.distribution.DataParallel` on JAX. Processes are JAX's alone; the first of them evaluates and keeps the training's folder.
"""

import contextlib
import dataclasses
import os
import pickle
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_attn.config import ConfigError, TrainingConfig
from keras_attn.data.pipeline import Share
from keras_attn.files import write_bytes

COORDINATOR, PROCESSES, PROCESS = "KERAS_ATTN_COORDINATOR", "KERAS_ATTN_PROCESSES", "KERAS_ATTN_PROCESS"


@dataclasses.dataclass(frozen=True)
class Devices:
    """What one process of a training works with.

    Attributes:
        count: devices of all processes.
        process: the number of this one, from 0.
        processes: how many there are.
        distribution: Keras' or TensorFlow's, whose scope spreads a model; None where there is one device.
        accelerators: whether the devices are other than CPUs.
    """

    count: int = 1
    process: int = 0
    processes: int = 1
    distribution: Any = None
    accelerators: bool = False

    @property
    def share(self) -> Share:
        """This process' rows of every batch."""
        return Share(multiple=self.count, index=self.process, count=self.processes)

    def scope(self) -> contextlib.AbstractContextManager:
        """Where a model is built and fitted."""
        return self.distribution.scope() if self.distribution else contextlib.nullcontext()

    def check(self, training: TrainingConfig) -> None:
        """Raises ConfigError where the devices cannot do what a training asks for."""
        wanted = {
            "training.jit_compile = true": training.jit_compile is True,
            "training.gradient_accumulation": training.gradient_accumulation > 1,
            "training.mixed_precision = 'mixed_float16'": training.mixed_precision == "mixed_float16",
        }
        refused = [name for name, given in wanted.items() if given and self._mirrored]
        if refused:
            raise ConfigError(
                f"{refused[0]} works on one device of TensorFlow, and this training has {self.count}: set training.devices to 1, "
                "or train with KERAS_BACKEND=jax"
            )

    def compile_options(self, training: TrainingConfig) -> dict[str, Any]:
        """Arguments of `compile` that say how a step runs."""
        jit = training.jit_compile
        if jit == "auto":
            # on CPUs TensorFlow gains nothing by XLA; Keras leaves torch alone
            jit = (
                self.accelerators and not self._mirrored
                if keras.backend.backend() == "tensorflow"
                else "auto"
            )
        return {"jit_compile": jit, "steps_per_execution": training.steps_per_execution}

    def over_all(self, loss: keras.losses.Loss) -> keras.losses.Loss:
        """The loss such that what its copies on all devices add up to is the mean over the tokens of the whole batch."""
        return _MeanOverReplicas(loss) if self._mirrored else loss

    def sums_first(self, optimizer: keras.optimizers.Optimizer) -> keras.optimizers.Optimizer:
        """The optimizer such that it clips the gradient of the whole batch, not that of each device's rows."""
        if not self._mirrored:
            return optimizer
        kind = type(optimizer)
        return type(kind.__name__, (_SumsFirst, kind), {}).from_config(optimizer.get_config())

    @property
    def _mirrored(self) -> bool:
        return keras.backend.backend() == "tensorflow" and self.distribution is not None

    def from_first(self, function: Callable[[], Any]) -> Any:
        """What `function` returns in the first process; the others wait for it."""
        if self.processes == 1:
            return function()
        data = np.frombuffer(pickle.dumps(function()) if self.process == 0 else b"", np.uint8)
        from jax.experimental.multihost_utils import broadcast_one_to_all

        size = int(broadcast_one_to_all(np.int32(data.size)))
        return pickle.loads(bytes(broadcast_one_to_all(np.resize(data, size))))

    @contextlib.contextmanager
    def folder(self, folder: Path) -> Iterator[Path]:
        """The folder to train in: the given one in the first process, in the others one for the time being."""
        if self.process == 0:
            yield folder
            return
        with tempfile.TemporaryDirectory(prefix="keras_attn_") as own:
            yield Path(own)

    def give_all(self, path: Path) -> None:
        """Gives the other processes a file of the first, if that has it."""
        data = self.from_first(lambda: path.read_bytes() if path.exists() else None)
        if self.process > 0 and data is not None:
            write_bytes(path, data)


def find_devices(training: TrainingConfig) -> Devices:
    """The devices that `training.devices` asks each process to use: `"auto"`, all of its accelerators, else of its CPUs.

    Joins the other processes first, where the environment names some.

    Raises:
        ConfigError: there are fewer, or several cannot do what the training asks for.
    """
    _join_processes()
    backend, asked = keras.backend.backend(), training.devices
    if backend == "jax":
        import jax

        there = jax.local_devices()
    elif backend == "tensorflow":
        import tensorflow as tf

        there = tf.config.list_logical_devices("GPU") or tf.config.list_logical_devices("CPU")
    else:
        there = ["cpu"]
    if not 0 < (asked := len(there) if asked == "auto" else asked) <= len(there):
        raise ConfigError(
            f"training.devices = {asked}, and Keras finds {len(there)} on {backend}: set it to 'auto' or to a number up to that"
        )
    devices = _DEVICES_OF.get(backend, _one)(there[:asked])
    devices.check(training)
    return devices


def _one(devices: list[Any]) -> Devices:
    return Devices()


def _of_jax(devices: list[Any]) -> Devices:
    import jax

    accelerators = devices[0].platform != "cpu"
    processes = jax.process_count()
    if len(devices) * processes == 1:
        return Devices(accelerators=accelerators)
    chosen = [
        each
        for process in range(processes)
        for each in [d for d in jax.devices() if d.process_index == process][: len(devices)]
    ]
    mesh = keras.distribution.DeviceMesh((len(chosen),), ["batch"], chosen)
    return Devices(
        len(chosen),
        jax.process_index(),
        processes,
        keras.distribution.DataParallel(device_mesh=mesh, auto_shard_dataset=False),
        accelerators,
    )


def _of_tensorflow(devices: list[Any]) -> Devices:
    import tensorflow as tf

    accelerators = devices[0].device_type != "CPU"
    if len(devices) == 1:
        return Devices(accelerators=accelerators)
    strategy = tf.distribute.MirroredStrategy([each.name for each in devices])
    return Devices(len(devices), distribution=strategy, accelerators=accelerators)


_DEVICES_OF = {"jax": _of_jax, "tensorflow": _of_tensorflow}


def _join_processes() -> None:
    """Joins the processes of `KERAS_ATTN_COORDINATOR`, once.

    Raises:
        ConfigError: the variables do not say which process of how many this is, or the backend is not JAX.
    """
    coordinator = os.environ.get(COORDINATOR)
    if not coordinator:
        return
    if keras.backend.backend() != "jax":
        raise ConfigError(
            f"{COORDINATOR} is set, and several processes train on JAX alone: set KERAS_BACKEND=jax"
        )
    import jax

    if jax.distributed.is_initialized():
        return
    if coordinator == "auto":
        jax.distributed.initialize()  # the launcher has variables of its own
        return
    try:
        processes, process = int(os.environ[PROCESSES]), int(os.environ[PROCESS])
    except (KeyError, ValueError):
        raise ConfigError(
            f"{COORDINATOR} = {coordinator!r} needs {PROCESSES}, how many processes there are, and {PROCESS}, the number of this "
            "one from 0; or set it to 'auto' where a launcher such as Slurm or MPI starts them"
        ) from None
    jax.distributed.initialize(coordinator, processes, process)


class _MeanOverReplicas(keras.losses.Loss):
    """On a replica of TensorFlow: its share of the batch's mean loss.

    Keras takes the mean of what the replicas return. Each returns the mean over its own tokens, times how many those are, by
    how many a replica has on average.
    """

    def __init__(self, loss: keras.losses.Loss) -> None:
        super().__init__(name=loss.name, dtype="float32")
        self._loss = loss

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        import tensorflow as tf

        loss, own = self._loss(y_true, y_pred, sample_weight), ops.sum(sample_weight)
        replica = tf.distribute.get_replica_context()
        if replica is None:  # `fit` asks for the shape of a loss before it trains
            return loss
        return loss * ops.divide_no_nan(own, replica.all_reduce(tf.distribute.ReduceOp.MEAN, own))


class _SumsFirst:
    """On a replica of TensorFlow: an optimizer that adds up the gradients of all replicas before all else that it does to them."""

    def apply(self, grads: list[Any], trainable_variables: list[Any] | None = None) -> None:
        import tensorflow as tf

        super().apply(
            tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.SUM, grads),
            trainable_variables,
        )

    def _all_reduce_sum_gradients(self, grads_and_vars: Any) -> Any:
        return grads_and_vars  # of all replicas already
