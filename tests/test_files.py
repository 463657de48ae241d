import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from keras_attn import files
from keras_attn.files import (
    give_second_name,
    locked,
    new_file,
    new_folder,
    part_of,
    put_in_place,
    write_bytes,
    write_json,
    write_text,
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("old")
    return path


def test_a_file_is_replaced_and_nothing_lies_beside_it(file):
    write_text(file, "new")
    assert file.read_text() == "new"
    assert os.listdir(file.parent) == ["notes.txt"]


def test_missing_folders_are_made(tmp_path):
    write_bytes(tmp_path / "a" / "b" / "file", b"\x00\xff")
    assert (tmp_path / "a" / "b" / "file").read_bytes() == b"\x00\xff"


def test_text_is_utf8_with_its_line_ends_as_they_are(file):
    write_text(file, "größer\r\n")
    assert file.read_bytes() == "größer\r\n".encode()


def test_json_is_written_for_people_to_read(file):
    write_json(file, {"größe": 1})
    assert file.read_text(encoding="utf-8") == '{\n  "größe": 1\n}\n'


def test_the_old_file_is_there_until_the_new_one_is_complete(file):
    with new_file(file) as part:
        part.write_text("half")
        assert part == file.with_name("notes.txt.part")
        assert file.read_text() == "old"
        part.write_text("new")
    assert file.read_text() == "new"


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_a_write_that_fails_half_way_leaves_the_old_file_and_no_part(file, error):
    with pytest.raises(error), new_file(file) as part:
        part.write_text("half")
        raise error
    assert file.read_text() == "old"
    assert os.listdir(file.parent) == ["notes.txt"]


def test_a_full_disk_leaves_the_old_file_and_is_an_error_that_names_it(file, file_size_limit):
    with file_size_limit(1000), pytest.raises(OSError, match=r"^cannot write .*/notes.txt: File too large$"):
        write_bytes(file, bytes(1001))
    assert file.read_text() == "old"
    assert os.listdir(file.parent) == ["notes.txt"]


def test_an_error_without_a_code_keeps_its_message(file):
    with pytest.raises(OSError, match=r"^cannot write .*/notes.txt: no such compression$"), new_file(file):
        raise OSError("no such compression")


def test_a_folder_that_cannot_be_made_is_an_error_that_names_the_file(file):
    with pytest.raises(OSError, match=r"^cannot write .*/notes.txt/inside: "):
        write_text(file / "inside", "new")


def test_a_folder_in_the_place_of_the_file_is_not_replaced(tmp_path):
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match=r"^cannot write .*/taken: Is a directory$"):
        write_text(tmp_path / "taken", "new")
    assert os.listdir(tmp_path) == ["taken"]


def test_what_a_killed_program_left_is_written_over(file):
    part_of(file).write_text("what a killed program left, longer than the new text")
    write_text(file, "new")
    assert file.read_text() == "new"


def test_the_content_is_on_the_disk_before_the_file_has_its_name(file, monkeypatch):
    calls = []

    def noted(name):
        function = getattr(os, name)
        return lambda *arguments: (calls.append(name), function(*arguments))

    for name in ("fsync", "replace"):
        monkeypatch.setattr(os, name, noted(name))
    write_text(file, "new")
    assert calls == ["fsync", "replace"]


def test_whoever_reads_meanwhile_sees_one_whole_file(file):
    versions = [character * 100_000 for character in "ab"]
    write_text(file, versions[0])
    seen, done = set(), threading.Event()

    def read():
        while not done.is_set():
            seen.add(file.read_text())

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(50):
        write_text(file, versions[turn % 2])
    done.set()
    reader.join()
    assert seen <= set(versions)


def test_a_file_that_gathered_elsewhere_gets_its_name(file, tmp_path):
    (tmp_path / "download").write_text("new")
    put_in_place(tmp_path / "download", file)
    assert file.read_text() == "new"
    assert os.listdir(tmp_path) == ["notes.txt"]


def test_a_file_with_a_second_name_is_there_twice(file):
    other = file.with_name("other.txt")
    other.write_text("what had the name before")
    give_second_name(file, other)
    write_text(file, "new")
    assert (file.read_text(), other.read_text()) == ("new", "old")
    assert sorted(os.listdir(file.parent)) == ["notes.txt", "other.txt"]


