"""A search method runs with all that it says."""

import numpy as np
import pytest

from keras_attn.search import Beam, Sampling, beam, random_numbers, sample
from keras_attn.search.methods import run

COMMON = {"max_length": 6, "limits": [6, 2, 5, 6], "return_weights": True}
UNIFORMS = random_numbers(7, range(4), 6)
MASK = np.array([[True, True, True], [True, True, False]] * 2)


def assert_same(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_beam_runs_with_its_size_its_penalties_and_its_diversity(markov, ids, numpy):
    model = markov(4)
    options = {"beam_size": 3, "length_penalty": 0.5, "coverage_penalty": 0.7, "diversity": 0.3}
    found = numpy(run(Beam(**options), model, state=model.state, source_mask=MASK, **COMMON))
    assert_same(found, numpy(beam(model, model.state, **ids, **COMMON, **options, source_mask=MASK)))


def test_a_sampling_runs_with_its_temperature_and_its_cuts(markov, ids, numpy):
    model = markov(4)
    options, common = {"temperature": 1.5, "top_k": 3, "top_p": 0.9}, {**COMMON, "uniforms": UNIFORMS}
    found = numpy(run(Sampling(**options), model, state=model.state, source_mask=MASK, **common))
    assert_same(found, numpy(sample(model, model.state, **ids, **common, **options)))


def test_a_sampling_without_numbers_to_draw_with_is_refused(markov):
    model = markov(4)
    with pytest.raises(ValueError, match="sampling needs uniforms"):
        run(Sampling(), model, state=model.state, source_mask=MASK, **COMMON)
