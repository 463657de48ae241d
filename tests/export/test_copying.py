"""A model that copies, with its one vocabulary, from text to text; `tests/models/test_copying.py` has it as ids."""

import numpy as np
import pytest

from keras_attn.export.litert import export_litert
from keras_attn.export.saved_model import export_saved_model
from keras_attn.inference.translator import Translator

pytestmark = pytest.mark.slow


def test_a_file_for_phones_says_what_keras_says(copying_trained, source_lines, tmp_path):
    parity = export_litert(
        copying_trained, tmp_path / "phone", beam_size=3, source_length=24, sources=source_lines[:60]
    )
    assert parity.sentences >= 50 and parity.identical + parity.ties == parity.sentences


def test_a_saved_model_translates_and_scores_as_keras_does(
    copying_trained, source_lines, target_lines, tmp_path
):
    import tensorflow as tf

    parity = export_saved_model(copying_trained, tmp_path / "served", sources=source_lines[:60])
    assert parity.sentences == 60 and parity.identical + parity.ties == 60
    score = tf.saved_model.load(str(tmp_path / "served")).signatures["score"]
    lines = source_lines[:5], target_lines[:5]
    found = score(text=tf.constant(lines[0]), translation=tf.constant(lines[1]))["log_prob"]
    np.testing.assert_allclose(found, Translator.from_trained(copying_trained).score(*lines), rtol=1e-4)
