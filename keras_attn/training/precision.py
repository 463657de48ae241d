"""Chooses the precision for `training.mixed_precision = "auto"`: bfloat16 if the hardware can multiply in it, else float32.

Without hardware support, bfloat16 is emulated and takes half as long again as float32.
"""

import re
from pathlib import Path

import keras

CPU_FLAGS = Path("/proc/cpuinfo")
# x86 names the first two (AVX-512 and AMX), ARM the third
_MULTIPLIES_BFLOAT16 = {"avx512_bf16", "amx_bf16", "bf16"}
_FIRST_NVIDIA = 8  # compute capability: Ampere


def dtype_policy(mixed_precision: str) -> str:
    """The Keras dtype policy for a value of `training.mixed_precision`."""
    if mixed_precision != "auto":
        return mixed_precision
    return "mixed_bfloat16" if _multiplies_bfloat16() else "float32"


def describe(mixed_precision: str) -> str:
    """A line that says in which precision training computes, and why."""
    policy = dtype_policy(mixed_precision)
    if mixed_precision != "auto":
        return f"computing in {policy} (training.mixed_precision)"
    reason = "multiplies" if policy == "mixed_bfloat16" else "does not multiply"
    return f"computing in {policy}: this hardware {reason} in bfloat16 (training.mixed_precision = 'auto')"


def _multiplies_bfloat16() -> bool:
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf

        if tf.config.list_physical_devices("TPU"):
            return True
        if gpus := tf.config.list_physical_devices("GPU"):
            details = (tf.config.experimental.get_device_details(gpu) for gpu in gpus)
            return all(each.get("compute_capability", (0,))[0] >= _FIRST_NVIDIA for each in details)
    if backend == "jax":
        import jax

        device = jax.local_devices()[0]
        if device.platform != "cpu":
            # TPUs report none, and can multiply in bfloat16. AMD's GPUs report a name, such as gfx90a.
            capability = re.match(r"\d+", str(getattr(device, "compute_capability", "")))
            return device.platform == "tpu" or (bool(capability) and int(capability[0]) >= _FIRST_NVIDIA)
    return cpu_multiplies_bfloat16()


def cpu_multiplies_bfloat16() -> bool:
    """Whether Linux lists the feature for this processor; other systems do not tell."""
    try:
        text = CPU_FLAGS.read_text()
    except OSError:
        return False
    flags = re.search(r"^(?:flags|Features)\s*:(.*)$", text, re.MULTILINE)
    return bool(flags) and not _MULTIPLIES_BFLOAT16.isdisjoint(flags[1].split())
