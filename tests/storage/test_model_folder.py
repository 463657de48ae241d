import contextlib
import dataclasses
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest

import keras_attn
from keras_attn.config import DataConfig, SearchConfig
from keras_attn.files import write_bytes
from keras_attn.models.build import build_seq2seq
from keras_attn.storage import model_folder as folders
from keras_attn.storage.checksums import SUMS, read_sums
from keras_attn.storage.engine_file import ENGINE, has_engine
from keras_attn.storage.folder_files import SAVING, check_folder_sums, replace_file
from keras_attn.storage.model_folder import (
    FILES,
    ModelFolderError,
    check_model_folder,
    load_config,
    load_data_config,
    load_metrics,
    load_model,
    save_model,
    update_config,
    update_metrics,
)
from keras_attn.storage.sizes import check_search
from keras_attn.storage.weights_file import array_sizes, write_weights
from keras_attn.text.tokenizer import Tokenizer, train_tokenizer

pytestmark = pytest.mark.filterwarnings("ignore:.* has no SHA256SUMS")


def values(trained):
    return trained.model.get_weights()


def same_weights(one, other):
    return all(np.array_equal(a, b) for a, b in zip(values(one), values(other), strict=True))


@pytest.fixture(scope="module")
def other_trained(tiny_trained):
    """Another model: wider, so that its weights fit no other configuration than its own."""
    config = dataclasses.replace(
        tiny_trained.config, model=dataclasses.replace(tiny_trained.config.model, decoder_units=12)
    )
    return dataclasses.replace(tiny_trained, config=config, model=build_seq2seq(config.model))


@pytest.fixture
def old_folder(model_folder):
    """Of a version that wrote no sums: what is in the files is all there is to go by."""
    (model_folder / SUMS).unlink()
    return model_folder


def test_a_reloaded_model_gives_the_same_floats(tiny_trained, model_folder):
    inputs = [np.array([[5, 6, 7, 3], [8, 3, 0, 0]]), np.array([[2, 9, 10], [2, 11, 12]])]
    loaded = load_model(model_folder)
    assert np.array_equal(loaded.model(inputs), tiny_trained.model(inputs))


def test_a_reloaded_model_has_its_configuration_and_vocabularies(tiny_trained, model_folder):
    loaded = load_model(model_folder)
    assert loaded.config == tiny_trained.config
    assert loaded.source_tokenizer.model_proto == tiny_trained.source_tokenizer.model_proto
    assert loaded.target_tokenizer.model_proto == tiny_trained.target_tokenizer.model_proto


def test_a_folder_copied_elsewhere_loads_without_the_first(tiny_trained, model_folder, tmp_path):
    copy = shutil.move(model_folder, tmp_path / "far" / "away")
    assert same_weights(load_model(copy), tiny_trained)


def test_a_folder_holds_its_six_files_their_sums_and_nothing_else(model_folder):
    assert sorted(path.name for path in model_folder.iterdir()) == sorted([*FILES, SUMS])


def test_no_path_of_the_training_machine_is_kept(tiny_trained, tmp_path):
    files = {"train": ("/home/me/corpus/train.en", "/home/me/corpus/train.de"), "dev": ("../dev.tsv",)}
    data = DataConfig(**files, test=("/test.tsv",), links="/home/me/train.links")
    config = dataclasses.replace(tiny_trained.config, data=data)
    save_model(tmp_path / "model", dataclasses.replace(tiny_trained, config=config))
    kept = load_model(tmp_path / "model").config.data
    assert (kept.train, kept.dev, kept.test) == (("train.en", "train.de"), ("dev.tsv",), ("test.tsv",))
    assert kept.links == "train.links"


def test_saving_keeps_what_else_lies_in_the_folder(tiny_trained, model_folder):
    (model_folder / "checkpoint").mkdir()
    (model_folder / "checkpoint" / "state").write_text("half way")
    (model_folder / "log.csv").write_text("step,loss\n")
    save_model(model_folder, tiny_trained)
    assert (model_folder / "checkpoint" / "state").read_text() == "half way"
    assert (model_folder / "log.csv").read_text() == "step,loss\n"


def test_saving_replaces_another_model_and_its_metrics(other_trained, model_folder):
    update_metrics(model_folder, {"bleu": 30.0})
    save_model(model_folder, other_trained, {"chrf": 50.0})
    assert same_weights(load_model(model_folder), other_trained)
    assert load_metrics(model_folder) == {"chrf": 50.0}


