"""Which precision `training.mixed_precision = "auto"` is, by what Linux says of the processor, or by the accelerator."""

import os
import types

import pytest

from keras_attn.training import precision

MULTIPLIES = precision._multiplies_bfloat16


@pytest.fixture(autouse=True)
def no_accelerator(monkeypatch):
    monkeypatch.setattr(precision, "_multiplies_bfloat16", precision.cpu_multiplies_bfloat16)


@pytest.mark.parametrize(
    ("cpuinfo", "policy"),
    [
        ("model name\t: x\nflags\t\t: fpu avx2 avx512f avx512_bf16 avx512_vnni\n", "mixed_bfloat16"),
        ("flags\t\t: fpu avx2 amx_bf16 amx_tile\n", "mixed_bfloat16"),
        ("Features\t: fp asimd i8mm bf16\n", "mixed_bfloat16"),
        ("flags\t\t: fpu avx2 avx512f avx512_vnni\n", "float32"),
        ("flags\t\t: fpu avx2\nbugs\t\t: avx512_bf16\n", "float32"),
        ("", "float32"),
    ],
)
def test_auto_is_bfloat16_where_the_processor_multiplies_in_it(cpuinfo, policy, tmp_path, monkeypatch):
    (tmp_path / "cpuinfo").write_text(cpuinfo)
    monkeypatch.setattr(precision, "CPU_FLAGS", tmp_path / "cpuinfo")
    assert precision.dtype_policy("auto") == policy
    verb = "multiplies" if policy == "mixed_bfloat16" else "does not multiply"
    told = f"computing in {policy}: this hardware {verb} in bfloat16 (training.mixed_precision = 'auto')"
    assert precision.describe("auto") == told


def test_a_machine_that_does_not_say_computes_in_float32(tmp_path, monkeypatch):
    monkeypatch.setattr(precision, "CPU_FLAGS", tmp_path / "nothing")
    assert precision.dtype_policy("auto") == "float32"


@pytest.mark.parametrize("given", ["float32", "mixed_float16", "mixed_bfloat16"])
def test_what_is_asked_for_by_name_is_taken(given):
    assert precision.dtype_policy(given) == given
    assert precision.describe(given) == f"computing in {given} (training.mixed_precision)"


@pytest.mark.skipif(
    os.environ.get("KERAS_BACKEND", "tensorflow") != "tensorflow", reason="TensorFlow's accelerators"
)
@pytest.mark.parametrize(
    ("accelerators", "policy"),
    [
        ({"GPU": [(8, 0)]}, "mixed_bfloat16"),  # Ampere
        ({"GPU": [(7, 5)]}, "float32"),
        ({"GPU": [(9, 0), (7, 5)]}, "float32"),
        ({"GPU": [(8, 6), (9, 0)]}, "mixed_bfloat16"),
        ({"TPU": ["a TPU"]}, "mixed_bfloat16"),
    ],
)
def test_auto_is_bfloat16_on_ampere_and_later_and_on_tpus(accelerators, policy, monkeypatch):
    import tensorflow as tf

    monkeypatch.setattr(precision, "_multiplies_bfloat16", MULTIPLIES)
    monkeypatch.setattr(precision, "cpu_multiplies_bfloat16", lambda: policy == "float32")  # is not asked
    monkeypatch.setattr(tf.config, "list_physical_devices", lambda kind: accelerators.get(kind, []))
    monkeypatch.setattr(tf.config.experimental, "get_device_details", lambda gpu: {"compute_capability": gpu})
    assert precision.dtype_policy("auto") == policy


@pytest.mark.parametrize(
    ("platform", "capability", "policy"),
    [
        ("gpu", "8.0", "mixed_bfloat16"),
        ("gpu", "7.5", "float32"),
        ("gpu", "12.0", "mixed_bfloat16"),
        ("gpu", "gfx90a", "float32"),  # AMD's: it is not known which of them multiply in it
        ("gpu", None, "float32"),
        ("tpu", None, "mixed_bfloat16"),
    ],
)
def test_on_jax_an_accelerator_says_what_it_is(platform, capability, policy, monkeypatch):
    import jax

    device = types.SimpleNamespace(platform=platform, compute_capability=capability)
    monkeypatch.setattr(precision, "_multiplies_bfloat16", MULTIPLIES)
    monkeypatch.setattr(precision.keras.backend, "backend", lambda: "jax")
    monkeypatch.setattr(jax, "local_devices", lambda: [device])
    assert precision.dtype_policy("auto") == policy
