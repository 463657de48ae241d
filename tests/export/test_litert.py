import dataclasses
import json
import zipfile
from importlib.metadata import version

import flatbuffers
import keras
import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.compiled_model import CompiledModel
from ai_edge_litert.interpreter import Interpreter

from keras_attn.config import DataConfig, ModelConfig, from_tables, without_unused
from keras_attn.corpora.attribution import attribution
from keras_attn.evaluation.scores import corpus_scores
from keras_attn.export import id_signatures
from keras_attn.export.conversion import ConversionError, convert
from keras_attn.export.litert import export_litert
from keras_attn.export.parity import ParityError
from keras_attn.export.runner import LiteRTModel, LiteRTTranslator
from keras_attn.inference.graphs import LocalGraphs
from keras_attn.inference.translator import Translator
from keras_attn.models.build import build_seq2seq
from keras_attn.special_ids import EOS_ID, UNK_ID

LSTM_LUONG = {
    "cell": "lstm",
    "attention": "luong",
    "query_state": "current",
    "feed": "attentional",
    "readout": "attentional",
    "tied_embeddings": "target",
}
CONDITIONAL = {"cell": "layer_norm_gru", "query_state": "intermediate"}
STACKED = {"encoder_layers": 2, "decoder_layers": 2, "residual": True, "readout": "plain", "feed": "none"}
NO_ATTENTION = {"attention": "none", "feed": "none", "cell": "lstm"}


def variant(trained, **choices):
    """The tiny model with other choices, and weights large enough to say different things."""
    table = {**dataclasses.asdict(trained.config.model), **choices}
    config = from_tables(without_unused({"model": table})).model
    keras.utils.set_random_seed(3)
    model = build_seq2seq(config)
    for variable in model.trainable_variables:
        if len(variable.shape) > 1:
            variable.assign(3 * variable.value)
    return dataclasses.replace(trained, config=dataclasses.replace(trained.config, model=config), model=model)


def parsed(folder):
    return schema.ModelT.InitFromPackedBuf((folder / "model.tflite").read_bytes(), 0)


def metadata(folder):
    """The file's `ModelMetadata`, a flatbuffer."""
    model = parsed(folder)
    (entry,) = [entry for entry in model.metadata if entry.name == b"TFLITE_METADATA"]
    return bytes(model.buffers[entry.buffer].data)


def licence(metadata):
    """The field `license` of a `ModelMetadata`, which is the sixth; None where there is none."""
    start = flatbuffers.encode.Get(flatbuffers.packer.uoffset, metadata, 0)
    table = flatbuffers.table.Table(metadata, start)
    offset = table.Offset(4 + 2 * 5)
    return table.String(table.Pos + offset).decode() if offset else None


def buffers_of_size(model, size):
    return sum(buffer.data is not None and len(buffer.data) == size for buffer in model.buffers)


@pytest.fixture
def exported(greedy_of_any_length):
    return greedy_of_any_length[0]


@pytest.fixture(scope="module")
def int8(tmp_path_factory, digit_speller, digit_pairs):
    folder = tmp_path_factory.mktemp("litert") / "digits"
    return folder, export_litert(
        digit_speller,
        folder,
        precision="int8",
        source_length=None,
        sources=digit_pairs[0],
        references=digit_pairs[1],
        padded=False,
    )


def test_a_float32_file_gives_the_ids_and_scores_that_keras_gives(exported, digit_speller, digit_pairs):
    run = LiteRTModel(exported)
    for expected in Translator.from_trained(digit_speller).translate(digit_pairs[0], beam_size=1):
        ids, score = run.translate_ids(expected.source_ids)
        assert tuple(ids) == expected.target_ids
        assert score == pytest.approx(expected.score, abs=1e-4)


def test_beam_search_at_a_fixed_source_length_is_that_of_keras(beam_of_four, digit_speller, digit_pairs):
    _, parity = beam_of_four
    assert (parity.sentences, parity.identical) == (60, 60)
    sources, references = digit_pairs
    said = Translator.from_trained(digit_speller)(sources, beam_size=4)
    assert parity.keras_bleu == corpus_scores(said, references).bleu > 50


