import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.layers import AttentionDecoder, LuongAttention
from keras_attn.models.transformer_encoder import TransformerEncoder

B, S, E = 3, 5, 8

random = np.random.default_rng(1)
X = random.normal(size=(B, S, E)).astype("float32")
LENGTHS = [5, 3, 1]
MASK = np.arange(S) < np.array(LENGTHS)[:, None]


def run(encoder, x, **kwargs):
    return [ops.convert_to_numpy(output) for output in encoder(x, **kwargs)]


def test_padding_changes_nothing():
    encoder = TransformerEncoder(num_layers=2, num_heads=2)
    memory, final = run(encoder, X, mask=MASK)
    assert memory.shape == (B, S, E) and final.shape == (B, E)
    for b, length in enumerate(LENGTHS):
        alone, alone_final = run(encoder, X[b : b + 1, :length])
        np.testing.assert_allclose(memory[b, :length], alone[0], atol=1e-5)
        np.testing.assert_allclose(final[b], alone_final[0], atol=1e-5)


def test_final_is_the_mean_of_the_words():
    memory, final = run(TransformerEncoder(num_heads=2), X, mask=MASK)
    for b, length in enumerate(LENGTHS):
        np.testing.assert_allclose(final[b], memory[b, :length].mean(0), atol=1e-5)


def test_every_word_sees_every_word():
    encoder = TransformerEncoder(num_heads=2)
    before = run(encoder, X)[0]
    for position in range(S):
        changed = X.copy()
        changed[:, position] += random.normal(size=E)
        assert (np.abs(run(encoder, changed)[0] - before).max(-1) > 1e-6).all()


def test_the_order_of_the_words_matters():
    """Without positions, equal words would have equal states."""
    same = np.broadcast_to(X[:, :1], X.shape)
    memory, _ = run(TransformerEncoder(num_heads=2), same)
    assert np.abs(memory[:, 1:] - memory[:, :-1]).max(-1).min() > 1e-3


def test_the_input_is_scaled_and_stands_beside_its_positions():
    """Section 3.4: embeddings are multiplied by sqrt(d_model). With sub-layers that add nothing only the last norm is left."""
    from keras_attn.models.transformer_encoder import _positions

    encoder = TransformerEncoder(num_heads=2)
    encoder.build(X.shape)
    for layer in (encoder.attentions[0].output_dense, encoder.outer[0]):
        layer.kernel.assign(np.zeros(layer.kernel.shape, "float32"))
    x = X * np.sqrt(E) + ops.convert_to_numpy(_positions(S, E))
    expected = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + encoder.norms[-1].epsilon)
    np.testing.assert_allclose(run(encoder, X)[0], expected, atol=1e-4)


def test_each_layer_adds_what_its_two_sub_layers_make_of_the_normalised_input():
    """x + MHA(norm(x)), then x + W_2 relu(W_1 norm(x)), with norms of their own; a last norm follows."""
    from keras_attn.models.transformer_encoder import _positions

    encoder = TransformerEncoder(num_layers=2, num_heads=2)
    encoder.build(X.shape)
    for weight in encoder.weights:
        weight.assign(random.normal(size=weight.shape))
    numbers = ops.convert_to_numpy
    x = X * np.sqrt(E) + numbers(_positions(S, E))
    norms = iter(encoder.norms)
    for attention, inner, outer in zip(encoder.attentions, encoder.inner, encoder.outer, strict=True):
        y = numbers(next(norms)(x))
        x = x + numbers(attention(y, y))
        hidden = np.maximum(numbers(next(norms)(x)) @ numbers(inner.kernel) + numbers(inner.bias), 0)
        x = x + hidden @ numbers(outer.kernel) + numbers(outer.bias)
    np.testing.assert_allclose(run(encoder, X)[0], numbers(next(norms)(x)), atol=1e-3)
    assert not list(norms)


def test_dropout_is_on_both_sub_layers_and_for_training_alone(monkeypatch):
    """With all of their output dropped, only input and positions are left, as if both made nothing."""
    encoder = TransformerEncoder(num_heads=2, dropout=0.5)
    plain, _ = run(encoder, X)
    np.testing.assert_array_equal(run(encoder, X, training=False)[0], plain)
    assert (run(encoder, X, training=True)[0] != plain).any()
    monkeypatch.setattr(encoder.dropout, "call", lambda x, training=None: 0.0 * x if training else x)
    dropped, _ = run(encoder, X, training=True)
    for layer in (encoder.attentions[0].output_dense, encoder.outer[0]):
        layer.kernel.assign(np.zeros(layer.kernel.shape, "float32"))
    np.testing.assert_allclose(dropped, run(encoder, X)[0], atol=1e-6)


def test_positions_are_the_sines_and_cosines_of_the_paper():
    """PE(pos, 2i) = sin(pos / 10000^(2i / E)), the cosine beside it; here the sines stand before the cosines."""
    from keras_attn.models.transformer_encoder import _positions

    found = ops.convert_to_numpy(_positions(3, 4))
    angles = [[0.0, 0.0], [1.0, 0.01], [2.0, 0.02]]
    np.testing.assert_allclose(found, [[*np.sin(a), *np.cos(a)] for a in angles], atol=1e-6)


def test_a_sentence_of_padding_alone_is_finite():
    memory, final = run(TransformerEncoder(num_heads=2), X, mask=np.zeros_like(MASK))
    assert np.isfinite(memory).all() and (final == 0).all()


def test_it_stands_in_front_of_the_recurrent_decoder_and_hands_on_its_mask():
    source, words = keras.Input((None,), dtype="int32"), keras.Input((None, 6))
    embedded = keras.layers.Embedding(9, E, mask_zero=True)(source)
    memory, _ = TransformerEncoder(num_heads=2)(embedded)
    decoder = AttentionDecoder(E, LuongAttention("dot"), readout="plain")
    _, weights = decoder(words, memory, return_attention_scores=True)
    model = keras.Model([source, words], weights)
    found = ops.convert_to_numpy(
        model([np.array([[4, 5, 0, 0]], "int32"), random.normal(size=(1, 3, 6)).astype("float32")])
    )
    assert (found[..., 2:] == 0).all() and (found[..., :2] > 0).all()


def test_a_saved_encoder_gives_the_same_numbers(tmp_path):
    inputs = keras.Input((None, E))
    model = keras.Model(inputs, TransformerEncoder(2, 4, dropout=0.1)(inputs))
    model.save(tmp_path / "model.keras")
    restored = keras.models.load_model(tmp_path / "model.keras")
    for ours, theirs in zip(model(X), restored(X), strict=True):
        np.testing.assert_array_equal(ops.convert_to_numpy(ours), ops.convert_to_numpy(theirs))


def test_a_width_that_the_heads_cannot_share_is_refused():
    with pytest.raises(ValueError, match=r"even multiple of its heads\. Received: width 8, num_heads=3"):
        TransformerEncoder(num_heads=3)(X)


@pytest.mark.parametrize("choice", ["num_layers", "num_heads"])
def test_no_layers_or_heads_are_refused(choice):
    with pytest.raises(ValueError, match=rf"an integer of at least 1\. Received: {choice}=0"):
        TransformerEncoder(**{choice: 0})
