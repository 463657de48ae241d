"""The description of a `.tflite` is checked before anything in it is used."""

import pytest

from keras_attn.config import SearchConfig
from keras_attn.export.description import (
    check_sums,
    files_in,
    read_litert_description,
    search_description,
    write_description,
)

INTERFACES = {
    "translate": {"inputs": {"source": {"shape": [1, 64], "dtype": "int32"}}},
    "translate_text": {"inputs": {"text": {"shape": [1, 512], "dtype": "int32"}}},
}
GOOD = {
    "keras_attn_export": "litert",
    "signatures": INTERFACES,
    "source_length": 64,
    "search": {"max_source_length": 64},
    "vocab_sizes": {"source": 60, "target": 70},
}
MOST = 100_000


@pytest.fixture
def described(tmp_path):
    """`described(key=value, ...)`: a folder with this in its description."""

    def described(**changes):
        (tmp_path / "model.tflite").write_bytes(b"graphs")
        write_description(tmp_path, "model.json", {**GOOD, **changes})
        return tmp_path

    return described


def of_text(shape):
    return {"signatures": {"translate_text": {"inputs": {"text": {"shape": shape}}}}}


def of_ids(dtype):
    return {"signatures": {"translate": {"inputs": {"source": {"dtype": dtype}}}}}


@pytest.mark.parametrize(
    ("signature", "changes"),
    [
        ("translate", {}),
        ("translate", {"source_length": None}),
        ("translate", {"source_length": 2, "search": {"max_source_length": 2}}),
        ("translate", {"source_length": MOST, "search": {"max_source_length": MOST}}),
        ("translate", {"vocab_sizes": {"source": 5}}),  # padding, unknown, BOS, EOS and one word
        ("translate", {**of_ids("float32"), "vocab_sizes": {"source": None}}),
        ("translate_text", {}),
        ("translate_text", of_text([1, 1])),
        ("translate_text", of_text([1, 8 * MOST])),
    ],
)
def test_what_an_export_may_say_is_read(described, signature, changes):
    assert read_litert_description(described(**changes), signature) == {**GOOD, **changes}


@pytest.mark.parametrize(
    ("signature", "changes", "name"),
    [
        ("translate", {"source_length": 1}, "source_length"),
        ("translate", {"source_length": MOST + 1}, "source_length"),
        ("translate", {"source_length": 64.0}, "source_length"),
        ("translate", {"search": {"max_source_length": 1}}, "search.max_source_length"),
        ("translate", {"search": {"max_source_length": MOST + 1}}, "search.max_source_length"),
        ("translate", {"search": {}}, "search.max_source_length"),
        ("translate", {"search": None}, "search.max_source_length"),
        ("translate", {"vocab_sizes": {"source": 4}}, "vocab_sizes.source"),
        ("translate", {"vocab_sizes": {"source": None}}, "vocab_sizes.source"),
        ("translate", of_ids("int64"), "signatures.translate.inputs.source.dtype"),
        ("translate_text", of_text([2, 512]), "signatures.translate_text.inputs.text.shape"),
        ("translate_text", of_text([1, 0]), "signatures.translate_text.inputs.text.shape"),
        ("translate_text", of_text([1, 8 * MOST + 1]), "signatures.translate_text.inputs.text.shape"),
        ("translate_text", of_text([1, 512, 1]), "signatures.translate_text.inputs.text.shape"),
        ("translate_text", of_text([1, True]), "signatures.translate_text.inputs.text.shape"),
        ("translate_text", {"signatures": []}, "signatures"),
    ],
)
def test_what_no_export_says_is_refused_by_name(described, signature, changes, name):
    with pytest.raises(ValueError, match=rf"model\.json is not usable: expected .+ as {name}$"):
        read_litert_description(described(**changes), signature)


def test_a_signature_that_a_file_has_not_is_named_with_those_it_has(described):
    folder = described()
    with pytest.raises(ValueError, match="has no signature 'align', but translate, translate_text: a model"):
        read_litert_description(folder, "align")


@pytest.mark.parametrize("content", ["{}", '{"keras_attn_export": 7}', "[]", "{"])
def test_a_description_that_does_not_say_its_kind_is_none(described, content):
    folder = described()
    (folder / "model.json").write_text(content)
    with pytest.raises(ValueError, match="does not describe an export"):
        read_litert_description(folder, "translate")


@pytest.mark.parametrize("name", ["model.tflite", "model.json"])
def test_each_of_the_two_files_is_compared_with_its_sum(described, name):
    folder = described()
    (folder / name).write_bytes((folder / name).read_bytes() + b"\n")
    with pytest.raises(ValueError, match=f"{name} is damaged or was changed"):
        read_litert_description(folder, "translate")


def test_a_missing_file_is_an_incomplete_export(described):
    folder = described()
    (folder / "model.tflite").unlink()
    with pytest.raises(ValueError, match=r"is not a complete export: it has no model\.tflite"):
        check_sums(folder, ["model.tflite", "model.json"])


def test_the_files_of_an_export_are_those_in_its_folders_too(described):
    folder = described()
    (folder / "variables").mkdir()
    (folder / "variables" / "data").touch()
    assert sorted(files_in(folder)) == ["model.json", "model.tflite", "variables/data"]


def test_the_search_of_an_export_has_no_batch_size():
    settings = SearchConfig(beam_size=7, length_penalty=0.5, batch_size=3, max_source_length=11)
    described = search_description(settings)
    assert "batch_size" not in described
    assert SearchConfig(**described, batch_size=3) == settings