@pytest.mark.parametrize(
    ("choices", "beam_size", "source_length"),
    [
        (LSTM_LUONG, 4, None),
        (LSTM_LUONG, 1, 24),
        (STACKED, 1, None),
        (CONDITIONAL, 4, 24),
        (NO_ATTENTION, 4, 24),
        ({"attention_heads": 2}, 4, 24),
        ({"attention": "coverage"}, 4, 24),
        ({"attention": "monotonic"}, 1, 24),
        ({"attention": "local-m", "attention_window": 3}, 1, None),
        ({"attention": "local-p", "attention_window": 3}, 4, 24),
        ({"encoder": "transformer", "encoder_heads": 2, "encoder_layers": 2}, 1, 24),
    ],
    ids=[
        "lstm luong",
        "lstm luong fixed",
        "stacked gru",
        "conditional gru",
        "no attention fixed",
        "two heads",
        "coverage",
        "monotonic",
        "local-m",
        "local-p",
        "transformer",
    ],
)
def test_every_kind_of_model_converts_and_says_what_keras_says(
    tiny_trained, source_lines, tmp_path, choices, beam_size, source_length
):
    """Of ids: the graphs of text are the same for every kind, and would take as long again."""
    trained = variant(tiny_trained, **choices)
    rows = [[*ids, EOS_ID] for ids in trained.source_tokenizer.encode(source_lines[:60])]
    sources = np.array([[*ids, *[0] * (24 - len(ids))] for ids in rows], np.int32)
    parity = export_litert(
        trained.model,
        tmp_path / "out",
        beam_size=beam_size,
        source_length=source_length,
        max_length=24,
        sources=sources,
        padded=source_length is not None,
    )
    assert parity.sentences == 60
    assert parity.identical + parity.ties == 60


def test_int8_says_almost_the_same(int8):
    assert int8[1].identical >= 55
    assert abs(int8[1].bleu - int8[1].keras_bleu) < 5


def test_only_built_in_operators_are_used(exported, beam_of_four, int8):
    for folder in (exported, beam_of_four[0], int8[0]):
        codes = parsed(folder).operatorCodes
        assert {code.customCode for code in codes} == {None}
        assert schema.BuiltinOperator.CUSTOM not in {code.builtinCode for code in codes}


def test_tied_embeddings_are_stored_once(exported, int8, digit_speller):
    table = digit_speller.config.model.target_vocab_size * digit_speller.config.model.embedding_dim
    assert buffers_of_size(parsed(int8[0]), table) == 1
    assert buffers_of_size(parsed(exported), 4 * table) == 1


def test_int8_takes_little_more_than_a_byte_a_parameter(tmp_path):
    config = ModelConfig(source_vocab_size=4000, target_vocab_size=4000, tied_embeddings="all")
    export_litert(build_seq2seq(config), tmp_path / "out", precision="int8")
    about = json.loads((tmp_path / "out" / "model.json").read_text())
    with zipfile.ZipFile(tmp_path / "out" / "model.tflite") as archive:
        graphs = min(info.header_offset for info in archive.infolist())
    assert about["bytes_per_parameter"] == pytest.approx(graphs / about["parameters"], abs=0.0006)
    assert about["bytes_per_parameter"] <= 1.15
    assert about["precision"] == "int8"


@pytest.mark.parametrize("ids", [[], [EOS_ID], [0, 0, 0]])
def test_a_source_without_words_translates_to_nothing(exported, beam_of_four, ids):
    for folder in (exported, beam_of_four[0]):
        assert LiteRTModel(folder).translate_ids(ids) == ([], 0.0)


def test_the_longest_source_comes_first_where_sources_may_grow(exported, beam_of_four, monkeypatch):
    """After a source that is longer than all before, LiteRT's kernels get some interpreters wrong: one in ten to one in a hundred,
    so that no number of tries would prove anything."""
    first = []
    monkeypatch.setattr(LocalGraphs, "open", lambda self, signature, **inputs: first.append(inputs))
    description = LiteRTModel(exported, isolated=False).description
    assert first[0]["source"].shape == (1, description["search"]["max_source_length"])
    LiteRTModel(beam_of_four[0], isolated=False)
    assert first[1] == {}  # of one length: nothing grows


