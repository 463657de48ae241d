"""`BulkTranslator` by itself."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from keras_attn.inference import bulk
from keras_attn.inference.bulk import BulkTranslator
from keras_attn.storage import packaged

MODEL = "tatoeba-en-es"


@pytest.mark.slow
def test_a_column_of_translations_is_added_and_the_others_stay(lines, expected):
    batch = {"text": np.array(lines, dtype=object), "id": np.arange(len(lines))}
    found = BulkTranslator(MODEL, beam_size=1)(batch)
    assert list(found) == ["text", "id", "translation"]
    assert found["translation"].tolist() == expected
    assert found["id"] is batch["id"]


def test_a_used_one_travels_without_its_model_and_says_the_same():
    used = BulkTranslator(MODEL, source="en", target="es", beam_size=1)
    batch = {"en": np.array(["Where is the station?", ""])}
    first = used(batch)["es"].tolist()
    sent = pickle.dumps(used)
    assert len(sent) < 1000
    assert pickle.loads(sent)(batch)["es"].tolist() == first
    assert first[1] == "" and first[0] != ""


def test_it_loads_when_it_is_first_called_and_never_keras():
    code = (
        "import sys; from keras_attn.inference.bulk import BulkTranslator; b = BulkTranslator('tatoeba-en-es');"
        "before = 'ai_edge_litert.interpreter' in sys.modules; b({'text': ['Hello.']});"
        "print(before, [m for m in ('tensorflow', 'keras') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False []\n"


@pytest.fixture
def asked(monkeypatch):
    """What a translator of every engine is asked for; it says it in capitals."""
    asked = []

    class Shouting:
        def __call__(self, lines, beam_size, **options):
            asked.append((lines, beam_size, options))
            return [line.upper() for line in lines]

    def load(folder, engine, beam_size, options):
        asked.append((str(folder), engine, beam_size, options))
        return None if engine == "keras" else Shouting()

    def load_keras(folder):
        asked.append(f"keras {folder}")
        return Shouting()

    monkeypatch.setattr(bulk, "lite_translator", load)
    monkeypatch.setattr("keras_attn.inference.translator.Translator.load", load_keras)
    return asked


def test_what_is_asked_for_reaches_the_translator_which_is_loaded_once(asked, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    options = {"length_penalty": 0.5, "batch_size": 7}
    translate = BulkTranslator("model", engine="int8", source="en", target="es", beam_size=3, **options)
    monkeypatch.chdir("/")  # as in another process
    batch = {"en": np.array(["a", "b"]), "es": np.array(["old", "old"]), "n": np.arange(2)}
    for _ in range(2):
        found = translate(batch)
        assert list(found) == ["en", "es", "n"] and found["es"].tolist() == ["A", "B"]
    assert translate.make_predict_fn()(np.array(["c"])).tolist() == ["C"]
    said = [(lines, 3, options) for lines in (["a", "b"], ["a", "b"], ["c"])]
    assert asked == [(str(tmp_path / "model"), "int8", 3, options), *said]


def test_nothing_is_asked_for_but_the_model_s_own(asked):
    BulkTranslator(MODEL)({"text": np.array(["a"])})
    assert asked == [(str(packaged.folder(MODEL)), "auto", None, {}), (["a"], None, {})]


def test_what_no_engine_can_do_is_left_to_keras(asked):
    BulkTranslator(MODEL, engine="keras", prefix="Me").make_predict_fn()
    assert asked[1] == f"keras {packaged.folder(MODEL)}"


def test_a_folder_that_has_the_name_of_a_packaged_model_goes_first(asked, monkeypatch, tmp_path):
    (tmp_path / MODEL).mkdir()
    monkeypatch.chdir(tmp_path)
    BulkTranslator(MODEL).load()
    assert asked == [(str(tmp_path / MODEL), "auto", None, {})]


def test_an_empty_batch_stays_one():
    assert BulkTranslator(MODEL)({"text": np.array([], dtype=object)})["translation"].tolist() == []


def test_a_missing_column_is_named():
    with pytest.raises(ValueError, match="expected a column 'text' of text; got 'line'"):
        BulkTranslator(MODEL)({"line": np.array(["a"])})


def test_what_is_no_text_is_refused_with_its_row():
    with pytest.raises(ValueError, match="expected text; got None in row 1"):
        BulkTranslator(MODEL)({"text": np.array(["a", None], dtype=object)})


def test_an_unknown_engine_is_refused_before_anything_is_sent():
    with pytest.raises(ValueError, match="engine must be one of auto, litert, int8, keras"):
        BulkTranslator(MODEL, engine="fast")


def test_an_unknown_option_is_refused_before_anything_is_sent():
    with pytest.raises(TypeError, match="beams"):
        BulkTranslator(MODEL, beams=4)
