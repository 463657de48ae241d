import subprocess

import pytest
import tensorflow as tf

from keras_attn.export.description import check_sums, read_description, write_description
from keras_attn.export.disk_errors import as_os_errors
from keras_attn.export.output_folder import new_folder

DESCRIPTION = "about/model.json"
NAMES = ["file", DESCRIPTION]


def export(output, content):
    with new_folder(output, DESCRIPTION) as folder:
        (folder / "file").write_text(content)
        write_description(folder, DESCRIPTION, {"keras_attn_export": "test"})


def test_an_export_appears_whole(tmp_path):
    export(tmp_path / "missing" / "out", "new")
    assert (tmp_path / "missing" / "out" / "file").read_text() == "new"
    assert read_description(tmp_path / "missing" / "out", DESCRIPTION) == {"keras_attn_export": "test"}


def test_nothing_is_there_until_the_end(tmp_path):
    with new_folder(tmp_path / "out", DESCRIPTION):
        assert not (tmp_path / "out").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_error_leaves_nothing_behind(tmp_path):
    with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "out", DESCRIPTION) as folder:
        (folder / "file").write_text("half")
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


def test_an_error_leaves_the_earlier_export(tmp_path):
    export(tmp_path / "out", "old")
    with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "out", DESCRIPTION):
        raise ZeroDivisionError
    assert (tmp_path / "out" / "file").read_text() == "old"


def test_an_earlier_export_is_replaced_as_a_whole(tmp_path):
    export(tmp_path / "out", "old")
    (tmp_path / "out" / "old file").touch()
    export(tmp_path / "out", "new")
    assert (tmp_path / "out" / "file").read_text() == "new"
    assert not (tmp_path / "out" / "old file").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_empty_folder_is_as_good_as_none(tmp_path):
    (tmp_path / "out").mkdir()
    export(tmp_path / "out", "new")
    assert (tmp_path / "out" / "file").exists()


@pytest.mark.parametrize("kind", ["file", "folder with a file", "description of something else"])
def test_anything_else_is_not_replaced(tmp_path, kind):
    output = tmp_path / "out"
    if kind == "file":
        output.write_text("mine")
    elif kind == "folder with a file":
        output.mkdir()
        (output / "mine").touch()
    else:
        (output / "about").mkdir(parents=True)
        (output / DESCRIPTION).write_text("[1]")
    with pytest.raises(FileExistsError, match="is not an earlier export"):
        export(output, "new")
    assert not (output / "file").exists()


def test_every_file_of_an_export_has_the_sum_that_sha256sum_checks(tmp_path):
    export(tmp_path / "out", "new")
    lines = (tmp_path / "out" / "SHA256SUMS").read_text().splitlines()
    assert [line[66:] for line in lines] == [DESCRIPTION, "file"]
    subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=tmp_path / "out", check=True
    )
    check_sums(tmp_path / "out", NAMES)


@pytest.mark.parametrize("name", ["file", DESCRIPTION])
def test_a_changed_file_of_an_export_is_named(tmp_path, name):
    export(tmp_path / "out", "new")
    (tmp_path / "out" / name).write_bytes((tmp_path / "out" / name).read_bytes() + b" ")
    with pytest.raises(ValueError, match=f"{name} is damaged or was changed"):
        check_sums(tmp_path / "out", NAMES)


def test_a_file_without_a_sum_is_none_of_the_export(tmp_path):
    export(tmp_path / "out", "new")
    (tmp_path / "out" / "other").touch()
    check_sums(tmp_path / "out", ["file"])
    with pytest.raises(ValueError, match="has no line for other"):
        check_sums(tmp_path / "out", ["file", "other"])


def test_a_link_in_an_export_is_not_followed(tmp_path):
    export(tmp_path / "out", "new")
    (tmp_path / "out" / "file").unlink()
    (tmp_path / "out" / "file").symlink_to("/dev/zero")
    with pytest.raises(ValueError, match="file is a link, which is not followed"):
        check_sums(tmp_path / "out", NAMES)


def test_an_export_without_sums_is_read_with_a_warning(tmp_path):
    export(tmp_path / "out", "new")
    (tmp_path / "out" / "SHA256SUMS").unlink()
    with pytest.warns(UserWarning, match="has no SHA256SUMS"):
        check_sums(tmp_path / "out", NAMES)


def test_what_tensorflow_cannot_write_is_told_with_its_path_and_the_reason():
    told = "/tmp/made up/variables; No space left on device\n\t [[{{node save}}]]"
    with (
        pytest.raises(OSError, match=r"^cannot write out/1: No space left on device$"),
        as_os_errors("out/1"),
    ):
        raise tf.errors.ResourceExhaustedError(None, None, told)