def test_sentences_that_grow_longer_are_right(tiny_trained, source_lines, tmp_path):
    export_litert(tiny_trained, tmp_path / "out", source_length=None, padded=False)
    expected = Translator.from_trained(tiny_trained).translate(source_lines, beam_size=1)
    growing = sorted(expected, key=lambda translation: len(translation.source_ids))
    run = LiteRTModel(tmp_path / "out")
    assert [tuple(run.translate_ids(each.source_ids)[0]) for each in growing] == [
        each.target_ids for each in growing
    ]


def test_lines_of_any_kind_give_a_line_each(exported, digit_speller):
    lines = ["", "3 1", "  ", "3\n1", "Ω", "3 1 4 1 5 9 2 6 5 3 5"]
    assert LiteRTTranslator(exported)(lines) == Translator.from_trained(digit_speller)(lines, beam_size=1)


@pytest.mark.filterwarnings("ignore:.*were cut there")
def test_longer_input_is_cut_at_the_fixed_length(beam_of_four):
    translate, line = LiteRTTranslator(beam_of_four[0]).translate, "3 1 4 "
    assert (translate(line * 5).truncated, translate(line * 6).truncated) == (
        False,
        True,
    )  # of 15 sub-words, and of 18
    assert translate(line * 20).text == translate(line * 5).text


def test_any_length_may_have_a_limit(digit_speller, beam_of_four, tmp_path):
    export_litert(digit_speller, tmp_path / "out", beam_size=4, source_length=16, max_length=24, padded=False)
    unpadded, padded = LiteRTTranslator(tmp_path / "out"), LiteRTTranslator(beam_of_four[0])
    short, long = ["3 1"], ["3 1 4 1 5 9 2 6 5 3 5 8 9 7 9"]
    assert unpadded(short) == padded(short)
    assert unpadded(long) == padded(long)  # both are cut at 15 sub-words
    assert json.loads((tmp_path / "out" / "model.json").read_text())["search"]["max_source_length"] == 16


def test_a_file_is_not_longer_than_its_model_reads(digit_speller, tmp_path):
    search = dataclasses.replace(digit_speller.config.search, max_source_length=16)
    model = dataclasses.replace(
        digit_speller, config=dataclasses.replace(digit_speller.config, search=search)
    )
    with pytest.warns(UserWarning, match="takes 16 source ids, not 40"):
        export_litert(model, tmp_path / "out", source_length=40, max_length=24)
    assert json.loads((tmp_path / "out" / "model.json").read_text())["source_length"] == 16


def test_ids_that_just_fit_the_fixed_length_are_taken(beam_of_four, digit_speller):
    words = "3 1 4 " * 5  # of 15 sub-words
    ids = [*digit_speller.source_tokenizer.encode([words])[0], EOS_ID]
    said, score = LiteRTModel(beam_of_four[0]).translate_ids(ids)
    text = LiteRTTranslator(beam_of_four[0]).translate(words)
    assert (len(ids), digit_speller.target_tokenizer.decode([said])[0]) == (16, text.text)
    assert score == pytest.approx(text.score, abs=1e-4)


def test_more_ids_than_the_fixed_length_are_refused(beam_of_four):
    with pytest.raises(ValueError, match="takes at most 16 source ids, EOS included; got 17"):
        LiteRTModel(beam_of_four[0]).translate_ids([4] * 16 + [EOS_ID])


def test_the_runtime_of_browsers_runs_a_fixed_length(beam_of_four, digit_speller):
    model = CompiledModel.from_file(str(beam_of_four[0] / "model.tflite"))
    signature = model.get_signature_index("translate")
    outputs = model.get_signature_list()["translate"]["outputs"]
    run = LiteRTModel(beam_of_four[0])
    ids = [*digit_speller.source_tokenizer.encode(["3 1 4"])[0], EOS_ID]
    inputs, results = model.create_input_buffers(signature), model.create_output_buffers(signature)
    inputs[0].write(np.array([ids + [0] * (16 - len(ids))], "int32"))
    model.run_by_index(signature, inputs, results)
    found = results[outputs.index("ids")].read(4 * 24, np.int32)[:24].tolist()
    expected, _ = run.translate_ids(ids)
    assert found == expected + [0] * (24 - len(expected))


@pytest.mark.parametrize(("words", "limit"), [(0, 0), (1, 12), (6, 22), (7, 24), (15, 24)])
def test_encode_tells_how_many_tokens_a_translation_may_have(beam_of_four, words, limit):
    """Twice as many as there are sub-words and ten more, and no more than the 24 that the file has room for."""
    encode = Interpreter(str(beam_of_four[0] / "model.tflite")).get_signature_runner("encode")
    source = np.array([[4] * words + [EOS_ID] + [0] * (15 - words)], np.int32)
    assert encode(source=source)["limit"].tolist() == [limit]


