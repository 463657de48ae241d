"""A search method runs with all that it says."""

import numpy as np

from keras_attn.search import Beam, Sampling, beam, sample
from keras_attn.search.methods import run

COMMON = {"max_length": 6, "limits": [6, 2, 5, 6], "return_weights": True}
MASK = np.array([[True, True, True], [True, True, False]] * 2)


def assert_same(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_beam_runs_with_its_size_its_penalties_and_its_diversity(markov, ids, numpy):
    model = markov(4)
    options = {"beam_size": 3, "length_penalty": 0.5, "coverage_penalty": 0.7, "diversity": 0.3}
    found = numpy(run(Beam(**options), model, state=model.state, source_mask=MASK, **COMMON))
    assert_same(found, numpy(beam(model, model.state, **ids, **COMMON, **options, source_mask=MASK)))


def test_a_sampling_runs_with_its_temperature_its_cuts_and_its_seed(markov, ids, numpy):
    model = markov(4)
    options = {"temperature": 1.5, "top_k": 3, "top_p": 0.9, "seed": 7}
    found = numpy(run(Sampling(**options), model, state=model.state, source_mask=MASK, **COMMON))
    assert_same(found, numpy(sample(model, model.state, **ids, **COMMON, **options)))