class Killed(BaseException):
    """What no `except Exception` catches, as a kill."""


# Seven files are written aside, `SHA256SUMS` last; then the seven are put in place.
@pytest.mark.parametrize("moment", [0, 1, 6, 7, 8, 13, 14])
def test_a_save_killed_at_any_moment_leaves_one_whole_model(
    moment, tiny_trained, other_trained, model_folder, monkeypatch
):
    replace, calls = os.replace, []

    def replace_or_die(*paths):
        if len(calls) == moment:
            raise Killed
        calls.append(paths)
        replace(*paths)

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", replace_or_die)
        try:
            save_model(model_folder, other_trained)
        except Killed:
            killed = True
        else:
            killed = False
    expected = tiny_trained if moment < 7 else other_trained
    assert killed == (moment < 14)
    assert same_weights(load_model(model_folder), expected)


def test_a_save_killed_while_it_writes_leaves_the_old_model(
    tiny_trained, other_trained, model_folder, monkeypatch
):
    def die(model, path, precision):
        path.write_bytes(b"half of the weights")
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(folders, "write_weights", die)
        save_model(model_folder, other_trained)
    assert same_weights(load_model(model_folder), tiny_trained)
    assert not (model_folder / SAVING).exists()  # on a full disk the half would take space
    save_model(model_folder, other_trained)  # and the next save is not disturbed
    assert same_weights(load_model(model_folder), other_trained)
    assert sorted(path.name for path in model_folder.iterdir()) == sorted([*FILES, SUMS])


def test_metrics_are_merged_into_what_is_there(model_folder):
    update_metrics(model_folder, {"dev": {"bleu": 30.0}, "steps": 100})
    update_metrics(model_folder, {"test": {"bleu": 29.0}, "steps": 200})
    assert load_metrics(model_folder) == {"dev": {"bleu": 30.0}, "test": {"bleu": 29.0}, "steps": 200}


def test_new_metrics_of_a_folder_without_sums_give_it_those_of_all_its_files(old_folder):
    update_metrics(old_folder, {"bleu": 30.0})
    assert read_sums(old_folder / SUMS) == {
        name: hashlib.sha256((old_folder / name).read_bytes()).hexdigest() for name in FILES
    }


def test_another_model_leaves_no_engine_of_the_one_before(tiny_trained, model_folder):
    replace_file(model_folder, ENGINE, lambda path: write_bytes(path, b"of the old weights"))
    assert has_engine(model_folder)
    update_metrics(model_folder, {"bleu": 30.0})
    assert (model_folder / ENGINE).read_bytes() == b"of the old weights" and has_engine(model_folder)
    save_model(model_folder, tiny_trained)
    assert not (model_folder / ENGINE).exists() and not has_engine(model_folder)


def test_a_new_section_of_the_config_replaces_it_and_nothing_else(model_folder):
    before, sums = load_config(model_folder), read_sums(model_folder / SUMS)
    search = dataclasses.replace(before.search, beam_size=7)
    update_config(model_folder, search=search)
    assert load_config(model_folder) == dataclasses.replace(before, search=search)
    after = read_sums(model_folder / SUMS)
    assert {name for name in FILES if after[name] != sums[name]} == {"config.toml"}
    assert after["config.toml"] == hashlib.sha256((model_folder / "config.toml").read_bytes()).hexdigest()


def test_a_folder_says_which_versions_can_read_it(model_folder):
    written = json.loads((model_folder / "format.json").read_text())
    assert written == {"format": 2, "keras_attn": keras_attn.__version__}


def test_weights_are_stored_as_float32_or_at_half_the_size(tiny_trained, tmp_path):
    stored = {}
    for precision in ("float32", "float16"):
        write_weights(tiny_trained.model, tmp_path / precision, precision)
        with h5py.File(tmp_path / precision) as file:
            arrays = {name: file[name][()] for name in array_sizes(tmp_path / precision)}
        assert {str(array.dtype) for array in arrays.values()} == {precision}
        assert array_sizes(tmp_path / precision) == {name: array.size for name, array in arrays.items()}
        stored[precision] = arrays
    assert stored["float16"].keys() == stored["float32"].keys()
    for name, array in stored["float32"].items():
        assert np.array_equal(array.astype("float16"), stored["float16"][name])


