"""The pointer-generator: an output that can copy words from the source."""

import keras
from keras import ops

from keras_attn.special_ids import EOS_ID

_LEAST = 1e-18  # smallest sum of weights: its logarithm is finite, its square, in the gradient, not yet zero


@keras.saving.register_keras_serializable(package="keras_attn")
class PointerGenerator(keras.layers.Layer):
    """`P(w) = p_gen P_vocab(w) + (1 - p_gen) sum_{i: w_i = w} a_i`, `p_gen = sigmoid(w_h . h*_t + w_s . s_t + w_x . x_t + b)`.

    The output generates a word with probability p_gen, and otherwise copies the source word that the attention a_t looks at. The
    paper's context vector `h*_t = sum_i a_i h_i` is never formed: `w_h . h*_t = sum_i a_i (w_h . h_i)` multiplies the memory only
    once per sentence.

    Source and target must share one vocabulary: an id means the same word on both sides. Words are copied, special ids (padding,
    unknown, begin, end) are not: the paper's source has none. An end that could be copied would be an end wherever attention
    strays to the source's, and unsure translations would break off there.

    Shapes: B batch, T target positions, S source positions, V vocabulary, U state width, E input width, D memory width.

    Call arguments:
        logits: `(B, T, V)`, the logits of P_vocab.
        weights: `(B, T, S)`, the attention a_t; zero at padding.
        state: `(B, T, U)`, the decoder's state s_t.
        inputs: `(B, T, E)`, the embedded previous word, x_t.
        source: integers `(B, S)`, the source's ids w_i.
        memory: `(B, S, D)`, the encoder's states h_i.
        read: `read(memory)`, if already available. `None`: computed here.

    Returns:
        float32 `(B, T, V)`: log P. P sums to one: if the weights of the words sum to less, it is divided by its sum. Weights of
        a word that sum to less than 1e-18 count as 1e-18.

    Reference: See, Liu and Manning 2017, "Get To The Point: Summarization with Pointer-Generator Networks", section 2.2, equations
    8 and 9.
    """

    def __init__(self, **kwargs):
        super().__init__(
            autocast=False, **kwargs
        )  # logits and weights are mixed in float32, whatever the policy
        self.memory_layer = self._gate("memory")
        self.state_layer = self._gate("state", use_bias=True)
        self.input_layer = self._gate("input")

    def build(self, logits_shape, weights_shape, state_shape, inputs_shape, source_shape, memory_shape):
        self.memory_layer.build(memory_shape)
        self.state_layer.build(state_shape)
        self.input_layer.build(inputs_shape)

    def read(self, memory):
        """The memory's contribution to the gate, `w_h . h_i`: `(B, S, D) -> float32 (B, S)`; once per sentence."""
        return ops.cast(ops.squeeze(self.memory_layer(memory), -1), "float32")

    def call(self, logits, weights, state, inputs, source, memory, read=None):
        logits, weights = ops.cast(logits, "float32"), ops.cast(weights, "float32")
        read = self.read(memory) if read is None else read
        context = ops.sum(weights * ops.expand_dims(read, 1), axis=-1, keepdims=True)
        own = ops.cast(self.state_layer(state) + self.input_layer(inputs), "float32")
        gate = context + own  # [batch, time, 1]
        evidence = ops.logsumexp(logits, axis=-1, keepdims=True)

        weights = weights * ops.cast(ops.expand_dims(source, 1) > EOS_ID, "float32")  # those of words
        total = ops.maximum(ops.sum(weights, axis=-1, keepdims=True), _LEAST)
        same = ops.cast(ops.expand_dims(source, 2) == ops.expand_dims(source, 1), "float32")
        by_word = ops.maximum(ops.matmul(weights, same), _LEAST)  # at each of its positions

        # With odds of exp(-gate) for copying, log P = log P_vocab - log(1 + odds sum_i a_i), and at the source's few words
        # log(1 + odds a_w / P_vocab) more, of which each position adds its share. So few passes over the vocabulary are needed.
        places = _places(source, logits)
        generated = ops.take(ops.reshape(logits, (-1,)), places) - evidence
        gains = _softplus(ops.log(by_word) - gate - generated) * weights / by_word
        return logits - (evidence + _softplus(ops.log(total) - gate)) + _by_place(gains, places, logits)

    def step(self, logits, weights, state, inputs, source, memory, read):
        """One target position of N hypotheses, those of a source adjacent: `(N, V), (N, S), (N, U), (N, E) -> (N, V)`."""
        batch, count = ops.shape(source)[0], ops.shape(logits)[0]
        by_source = [
            ops.reshape(x, (batch, count // batch, ops.shape(x)[-1]))
            for x in (logits, weights, state, inputs)
        ]
        return ops.reshape(self(*by_source, source, memory, read), (count, logits.shape[-1]))

    def _gate(self, name, use_bias=False):
        return keras.layers.Dense(1, use_bias=use_bias, dtype=self.dtype_policy, name=name)


def _softplus(x):
    """`log(1 + exp(x))`. In LiteRT `ops.softplus` overflows."""
    return ops.maximum(x, 0.0) + ops.log(1.0 + ops.exp(-ops.abs(x)))


def _places(source, logits):
    """Where the source's words are in flat logits: `(B, S), (B, T, V) -> (B, T, S)`."""
    batch, time, size = ops.shape(logits)
    rows = ops.reshape(ops.arange(batch * time, dtype="int32"), (batch, time, 1))
    return rows * size + ops.expand_dims(ops.cast(source, "int32"), 1)


def _by_place(values, places, like):
    """Adds values up by place, in the shape of `like`. LiteRT scatters seven times as fast as it sums segments."""
    batch, time, size = ops.shape(like)
    values, places = ops.reshape(values, (-1,)), ops.reshape(places, (-1,))
    if keras.backend.backend() == "tensorflow":
        sums = ops.scatter(ops.expand_dims(places, -1), values, (batch * time * size,))
    else:
        sums = ops.segment_sum(values, places, batch * time * size)
    return ops.reshape(sums, (batch, time, size))