def test_a_step_takes_a_token_that_the_vocabulary_has_not_for_the_unknown_one(beam_of_four):
    interpreter = Interpreter(str(beam_of_four[0] / "model.tflite"))
    source = np.array([[4, 5, EOS_ID, *[0] * 13]], np.int32)
    state = interpreter.get_signature_runner("encode")(source=source)
    state = {name: value for name, value in state.items() if name not in ("limit", "truncated")}
    step = interpreter.get_signature_runner("step")
    found = [
        step(token=np.array([token], np.int32), **state)["log_probs"] for token in (UNK_ID, 10**6, -1, 5)
    ]
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])
    assert not np.array_equal(found[3], found[0])


@pytest.mark.parametrize("name", ["translate", "align", "encode"])
def test_ids_that_leave_no_room_for_their_end_are_flagged(beam_of_four, name):
    run = Interpreter(str(beam_of_four[0] / "model.tflite")).get_signature_runner(name)
    sources = [[4] * 15 + [EOS_ID], [4] * 16, [4] * 15 + [0]]
    assert [run(source=np.array([ids], np.int32))["truncated"].tolist() for ids in sources] == [[0], [1], [0]]


@pytest.mark.parametrize("load", [LiteRTModel, LiteRTTranslator])
def test_the_interpreter_has_as_many_threads_as_it_is_told(beam_of_four, monkeypatch, load):
    made = []

    def noted(**options):
        made.append(options["num_threads"])
        return Interpreter(**options)

    monkeypatch.setattr("ai_edge_litert.interpreter.Interpreter", noted)
    load(beam_of_four[0], isolated=False)
    load(beam_of_four[0], num_threads=2, isolated=False)
    assert made == [1, 2]


def test_an_alignment_is_as_wide_as_the_source_that_was_given(exported, digit_speller):
    align = Interpreter(str(exported / "model.tflite")).get_signature_runner("align")
    translator = Translator.from_trained(digit_speller)
    for line in ("3 1 4 1 5 9", "3"):  # the longest first, see `LiteRTModel`
        (expected,) = translator.translate([line], beam_size=1)
        found = align(source=np.array([expected.source_ids], np.int32))
        weights = found["weights"][0, : found["lengths"][0]]
        assert weights.shape == expected.weights.shape
        np.testing.assert_allclose(weights, expected.weights, atol=1e-4)


def test_the_folder_is_the_file_and_its_description(beam_of_four, digit_speller):
    folder, parity = beam_of_four
    assert {path.name for path in folder.iterdir()} == {"model.tflite", "model.json", "SHA256SUMS"}
    about = json.loads((folder / "model.json").read_text())
    assert about["languages"] == {"source": "digits", "target": "names"}
    assert about["special_ids"] == {"pad": 0, "unk": 1, "bos": 2, "eos": 3}
    assert about["bytes"] == (folder / "model.tflite").stat().st_size
    assert (about["source_length"], about["max_length"], about["precision"]) == (16, 24, "float32")
    assert (about["search"]["beam_size"], about["search"]["max_source_length"]) == (4, 16)
    assert about["keras_attn"] == version("keras-attn")
    assert about["parameters"] == digit_speller.model.count_params()
    assert about["parity"] == parity.as_dict()


def test_one_file_is_enough(beam_of_four):
    folder, _ = beam_of_four
    with zipfile.ZipFile(folder / "model.tflite") as archive:
        assert set(archive.namelist()) == {"model.json", "graphs.sha256"}
        about = json.loads(archive.read("model.json"))
    beside = json.loads((folder / "model.json").read_text())
    assert {**about, "parity": None} == {
        **{key: value for key, value in beside.items() if not key.startswith("bytes")},
        "parity": None,
    }


def test_the_metadata_name_the_files(beam_of_four):
    content = metadata(beam_of_four[0])
    assert content[4:8] == b"M001"  # the identifier of TensorFlow Lite's metadata
    assert b"model.json" in content and b"digits to names" in content
    assert licence(content) is None


