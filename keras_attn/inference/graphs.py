"""The graphs of a `.tflite`, in this process or in one of their own: LiteRT does not check graphs, and a damaged one may crash it.

The other process runs `serve`. A message is its length, a head in JSON and the bytes of arrays, so nothing that comes from a graph
is unpickled here.
"""

import json
import math
import os
import queue
import signal
import struct
import subprocess
import sys
import threading
import weakref
from typing import Any, BinaryIO, Protocol

import numpy as np

from keras_attn.silence import silent_stderr

_LENGTH = struct.Struct("<Q")
_SIZES = struct.Struct("<QQ")  # of threads and of the file
_SERVE = "from keras_attn.inference.graphs import serve; serve()"

Arrays = dict[str, np.ndarray]


class Graphs(Protocol):
    """The signatures of a `.tflite`. Several threads may call them: each waits for the one before."""

    def open(self, signature: str, **inputs: np.ndarray) -> None:
        """Loads a signature in a new interpreter, instead of an earlier one of that name, and runs these inputs first, if any.

        Raises:
            ValueError: there is no such signature, or LiteRT cannot load or run it.
        """

    def run(self, signature: str, **inputs: np.ndarray) -> Arrays:
        """The outputs of an open signature.

        Raises:
            ValueError: LiteRT cannot run it with these inputs.
        """


def load_graphs(content: bytes, *, isolated: bool, num_threads: int = 1) -> Graphs:
    """The graphs of a `.tflite`.

    Args:
        content: the file.
        isolated: whether they run in a process of their own, as graphs of unknown origin should.
        num_threads: threads of each interpreter.
    """
    return IsolatedGraphs(content, num_threads) if isolated else LocalGraphs(content, num_threads)


class LocalGraphs:
    """Graphs in this process; a damaged one may end it."""

    def __init__(self, content: bytes, num_threads: int) -> None:
        self._content, self._num_threads = content, num_threads
        self._runners: dict[str, Any] = {}
        self._lock = threading.Lock()  # an interpreter serves one thread at a time

    def open(self, signature: str, **inputs: np.ndarray) -> None:
        """See `Graphs`."""
        from ai_edge_litert.interpreter import Interpreter

        try:
            with self._lock, silent_stderr():
                interpreter = Interpreter(model_content=self._content, num_threads=self._num_threads)
                self._runners[signature] = interpreter.get_signature_runner(signature)
                if inputs:
                    self._runners[signature](**inputs)
        except RuntimeError as error:
            raise ValueError(str(error)) from None

    def run(self, signature: str, **inputs: np.ndarray) -> Arrays:
        """See `Graphs`."""
        try:
            with self._lock:
                return self._runners[signature](**inputs)
        except RuntimeError as error:
            raise ValueError(str(error)) from None


class IsolatedGraphs:
    """Graphs in another process. If one crashes it, that is a ValueError here, and the next call starts another process."""

    def __init__(self, content: bytes, num_threads: int) -> None:
        self._content, self._num_threads = content, num_threads
        self._opened: dict[str, Arrays] = {}
        self._owner: int | None = None  # the process that the other one works for
        self._lock = threading.Lock()

    def open(self, signature: str, **inputs: np.ndarray) -> None:
        """See `Graphs`."""
        self._ask("open", signature, inputs)

    def run(self, signature: str, **inputs: np.ndarray) -> Arrays:
        """See `Graphs`."""
        return self._ask("run", signature, inputs)

    def _ask(self, what: str, signature: str, inputs: Arrays) -> Arrays:
        with self._lock:
            try:
                if self._owner != os.getpid():  # there is none, or this process is a fork of its owner
                    self._start()
                error, outputs = self._exchange(what, signature, inputs)
                if what == "open" and error is None:
                    self._opened[signature] = inputs
            except (BrokenPipeError, EOFError):
                raise self._crashed() from None
            except BaseException:
                self._stop()  # an answer still to come would be taken for that of the next call
                raise
        if error is not None:
            raise ValueError(error)
        return outputs

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self._owner = os.getpid()
        self._end = weakref.finalize(self, _end, self._process, self._owner)
        self._process.stdin.write(_SIZES.pack(self._num_threads, len(self._content)))
        self._process.stdin.write(self._content)
        for signature, inputs in self._opened.items():
            self._exchange("open", signature, inputs)

    def _exchange(self, what: str, signature: str, inputs: Arrays) -> tuple[str | None, Arrays]:
        _send(self._process.stdin, [what, signature], inputs)
        return _receive(self._process.stdout)

    def _crashed(self) -> ValueError:
        status = self._process.wait()
        self._stop()
        how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        return ValueError(f"it crashes LiteRT, or the process that runs it was killed ({how})")

    def _stop(self) -> None:
        if self._owner is not None:
            self._end()
        self._owner = None


def _end(process: subprocess.Popen, owner: int) -> None:
    if os.getpid() == owner:
        process.kill()
        process.communicate()


def serve() -> None:
    """The other process: answers an `IsolatedGraphs` until that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal: the first process ends this one
    asked, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    num_threads, size = _SIZES.unpack(_exactly(asked, _SIZES.size))
    graphs = LocalGraphs(bytes(_exactly(asked, size)), num_threads)
    questions: queue.SimpleQueue[tuple[Any, Arrays]] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(asked, questions), daemon=True).start()
    while True:
        (what, signature), inputs = questions.get()
        error, outputs = None, {}
        try:
            if what == "open":
                graphs.open(signature, **inputs)
            else:
                outputs = graphs.run(signature, **inputs)
            _check(outputs)
        except Exception as raised:
            error, outputs = str(raised) or type(raised).__name__, {}
        _send(answers, error, outputs)


def _read(asked: BinaryIO, questions: queue.SimpleQueue) -> None:
    """A thread, so that this process ends with the other one whatever a graph is at."""
    try:
        while True:
            questions.put(_receive(asked))
    except EOFError:
        os._exit(0)


def _check(arrays: Arrays) -> None:
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise ValueError(f"its output {name} is not of numbers, but of {array.dtype}")


def _send(stream: BinaryIO, head: Any, arrays: Arrays) -> None:
    described = [[name, array.dtype.str, array.shape] for name, array in arrays.items()]
    message = json.dumps([head, described]).encode()
    stream.write(_LENGTH.pack(len(message)))
    stream.write(message)
    for array in arrays.values():
        stream.write(array.tobytes())
    stream.flush()


def _receive(stream: BinaryIO) -> tuple[Any, Arrays]:
    (size,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    head, described = json.loads(_exactly(stream, size))
    arrays = {}
    for name, kind, shape in described:
        data = _exactly(stream, np.dtype(kind).itemsize * math.prod(shape))
        arrays[name] = np.frombuffer(data, kind).reshape(shape)
    return head, arrays


def _exactly(stream: BinaryIO, size: int) -> bytearray:
    data = bytearray(size)
    if stream.readinto(data) != size:
        raise EOFError
    return data
