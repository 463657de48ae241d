"""Which precision `training.mixed_precision = "auto"` is, by what Linux says of the processor."""

import pytest

from keras_attn.training import precision


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
    assert precision.describe("auto").startswith(f"computing in {policy}: this hardware ")


def test_a_machine_that_does_not_say_computes_in_float32(tmp_path, monkeypatch):
    monkeypatch.setattr(precision, "CPU_FLAGS", tmp_path / "nothing")
    assert precision.dtype_policy("auto") == "float32"


@pytest.mark.parametrize("given", ["float32", "mixed_float16", "mixed_bfloat16"])
def test_what_is_asked_for_by_name_is_taken(given):
    assert precision.dtype_policy(given) == given
