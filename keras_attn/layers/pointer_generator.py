"""The pointer-generator: an output that can copy words from the source."""

import keras
from keras import ops

from keras_attn.special_ids import EOS_ID

_LEAST = 1e-20  # smallest probability: keeps its logarithm, and the inverse in the gradient, finite


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
        float32 `(B, T, V)`: log P. P sums to one: if the weights of the words sum to less, it is divided by its sum. A probability
        below 1e-20 counts as 1e-20.

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
        read = self.read(memory) if read is None else read
        weights = ops.cast(weights, "float32")
        context = ops.sum(weights * ops.expand_dims(read, 1), axis=-1, keepdims=True)
        own = ops.cast(self.state_layer(state) + self.input_layer(inputs), "float32")
        gate = context + own  # [batch, time, 1]
        words = ops.cast(ops.expand_dims(source, 1) > EOS_ID, "float32")
        generate, copy = ops.sigmoid(gate), ops.sigmoid(-gate) * weights * words
        total = ops.maximum(generate + ops.sum(copy, axis=-1, keepdims=True), _LEAST)
        generated = generate / total * ops.softmax(ops.cast(logits, "float32"))
        copied = _by_word(copy / total, source, generated.shape[-1])
        return ops.log(ops.maximum(generated + copied, _LEAST))

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


def _by_word(weights, source, vocab_size):
    """`sum_{i: w_i = w} a_i` for all w: `(B, T, S), (B, S) -> (B, T, V)`."""
    batch, time, _ = ops.shape(weights)
    rows = ops.reshape(ops.arange(batch * time, dtype="int32"), (batch, time, 1))
    places = rows * vocab_size + ops.expand_dims(ops.cast(source, "int32"), 1)  # [batch, time, positions]
    sums = _sums(ops.reshape(weights, (-1,)), ops.reshape(places, (-1,)), batch * time * vocab_size)
    return ops.reshape(sums, (batch, time, vocab_size))


def _sums(values, places, size):
    """Adds values up by place, for `size` places. LiteRT scatters seven times as fast as it sums segments."""
    if keras.backend.backend() == "tensorflow":
        return ops.scatter(ops.expand_dims(places, -1), values, (size,))
    return ops.segment_sum(values, places, size)
