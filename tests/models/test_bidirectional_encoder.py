import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.layers import AttentionDecoder, BahdanauAttention
from keras_attn.layers.recurrent_cells import GRUCell, run_cell
from keras_attn.models.bidirectional_encoder import BidirectionalEncoder
from keras_attn.models.bridge import Bridge

B, S, E, UNITS = 3, 5, 4, 6

random = np.random.default_rng(1)
X = random.normal(size=(B, S, E)).astype("float32")
LENGTHS = [5, 3, 1]
MASK = np.arange(S) < np.array(LENGTHS)[:, None]

STACKS = {
    "gru": {},
    "deep lstm": {"cell": "lstm", "num_layers": 2},
    "residual gru": {"num_layers": 3, "residual": True},
}
every_stack = pytest.mark.parametrize("stack", STACKS.values(), ids=STACKS.keys())


def run(encoder, x, **kwargs):
    return [ops.convert_to_numpy(output) for output in encoder(x, **kwargs)]


@every_stack
def test_a_functional_model_knows_the_shapes_and_dtypes_before_anything_is_computed(stack):
    for policy in ("float32", "mixed_float16"):
        encoder = BidirectionalEncoder(UNITS, **stack, dtype=policy)
        said, real = encoder(keras.KerasTensor(X.shape)), encoder(X)
        for one, other in zip(said, real, strict=True):
            assert one.shape == tuple(other.shape)
            assert one.dtype == keras.backend.standardize_dtype(other.dtype)


@every_stack
def test_padding_changes_nothing(stack):
    encoder = BidirectionalEncoder(UNITS, **stack)
    memory, final = run(encoder, X, mask=MASK)
    assert memory.shape == (B, S, 2 * UNITS) and final.shape == (B, 2 * UNITS)
    for b, length in enumerate(LENGTHS):
        alone, alone_final = run(encoder, X[b : b + 1, :length])
        np.testing.assert_allclose(memory[b, :length], alone[0], atol=1e-6)
        np.testing.assert_allclose(final[b], alone_final[0], atol=1e-6)


@pytest.mark.parametrize("position", range(S))
def test_the_forward_half_looks_back_and_the_backward_half_ahead(position):
    encoder, changed = BidirectionalEncoder(UNITS), X.copy()
    changed[:, position] += 1
    difference = np.abs(run(encoder, changed)[0] - run(encoder, X)[0])
    forward, backward = difference[..., :UNITS].max(-1), difference[..., UNITS:].max(-1)
    assert (forward[:, :position] == 0).all() and (forward[:, position:] > 0).all()
    assert (backward[:, position + 1 :] == 0).all() and (backward[:, : position + 1] > 0).all()


def test_final_is_the_forward_state_at_the_last_word_and_the_backward_state_at_the_first():
    memory, final = run(BidirectionalEncoder(UNITS), X, mask=MASK)
    for b, length in enumerate(LENGTHS):
        np.testing.assert_array_equal(final[b, :UNITS], memory[b, length - 1, :UNITS])
        np.testing.assert_array_equal(final[b, UNITS:], memory[b, 0, UNITS:])


@pytest.mark.parametrize("residual", [False, True])
def test_each_layer_reads_both_directions_of_the_one_below(residual):
    encoder = BidirectionalEncoder(UNITS, "lstm", num_layers=3, residual=residual)
    memory, final = run(encoder, X)
    layers = X
    for i, (forward, backward) in enumerate(zip(encoder.forward_cells, encoder.backward_cells, strict=True)):
        ahead, ahead_final = run_cell(forward, layers, forward.zero_states(B))
        back, back_final = run_cell(backward, layers, backward.zero_states(B), reverse=True)
        above = ops.concatenate([ahead, back], axis=-1)
        layers = above + layers if residual and i > 0 else above
    np.testing.assert_allclose(memory, ops.convert_to_numpy(layers), atol=1e-6)
    expected_final = np.concatenate(
        [ops.convert_to_numpy(ahead_final[0]), ops.convert_to_numpy(back_final[0])], -1
    )
    np.testing.assert_allclose(final, expected_final, atol=1e-6)


