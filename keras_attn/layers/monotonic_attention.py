"""Monotonic attention, Raffel, Luong, Liu, Weiss and Eck 2017: it stops at one position and never moves back."""

import keras
from keras import ops

from keras_attn.layers.attention import Attention, over_queries
from keras_attn.layers.bahdanau_attention import BahdanauAttention
from keras_attn.layers.luong_attention import LuongAttention

INFERENCES = ("hard", "soft")
_LEAST = 1e-10  # keeps logarithms and quotients finite


class _Monotonic(Attention):
    """A mixin that turns the scores of an attention into weights by stopping at a position, instead of a softmax.

    The scores plus a trained bias are energies. The sigmoid of an energy is the probability of stopping.
    """

    def __init__(self, *args, noise, initial_bias, inference, seed, **kwargs):
        super().__init__(*args, num_heads=1, **kwargs)
        if inference not in INFERENCES:
            raise ValueError(f"inference must be one of {', '.join(INFERENCES)}. Received: {inference!r}.")
        self.noise = noise
        self.initial_bias = initial_bias
        self.inference = inference
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
        attend = _expected if self.inference == "soft" else _hard
        if training:
            energies += self.noise * keras.random.normal(ops.shape(energies), seed=self.seed_generator)
            attend = _expected_by_quotients
        weights = attend(_stop(energies, mask), ops.cast(carry, "float32"))
        return weights, weights

    def get_config(self):
        config = super().get_config()
        del config["num_heads"]
        return {
            **config,
            "noise": self.noise,
            "initial_bias": self.initial_bias,
            "inference": self.inference,
            "seed": self.seed,
        }


@keras.saving.register_keras_serializable(package="keras_attn")
class MonotonicAttention(_Monotonic, BahdanauAttention):
    """`p_ts = sigmoid(g v / |v| . tanh(W s_t + U h_s + b) + r)`, the probability of stopping at s on the way from the last stop.

    In training, the weights are the expected attention,
    `a_ts = p_ts q_ts sum_{j <= s} a_{t-1,j} / q_tj` with `q_ts = prod_{j < s} (1 - p_tj)`, and noise on the energies pushes the
    probabilities towards 0 and 1. Outside training, attention is hard: starting at the last stop, it stops at the first position
    with a probability above one half. If there is none, the weights are zero for this and all later queries. The weights of the
    previous query are carried from query to query; initially they are all on the first word.

    Shapes: B batch, T queries, S memory positions, Q query width, D value width.

    Args:
        units: width of the alignment model.
        normalize: whether to weight-normalise the scoring vector; `False` leaves `v . tanh(W s_t + U h_s) + r`.
        noise: standard deviation of the noise on the energies, in training.
        initial_bias: initial value of r; negative, so that attention at first reaches far into the source instead of stopping
            early.
        inference: `"hard"`, or `"soft"` to use the expected attention, without noise, outside training as well.
        dropout: rate of dropout on the weights, in training.
        seed: seed of the noise.

    Call arguments, returns and masking are those of `BahdanauAttention`; outside training, `inference` decides what the
    weights are.

    Raises:
        ValueError: an unknown `inference`, or what `BahdanauAttention` refuses.

    Example:

    >>> attention = MonotonicAttention(units=128)
    >>> context, weights = attention(states, memory, return_attention_scores=True)

    Reference: Raffel, Luong, Liu, Weiss and Eck, "Online and Linear-Time Attention by Enforcing Monotonic Alignments", ICML 2017,
    section 2.3 (equations 8 to 10), algorithm 1, and section 2.4 on energy, bias and noise.
    """

    def __init__(
        self,
        units,
        normalize=True,
        *,
        noise=1.0,
        initial_bias=-1.0,
        inference="hard",
        dropout=0.0,
        seed=None,
        **kwargs,
    ):
        super().__init__(
            units,
            normalize,
            noise=noise,
            initial_bias=initial_bias,
            inference=inference,
            dropout=dropout,
            seed=seed,
            **kwargs,
        )


@keras.saving.register_keras_serializable(package="keras_attn")
class LuongMonotonicAttention(_Monotonic, LuongAttention):
    """`p_ts = sigmoid(g s_t . W h_s + r)`: `MonotonicAttention` with a score from Luong et al. 2015, `general` by default.

    `MonotonicAttention` describes how these probabilities of stopping become weights, in training and outside it.

    Shapes: B batch, T queries, S memory positions, Q query width, D value width.

    Args:
        score, units: as in `LuongAttention`.
        use_scale: whether to multiply the scores by the trained factor g, initially 1.
        noise, initial_bias, inference, dropout, seed: as in `MonotonicAttention`.

    Call arguments, returns and masking are those of `LuongAttention`; outside training, `inference` decides what the weights
    are.

    Raises:
        ValueError: an unknown `inference`, or what `LuongAttention` refuses.

    Example:

    >>> attention = LuongMonotonicAttention("general", use_scale=True)
    >>> context, weights = attention(states, memory, return_attention_scores=True)

    Reference: Raffel, Luong, Liu, Weiss and Eck 2017, as for `MonotonicAttention`; the scores are those of Luong, Pham and
    Manning 2015, section 3.1.
    """

    def __init__(
        self,
        score="general",
        use_scale=False,
        *,
        units=None,
        noise=1.0,
        initial_bias=-1.0,
        inference="hard",
        dropout=0.0,
        seed=None,
        **kwargs,
    ):
        super().__init__(
            score,
            use_scale,
            units=units,
            noise=noise,
            initial_bias=initial_bias,
            inference=inference,
            dropout=dropout,
            seed=seed,
            **kwargs,
        )


def _stop(energies, mask):
    """Probabilities of stopping, zero at padding."""
    stop = ops.sigmoid(energies)
    return stop if mask is None else stop * ops.cast(over_queries(mask), "float32")


def _expected_by_quotients(stop, previous):
    """Equation 10, `(B, T, S)`: for training, because `_expected` would keep S^2 numbers for every query."""
    passed = ops.exp(_log_passed(stop))  # q
    return stop * passed * ops.cumsum(previous / ops.clip(passed, _LEAST, 1.0), axis=-1)


def _expected(stop, previous):
    """The same without quotients, `(B, T, S)`. With them, attention after a position that very probably stops would be lost."""
    passed = _log_passed(stop)
    walk = ops.expand_dims(passed, -1) - ops.expand_dims(
        passed, -2
    )  # [B, T, s, j]: log q_s / q_j, from j to s
    positions = ops.arange(ops.shape(stop)[-1])
    ahead = ops.expand_dims(positions, -1) >= positions
    walk = ops.where(ahead, ops.exp(ops.minimum(walk, 0.0)), 0.0)
    return stop * ops.squeeze(ops.matmul(walk, ops.expand_dims(previous, -1)), -1)


def _log_passed(stop):
    """`log q`, the logarithm of the probability of not having stopped before each position."""
    going = ops.log(ops.clip(1.0 - stop, _LEAST, 1.0))
    return ops.cumsum(going, axis=-1) - going


def _hard(stop, previous):
    """Algorithm 1: one at the first position, from the last stop on, with a probability above one half."""
    reached = ops.cumsum(previous, axis=-1)  # 1 from the last stop on
    open_to_stop = reached * ops.cast(stop > 0.5, "float32")
    return open_to_stop * ops.cast(ops.cumsum(open_to_stop, axis=-1) < 1.5, "float32")
