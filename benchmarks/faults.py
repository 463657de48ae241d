"""Puts small faults into the package, one at a time, and looks whether a test notices.

    python benchmarks/faults.py [--only N ...] [--json benchmarks/log/faults.json] [--limit SECONDS]

The faults are in `benchmarks/faults.toml`. Each is put into a copy of the checkout, where pytest runs the test files of `tests`
and, if they notice nothing, those of `wider`, up to the first failure. A fault is found if a test fails that passes in the copy
without the fault. The JSON has all results so far, by what is promised. A fault that is in it is not run again unless `--only`
names it by its number, from 1; `found_at_first_sight` is what its first run said. `KERAS_ATTN_DATA` names the corpora, as for the
tests.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = (
    ".venv",
    ".git",
    "build",
    "dist",
    "runs",
    "node_modules",
    "__pycache__",
    ".pytest_cache",
    ".ruff_cache",
)
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", re.MULTILINE)
SOME_TESTS_FAILED = 1  # pytest's exit code; it has others for a file or an option that it does not know


class BrokenSetUp(RuntimeError):
    """Tests that do not run, or that fail without the fault as well."""


def run(copy: Path, tests: list[str], limit: float) -> str | None:
    """The first test that fails in the copy, or None."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    # No bytecode: Python takes an old one for new if the file has the same size and was changed in the same second.
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        raise BrokenSetUp(f"{' '.join(tests)} took longer than {limit:.0f} s") from None
    if done.returncode == 0:
        return None
    failed = FAILED.search(done.stdout)
    if done.returncode != SOME_TESTS_FAILED or not failed:
        raise BrokenSetUp(f"pytest ended with {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
    return failed[1]


def noticed_by(copy: Path, fault: dict[str, Any], limit: float) -> str | None:
    """The test that notices the fault, or None. The copy is the same afterwards."""
    path = copy / fault["file"]
    text = path.read_text()
    if text.count(fault["old"]) != 1:
        raise BrokenSetUp(f"{fault['file']} has {text.count(fault['old'])} times {fault['old']!r}")
    failed = None
    try:
        path.write_text(text.replace(fault["old"], fault["new"]))
        for tests in (fault["tests"], fault.get("wider")):
            if tests and not failed:
                failed = run(copy, tests, limit)
    finally:
        path.write_text(text)
    if failed and run(copy, [failed], limit):
        raise BrokenSetUp(f"{failed} fails without the fault as well")
    return failed


def check_import(copy: Path) -> None:
    """Raises BrokenSetUp unless a program that runs in the copy imports its package."""
    where = "import keras_attn; print(keras_attn.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    found = subprocess.run(
        [sys.executable, "-c", where], cwd=copy, env=environment, capture_output=True, text=True
    )
    if not Path(found.stdout.strip()).is_relative_to(copy):
        raise BrokenSetUp(f"the tests would import {found.stdout.strip()}{found.stderr}")


def row(number: int, promise: str, result: dict[str, Any]) -> str:
    first = "yes" if result["found_at_first_sight"] else "no"
    by = f"`{result['found_by']}`" if result["found_by"] else "no test"
    return f"| {number} | {promise} | {first} | {by} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", type=int, nargs="+", help="numbers of faults, which are run again")
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "log" / "faults.json")
    parser.add_argument("--limit", type=float, default=1200, help="seconds for each run of pytest")
    arguments = parser.parse_args()
    faults = tomllib.loads((ROOT / "benchmarks" / "faults.toml").read_text())["fault"]
    promises = [fault["promise"] for fault in faults]
    results = json.loads(arguments.json.read_text()) if arguments.json.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder).resolve() / "checkout"
        shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
        check_import(copy)
        for number in arguments.only or range(1, len(faults) + 1):
            fault, began = faults[number - 1], time.monotonic()
            before = results.get(fault["promise"], {})
            if before and not arguments.only:
                continue
            try:
                found_by = noticed_by(copy, fault, arguments.limit)
            except BrokenSetUp as error:
                print(f"{number}: broken set-up: {error}", file=sys.stderr, flush=True)
                continue
            results[fault["promise"]] = {
                "file": fault["file"],
                "found_at_first_sight": before.get("found_at_first_sight", found_by is not None),
                "found": found_by is not None,
                "found_by": found_by,
                "seconds": round(time.monotonic() - began),
            }
            results = {promise: results[promise] for promise in promises if promise in results}
            arguments.json.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n")
            print(row(number, fault["promise"], results[fault["promise"]]), file=sys.stderr, flush=True)
    print("| | what is promised | found at first sight | found now by |\n|---|---|---|---|")
    for promise, result in results.items():
        print(row(promises.index(promise) + 1, promise, result))
    first, now = (sum(each[name] for each in results.values()) for name in ("found_at_first_sight", "found"))
    print(f"\nfound at first sight: {first} of {len(results)}; now: {now} of {len(results)}")


if __name__ == "__main__":
    main()
