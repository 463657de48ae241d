"""Files of strangers are read up to a limit, and what is as large as the limit is read."""

import json
import os
import zipfile

import pytest

from keras_attn.bounded import MOST_JSON, TooLargeError, parse_json, read_bytes, read_json, unpack_member


def test_a_file_may_be_as_large_as_the_limit(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert read_bytes(tmp_path / "a", 5) == b"12345"
    with pytest.raises(TooLargeError, match="a is larger than 4 bytes, the limit for such a file"):
        read_bytes(tmp_path / "a", 4)


def test_json_may_be_as_large_as_a_megabyte(tmp_path):
    data = json.dumps({"a": "x" * (MOST_JSON - 9)}).encode()
    assert len(data) == MOST_JSON == 1024 * 1024
    (tmp_path / "a.json").write_bytes(data)
    assert read_json(tmp_path / "a.json") == parse_json(data, "a") == json.loads(data)
    (tmp_path / "a.json").write_bytes(data + b" ")
    for read in (lambda: read_json(tmp_path / "a.json"), lambda: parse_json(data + b" ", "a")):
        with pytest.raises(TooLargeError, match="is larger than 1,048,576 bytes"):
            read()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[1]", "a is not a JSON object"),
        (b"null", "a is not a JSON object"),
        (b"{", "a is not valid JSON"),
        (b"\xff", "a is not valid JSON"),
        (b"[" * 100_000, "a is nested too deeply"),
    ],
)
def test_what_is_no_json_object_is_refused_by_its_name(data, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        parse_json(data, "a")


def test_a_pipe_without_a_writer_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileNotFoundError, match="pipe"):
        read_json(tmp_path / "pipe")


def test_a_packed_file_may_be_as_large_as_the_limit(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(1000))
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert unpack_member(archive, "zeros", 1000) == bytes(1000)
        with pytest.raises(ValueError, match="zeros in the archive is larger than 999 bytes"):
            unpack_member(archive, "zeros", 999)
        with pytest.raises(ValueError, match="the archive has no ones"):
            unpack_member(archive, "ones", 1000)
