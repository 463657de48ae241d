"""Text in, text out, by LiteRT's built-in operators alone."""

import dataclasses
import json

import numpy as np
import pytest
import sentencepiece
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter

from keras_attn.export.litert import export_litert
from keras_attn.export.runner import LiteRTModel, LiteRTTranslator
from keras_attn.export.saved_model import export_saved_model
from keras_attn.inference.translator import Translator
from keras_attn.models.build import build_seq2seq
from keras_attn.special_ids import EOS_ID, UNK_ID
from keras_attn.text.capitals import with_lower_capitals
from keras_attn.text.tokenizer import Tokenizer

pytestmark = pytest.mark.slow

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
TEXT_PLACES = 8 * 16


@pytest.fixture(scope="module")
def int8(tmp_path_factory, tiny_trained, source_lines):
    """Greedy, with a vocabulary for each language."""
    folder = tmp_path_factory.mktemp("text") / "tiny"
    export_litert(tiny_trained, folder, precision="int8", sources=source_lines[:60])
    return folder


@pytest.fixture(scope="module")
def translator(beam_of_four):
    return LiteRTTranslator(beam_of_four[0])


@pytest.fixture(scope="module")
def keras_translate(digit_speller):
    """Keras, where it cuts at 15 sub-words too."""
    search = dataclasses.replace(digit_speller.config.search, max_source_length=16)
    config = dataclasses.replace(digit_speller.config, search=search)
    return Translator.from_trained(dataclasses.replace(digit_speller, config=config)).translate


def signature(folder, name):
    return Interpreter(str(folder / "model.tflite")).get_signature_runner(name)


def places(text, size=TEXT_PLACES):
    given = np.full([1, size], -1, np.int32)
    given[0, : len(text)] = list(text[:size])
    return given


def said(found, row=0):
    return bytes(found["text"][row, : found["lengths"][row]].astype(np.uint8)).decode("utf-8")


def test_text_and_scores_are_those_of_keras(translator, keras_translate, digit_pairs):
    for expected in keras_translate(digit_pairs[0]):
        found = translator.translate(expected.source)
        assert found == (expected.text, pytest.approx(expected.score, abs=1e-4), False, False)


def test_it_is_compared_with_keras_on_text(beam_of_four):
    _, parity = beam_of_four
    assert (parity.sentences, parity.identical) == (60, 60)
    assert parity.keras_bleu > 50


@pytest.mark.parametrize("line", WITHOUT_KNOWN_WORDS, ids=ascii)
def test_a_line_without_known_words_gives_nothing_and_the_score_0(translator, line):
    assert translator.translate("3 1").text
    assert translator.translate(line)[:3] == ("", 0.0, False)


@pytest.mark.parametrize("line", STRANGE, ids=ascii)
def test_strange_lines_give_what_keras_gives(translator, keras_translate, line):
    (expected,) = keras_translate([line])
    assert translator.translate(line)[:3] == (expected.text, pytest.approx(expected.score, abs=1e-3), False)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (b"3 \xff 1", "3 Ω 1"),
        (b"3 \xc3( 1", "3 Ω( 1"),
        (b"3 \xed\xa0\x80 1", "3 Ω 1"),
        (b"3\xf0\x9f\x98", "3Ω"),
    ],
)
def test_bytes_that_are_no_utf8_are_read_as_unknown_characters(beam_of_four, translator, text, same):
    found = signature(beam_of_four[0], "translate_text")(text=places(text))
    assert (said(found), found["unknown"].tolist()) == (translator.translate(same).text, [1])


@pytest.mark.parametrize(("line", "unknown"), [("3 1", False), ("3 Ω", True), ("☃", True), ("", False)])
def test_what_the_vocabulary_does_not_know_is_flagged(translator, line, unknown):
    assert translator.translate(line).unknown == unknown


@pytest.mark.filterwarnings("ignore:.*were cut there")
@pytest.mark.parametrize(("digits", "truncated"), [(15, False), (16, True), (17, True), (50_000, True)])
def test_longer_text_is_cut_where_keras_cuts_it_and_flagged(translator, keras_translate, digits, truncated):
    line = "3 " * digits
    (expected,) = keras_translate([line])
    found = translator.translate(line)
    assert (found.text, found.truncated) == (expected.text, truncated)


@pytest.mark.parametrize(
    "line",
    ["3" + " " * 200 + "1", "3 " + "Ω" * 200, "3 " + "\u200b" * 200 + "1"],
    ids=["spaces", "unknown", "invisible"],
)
def test_text_of_more_bytes_than_there_is_room_for_is_flagged_though_it_has_few_sub_words(translator, line):
    assert translator.translate(line).truncated


def test_a_beam_gives_its_translations_best_first(beam_of_four, digit_speller):
    found = signature(beam_of_four[0], "translate_text")(text=places(b"3 1 4"))
    (best,) = Translator.from_trained(digit_speller).translate(["3 1 4"], beam_size=4, n_best=4)
    expected = [best, *best.alternatives]
    assert [said(found, row) for row in range(4)] == [each.text for each in expected]
    assert found["scores"].tolist() == pytest.approx([each.score for each in expected], abs=1e-4)


def test_places_that_a_beam_leaves_empty_are_marked_by_their_scores(beam_of_four):
    found = signature(beam_of_four[0], "translate_text")(text=places(b""))
    assert found["scores"].tolist() == pytest.approx([0.0, -1e9, -1e9, -1e9])
    assert found["lengths"].tolist() == [0, 0, 0, 0]


