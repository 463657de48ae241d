"""Greedy search, sampling and beam search with any step function; constraints and ensembles wrap a step function."""

from keras_attn.search.beam import beam
from keras_attn.search.constraints import NoRepeat, Prefix, constrained
from keras_attn.search.ensemble import ensemble
from keras_attn.search.greedy import greedy
from keras_attn.search.hypotheses import Hypotheses
from keras_attn.search.length_penalty import length_penalty
from keras_attn.search.methods import Beam, Sampling
from keras_attn.search.phrases import Phrases
from keras_attn.search.sampling import random_numbers, sample

__all__ = [
    "Beam",
    "Hypotheses",
    "NoRepeat",
    "Phrases",
    "Prefix",
    "Sampling",
    "beam",
    "constrained",
    "ensemble",
    "greedy",
    "length_penalty",
    "random_numbers",
    "sample",
]
