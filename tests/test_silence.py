"""Log lines of C++ do not reach the terminal; what is written later does."""

import subprocess
import sys

PROGRAM = """
import os, sys
from keras_attn.silence import silent_stderr

def say(text):
    os.write(2, text)

say(b"before\\n")
for _ in range(300):  # more often than a process may have files open
    with silent_stderr():
        say(b"within\\n")
try:
    with silent_stderr():
        say(b"within\\n")
        raise ValueError("wrong")
except ValueError as error:
    print(error, "at", len(os.listdir("/proc/self/fd")), "files")
say(b"after\\n")
sys.stderr = None
with silent_stderr():
    say(b"closed\\n")
"""


def test_what_a_library_writes_is_silenced_and_stderr_is_as_before():
    command = ["bash", "-c", 'ulimit -n 64; exec "$0" -c "$1"', sys.executable, PROGRAM]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stderr == "before\nafter\nclosed\n"
    assert run.stdout == "wrong at 4 files\n"


THREADS = """
import os, threading
from keras_attn.silence import silent_stderr

def often():
    for _ in range(500):
        with silent_stderr():
            os.write(2, b"within\\n")

threads = [threading.Thread(target=often) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
os.write(2, b"after\\n")
"""


def test_after_several_threads_stderr_is_as_before():
    run = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, check=True)
    assert run.stderr == "after\n"