def many_groups(group):
    """By HDF5's own functions: `create_group` takes four times as long."""
    for n in range(100_001):
        h5py.h5g.create(group.id, b"%d" % n)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda group: group.__setitem__("x", h5py.SoftLink("/a")),
            "a/b/x is a link to another place, which is not followed",
        ),
        (lambda group: group.__setitem__("x", ["words"]), "a/b/x is not an array of numbers"),
        (
            lambda group: group.create_dataset("x", (10**6,), "f4", chunks=(10,)),
            "its arrays claim 4,000,000 bytes",
        ),
        (
            many_groups,
            "it holds more than 100,000 objects",
        ),
    ],
)
def test_weights_that_are_not_just_arrays_are_refused_with_the_reason(make, message, tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        make(file.create_group("a/b"))
    with pytest.raises(ValueError, match=message):
        array_sizes(tmp_path / "x.h5")


def test_arrays_are_found_in_groups_that_lie_deep_and_in_groups_that_contain_themselves(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        inner = file
        for _ in range(500):
            inner = inner.create_group("g")
        inner["x"] = [1, 2, 3]
        inner["circle"] = file["/"]
    assert array_sizes(tmp_path / "x.h5") == {"g/" * 500 + "x": 3}


@pytest.mark.parametrize(
    ("beam_size", "batch_size", "fits"), [(128, 128, True), (127, 130, False), (1, 16_384, True)]
)
def test_a_search_may_keep_as_many_hypotheses_as_the_limit(beam_size, batch_size, fits):
    search = SearchConfig(beam_size=beam_size, batch_size=batch_size)
    with contextlib.nullcontext() if fits else pytest.raises(ValueError, match="16,510 hypotheses at once"):
        check_search(search)


def test_a_search_may_keep_as_many_words_as_the_limit():
    check_search(SearchConfig(beam_size=64, batch_size=64, max_length_extra=3500))
    with pytest.raises(ValueError, match=r"4,096 hypotheses at once .* of up to 4,510 sub-words"):
        check_search(SearchConfig(beam_size=64, batch_size=64, max_length_extra=4000))


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no model folder at .*nowhere"):
        load_model(tmp_path / "nowhere")


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(name, model_folder):
    (model_folder / name).unlink()
    with pytest.raises(ModelFolderError, match=f"is not a model folder: it has no {name}"):
        load_model(model_folder)


def test_a_missing_file_is_named_before_it_is_compared_with_its_checksum(model_folder):
    (model_folder / "metrics.json").unlink()
    with pytest.raises(ModelFolderError, match=r"metrics\.json is missing, although .*SHA256SUMS lists it"):
        check_folder_sums(model_folder)


def test_a_folder_of_a_newer_format_says_which_version_reads_it(old_folder):
    (old_folder / "format.json").write_text(json.dumps({"format": 3, "keras_attn": "3.1.0"}))
    with pytest.raises(ModelFolderError, match=r"written by keras-attn 3\.1\.0 in format 3.* Install that"):
        load_model(old_folder)
    (old_folder / "format.json").write_text(json.dumps({"format": 3}))
    with pytest.raises(ModelFolderError, match=r"written by a later version in format 3"):
        load_model(old_folder)


def test_a_folder_of_an_older_version_without_a_newer_key_loads(old_folder, tiny_trained):
    path = old_folder / "config.toml"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(line for line in lines if not line.startswith("tensorboard")))
    assert load_model(old_folder).config == tiny_trained.config


@pytest.mark.parametrize(("format_", "copies"), [(1, True), (1, False), (2, True)])
def test_a_model_that_could_copy_the_end_of_a_sentence_is_loaded_with_a_warning(
    format_, copies, tiny_trained, copying_trained, tmp_path, recwarn
):
    save_model(tmp_path / "model", copying_trained if copies else tiny_trained)
    written = json.dumps({"format": format_, "keras_attn": "0.1.0"})
    replace_file(tmp_path / "model", "format.json", lambda path: path.write_text(written))
    load_model(tmp_path / "model")
    messages = [str(each.message) for each in recwarn if "may not end" in str(each.message)]
    assert len(messages) == (copies and format_ == 1)
    assert all("--from" in message for message in messages)


def test_weights_of_another_model_are_refused(other_trained, old_folder, tmp_path):
    save_model(tmp_path / "other", other_trained)
    shutil.copy(tmp_path / "other" / "model.weights.h5", old_folder)
    with pytest.raises(ModelFolderError, match=r"model\.weights\.h5 does not fit config\.toml"):
        load_model(old_folder)


def test_weights_of_a_model_with_other_layers_are_refused(attentionless_trained, old_folder, tmp_path):
    save_model(tmp_path / "other", attentionless_trained)
    shutil.copy(tmp_path / "other" / "model.weights.h5", old_folder)
    with pytest.raises(ModelFolderError, match=r"model\.weights\.h5 does not fit config\.toml"):
        load_model(old_folder)


@pytest.mark.parametrize("content", [b"", b"no weights", None])
def test_broken_weights_are_refused(content, old_folder):
    path = old_folder / "model.weights.h5"
    path.write_bytes(path.read_bytes()[:2000] if content is None else content)
    with pytest.raises(ModelFolderError, match=r"model\.weights\.h5 is broken"):
        load_model(old_folder)


@pytest.mark.parametrize("name", ["source.spm", "target.spm"])
def test_a_broken_vocabulary_is_named(name, old_folder):
    (old_folder / name).write_bytes(b"no vocabulary")
    with pytest.raises(ModelFolderError, match=f"{name} is broken: not a SentencePiece model"):
        load_model(old_folder)


def test_a_vocabulary_of_another_size_is_refused(old_folder, source_lines):
    smaller = Tokenizer((old_folder / "source.spm").read_bytes()).vocab_size - 5
    (old_folder / "source.spm").write_bytes(train_tokenizer(source_lines, smaller).model_proto)
    with pytest.raises(ModelFolderError, match="the files belong to different models"):
        load_model(old_folder)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("config.toml", "[model]\nunits = 3\n", "config.toml is not usable: unknown key model.units"),
        ("config.toml", "data = 3\n", r"config.toml is not usable: data is a section: write \[data\]"),
        ("config.toml", "[[model]]\n", r"config.toml is not usable: model is a section: write \[model\]"),
        ("config.toml", "", "pieces, but the model in config.toml was built for 0"),
        ("format.json", "{", "format.json is not valid JSON"),
        ("format.json", "[]", "format.json is not a JSON object"),
        ("format.json", "{}", "format.json does not say which format"),
    ],
)
def test_a_broken_file_is_named(name, content, message, old_folder):
    (old_folder / name).write_text(content)
    with pytest.raises(ModelFolderError, match=message):
        load_model(old_folder)


