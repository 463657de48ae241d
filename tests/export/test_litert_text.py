"""Text in, text out, by the runtime that has tensorflow-text's operators."""

import dataclasses
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, InterpreterWithCustomOps
from tensorflow_text import tflite_registrar

from keras_attn.export.associated_files import read_files
from keras_attn.export.conversion import ConversionError, convert
from keras_attn.export.litert import export_litert
from keras_attn.export.runner import LiteRTTextTranslator, LiteRTTranslator
from keras_attn.export.text_signature import TEXT_OPERATORS
from keras_attn.inference.translator import Translator
from keras_attn.models.build import build_seq2seq
from keras_attn.special_ids import EOS_ID

CLIENT = Path(__file__).parents[2] / "export" / "python" / "text_translator.py"
HOSTILE = Path(__file__).parents[2] / "benchmarks" / "hostile_litert.py"
WITHOUT_KNOWN_WORDS = ["", "  ", " \t\n", "\u200b", "\u3000", "Ω", "日本語 😀"]
STRANGE = [
    "3 Ω 1",
    "3 😀",
    "👨\u200d👩\u200d👧 3",
    "שלום 3 مرحبا",
    "\u202e3 1",
    "3\x001",
    "3 1\x00",
    "\x00",
    "3\r\n1",
    "<s>",
    "3 </s> 1",
    "<pad> 3",
    "3 \ud800 1",
]


@pytest.fixture(scope="module")
def exported(tmp_path_factory, digit_speller, digit_pairs):
    """A beam of 4, float32, for 15 sub-words."""
    folder = tmp_path_factory.mktemp("text") / "digits"
    return folder, export_litert(
        digit_speller,
        folder,
        beam_size=4,
        source_length=16,
        max_length=24,
        sources=digit_pairs[0],
        references=digit_pairs[1],
        text=True,
    )


@pytest.fixture(scope="module")
def translator(exported):
    return LiteRTTextTranslator(exported[0])


@pytest.fixture(scope="module")
def two_vocabularies(tmp_path_factory, tiny_trained, source_lines):
    """Greedy, float32."""
    folder = tmp_path_factory.mktemp("text") / "tiny"
    return folder, export_litert(tiny_trained, folder, sources=source_lines[:60], text=True)


@pytest.fixture(scope="module")
def keras_translate(digit_speller):
    """Keras, where it cuts at 15 sub-words too."""
    search = dataclasses.replace(digit_speller.config.search, max_source_length=16)
    config = dataclasses.replace(digit_speller.config, search=search)
    return Translator.from_trained(dataclasses.replace(digit_speller, config=config)).translate


def run_bytes(folder, *texts):
    interpreter = InterpreterWithCustomOps(
        tflite_registrar.SELECT_TFTEXT_OPS, model_path=str(folder / "model.tflite")
    )
    return interpreter.get_signature_runner("translate_text")(text=np.array(texts, object))


def test_text_and_scores_are_those_of_keras(translator, keras_translate, digit_pairs):
    for expected in keras_translate(digit_pairs[0]):
        found = translator.translate(expected.source)
        assert found == (expected.text, pytest.approx(expected.score, abs=1e-4), False)


def test_it_is_compared_with_keras_on_text(exported):
    _, parity = exported
    assert (parity.sentences, parity.identical) == (60, 60)
    assert parity.keras_bleu > 50


@pytest.mark.parametrize("line", WITHOUT_KNOWN_WORDS, ids=ascii)
def test_a_line_without_known_words_gives_nothing_and_the_score_0(translator, line):
    assert translator.translate("3 1").text
    assert translator.translate(line) == ("", 0.0, False)


@pytest.mark.parametrize("line", STRANGE, ids=ascii)
def test_strange_lines_give_what_keras_gives(translator, keras_translate, line):
    (expected,) = keras_translate([line])
    assert translator.translate(line) == (expected.text, pytest.approx(expected.score, abs=1e-3), False)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (b"3 \xff 1", "3 Ω 1"),
        (b"3 \xc3( 1", "3 Ω( 1"),
        (b"3 \xed\xa0\x80 1", "3 Ω 1"),
        (b"3\xf0\x9f\x98", "3Ω"),
    ],
)
def test_bytes_that_are_no_utf8_are_read_as_unknown_characters(exported, translator, text, same):
    found = run_bytes(exported[0], text)["translation"][0].decode("utf-8")
    assert found == translator.translate(same).text


def test_of_several_strings_the_first_is_translated_and_of_none_nothing(exported, translator):
    assert run_bytes(exported[0], b"3 1", b"4")["translation"].tolist() == [
        translator.translate("3 1").text.encode()
    ]
    assert run_bytes(exported[0])["translation"].tolist() == [b""]


@pytest.mark.filterwarnings("ignore:.*were cut there")
@pytest.mark.parametrize(("digits", "truncated"), [(15, False), (16, True), (17, True), (50_000, True)])
def test_longer_text_is_cut_where_keras_cuts_it_and_flagged(
    translator, keras_translate, digit_speller, digits, truncated
):
    line = "3 " * digits
    assert len(digit_speller.source_tokenizer.encode([line])[0]) == digits
    found = translator.translate(line)
    (expected,) = keras_translate([line])
    assert (found.text, found.truncated) == (expected.text, truncated)


