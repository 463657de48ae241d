"""`BulkTranslator` by itself."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from keras_attn.inference.bulk import BulkTranslator

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