def test_checking_a_folder_needs_no_keras(model_folder):
    code = (
        "import sys; from keras_attn.storage.model_folder import check_model_folder; "
        f"check_model_folder({str(model_folder)!r}); sys.exit('keras' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    check_model_folder(model_folder)


def test_the_state_of_the_optimizer_is_not_saved(tiny_trained, tmp_path):
    model = tiny_trained.model
    save_model(tmp_path / "plain", tiny_trained)
    model.compile("adam", "mse")
    model.optimizer.build(model.trainable_variables)
    save_model(tmp_path / "compiled", tiny_trained)
    plain, compiled = (
        (tmp_path / name / "model.weights.h5").stat().st_size for name in ("plain", "compiled")
    )
    assert compiled == plain


def test_the_sums_are_those_that_sha256sum_checks(model_folder):
    command = ["sha256sum", "--check", "--strict", "--quiet", SUMS]
    assert subprocess.run(command, cwd=model_folder, check=True, capture_output=True).stdout == b""
    assert len((model_folder / SUMS).read_text().splitlines()) == len(FILES)


def test_sums_that_sha256sum_made_in_binary_mode_are_read(model_folder):
    command = ["sha256sum", "--binary", *FILES]
    sums = subprocess.run(command, cwd=model_folder, check=True, capture_output=True).stdout
    assert b" *config.toml" in sums
    (model_folder / SUMS).write_bytes(sums)
    load_model(model_folder)


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_in_any_file_is_one_line_that_names_it(name, model_folder):
    data = bytearray((model_folder / name).read_bytes())
    data[-2] ^= 1  # still JSON, TOML or a whole HDF5 file, most of them
    (model_folder / name).write_bytes(data)
    with pytest.raises(ModelFolderError) as error:
        load_model(model_folder)
    assert name in str(error.value) and "\n" not in str(error.value)


def test_a_changed_config_says_what_to_do_if_the_change_is_the_user_s(model_folder):
    path = model_folder / "config.toml"
    path.write_text(path.read_text().replace("beam_size = 3", "beam_size = 2"))
    with pytest.raises(ModelFolderError, match="or delete SHA256SUMS if the change is yours"):
        load_model(model_folder)
    (model_folder / SUMS).unlink()
    assert load_model(model_folder).config.search.beam_size == 2


def test_a_folder_without_sums_loads_with_a_warning(old_folder):
    with pytest.warns(UserWarning, match="has no SHA256SUMS, so damage to its files may go unnoticed"):
        load_model(old_folder)


@pytest.mark.parametrize("content", ["", "no sums\n", "\udcff", "0" * 100_000, f"{'0' * 64}  config.toml\n"])
def test_sums_that_are_none_are_refused(content, model_folder):
    (model_folder / SUMS).write_text(content, errors="surrogateescape")
    with pytest.raises(ModelFolderError, match=SUMS):
        load_model(model_folder)


def test_new_metrics_get_a_new_sum_and_the_others_keep_theirs(model_folder):
    before = read_sums(model_folder / SUMS)
    (model_folder / "source.spm").write_bytes(b"damaged")
    update_metrics(model_folder, {"bleu": 30.0})
    after = read_sums(model_folder / SUMS)
    assert {name for name in FILES if after[name] != before[name]} == {"metrics.json"}
    assert after["metrics.json"] == hashlib.sha256((model_folder / "metrics.json").read_bytes()).hexdigest()


@pytest.mark.parametrize("moment", range(5))
def test_an_update_killed_at_any_moment_leaves_a_folder_that_loads(moment, model_folder, monkeypatch):
    replace, calls = os.replace, []

    def replace_or_die(*paths):
        if len(calls) == moment:
            raise Killed
        calls.append(paths)
        replace(*paths)

    with monkeypatch.context() as patch, contextlib.suppress(Killed):
        patch.setattr("os.replace", replace_or_die)
        update_metrics(model_folder, {"bleu": 30.0})
    load_model(model_folder)
    assert load_metrics(model_folder) == ({} if moment < 2 else {"bleu": 30.0})


def name_in_config(folder, key, path):
    """Lets the folder's `[data]` name this file."""
    value = f'"{path}"' if key == "links" else f'["{path}"]'
    config = folder / "config.toml"
    lines = [line for line in config.read_text().splitlines() if not line.startswith(f"{key} =")]
    config.write_text("\n".join([lines[0], f"{key} = {value}", *lines[1:]]))


@pytest.mark.parametrize("path", ["part-1.en", "part-*.en", "part-?.en", "part-[0-9].en", "parts/part-*"])
def test_a_config_s_file_that_is_a_link_out_of_the_folder_is_not_read(path, model_folder, tmp_path):
    (tmp_path / "part-1.en").write_text("a secret\n")
    (model_folder / "part-1.en").symlink_to(tmp_path / "part-1.en")
    (model_folder / "parts").symlink_to(tmp_path)
    name_in_config(model_folder, "train", path)
    with pytest.raises(ModelFolderError, match="refers to a file outside of it, which is not read"):
        load_data_config(model_folder)


@pytest.mark.parametrize("path", ["/*/*/*/*/*/*/*/none", "*/*/*/none", "*/part-1.en", "*/../*/../*/none"])
def test_a_pattern_of_folders_is_refused_before_anything_is_searched(path, model_folder):
    (model_folder / "everything").symlink_to("/")
    name_in_config(model_folder, "test", path)
    with pytest.raises(ModelFolderError, match="refers to files in folders by a pattern, which are not read"):
        load_data_config(model_folder)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_the_model_that_is_a_link_out_of_a_folder_nearby_is_not_read(
    name, model_folder, monkeypatch, tmp_path
):
    os.replace(model_folder / name, tmp_path / "secret")
    (model_folder / name).symlink_to(tmp_path / "secret")
    monkeypatch.chdir(model_folder.parent)
    with pytest.raises(ModelFolderError, match="refers to a file outside of it, which is not read"):
        load_config(model_folder.name)


def test_a_folder_may_be_called_as_if_it_were_a_pattern(model_folder, tmp_path):
    (tmp_path / "run1").mkdir()
    (tmp_path / "run1" / "config.toml").symlink_to("/dev/zero")
    folder = tmp_path / "run[1]"
    os.replace(model_folder, folder)
    assert load_config(folder) and load_data_config(folder)


def test_two_programs_save_one_after_the_other(tiny_trained, tmp_path):
    """This one saves the model anew, again and again; the other one adds scores, as `keras-attn evaluate` does."""
    folder = tmp_path / "model"
    save_model(folder, tiny_trained)
    code = (
        "import sys\nfrom keras_attn.storage.model_folder import update_metrics\n"
        "print(flush=True)\nfor i in range(30): update_metrics(sys.argv[1], {'score': i})"
    )
    with subprocess.Popen([sys.executable, "-c", code, folder], stdout=subprocess.PIPE) as other:
        other.stdout.readline()  # it has begun
        while other.poll() is None:
            save_model(folder, tiny_trained)
            time.sleep(0.01)  # or this process would ask for the lock first, again and again
    assert other.returncode == 0
    load_model(folder)
    update_metrics(folder, {"score": 200})
    assert load_metrics(folder)["score"] == 200
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".")]