def test_a_translation_without_words_is_empty(tiny_trained, tmp_path):
    silent = build_seq2seq(tiny_trained.config.model)
    silent.set_weights(tiny_trained.model.get_weights())
    output = silent.get_layer("output")
    output.bias.assign([1e3 if word == EOS_ID else 0.0 for word in range(output.units)])
    export_litert(dataclasses.replace(tiny_trained, model=silent), tmp_path / "out", text=True)
    assert LiteRTTextTranslator(tmp_path / "out")(["the cat", "a dog sees a bird"]) == ["", ""]


def test_each_language_has_its_own_vocabulary(two_vocabularies):
    _, parity = two_vocabularies
    assert parity.identical + parity.ties == 60


def test_int8_says_almost_the_same(digit_speller, digit_pairs, tmp_path):
    parity = export_litert(
        digit_speller,
        tmp_path / "out",
        precision="int8",
        source_length=16,
        sources=digit_pairs[0],
        references=digit_pairs[1],
        text=True,
    )
    assert parity.identical >= 55


def test_the_only_other_operators_are_those_of_tensorflow_text(exported):
    folder, _ = exported
    codes = schema.ModelT.InitFromPackedBuf((folder / "model.tflite").read_bytes(), 0).operatorCodes
    custom = {code.customCode.decode() for code in codes if code.customCode}
    assert custom == {*json.loads((folder / "model.json").read_text())["custom_operators"]}
    assert all(name.startswith("TFText>") for name in custom)
    with pytest.raises(RuntimeError, match="unresolved custom op: TFText>FastSentencepieceTokenize"):
        Interpreter(str(folder / "model.tflite")).allocate_tensors()


def test_the_vocabularies_are_in_the_graph_alone(exported):
    folder, _ = exported
    assert {path.name for path in folder.iterdir()} == {"model.tflite", "model.json", "SHA256SUMS"}
    assert read_files((folder / "model.tflite").read_bytes()).keys() == {"model.json"}


def test_the_description_gives_the_files_own_names_shapes_and_types(exported):
    folder, parity = exported
    about = json.loads((folder / "model.json").read_text())
    assert about["parity"] == parity.as_dict()
    text = {"shape": [1], "dtype": "string"}
    assert about["signatures"] == {
        "translate_text": {
            "inputs": {"text": text},
            "outputs": {
                "score": {"shape": [1], "dtype": "float32"},
                "translation": text,
                "truncated": {"shape": [1], "dtype": "int32"},
            },
        }
    }
    found = run_bytes(folder, b"3 1")
    assert {name: (tensor.shape, tensor.dtype) for name, tensor in found.items()} == {
        "score": ((1,), np.float32),
        "translation": ((1,), object),
        "truncated": ((1,), np.int32),
    }


def test_the_same_model_gives_the_same_bytes(two_vocabularies, tiny_trained, tmp_path):
    export_litert(tiny_trained, tmp_path / "again", text=True)
    once, again = (
        (folder / "model.tflite").read_bytes() for folder in (two_vocabularies[0], tmp_path / "again")
    )
    assert once == again


def test_an_operator_that_no_host_has_is_named():
    def determinant(source):
        return {"ids": tf.linalg.det(tf.reshape(tf.cast(source, tf.float32), (2, 2)))}

    function = tf.function(determinant, [tf.TensorSpec([1, 4], tf.int32, name="source")])
    with pytest.raises(ConversionError, match="no built-in operator for MatrixDeterminant"):
        convert({"translate_text": function.get_concrete_function()}, "float32", TEXT_OPERATORS)


def test_a_file_of_text_is_padded(tiny_trained, tmp_path):
    with pytest.raises(ValueError, match="pads it inside: leave padded=True"):
        export_litert(tiny_trained, tmp_path / "out", padded=False, text=True)
    assert not list(tmp_path.iterdir())


def test_a_file_of_text_is_none_of_ids(exported):
    with pytest.raises(ValueError, match="has no signature 'translate', but translate_text"):
        LiteRTTranslator(exported[0])


def test_the_client_translates_lines_without_keras_attn(exported, translator):
    program = f"import sys; sys.argv[0] = {str(CLIENT)!r}; exec(open({str(CLIENT)!r}).read()); "
    program += "print('keras_attn' in sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", program, str(exported[0] / "model.tflite")]
    lines = ["3 1", "", "Ω", "3 1 4 1 5 9"]
    run = subprocess.run(
        command, input="\n".join(lines).encode() + b"\n3 \xff\n", capture_output=True, check=True
    )
    assert run.stdout.decode().splitlines() == translator([*lines, "3 Ω"])
    assert run.stderr.splitlines()[-1] == b"False"


def test_hostile_text_gets_an_answer(exported):
    command = [sys.executable, HOSTILE, exported[0] / "model.tflite", "--text"]
    result = subprocess.run([*command, "--count", "250", "--limit", "300"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "250 calls, 0 refused, 0 failures" in result.stdout


def test_the_client_tells_what_is_wrong_with_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(CLIENT), str(tmp_path / "missing.tflite")])
    with pytest.raises(SystemExit, match="2"):
        runpy.run_path(str(CLIENT), run_name="__main__")
    assert re.fullmatch(r"Error: .*missing\.tflite.*\n", capsys.readouterr().err)
