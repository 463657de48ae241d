"""Many hostile files a process: what a reader makes of each, and which one ended the process."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

PROGRAM = """
import json, sys, traceback
from pathlib import Path

{reader}

def outcome(path):
    try:
        return "read", str(read(path))
    except {allowed} as error:
        return "refused", str(error)
    except BaseException:
        return "broke", traceback.format_exc()

for path in map(Path, json.load(sys.stdin)):
    print(json.dumps([path.name, "began", ""]), flush=True)
    print(json.dumps([path.name, *outcome(path)]), flush=True)
"""


def outcomes(paths: Iterable[Path], reader: str, allowed: str = "ValueError") -> dict[str, tuple[str, str]]:
    """What became of each file: "read" and what was made of it, or "refused" and the error's message.

    Args:
        paths: the files.
        reader: Python that defines `read(path)`.
        allowed: the exceptions that refuse a file as they should.

    Raises:
        AssertionError: a file ended the process, or raised another exception.
    """
    program = PROGRAM.format(reader=reader, allowed=allowed)
    files = json.dumps([str(path) for path in paths])
    run = subprocess.run(
        [sys.executable, "-c", program], input=files, capture_output=True, text=True, timeout=300
    )
    said = {}
    for line in run.stdout.splitlines():
        name, *said[name] = json.loads(line)
    wrong = {name: what for name, (kind, what) in said.items() if kind not in ("read", "refused")}
    assert run.returncode == 0 and not wrong, f"exit status {run.returncode}, {wrong}: {run.stderr[-2000:]}"
    return {name: tuple(what) for name, what in said.items()}