def test_a_model_is_read_whole_while_another_process_saves(tiny_trained, tmp_path):
    folder = tmp_path / "model"
    save_model(folder, tiny_trained, {"number": 0})
    code = (
        "import sys\nfrom keras_attn.storage.model_folder import load_model, save_model\n"
        "trained = load_model(sys.argv[1])\nprint(flush=True)\n"
        "for i in range(1, 61): save_model(sys.argv[1], trained, {'number': i})"
    )
    numbers = []
    with subprocess.Popen([sys.executable, "-c", code, folder], stdout=subprocess.PIPE) as other:
        other.stdout.readline()  # it has begun
        while other.poll() is None:
            load_config(folder)
            numbers.append(load_metrics(folder)["number"])
    assert other.returncode == 0
    assert numbers == sorted(numbers) and load_metrics(folder)["number"] == 60


@pytest.mark.parametrize("path", ["/dev/zero", "../secret.en", "sub/../../secret.en"])
@pytest.mark.parametrize("key", ["train", "dev", "test", "links"])
def test_a_config_s_files_outside_the_folder_are_not_read(key, path, model_folder):
    name_in_config(model_folder, key, path)
    with pytest.raises(ModelFolderError, match="refers to a file outside of it, which is not read"):
        load_data_config(model_folder)


