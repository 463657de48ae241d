"""The faults of `benchmarks/faults.toml`: a fault that cannot be put in any more tests nothing."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FAULTS = tomllib.loads((ROOT / "benchmarks" / "faults.toml").read_text())["fault"]


@pytest.mark.parametrize("fault", FAULTS, ids=[fault["promise"] for fault in FAULTS])
def test_the_fault_can_be_put_in_at_one_place_and_its_tests_exist(fault):
    assert (ROOT / fault["file"]).read_text().count(fault["old"]) == 1
    assert fault["new"] != fault["old"]
    missing = [test for test in fault["tests"] + fault.get("wider", []) if not (ROOT / test).exists()]
    assert not missing
