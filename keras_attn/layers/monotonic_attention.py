"""Monotonic attention, Raffel, Luong, Liu, Weiss and Eck 2017: it stops at one position and never goes back."""

import keras
from keras import ops

from keras_attn.layers.attention import over_queries
from keras_attn.layers.bahdanau_attention import BahdanauAttention

_LEAST = 1e-10  # keeps logarithms and quotients finite


@keras.saving.register_keras_serializable(package="keras_attn")
class MonotonicAttention(BahdanauAttention):
    """`p_ts = sigmoid(g v / |v| . tanh(W s_t + U h_s + b) + r)`, the probability to stop at s on the way from the last stop.

    In training the weights are what would be attended to on average,
    `a_ts = p_ts q_ts sum_{j <= s} a_{t-1,j} / q_tj` with `q_ts = prod_{j < s} (1 - p_tj)`, and noise on the energies teaches
    probabilities near 0 and 1. Otherwise attention is hard: it stops at the first position from the last stop on whose probability
    is above one half, and where there is none the weights are zero, now and ever after. The weights of the query before, at first
    all on the first word, are carried from query to query.

    Shapes: B batch, T queries, S memory positions, Q query width, D value width.

    Args:
        units: width of the alignment model.
        noise: standard deviation of the noise on the energies, in training.
        initial_bias: r at the start; below zero, so that attention does not race through the source.
        dropout: rate of dropout on the weights, in training.
        seed: of the noise.

    Call arguments, returns and masking are those of `BahdanauAttention`; `training` decides between soft and hard.

    Example:

    >>> attention = MonotonicAttention(units=128)
    >>> context, weights = attention(states, memory, return_attention_scores=True)

    Reference: Raffel, Luong, Liu, Weiss and Eck, "Online and Linear-Time Attention by Enforcing Monotonic Alignments", ICML 2017,
    section 2.3 (equations 8 to 10), algorithm 1, and section 2.4 on energy, bias and noise.
    """

    def __init__(self, units, *, noise=1.0, initial_bias=-1.0, dropout=0.0, seed=None, **kwargs):
        super().__init__(units, normalize=True, dropout=dropout, **kwargs)
        self.noise = noise
        self.initial_bias = initial_bias
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)

    def build(self, query_shape, value_shape):
        super().build(query_shape, value_shape)
        start = keras.initializers.Constant(self.initial_bias)
        self.energy_bias = self.add_weight(shape=(), initializer=start, name="energy_bias")

    def first_carry(self, value):
        batch, positions = ops.shape(value)[:2]
        first = ops.cast(ops.equal(ops.arange(positions), 0), "float32")
        return ops.broadcast_to(first, (batch, positions))

    def weigh(self, query, key, mask, carry, training):
        energies = ops.cast(self.score(query, key), "float32") + ops.cast(self.energy_bias, "float32")
        previous = ops.cast(carry, "float32")
        if training:
            noise = keras.random.normal(ops.shape(energies), seed=self.seed_generator)
            weights = _soft(_stop(energies + self.noise * noise, mask), previous)
        else:
            weights = _hard(_stop(energies, mask), previous)
        return weights, weights

    def get_config(self):
        config = super().get_config()
        del config["normalize"], config["num_heads"]
        return {**config, "noise": self.noise, "initial_bias": self.initial_bias, "seed": self.seed}


def _stop(energies, mask):
    """Probabilities to stop, zero at padding."""
    stop = ops.sigmoid(energies)
    return stop if mask is None else stop * ops.cast(over_queries(mask), "float32")


def _soft(stop, previous):
    """Equation 10: the expected attention, `(B, T, S)`."""
    going = ops.log(ops.clip(1.0 - stop, _LEAST, 1.0))
    passed = ops.exp(ops.cumsum(going, axis=-1) - going)  # q: not to have stopped before
    return stop * passed * ops.cumsum(previous / ops.clip(passed, _LEAST, 1.0), axis=-1)


def _hard(stop, previous):
    """Algorithm 1: one at the first position not before the last stop with a probability above one half."""
    reached = ops.cumsum(previous, axis=-1)  # 1 from the last stop on
    open_to_stop = reached * ops.cast(stop > 0.5, "float32")
    return open_to_stop * ops.cast(ops.cumsum(open_to_stop, axis=-1) < 1.5, "float32")
