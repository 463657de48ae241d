import multiprocessing
import os

import pytest

from keras_attn.corpora.download import download
from keras_attn.text.corpus import CorpusError

DATA = bytes(range(256)) * 1000


def is_data(file):
    return file.read_bytes() == DATA


def test_a_download_gives_the_file_and_leaves_nothing_else(server, tmp_path):
    server.files["a"] = DATA
    download(server.url("a"), tmp_path / "new" / "a", is_data)
    assert is_data(tmp_path / "new" / "a")
    assert os.listdir(tmp_path / "new") == ["a"]


def test_a_download_shows_its_progress(server, tmp_path, capsys):
    server.files["a.gz"] = DATA
    download(server.url("a.gz"), tmp_path / "a.gz", is_data)
    assert "a.gz: 100%" in capsys.readouterr().err


def test_a_broken_download_goes_on_where_it_stopped(server, tmp_path):
    server.files["a"], server.break_after = DATA, 100_000
    with pytest.raises(CorpusError, match="broke after 100000 of 256000 bytes"):
        download(server.url("a"), tmp_path / "a", is_data)
    assert os.listdir(tmp_path) == ["a.part"]
    server.break_after = None
    download(server.url("a"), tmp_path / "a", is_data)
    assert is_data(tmp_path / "a")
    assert server.ranges == [None, "bytes=100000-"]


def test_a_download_that_breaks_again_goes_on_from_there(server, tmp_path, capsys):
    server.files["a"], server.break_after = DATA, 100_000
    for have in (100_000, 200_000):
        with pytest.raises(CorpusError, match=f"broke after {have} of 256000 bytes"):
            download(server.url("a"), tmp_path / "a", is_data)
        assert (tmp_path / "a.part").read_bytes() == DATA[:have]
    download(server.url("a"), tmp_path / "a", is_data)
    assert is_data(tmp_path / "a") and not (tmp_path / "a.part").exists()
    assert server.ranges == [None, "bytes=100000-", "bytes=200000-"]
    shown = capsys.readouterr().err
    assert (
        "39%" in shown and "78%" in shown and "a: 100%" in shown
    )  # of the whole file, what was there included


def test_of_two_processes_one_downloads_and_the_other_waits_for_it(server, tmp_path):
    server.files["a"] = DATA
    spawned = multiprocessing.get_context("spawn")
    both = [
        spawned.Process(target=download, args=(server.url("a"), tmp_path / "new" / "a", is_data))
        for _ in range(2)
    ]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    assert is_data(tmp_path / "new" / "a")
    assert os.listdir(tmp_path / "new") == ["a"]
    assert server.ranges == [None]


def test_a_file_that_cannot_be_put_in_its_place_says_what_to_put_where(server, tmp_path):
    server.files["a"] = DATA
    (tmp_path / "a").mkdir()
    with pytest.raises(CorpusError, match=f"put it at {tmp_path / 'a'}"):
        download(server.url("a"), tmp_path / "a", is_data)


def test_a_file_may_be_as_large_as_the_limit(server, tmp_path, monkeypatch):
    monkeypatch.setattr("keras_attn.corpora.download.MOST_BYTES", len(DATA))
    server.files["a"] = DATA
    download(server.url("a"), tmp_path / "a", is_data)
    assert is_data(tmp_path / "a")


def test_a_server_without_ranges_is_asked_for_everything_again(server, tmp_path):
    server.files["a"], server.knows_ranges = DATA, False
    (tmp_path / "a.part").write_bytes(DATA[:1000])
    download(server.url("a"), tmp_path / "a", is_data)
    assert is_data(tmp_path / "a")


def test_a_download_that_only_missed_its_last_step_is_taken_as_it_is(server, tmp_path):
    server.files["a"] = DATA
    (tmp_path / "a.part").write_bytes(DATA)
    download(server.url("a"), tmp_path / "a", is_data)
    assert is_data(tmp_path / "a")


@pytest.mark.parametrize("begun", [b"", b"stale", DATA * 2])
def test_a_wrong_file_is_refused_and_nothing_stays(server, tmp_path, begun):
    server.files["a"] = b"something else"
    (tmp_path / "a.part").write_bytes(begun)
    with pytest.raises(CorpusError, match=r"a from http://.*/a has a wrong checksum"):
        download(server.url("a"), tmp_path / "a", is_data)
    assert os.listdir(tmp_path) == []


def test_a_server_may_be_silent_for_half_a_minute(tmp_path, monkeypatch):
    waited = []

    def wait(request, timeout):
        waited.append(timeout)
        raise TimeoutError("timed out")

    monkeypatch.setattr("urllib.request.urlopen", wait)
    with pytest.raises(CorpusError, match=r"cannot download http://nowhere/a \(timed out\)"):
        download("http://nowhere/a", tmp_path / "a", is_data)
    assert waited == [30]


def test_a_missing_address_says_what_to_put_where(server, tmp_path):
    with pytest.raises(CorpusError) as error:
        download(server.url("absent"), tmp_path / "absent", is_data)
    assert "404" in str(error.value)
    assert server.url("absent") in str(error.value)
    assert f"put it at {tmp_path / 'absent'}" in str(error.value)


@pytest.mark.parametrize("tells_length", [True, False])
def test_a_file_larger_than_any_is_neither_kept_nor_hashed(server, tmp_path, monkeypatch, tells_length):
    monkeypatch.setattr("keras_attn.corpora.download.MOST_BYTES", 100_000)
    server.files["a"], server.tells_length = DATA, tells_length
    with pytest.raises(
        CorpusError, match=r"/a sends more than 100,000 bytes, which is not the file expected"
    ):
        download(server.url("a"), tmp_path / "a", lambda part: pytest.fail("it was hashed"))
    assert os.listdir(tmp_path) == []


def test_no_more_of_a_large_file_is_received_than_the_limit(server, tmp_path, monkeypatch):
    sizes = []
    monkeypatch.setattr("keras_attn.corpora.download.MOST_BYTES", 100_000)
    monkeypatch.setattr("pathlib.Path.unlink", lambda path, **_: sizes.append(path.stat().st_size))
    server.files["a"], server.tells_length = DATA, False
    with pytest.raises(CorpusError):
        download(server.url("a"), tmp_path / "a", is_data)
    assert sizes == [131_072]  # two chunks