def test_a_model_that_learned_from_tatoeba_says_so_in_its_metadata_and_its_description(
    tiny_trained, tmp_path
):
    config = dataclasses.replace(tiny_trained.config, data=DataConfig(corpus="tatoeba"))
    export_litert(dataclasses.replace(tiny_trained, config=config), tmp_path / "out", precision="int8")
    about = json.loads((tmp_path / "out" / "model.json").read_text())
    assert licence(metadata(tmp_path / "out")) == about["attribution"] == attribution("tatoeba")


def test_the_description_gives_the_files_own_names_shapes_and_types(beam_of_four):
    folder, _ = beam_of_four
    about = json.loads((folder / "model.json").read_text())
    interpreter = Interpreter(str(folder / "model.tflite"))
    assert set(interpreter.get_signature_list()) == {
        *("translate", "align", "encode", "step"),
        *("tokenize", "detokenize", "translate_text"),
    }
    for signature, described in about["signatures"].items():
        runner = interpreter.get_signature_runner(signature)
        inputs = {name: np.zeros(x["shape"], x["dtype"]) for name, x in described["inputs"].items()}
        assert {
            name: (x["shape"].tolist(), x["dtype"]) for name, x in runner.get_input_details().items()
        } == {name: (list(x.shape), x.dtype) for name, x in inputs.items()}
        outputs = {
            name: {"shape": list(x.shape), "dtype": x.dtype.name} for name, x in runner(**inputs).items()
        }
        assert outputs == described["outputs"]


def test_the_same_model_gives_the_same_bytes(tiny_trained, tmp_path):
    for name in ("once", "again"):
        export_litert(tiny_trained, tmp_path / name, precision="int8")
    files = [
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("once", "again")
    ]
    assert files[0] == files[1]


def test_a_file_that_says_something_else_is_not_left_behind(
    digit_speller, digit_pairs, tmp_path, monkeypatch
):
    def wrong_weights(model):
        with tf.init_scope():
            values = [(variable, -variable.numpy()) for variable in model.variables]
        return keras.StatelessScope(
            state_mapping=[(variable, tf.constant(value)) for variable, value in values]
        )

    monkeypatch.setattr(id_signatures, "constant_weights", wrong_weights)
    with pytest.raises(ParityError, match="differently from Keras"):
        export_litert(digit_speller, tmp_path / "out", sources=digit_pairs[0])
    assert not list(tmp_path.iterdir())


def test_a_second_export_replaces_the_first(model_folder, tmp_path):
    for max_length in (5, 6):
        export_litert(model_folder, tmp_path / "out", precision="int8", max_length=max_length)
    assert json.loads((tmp_path / "out" / "model.json").read_text())["max_length"] == 6
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_an_operator_that_is_not_built_in_is_named():
    def determinant(source):
        return {"ids": tf.linalg.det(tf.reshape(tf.cast(source, tf.float32), (2, 2)))}

    function = tf.function(determinant, [tf.TensorSpec([1, 4], tf.int32, name="source")])
    with pytest.raises(ConversionError, match=r"no built-in operator for tf\.MatrixDeterminant"):
        convert({"translate": function.get_concrete_function()}, "float32")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"precision": "int8-full"}, "full-integer quantisation is not supported: .* Use precision='int8'"),
        ({"precision": "float16"}, "precision must be one of float32, int8"),
        ({"source_length": 1}, "source_length must be at least 2: a word and EOS"),
        ({"max_length": 0}, "max_length must be at least 1"),
        ({"beam_size": 0}, "beam_size must be at least 1"),
        ({"sources": ["one"]}, "at least 50 sentences or inputs; got 1"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_before_anything_is_written(
    tiny_trained, tmp_path, arguments, message
):
    with pytest.raises(ValueError, match=message):
        export_litert(tiny_trained, tmp_path / "out", **arguments)
    assert not list(tmp_path.iterdir())


def test_a_word_and_its_end_are_a_source_and_one_token_a_translation(tiny_trained, tmp_path):
    with pytest.raises(ValueError, match="at least 50 sentences"):  # which is looked at after the lengths
        export_litert(tiny_trained, tmp_path / "out", source_length=2, max_length=1, sources=["one"])


def test_a_folder_that_is_no_export_is_no_translator(tmp_path):
    with pytest.raises(ValueError, match="does not describe an export"):
        LiteRTTranslator(tmp_path)
