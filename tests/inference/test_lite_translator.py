"""`LiteTranslator`: what it does as `Translator` does, and what it leaves to Keras."""

import dataclasses
import shutil
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from keras_attn.config import Sampling
from keras_attn.inference import lite_translator as lite
from keras_attn.inference.lite_translator import LiteTranslator, lite_translator
from keras_attn.inference.translator import Translator
from keras_attn.storage import packaged
from keras_attn.storage.folder_files import ENGINE
from keras_attn.storage.model_folder import load_config, update_config

MODEL = packaged.folder("tatoeba-en-es")
LINES = ["Where is my book?", "", "I have a dog.", "She bought a new car yesterday.", "☃", "Thank you!"]


@pytest.fixture(scope="module")
def translator():
    return LiteTranslator(MODEL)


@pytest.fixture(scope="module")
def found(translator):
    return translator.translate(LINES)


def test_calling_gives_the_texts_of_translate(translator, found):
    assert translator(LINES) == [each.text for each in found]
    assert [each.source for each in found] == LINES
    assert [each.text == "" for each in found] == [False, True, False, False, True, False]


@pytest.mark.parametrize("batch_size", [3, 1000])
def test_the_batch_size_changes_nothing_even_beyond_what_runs_at_once(translator, batch_size):
    several = 5 if batch_size > 16 else 1
    assert translator(LINES * several, 1, batch_size=batch_size) == translator(LINES, 1) * several


def test_a_batch_size_of_0_is_refused(translator):
    with pytest.raises(ValueError, match="batch_size must be at least 1"):
        translator(LINES, batch_size=0)


def test_n_best_lists_begin_with_the_best(translator, found):
    for one, several in zip(found, translator.translate(LINES, n_best=3), strict=True):
        assert several.text == one.text and not one.alternatives
        assert len(several.alternatives) == (2 if one.text else 0)
        scores = [several.score, *(each.score for each in several.alternatives)]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize("n_best", [2, 5])
def test_n_best_lists_are_those_of_keras(translator, n_best):
    for ours, theirs in zip(
        translator.translate(LINES, n_best=n_best),
        Translator.load(MODEL).translate(LINES, n_best=n_best),
        strict=True,
    ):
        assert [each.text for each in ours.alternatives] == [each.text for each in theirs.alternatives]


def test_lines_with_an_index_of_their_own_are_taken_in_their_order(translator, found):
    class Part(list):
        """Like a part of a pandas.Series: `part[0]` is the line with the label 0, wherever it stands."""

        def __getitem__(self, label):
            return super().__getitem__(len(self) - 1 - label)

    assert translator.translate(Part(LINES)) == found


def test_a_score_is_the_log_probability_by_the_length_penalty():
    pronouncer = LiteTranslator(packaged.folder("cmudict"))
    for each in pronouncer.translate(["station", "cat", "otorhinolaryngology"]):
        assert each.score == pytest.approx(each.log_prob / ((5 + len(each.target_ids)) / 6), rel=1e-4)
    for each in pronouncer.translate(["station"], 1):
        assert each.log_prob < 0


def test_a_coverage_penalty_lowers_scores(found):
    for each in found:
        if each.text:
            assert each.score < each.log_prob / ((5 + len(each.target_ids)) / 6)


@pytest.mark.parametrize(
    ("beam_size", "options", "reason"),
    [
        (None, {}, None),
        (1, {"n_best": 1, "batch_size": 3, "word_scores": False, "prefix": "", "glossary": None}, None),
        (1, {"glossary": {}}, None),
        (5, {"length_penalty": 1.0, "diversity": 0.0, "min_length": 2}, None),
        (3, {}, "it has beams of 1 and 5, not of 3"),
        (None, {"length_penalty": 0.5}, "its length_penalty is 1.0, not 0.5"),
        (5, {"coverage_penalty": 0.5}, "its coverage_penalty is 0.05, not 0.5"),
        (None, {"diversity": 0.5}, "its diversity is 0.0, not 0.5"),
        (None, {"min_length": 3}, "its min_length is 2, not 3"),
        (None, {"no_repeat_ngram": 3}, "its no_repeat_ngram is 0, not 3"),
        (None, {"prefix": "Me"}, "it does not support prefix"),
        (None, {"prefix": []}, "it does not support prefix"),
        (None, {"prefix": np.array(["", ""])}, "it does not support prefix"),
        (None, {"glossary": {"dog": "perro"}}, "it does not support glossary"),
        (None, {"word_scores": True}, "it does not support word_scores"),
        (None, {"sampling": Sampling()}, "it does not sample"),
    ],
    ids=str,
)
def test_what_it_cannot_do_is_said_and_refused(translator, beam_size, options, reason):
    assert translator.refusal(beam_size, options) == reason
    if reason:
        with pytest.raises(ValueError, match=f"this needs the engine keras: .* {reason}"):
            translator.translate(LINES, beam_size, **options)