def test_where_a_file_has_one_name_it_is_copied(file, monkeypatch):
    def link(*_):
        raise OSError("Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    give_second_name(file, file.with_name("other.txt"))
    assert file.with_name("other.txt").read_text() == "old"


@pytest.fixture
def folder(tmp_path):
    """A folder with one file of old text, alone in its parent."""
    folder = tmp_path / "parent" / "made"
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("old")
    return folder


def texts(folder):
    """Of the files in a folder, by name."""
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.mark.parametrize("exchange", [True, False], ids=["in one step", "where names cannot be exchanged"])
def test_a_folder_is_replaced_as_a_whole_and_nothing_lies_beside_it(folder, monkeypatch, exchange):
    if not exchange:
        monkeypatch.setattr(files.ctypes, "CDLL", lambda name: object())
    with new_folder(folder) as part:
        (part / "others.txt").write_text("new")
        assert texts(folder) == {"notes.txt": "old"}
    assert texts(folder) == {"others.txt": "new"}
    assert os.listdir(folder.parent) == ["made"]


def test_where_names_cannot_be_exchanged_a_folder_that_gets_no_name_leaves_the_old_one(folder, monkeypatch):
    rename = os.rename

    def fail_for_the_new_one(old, new):
        if old.name == "new":
            raise OSError("Input/output error")
        rename(old, new)

    monkeypatch.setattr(files.ctypes, "CDLL", lambda name: object())
    monkeypatch.setattr(os, "rename", fail_for_the_new_one)
    with pytest.raises(OSError, match=r"^cannot write .*/made: Input/output error"), new_folder(folder):
        pass
    assert texts(folder) == {"notes.txt": "old"}


def test_a_folder_that_is_replaced_is_never_missing(folder):
    seen, done = set(), threading.Event()

    def look():
        while not done.is_set():
            seen.add(folder.exists())

    watcher = threading.Thread(target=look)
    watcher.start()
    for _ in range(50):
        with new_folder(folder) as part:
            (part / "notes.txt").write_text("new")
    done.set()
    watcher.join()
    assert seen == {True}


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_a_folder_that_fails_half_way_leaves_the_old_one_and_no_part(folder, error):
    with pytest.raises(error), new_folder(folder) as part:
        (part / "others.txt").write_text("half")
        raise error
    assert texts(folder) == {"notes.txt": "old"}
    assert os.listdir(folder.parent) == ["made"]


def test_what_a_killed_program_left_of_a_folder_is_removed_by_the_next(folder):
    program = "import os, signal, sys; from pathlib import Path; from keras_attn.files import new_folder\n"
    program += "with new_folder(Path(sys.argv[1])) as part:\n"
    program += "    (part / 'half.txt').touch(); os.kill(os.getpid(), signal.SIGKILL)"
    killed = subprocess.run([sys.executable, "-c", program, folder], timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert sorted(os.listdir(folder.parent)) == [".made.part", "made"]
    with new_folder(folder) as part:
        (part / "others.txt").write_text("new")
    assert texts(folder) == {"others.txt": "new"}
    assert os.listdir(folder.parent) == ["made"]


@pytest.mark.parametrize("name", [".", "../made"])
def test_the_current_folder_is_not_replaced(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    with (
        pytest.raises(OSError, match="is the current folder, which cannot be replaced: name another"),
        new_folder(Path(name)),
    ):
        pass
    assert texts(folder) == {"notes.txt": "old"}
    assert os.listdir(folder.parent) == ["made"]


def test_one_program_at_a_time_makes_a_folder(folder):
    message = r"^cannot write .*/made: another program is writing it"
    with new_folder(folder) as part:
        (part / "others.txt").write_text("new")
        with pytest.raises(OSError, match=message), new_folder(folder):
            pass
    assert texts(folder) == {"others.txt": "new"}


def test_the_lock_of_a_folder_is_refused_or_waited_for(tmp_path):
    folder, order = tmp_path / "run", []

    def wait():
        with locked(folder, wait=True):
            order.append("waited")

    waiter = threading.Thread(target=wait)
    with locked(folder):
        with pytest.raises(BlockingIOError), locked(folder):
            pass
        (folder / "file").touch()
        waiter.start()
        waiter.join(0.5)  # far more than it takes without a lock
        order.append("done")
    waiter.join(60)
    assert order == ["done", "waited"]


def test_a_locked_folder_that_nothing_came_into_is_removed(tmp_path):
    with locked(tmp_path / "run"):
        assert (tmp_path / "run").is_dir()
    assert not (tmp_path / "run").exists()
    with locked(tmp_path / "run"):
        (tmp_path / "run" / "file").touch()
    assert (tmp_path / "run" / "file").exists()


def test_a_folder_without_room_for_it_is_an_error_that_names_it(folder):
    with (
        pytest.raises(OSError, match=r"^cannot write .*/notes.txt/inside: "),
        new_folder(folder / "notes.txt" / "inside"),
    ):
        pass


def test_all_of_a_folder_is_on_the_disk_before_it_has_its_name(folder, monkeypatch):
    calls, fsync, rename = [], os.fsync, os.rename
    monkeypatch.setattr(
        os, "fsync", lambda handle: (calls.append(os.readlink(f"/proc/self/fd/{handle}")), fsync(handle))
    )
    monkeypatch.setattr(os, "rename", lambda *names: (calls.append("rename"), rename(*names)))
    shutil.rmtree(folder)
    with new_folder(folder) as part:
        (part / "inner").mkdir()
        (part / "inner" / "file").touch()
    new = folder.parent / ".made.part" / "new"
    assert set(calls[:-1]) == {str(new), str(new / "inner"), str(new / "inner" / "file")}
    assert calls[-1] == "rename"


@pytest.mark.parametrize("fails", [True, False], ids=["the next one fails", "the next one is complete"])
def test_a_replacement_killed_between_two_renames_is_undone_by_the_next(folder, monkeypatch, fails):
    monkeypatch.setattr(files.ctypes, "CDLL", lambda name: object())
    aside = folder.with_name(".made.part")
    aside.mkdir()
    folder.rename(aside / "old")  # what the killed program has done
    with contextlib.suppress(ZeroDivisionError), new_folder(folder) as part:
        assert texts(folder) == {"notes.txt": "old"}
        (part / "others.txt").write_text("new")
        if fails:
            raise ZeroDivisionError
    assert texts(folder) == ({"notes.txt": "old"} if fails else {"others.txt": "new"})
    assert os.listdir(folder.parent) == ["made"]


def test_an_old_folder_that_a_killed_program_has_replaced_is_removed(folder, monkeypatch):
    monkeypatch.setattr(files.ctypes, "CDLL", lambda name: object())
    old = folder.with_name(".made.part") / "old"
    old.mkdir(parents=True)
    (old / "older.txt").touch()
    with new_folder(folder) as part:
        (part / "others.txt").write_text("new")
    assert texts(folder) == {"others.txt": "new"}
    assert os.listdir(folder.parent) == ["made"]
