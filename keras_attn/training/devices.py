"""The devices that share a training run: several in one process, or those of several processes on several hosts.

Each device has all weights and takes some rows of every batch, with `MirroredStrategy` on TensorFlow and
`keras.distribution.DataParallel` on JAX. Several processes work only on JAX; the first of them evaluates and writes the training
folder.
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
PIECE = 1 << 30  # bytes that are sent at once


@dataclasses.dataclass(frozen=True)
class Devices:
    """The devices of one process of a training run.

    Attributes:
        count: number of devices of all processes.
        process: the number of this process, from 0.
        processes: the number of processes.
        distribution: the distribution of Keras or TensorFlow; its scope spreads a model. None for a single device.
        accelerators: whether the devices are not CPUs.
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
        """The scope in which a model is built and fitted."""
        return self.distribution.scope() if self.distribution else contextlib.nullcontext()

    def check(self, training: TrainingConfig) -> None:
        """Raises ConfigError if the devices cannot do what the config asks for."""
        wanted = {
            "training.jit_compile = true": training.jit_compile is True,
            "training.gradient_accumulation": training.gradient_accumulation > 1,
            "training.mixed_precision = 'mixed_float16'": training.mixed_precision == "mixed_float16",
        }
        refused = [name for name, given in wanted.items() if given and self._mirrored]
        if refused:
            raise ConfigError(
                f"{refused[0]} needs a single device on TensorFlow, and this run has {self.count}: set training.devices to 1, "
                "or train with KERAS_BACKEND=jax"
            )

    def compile_options(self, training: TrainingConfig) -> dict[str, Any]:
        """The arguments of `compile` that control how a step runs."""
        jit = training.jit_compile
        if jit == "auto":
            # on CPUs, TensorFlow gains nothing from XLA; Keras does not compile for torch
            jit = (
                self.accelerators and not self._mirrored
                if keras.backend.backend() == "tensorflow"
                else "auto"
            )
        return {"jit_compile": jit, "steps_per_execution": training.steps_per_execution}

    def over_all(self, loss: keras.losses.Loss) -> keras.losses.Loss:
        """Adapts the loss so that its copies on all devices add up to the mean over the tokens of the whole batch."""
        return _MeanOverReplicas(loss) if self._mirrored else loss

    def sums_first(self, optimizer: keras.optimizers.Optimizer) -> keras.optimizers.Optimizer:
        """Adapts the optimizer so that it clips the gradient of the whole batch, not that of each device's rows."""
        if not self._mirrored:
            return optimizer
        kind = type(optimizer)
        return type(kind.__name__, (_SumsFirst, kind), {}).from_config(optimizer.get_config())

    @property
    def _mirrored(self) -> bool:
        return keras.backend.backend() == "tensorflow" and self.distribution is not None

    def from_first(self, function: Callable[[], Any]) -> Any:
        """The result of `function` in the first process; the others wait for it."""
        if self.processes == 1:
            return function()
        data = np.frombuffer(pickle.dumps(function()) if self.process == 0 else b"", np.uint8)
        from jax.experimental.multihost_utils import broadcast_one_to_all

        # In bytes: JAX has no integers of 64 bits, unless they are switched on.
        size = int.from_bytes(broadcast_one_to_all(np.frombuffer(data.size.to_bytes(8), np.uint8)).tobytes())
        pieces = [
            broadcast_one_to_all(np.resize(data[start : start + PIECE], min(PIECE, size - start))).tobytes()
            for start in range(0, size, PIECE)
        ]
        return pickle.loads(b"".join(pieces))

    @contextlib.contextmanager
    def folder(self, folder: Path) -> Iterator[Path]:
        """The folder to train in: the given one in the first process, a temporary one in the others."""
        if self.process == 0:
            yield folder
            return
        with tempfile.TemporaryDirectory(prefix="keras_attn_") as own:
            yield Path(own)

    def give_all(self, path: Path) -> None:
        """Sends a file of the first process to the others, if it exists."""
        data = self.from_first(lambda: path.read_bytes() if path.exists() else None)
        if self.process > 0 and data is not None:
            write_bytes(path, data)


def find_devices(training: TrainingConfig) -> Devices:
    """The devices that each process uses by `training.devices`; `"auto"` means all accelerators, or all CPUs if there are none.

    Joins the other processes first, if the environment names any.

    Raises:
        ConfigError: there are fewer, or several devices cannot do what the config asks for.
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
            f"training.devices = {asked}, and Keras finds {len(there)} on {backend}: set it to 'auto' or at most {len(there)}"
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
        ConfigError: the variables do not give this process' number and the number of processes, or the backend is not JAX.
    """
    coordinator = os.environ.get(COORDINATOR)
    if not coordinator:
        return
    if keras.backend.backend() != "jax":
        raise ConfigError(
            f"{COORDINATOR} is set, and only JAX can train with several processes: set KERAS_BACKEND=jax"
        )
    import jax

    if jax.distributed.is_initialized():
        return
    if coordinator == "auto":
        jax.distributed.initialize()  # the launcher has its own variables
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

    Keras averages the results of the replicas. Each returns the mean over its own tokens, times their number, divided by the
    average number of tokens per replica.
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
    """On a replica of TensorFlow: an optimizer that first adds up the gradients of all replicas."""

    def apply(self, grads: list[Any], trainable_variables: list[Any] | None = None) -> None:
        import tensorflow as tf

        super().apply(
            tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.SUM, grads),
            trainable_variables,
        )

    def _all_reduce_sum_gradients(self, grads_and_vars: Any) -> Any:
        return grads_and_vars  # already summed over all replicas
