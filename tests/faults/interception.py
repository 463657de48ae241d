"""Every write of another process, one by one, at the border of the kernel: what Python writes, what HDF5 and TensorFlow write.

Before it imports anything, the worker installs a seccomp filter that has Linux ask this process about each of its calls that
change files. This process lets them through, or has them fail with an error of its choice. While it thinks, the worker stands
still: the folder is then exactly what a kill right there would leave, because all that a killed process leaves are its finished
calls.
"""

import ctypes
import errno
import fcntl
import json
import os
import platform
import select
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

# The calls by number, and the argument that says which file: a descriptor, or the address of a path.
_CALLS = {
    "x86_64": (
        0xC000003E,
        {
            "write": (1, "descriptor", 0),
            "pwrite64": (18, "descriptor", 0),
            "writev": (20, "descriptor", 0),
            "pwritev": (296, "descriptor", 0),
            "sendfile": (40, "descriptor", 0),
            "copy_file_range": (326, "descriptor", 2),
            "fsync": (74, "descriptor", 0),
            "fdatasync": (75, "descriptor", 0),
            "ftruncate": (77, "descriptor", 0),
            "fallocate": (285, "descriptor", 0),
            "rename": (82, "path", 1),
            "renameat": (264, "path", 3),
            "renameat2": (316, "path", 3),
            "link": (86, "path", 1),
            "linkat": (265, "path", 3),
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "write": (64, "descriptor", 0),
            "pwrite64": (68, "descriptor", 0),
            "writev": (66, "descriptor", 0),
            "pwritev": (70, "descriptor", 0),
            "sendfile": (71, "descriptor", 0),
            "copy_file_range": (285, "descriptor", 2),
            "fsync": (82, "descriptor", 0),
            "fdatasync": (83, "descriptor", 0),
            "ftruncate": (46, "descriptor", 0),
            "fallocate": (47, "descriptor", 0),
            "renameat": (38, "path", 3),
            "renameat2": (276, "path", 3),
            "linkat": (37, "path", 3),
        },
    ),
}
_ARCHITECTURE, _TABLE = _CALLS.get(platform.machine(), (0, {}))
_NAMES = {number: (name, kind, place) for name, (number, kind, place) in _TABLE.items()}
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_RECEIVE, _SEND = 0xC0502100, 0xC0182101  # SECCOMP_IOCTL_NOTIF_RECV and _SEND
_CONTINUE = 1


class Call(NamedTuple):
    """A call that the worker is about to make."""

    name: str
    path: str


def ask_for_permission(channel: socket.socket) -> None:
    """In the worker: from now on, every call of this process and of its threads waits for whoever is at the channel's other end."""
    libc = ctypes.CDLL(None, use_errno=True)
    load, equal, give = (
        0x20,
        0x15,
        0x06,
    )  # BPF: A = data[k]; if A == k: skip jt instructions, else jf; return k
    allow, notify = 0x7FFF0000, 0x7FC00000
    numbers = sorted(_NAMES)
    program = [(load, 0, 0, 4), (equal, 0, len(numbers) + 1, _ARCHITECTURE), (load, 0, 0, 0)]
    program += [(equal, len(numbers) - i, 0, number) for i, number in enumerate(numbers)]
    program += [(give, 0, 0, allow), (give, 0, 0, notify)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program), ctypes.addressof(code)))
    libc.prctl(38, 1, 0, 0, 0)  # no new privileges: then no privilege is needed
    listener = libc.syscall(_SECCOMP[platform.machine()], 1, 8, header)
    if listener < 0:
        channel.sendall(f"Linux gives no seccomp listener: {os.strerror(ctypes.get_errno())}".encode())
        sys.exit()
    socket.send_fds(channel, [b"listener"], [listener])
    os.close(listener)


class Worker:
    """A process that does what it is told, and asks about every call that changes a file.

    Args:
        program: a file of Python that calls `ask_for_permission` and `serve` with the socket whose descriptor is its argument.

    Raises:
        OSError: Linux does not offer that here.
    """

    def __init__(self, program: Path) -> None:
        ours, theirs = socket.socketpair()
        command = [sys.executable, program, str(theirs.fileno())]
        self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        theirs.close()
        self._channel = ours
        message, listeners, *_ = socket.recv_fds(ours, 1000, 1)
        if not listeners:
            raise OSError(message.decode())
        (self._listener,) = listeners

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._channel.close()
        os.close(self._listener)

    def call(self, *command: Any, decide: Callable[[Call], int] = lambda call: 0) -> Any:
        """Has the worker do something.

        Args:
            command: JSON.
            decide: asked before each call that changes a file: 0 lets it through, a number of `errno` makes it fail.

        Returns:
            The worker's answer.
        """
        self._channel.sendall(json.dumps(command).encode() + b"\n")
        answer = b""
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        poll.register(self._channel, select.POLLIN)
        while not answer.endswith(b"\n"):
            for ready, _ in poll.poll():
                if ready == self._listener:
                    self._answer_one(decide)
                else:
                    received = self._channel.recv(1 << 16)
                    if not received:
                        raise ChildProcessError(f"the worker ended with {self._process.wait()}")
                    answer += received
        return json.loads(answer)

    def _answer_one(self, decide: Callable[[Call], int]) -> None:
        request = bytearray(80)
        try:
            fcntl.ioctl(self._listener, _RECEIVE, request)
        except OSError as error:
            if error.errno == errno.ENOENT:  # the worker was killed meanwhile
                return
            raise
        identity, pid, _, number, _, _, *arguments = struct.unpack("QIIiIQ6Q", request)
        name, kind, place = _NAMES[number]
        code = decide(Call(name, _path(pid, kind, arguments[place])))
        flags = 0 if code else _CONTINUE
        fcntl.ioctl(self._listener, _SEND, struct.pack("QqiI", identity, 0, -code, flags))


def start_worker() -> Worker:
    """Of `worker.py`."""
    return Worker(Path(__file__).with_name("worker.py"))


def serve(channel: socket.socket, actions: dict[str, Callable[..., Any]]) -> None:
    """In the worker: does what it is told until nobody is at the channel's other end."""
    with channel.makefile("rwb") as stream:
        for line in stream:
            name, *arguments = json.loads(line)
            channel.sendall(json.dumps(actions[name](*arguments)).encode() + b"\n")


def _path(pid: int, kind: str, argument: int) -> str:
    if kind == "descriptor":
        return os.readlink(f"/proc/{pid}/fd/{argument & 0xFFFFFFFF}")
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(argument)
        return os.fsdecode(memory.read(4096).partition(b"\0")[0])