def test_a_sentence_of_padding_alone_gives_zeros():
    memory, final = run(BidirectionalEncoder(UNITS), X, mask=np.zeros_like(MASK))
    assert (memory == 0).all() and (final == 0).all()


def test_the_memory_carries_its_mask_to_the_decoder():
    """As in a newcomer's model: an embedding that masks, an encoder, a decoder, and no word about masks."""
    embed = keras.layers.Embedding(9, E, mask_zero=True)
    source = np.array([[3, 5, 7], [4, 0, 0]])
    encoder, decoder = (
        BidirectionalEncoder(UNITS),
        AttentionDecoder(UNITS, BahdanauAttention(5), readout_units=4),
    )
    memory, _ = encoder(embed(source))
    _, weights = decoder(X[:2], memory, return_attention_scores=True)
    weights = ops.convert_to_numpy(weights)
    assert (weights[1, :, 1:] == 0).all() and (weights[0] > 0).all()


def test_dropout_lies_between_layers_and_is_for_training_alone():
    encoder = BidirectionalEncoder(UNITS, num_layers=2, dropout=0.5)
    plain = run(encoder, X)[0]
    np.testing.assert_array_equal(run(encoder, X, training=False)[0], plain)
    assert (run(encoder, X, training=True)[0] != plain).any()
    one = BidirectionalEncoder(UNITS, dropout=0.5)
    np.testing.assert_array_equal(run(one, X, training=True)[0], run(one, X)[0])


@every_stack
def test_a_saved_encoder_gives_the_same_numbers(stack, tmp_path):
    inputs = keras.Input((None, E))
    encoder = BidirectionalEncoder(UNITS, dropout=0.25, **stack)
    model = keras.Model(inputs, encoder(inputs))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    for a, b in zip(run(loaded, X), run(model, X), strict=True):
        np.testing.assert_array_equal(a, b)
    assert loaded.get_layer(encoder.name).get_config() == encoder.get_config()


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"num_layers": 0}, r"an integer of at least 1\. Received: num_layers=0"),
        ({"cell": "rnn"}, r"one of gru, lstm, layer_norm_gru, gru_reset_after\. Received: 'rnn'"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(kwargs, message):
    with pytest.raises(ValueError, match=message):
        BidirectionalEncoder(UNITS, **kwargs)


@pytest.mark.parametrize("kwargs", [{"units": 0}, {"num_layers": None}, {"state_count": "2"}])
def test_a_bridge_to_no_number_of_states_is_refused(kwargs):
    with pytest.raises(ValueError, match="must be an integer of at least 1"):
        Bridge(**{"units": UNITS, "num_layers": 1, "state_count": 1, **kwargs})


def test_the_bridge_gives_every_state_its_own_slice_of_one_tanh_layer():
    bridge, final = Bridge(UNITS, num_layers=3, state_count=2), X[:, 0]
    states = bridge(final)
    kernel, bias = (ops.convert_to_numpy(weight) for weight in bridge.layer.weights)
    expected = np.tanh(final @ kernel + bias)
    assert [len(layer) for layer in states] == [2, 2, 2]
    flat = np.concatenate([ops.convert_to_numpy(state) for layer in states for state in layer], axis=-1)
    np.testing.assert_allclose(flat, expected, atol=1e-6)
    assert Bridge.from_config(bridge.get_config()).get_config() == bridge.get_config()


def test_keras_learns_its_shapes_without_running_it_over_made_up_positions(monkeypatch):
    """On torch Keras calls a layer with 83 and with 89 positions, and computes them where it cannot do otherwise."""
    calls = []
    call = GRUCell.call
    monkeypatch.setattr(GRUCell, "call", lambda self, *args: calls.append(self) or call(self, *args))
    memory, final = BidirectionalEncoder(UNITS)(
        keras.Input((None, E)), mask=keras.Input((None,), dtype="bool")
    )
    assert memory.shape == (None, None, 2 * UNITS) and final.shape == (None, 2 * UNITS)
    assert (
        len(calls) <= 2 * 2 * 2
    )  # two directions, two lengths; JAX and TensorFlow trace a step once or twice