def test_what_it_cannot_do_is_left_to_keras_unless_the_engine_was_asked_for(translator, monkeypatch):
    monkeypatch.setattr(lite, "LiteTranslator", lambda folder, precision: translator)
    with pytest.raises(
        ValueError, match=r"the engine int8 of .* cannot do that: it does not support prefix\."
    ):
        lite_translator(MODEL, "int8", None, {"prefix": "Me"})
    with pytest.warns(
        UserWarning, match="translating with Keras, .* cannot do that, it does not support prefix"
    ):
        assert lite_translator(MODEL, "auto", None, {"prefix": "Me"}) is None


def test_an_unknown_option_is_an_error(translator):
    with pytest.raises(TypeError, match="unexpected keyword argument 'beem_size'"):
        translator(LINES, beem_size=3)


def test_more_hypotheses_than_the_beam_keeps_are_refused(translator):
    with pytest.raises(ValueError, match=r"n_best must be from 1 to .* keeps, 5\. Received: n_best=6"):
        translator.translate(LINES, n_best=6)


def test_more_than_a_text_is_not_asked_of_a_call(translator):
    with pytest.raises(
        ValueError, match=r"n_best does not apply here, .* Received: n_best=3\. .* use translate\(\)"
    ):
        translator(LINES, n_best=3)


def test_what_is_no_text_is_refused(translator):
    with pytest.raises(ValueError, match="expected text; got None in row 0"):
        translator([None])


@pytest.mark.parametrize(
    ("engine", "precision"), [("auto", "float32"), ("litert", "float32"), ("int8", "int8"), ("keras", None)]
)
def test_the_engine_that_is_asked_for_is_the_one_that_runs(translator, engine, precision, monkeypatch):
    read = []
    monkeypatch.setattr(
        lite, "LiteTranslator", lambda folder, precision: read.append(precision) or translator
    )
    assert (lite_translator(MODEL, engine, None, {}) is None) == (engine == "keras")
    assert read == ([precision] if precision else [])


def test_the_two_precisions_are_two(translator):
    int8 = LiteTranslator(MODEL, precision="int8")
    scores = [[each.score for each in which.translate(LINES[:1], 1)] for which in (translator, int8)]
    assert scores[0] != scores[1] and np.allclose(*scores, rtol=0.1)


@pytest.fixture
def folder(tmp_path):
    """A copy of a packaged model."""
    return shutil.copytree(MODEL, tmp_path / "model")


def test_a_folder_without_an_engine_is_left_to_keras_unless_its_engine_is_asked_for(folder):
    sums = (folder / "SHA256SUMS").read_text().splitlines(keepends=True)
    (folder / "SHA256SUMS").write_text("".join(line for line in sums if ENGINE not in line))
    (folder / ENGINE).unlink()
    assert lite_translator(folder, "auto", None, {}) is None
    with pytest.raises(ValueError, match="has no engine for its weights"):
        lite_translator(folder, "litert", None, {})


def test_an_engine_is_used_while_it_has_room_for_what_the_settings_allow(folder):
    search = load_config(folder).search
    most = search.length_limit(search.max_source_length - 1)
    update_config(folder, search=dataclasses.replace(search, beam_size=1))
    assert LiteTranslator(folder)(LINES[:1]) != [""]
    longer = dataclasses.replace(search, max_length_extra=search.max_length_extra + 1)
    assert longer.length_limit(search.max_source_length - 1) == most + 1
    update_config(folder, search=longer)
    with pytest.raises(ValueError, match="was made for shorter translations than"):
        LiteTranslator(folder)(LINES[:1])
    with pytest.warns(UserWarning, match="translating with Keras.*was made for shorter translations than"):
        assert lite_translator(folder, "auto", None, {}) is None


class Watched:
    """Graphs that refuse a source longer than any that their interpreter has run, see `LiteRTEngine._answer`."""

    def __init__(self, graphs):
        self._graphs, self._room = graphs, {}

    def open(self, signature, *, source, **others):
        self._graphs.open(signature, source=source, **others)
        self._room[signature] = source.shape[1]
        time.sleep(0.1)  # now another thread might open it

    def run(self, signature, *, source, **others):
        assert source.shape[1] <= self._room[signature]
        return self._graphs.run(signature, source=source, **others)


def test_threads_with_short_and_long_lines_do_not_take_each_others_interpreters():
    lines = ["otorhinolaryngologist" * 2, "cat"] * 4
    pronouncer = LiteTranslator(packaged.folder("cmudict"))
    pronouncer._engine._graphs = Watched(pronouncer._engine._graphs)
    with ThreadPoolExecutor(len(lines)) as pool:
        found = list(pool.map(lambda line: pronouncer([line], 1)[0], lines))
    assert found == pronouncer(lines[:2], 1) * 4