@pytest.fixture
def silent(tiny_trained, tmp_path):
    """Exports a model that would rather say nothing, by the fewest tokens it may say."""
    model = build_seq2seq(tiny_trained.config.model)
    model.set_weights(tiny_trained.model.get_weights())
    output = model.get_layer("output")
    output.bias.assign([1e3 if word == EOS_ID else 0.0 for word in range(output.units)])

    def export(min_length):
        search = dataclasses.replace(tiny_trained.config.search, min_length=min_length)
        config = dataclasses.replace(tiny_trained.config, search=search)
        export_litert(dataclasses.replace(tiny_trained, config=config, model=model), tmp_path / "out")
        return tmp_path / "out"

    return export


def test_a_translation_without_words_is_empty(silent):
    assert LiteRTTranslator(silent(0))(["the cat", "a dog sees a bird"]) == ["", ""]


@pytest.mark.parametrize("fewest", [2, 4])
def test_a_host_that_takes_step_by_step_says_as_much_as_the_whole_search(silent, python_client, fewest):
    client = python_client(str(silent(fewest) / "model.tflite"))
    for line in ("the cat", "a dog sees a bird"):
        stream = list(client.stream(line))
        assert len(stream) == fewest - 1  # and the end
        assert stream[-1] == client(line).text != ""


def test_lines_in_capitals_are_read_in_small_letters_where_the_vocabulary_says_so(tiny_trained, tmp_path):
    quiet = Tokenizer(with_lower_capitals(tiny_trained.source_tokenizer.model_proto))
    trained = dataclasses.replace(tiny_trained, source_tokenizer=quiet)
    export_litert(trained, tmp_path / "phone")
    export_saved_model(trained, tmp_path / "server")
    serve = tf.saved_model.load(str(tmp_path / "server")).signatures["serving_default"]
    lines = ["THE CAT SEES A DOG.", "The cat sees a dog.", "THE cat", "A", "ÉÉ THE"]
    said = Translator.from_trained(trained)(lines, beam_size=1)
    assert said[0] == said[1] != Translator.from_trained(tiny_trained)(lines[:1], beam_size=1)[0]
    assert LiteRTTranslator(tmp_path / "phone")(lines) == said
    assert [line.decode() for line in serve(text=tf.constant(lines))["translation"].numpy()] == said


def test_int8_cuts_text_as_sentencepiece_does(int8, tiny_trained, source_lines):
    """Scores of pieces are kept as they are: with int8 ones, a fifth of real sentences were cut otherwise."""
    tokenize = signature(int8, "tokenize")
    reference = sentencepiece.SentencePieceProcessor(model_proto=tiny_trained.source_tokenizer.model_proto)
    for line in [*source_lines, "a  cat\tsees ﬁnds", "☃ dog"]:
        found = tokenize(text=places(line.encode(), 512))
        expected = [*reference.encode(line), EOS_ID]
        assert found["ids"][0].tolist() == expected + [0] * (64 - len(expected))
        assert (found["length"].tolist(), found["truncated"].tolist()) == ([len(expected) - 1], [0])
        assert found["unknown"].tolist() == [int(UNK_ID in expected)]


def test_each_language_has_its_own_vocabulary(int8, tiny_trained, target_lines):
    detokenize = signature(int8, "detokenize")
    for line, ids in zip(
        target_lines[:50], tiny_trained.target_tokenizer.encode(target_lines[:50]), strict=True
    ):
        found = detokenize(ids=np.array([[*ids, EOS_ID, *[0] * (63 - len(ids))]], np.int32))
        text = bytes(found["text"][0, : found["length"][0]].astype(np.uint8)).decode()
        assert text == line
        assert found["ends"][0, len(ids) - 1] == len(line.encode())


def test_what_tokenize_gives_is_what_translate_reads(beam_of_four, translator, digit_speller):
    ids = signature(beam_of_four[0], "tokenize")(text=places(b"3 1 4"))["ids"]
    found = signature(beam_of_four[0], "translate")(source=ids)
    best = found["ids"][0, : found["lengths"][0]].tolist()
    assert digit_speller.target_tokenizer.decode([best]) == [translator.translate("3 1 4").text]


@pytest.mark.parametrize("value", [-(2**31), -1000, 256, 2**31 - 1])
def test_numbers_that_are_no_bytes_end_the_text(beam_of_four, translator, value):
    given = places(b"3 1 4 1 5")
    given[0, 3] = value
    assert said(signature(beam_of_four[0], "translate_text")(text=given)) == translator.translate("3 1").text


@pytest.mark.parametrize("value", [-5, -(2**31), 60, 10**6, 2**31 - 1])
def test_ids_that_the_vocabulary_does_not_have_are_unknown_words(beam_of_four, value):
    given = np.zeros([1, 24], np.int32)
    given[0, :2] = [value, EOS_ID]
    found = signature(beam_of_four[0], "detokenize")(ids=given)
    assert bytes(found["text"][0, : found["length"][0]].astype(np.uint8)).decode() == " ⁇ "


def test_any_source_length_takes_text_too(greedy_of_any_length):
    folder, parity = greedy_of_any_length
    assert (parity.identical, parity.sentences) == (60, 60)
    about = json.loads((folder / "model.json").read_text())
    assert about["signatures"]["translate"]["inputs"]["source"]["shape"] == [1, None]
    longest = about["search"]["max_source_length"]
    assert about["signatures"]["tokenize"]["outputs"]["ids"]["shape"] == [1, longest]


def test_a_model_without_vocabularies_takes_no_text(tiny_trained, tmp_path):
    export_litert(tiny_trained.model, tmp_path / "out")
    with pytest.raises(
        ValueError, match="has no signature 'translate_text', but translate, encode, step, align"
    ):
        LiteRTTranslator(tmp_path / "out")
    assert LiteRTModel(tmp_path / "out").translate_ids([EOS_ID]) == ([], 0.0)
