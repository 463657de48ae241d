"""Many hostile files a process: what a reader makes of each, and which one ended the process."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

SECONDS = 10  # of the processor, a file
MOST_MEMORY = 1_500_000_000  # bytes of the whole process, at its peak

PROGRAM = """
import json, resource, signal, sys, traceback
from pathlib import Path

resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30))  # a reader that fails is not to take the machine with it

{reader}

class TooSlow(BaseException):
    pass

def stop(*_):
    raise TooSlow

def outcome(path):
    signal.setitimer(signal.ITIMER_PROF, {seconds})
    try:
        return "read", str(read(path))
    except {allowed} as error:
        return "refused", str(error)
    except BaseException:
        return "broke", traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)

def peak():
    # Not `ru_maxrss`: on Linux it counts what the process that started this one had.
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024

signal.signal(signal.SIGPROF, stop)
report = sys.stdout
for path in map(Path, json.load(sys.stdin)):
    print(json.dumps([path.name, "began", ""]), flush=True, file=report)
    print(json.dumps([path.name, *outcome(path)]), flush=True, file=report)
print(json.dumps(["", "memory", peak()]), file=report)
"""

# For readers: runs the command in this process, and has its mistakes be one line each.
COMMAND = """
from click.testing import CliRunner
from keras_attn.cli.main import main

def command(*arguments, said=None):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], input=said)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    lines = result.stderr.splitlines()
    wrong = [line for line in lines if not line.startswith(("Error: ", "Warning: ")) or not line.isprintable()]
    assert result.exit_code == 2 and lines and not wrong, (result.exit_code, wrong, result.stderr)
    raise ValueError(lines[-1])
"""

IN_PLACE = """
FOLDER, NAME = Path({folder!r}), {name!r}
good = (FOLDER / NAME).read_bytes()

def read(path):
    (FOLDER / NAME).write_bytes(path.read_bytes())
    try:
        return look()
    finally:
        (FOLDER / NAME).write_bytes(good)
"""


def in_place(folder: Path, name: str, look: str) -> str:
    """A reader that puts each file in the place of a good one, for as long as Python's `look()` reads that `FOLDER`."""
    return look + IN_PLACE.format(folder=str(folder), name=name)


def write_all(folder: Path, files: Iterable[tuple[str, bytes]], suffix: str) -> list[Path]:
    """Writes named contents as files, numbered, so that no name is a problem; the first is the good one."""
    paths = []
    for number, (name, data) in enumerate(files):
        paths.append(folder / f"{number:03d} {''.join(c if c.isalnum() else ' ' for c in name)}{suffix}")
        paths[-1].write_bytes(data)
    return paths


def outcomes(
    paths: Iterable[Path], reader: str, allowed: str = "ValueError", may_crash: str | None = None
) -> dict[str, tuple[str, str]]:
    """What became of each file: "read" and what was made of it, or "refused" and the error's message.

    Args:
        paths: the files.
        reader: Python that defines `read(path)`.
        allowed: the exceptions that refuse a file as they should.
        may_crash: part of the names of files that may end the process with a signal: such a file is "crashed", and another process
            reads the rest.

    Raises:
        AssertionError: a file ended the process, raised another exception, took too long or too much memory.
    """
    program = PROGRAM.format(reader=reader, allowed=allowed, seconds=SECONDS)
    paths = list(paths)
    said: dict[str, tuple[str, str]] = {}
    while len(said) < len(paths):
        files = json.dumps([str(path) for path in paths[len(said) :]])
        run = subprocess.run(
            [sys.executable, "-c", program], input=files, capture_output=True, text=True, timeout=300
        )
        for line in run.stdout.splitlines():
            name, *what = json.loads(line)
            said[name] = tuple(what)
        _, memory = said.pop("", ("memory", 0))
        last = next(reversed(said), "")
        crashed = run.returncode < 0 and may_crash is not None and may_crash in last
        if crashed:
            said[last] = "crashed", ""
        wrong = {name: what for name, (kind, what) in said.items() if kind in ("began", "broke")}
        assert (crashed or run.returncode == 0) and not wrong, (
            f"exit status {run.returncode}, {wrong}: {run.stderr[-2000:]}"
        )
        assert memory < MOST_MEMORY
    return said


def counts(paths: list[Path], reader: str, may_crash: str | None = None) -> tuple[int, int]:
    """How many files were read and how many refused, see `outcomes`; the first one is good, and is read."""
    said = outcomes(paths, reader, may_crash=may_crash)
    assert len(said) == len(paths) and said[paths[0].name][0] == "read", said[paths[0].name]
    kinds = [kind for kind, _ in said.values()]
    return kinds.count("read"), kinds.count("refused")
