"""Search: greedy, sampling and beam, over any step function."""

from keras_attn.search.beam import beam
from keras_attn.search.greedy import greedy
from keras_attn.search.hypotheses import Hypotheses
from keras_attn.search.length_penalty import length_penalty
from keras_attn.search.methods import Beam, Sampling
from keras_attn.search.sampling import sample

__all__ = ["Beam", "Hypotheses", "Sampling", "beam", "greedy", "length_penalty", "sample"]