def test_a_config_s_files_in_the_folder_are_found_there(model_folder):
    assert load_data_config(model_folder).test == tuple(
        str(model_folder / name) for name in ("test.en", "test.fr")
    )
    for key in ("train", "dev", "links"):
        name_in_config(model_folder, key, f"of {key}")
    (model_folder / SUMS).unlink()
    data = load_data_config(model_folder)
    assert (data.train, data.dev) == ((str(model_folder / "of train"),), (str(model_folder / "of dev"),))
    assert data.links == str(model_folder / "of links")


@pytest.mark.parametrize("name", FILES)
def test_a_link_out_of_the_folder_is_not_followed(name, model_folder, tmp_path):
    (tmp_path / name).write_bytes((model_folder / name).read_bytes())
    (model_folder / name).unlink()
    (model_folder / name).symlink_to(tmp_path / name)
    with pytest.raises(ModelFolderError, match="outside of it, which is not read"):
        load_model(model_folder)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("embedding_dim", 200_000, "does not fit config.toml: the files belong to different models"),
        ("decoder_units", 10**9, "does not fit config.toml: the files belong to different models"),
        ("source_vocab_size", 10**9, "pieces, but the model in config.toml was built for 1000000000"),
        ("encoder_layers", 100_000, "model.encoder_layers takes at most 100; got 100000"),
        ("encoder_layers", 100, "does not fit config.toml: the files belong to different models"),
        ("beam_size", 1_000_000, "search.beam_size takes at most 1000; got 1000000"),
        ("max_length_extra", 10**15, "search.max_length_extra takes at most 10000"),
        ("batch_size", 10_000, "makes 30,000 hypotheses at once; a model folder may ask for 16,384"),
    ],
)
def test_sizes_are_compared_before_anything_is_built(key, value, message, old_folder, monkeypatch):
    config = old_folder / "config.toml"
    section, dot, rest = config.read_text().rpartition(f"{key} = ")
    config.write_text(f"{section}{dot}{value}\n{rest.partition(chr(10))[2]}")

    def build(*_, **__):
        pytest.fail("a model was built")

    monkeypatch.setattr("keras_attn.models.build.build_seq2seq", build)
    with pytest.raises(ModelFolderError, match=re.escape(message)):
        load_model(old_folder)


def test_what_is_saved_has_a_config_and_vocabularies(tiny_trained, tmp_path):
    with pytest.raises(TypeError, match="save_model takes a TrainedModel"):
        save_model(tmp_path / "model", tiny_trained.model)
    assert not (tmp_path / "model").exists()
