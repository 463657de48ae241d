"""`Seq2Seq` of parts that are not this package's."""

import pickle
import subprocess
import sys

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.config import Beam
from keras_attn.layers import AttentionDecoder, BahdanauAttention, LuongAttention
from keras_attn.models.bridge import CopyBridge
from keras_attn.models.ensemble import Ensemble
from keras_attn.models.seq2seq import Seq2Seq

layers = keras.layers
V, WIDTH = 12, 8
SEQUENCES = {"return_sequences": True}
RECURRENT = {**SEQUENCES, "return_state": True}
SOURCE = np.array([[5, 6, 7, 3], [8, 3, 0, 0]], "int32")
TARGET_IN = np.array([[2, 9, 10], [2, 11, 0]], "int32")
TARGET_OUT = np.array([[9, 10, 3], [11, 3, 0]], "int32")


def compose(encoder, **parts):
    keras.utils.set_random_seed(1)
    defaults = {
        "source_embedding": layers.Embedding(V, WIDTH),
        "decoder": AttentionDecoder(WIDTH, BahdanauAttention(WIDTH), readout_units=WIDTH),
        "target_embedding": layers.Embedding(V, WIDTH),
        "output": layers.Dense(V),
    }
    return Seq2Seq(encoder=encoder, **{**defaults, **parts})


def assert_more_padding_changes_nothing(model, atol):
    """In the memory of the first two words of each source, which is all that the second source has."""
    padded = np.pad(SOURCE, ((0, 0), (0, 5)))
    one, other = (ops.convert_to_numpy(model.encode(each).memory)[:, :2] for each in (SOURCE, padded))
    np.testing.assert_allclose(one, other, atol=atol)


def picture_encoder():
    picture = keras.Input((4, 6, 1))
    columns = layers.Permute((2, 1, 3))(layers.Conv2D(3, 3, padding="same")(picture))
    return keras.Model(picture, layers.Reshape((6, 12))(columns))


ENCODERS = {
    "bidirectional gru": lambda: layers.Bidirectional(layers.GRU(4, **RECURRENT)),
    "lstm": lambda: layers.LSTM(WIDTH, **RECURRENT),
    "two cells": lambda: layers.RNN([layers.LSTMCell(4), layers.LSTMCell(WIDTH)], **RECURRENT),
    "gru without its state": lambda: layers.GRU(WIDTH, return_sequences=True),
    "convolutions": lambda: keras.Sequential(
        [
            layers.Conv1D(WIDTH, 3, padding="same", bias_initializer="ones"),  # padding would not stay zero
            layers.Conv1D(WIDTH, 3, padding="same"),
        ]
    ),
}


def of_two_inputs():
    inputs = [keras.Input((None, WIDTH)), keras.Input((None, WIDTH))]
    return keras.Model(inputs, layers.Add()(inputs))


@pytest.fixture(params=ENCODERS.values(), ids=ENCODERS.keys())
def model(request):
    return compose(request.param())


def log_probs_of(model, source=SOURCE):
    return ops.convert_to_numpy(ops.log_softmax(model([source, TARGET_IN])))


def test_steps_give_the_models_own_log_probabilities(model):
    encoded, expected = model.encode(SOURCE), log_probs_of(model)
    state = encoded.state
    for t, tokens in enumerate(TARGET_IN.T):
        log_probs, state, weights = model.step(ops.convert_to_tensor(tokens), encoded, state)
        np.testing.assert_allclose(ops.convert_to_numpy(log_probs), expected[:, t], atol=1e-5)
        assert (ops.convert_to_numpy(weights)[1, 2:] == 0).all()  # no look at padding


def test_what_search_finds_has_the_probability_that_score_gives(model):
    found = model.translate(SOURCE, beam_size=3, max_length=5)
    best = found.tokens[:, 0]
    begun = np.pad(best[:, :-1], [(0, 0), (1, 0)], constant_values=2)
    log_probs, _ = model.score(SOURCE, ops.convert_to_tensor(begun), ops.convert_to_tensor(best))
    np.testing.assert_allclose(
        ops.convert_to_numpy(log_probs).sum(1), found.log_probs[:, 0], rtol=1e-4, atol=1e-4
    )


def test_fit_changes_every_part(model):
    before = [ops.convert_to_numpy(weight) for weight in model.trainable_weights]
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    model.compile(keras.optimizers.Adam(0.01), loss, jit_compile=False)
    model.fit([SOURCE, TARGET_IN], TARGET_OUT, epochs=2, verbose=0)
    after = [ops.convert_to_numpy(weight) for weight in model.trainable_weights]
    assert all((a != b).any() for a, b in zip(before, after, strict=True))


def test_a_file_and_a_pickle_say_the_same(model, tmp_path):
    model.save(tmp_path / "model.keras")
    for other in (keras.models.load_model(tmp_path / "model.keras"), pickle.loads(pickle.dumps(model))):
        assert type(other) is Seq2Seq and type(other.encoder) is type(model.encoder)
        np.testing.assert_array_equal(log_probs_of(other), log_probs_of(model))


@pytest.mark.parametrize(
    "first", ["import keras, keras_attn", "from keras_attn import Seq2Seq; import keras"]
)
def test_another_process_loads_a_file_without_naming_classes(first, tmp_path):
    model = compose(ENCODERS["lstm"]())
    model.save(tmp_path / "model.keras")
    load = f"{first}; model = keras.models.load_model(r'{tmp_path / 'model.keras'}')"
    code = f"{load}; print(type(model).__name__, model.count_params())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["Seq2Seq", str(model.count_params())]


def test_a_config_makes_the_same_parts_anew(model):
    again = Seq2Seq.from_config(model.get_config())
    shapes = [weight.shape for weight in model.weights]
    assert [weight.shape for weight in again.weights] == shapes


def test_padding_changes_nothing(model):
    padded = np.pad(SOURCE, [(0, 0), (0, 3)])
    np.testing.assert_allclose(log_probs_of(model, padded), log_probs_of(model), atol=1e-5)


def test_one_embedding_may_serve_both_sides_and_the_output(tmp_path):
    embedding = layers.ReversibleEmbedding(V, WIDTH)
    tied = compose(
        layers.LSTM(WIDTH, **RECURRENT),
        source_embedding=embedding,
        target_embedding=embedding,
        output=None,
    )
    tied.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert loaded.source_embedding is loaded.target_embedding
    np.testing.assert_array_equal(log_probs_of(loaded), log_probs_of(tied))


def test_a_copy_bridge_hands_over_the_encoders_states():
    encoder = layers.LSTM(WIDTH, **RECURRENT)
    decoder = AttentionDecoder(
        WIDTH, LuongAttention("dot"), cell="lstm", query_state="current", feed="none", readout="plain"
    )
    model = compose(encoder, decoder=decoder, bridge=CopyBridge())
    _, h, c = encoder(model.source_embedding(SOURCE), mask=ops.convert_to_tensor(SOURCE > 0))
    ((first_h, first_c),) = model.encode(SOURCE).state["cells"]
    np.testing.assert_allclose(ops.convert_to_numpy(first_h), ops.convert_to_numpy(h), atol=1e-6)
    np.testing.assert_allclose(ops.convert_to_numpy(first_c), ops.convert_to_numpy(c), atol=1e-6)


def test_a_copy_bridge_hands_them_to_every_layer():
    h, c = (ops.convert_to_tensor(np.full((2, WIDTH), value, "float32")) for value in (1.0, 2.0))
    states = keras.tree.map_structure(lambda x: float(x[0, 0]), CopyBridge(num_layers=3)([h, c]))
    assert states == ((1.0, 2.0),) * 3
    assert CopyBridge(num_layers=2)(h) == ((h,), (h,))  # one state comes by itself


def test_a_copy_bridge_to_no_layers_is_refused():
    with pytest.raises(ValueError, match="must be an integer of at least 1"):
        CopyBridge(num_layers=0)


def test_a_picture_is_read_without_an_embedding():
    model = compose(picture_encoder(), source_embedding=None)
    pictures = np.random.default_rng(1).normal(size=(3, 4, 6, 1))
    found = model.translate(pictures, beam_size=2, max_length=4, return_weights=True)
    assert found.tokens.shape == (3, 2, 4) and found.weights.shape == (3, 2, 4, 6)


def test_frames_of_any_number_need_a_shape():
    frames = layers.GRU(WIDTH, return_sequences=True)
    with pytest.raises(ValueError, match="set source_shape"):
        compose(frames, source_embedding=None)
    model = compose(frames, source_embedding=None, source_shape=(None, 5))
    assert model.translate(np.ones((2, 7, 5)), beam_size=1, max_length=3).tokens.shape == (2, 1, 3)
    assert Seq2Seq.from_config(model.get_config()).inputs[0].shape == (None, None, 5)


def test_the_mean_of_the_memory_is_where_a_decoder_starts_from_without_states():
    model = compose(keras.Sequential([layers.Conv1D(WIDTH, 1, padding="same")]))
    memory = ops.convert_to_numpy(model.encode(SOURCE).memory)
    (first,) = model.encode(SOURCE).state["cells"][0]
    mean = np.stack([memory[0].mean(0), memory[1, :2].mean(0)])
    expected = np.tanh(mean @ ops.convert_to_numpy(model.bridge.layer.kernel))
    np.testing.assert_allclose(ops.convert_to_numpy(first), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"encoder": layers.GRU(WIDTH)}, "return_sequences=True"),
        ({"encoder": layers.Conv1D(WIDTH, 3, strides=2, padding="same")}, "turns 24 positions into 12"),
        ({"encoder": layers.GRU}, "encoder must be a Keras layer or model: an instance, not its class"),
        ({"encoder": lambda inputs: inputs}, "encoder must be a Keras layer"),
        ({"encoder": layers.MultiHeadAttention(2, 4)}, "encoder must take one input.*MultiHeadAttention"),
        ({"encoder": of_two_inputs()}, "encoder must take one input"),
        ({"output": None}, "must then be a keras.layers.ReversibleEmbedding"),
        (
            {"output": None, "target_embedding": layers.ReversibleEmbedding(V, 5)},
            "a readout of width 8 and an embedding of width 5.*readout_units",
        ),
        ({"output": layers.Dense(20)}, r"target embedding's 12 words\. Received: 20"),
        ({"output": layers.Dense(V, activation="softmax")}, "output must give logits: .* taken twice"),
        ({"output": keras.Sequential([layers.Dense(V), layers.Softmax()])}, "output must give logits"),
        ({"output": layers.Dense}, "output must be a Keras layer"),
        ({"target_embedding": layers.Embedding}, "target_embedding must be a Keras layer"),
        ({"decoder": layers.GRU(WIDTH)}, "decoder must be an AttentionDecoder"),
        ({"copy": True}, r"copy must be a PointerGenerator.*Received: True"),
        ({"bridge": "copy"}, "bridge must be a Keras layer.*Received: 'copy'"),
        (
            {"encoder": layers.GRU(5, **RECURRENT), "bridge": CopyBridge()},
            r"^initial_state\[0\]\[0\] must be \(batch, units\), here \(None, 8\).*Received: \(None, 5\)",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts, message):
    with pytest.raises(ValueError, match=message):
        compose(**{"encoder": layers.GRU(WIDTH, **RECURRENT), **parts})


def test_a_class_that_keras_does_not_know_may_be_named_for_a_config():
    class Doubled(layers.Layer):
        def call(self, inputs):
            return 2.0 * inputs

    config = compose(Doubled()).get_config()
    again = Seq2Seq.from_config(config, custom_objects={"Doubled": Doubled})
    assert type(again.encoder) is Doubled


def test_an_encoder_that_halves_the_source_may_say_what_is_padding():
    @keras.saving.register_keras_serializable("test")
    class Pyramid(layers.Layer):
        def call(self, inputs, mask=None):
            return inputs[:, ::2]

        def compute_mask(self, inputs, mask=None):
            return mask[:, ::2]

    model = compose(Pyramid())
    assert ops.convert_to_numpy(model.encode(SOURCE).mask).tolist() == [[True, True], [True, False]]
    np.testing.assert_allclose(
        log_probs_of(model, np.pad(SOURCE, [(0, 0), (0, 4)])), log_probs_of(model), atol=1e-5
    )


def test_a_decoder_may_compute_in_another_precision_than_the_rest():
    half = {"dtype": "mixed_bfloat16"}
    decoder = AttentionDecoder(WIDTH, BahdanauAttention(WIDTH, **half), readout_units=WIDTH, **half)
    model = compose(layers.GRU(WIDTH, **RECURRENT), decoder=decoder)
    assert model.translate(SOURCE, beam_size=2, max_length=4).tokens.shape == (2, 2, 4)
    log_probs = ops.convert_to_numpy(ops.log_softmax(ops.cast(model([SOURCE, TARGET_IN]), "float32")))
    encoded = model.encode(SOURCE)
    first, _, _ = model.step(ops.convert_to_tensor(TARGET_IN[:, 0]), encoded, encoded.state)
    np.testing.assert_allclose(ops.convert_to_numpy(first), log_probs[:, 0], atol=0.05)


def test_a_functional_encoder_whose_convolutions_see_padding_is_refused():
    embedded = keras.Input((None, WIDTH))
    first = layers.Conv1D(WIDTH, 3, padding="same", bias_initializer="ones")(embedded)
    encoder = keras.Model(embedded, layers.Conv1D(WIDTH, 3, padding="same")(first), name="convolutions")
    with pytest.raises(
        ValueError, match=r"'convolutions' gives a sentence another memory or state .* keras\.Sequential"
    ):
        compose(encoder)


class Mixed(layers.Layer):
    """Every position reads all positions alike, because no mask tells which are padding."""

    def call(self, inputs):
        return inputs + ops.mean(inputs, axis=1, keepdims=True)


@pytest.mark.parametrize(
    "encoder",
    [
        Mixed(),
        keras.Sequential([layers.AveragePooling1D(3, 1, padding="same")]),
    ],
    ids=["layer", "pooling"],
)
def test_layers_without_a_mask_that_mix_padding_into_the_memory_are_refused(encoder):
    with pytest.raises(ValueError, match="another memory or state when more padding follows"):
        compose(encoder)


@pytest.mark.parametrize(
    "encoder",
    [
        layers.Dense(WIDTH),
        keras.Sequential(
            [
                layers.Dense(WIDTH),
                layers.Dropout(0.5),
                layers.LayerNormalization(),
                layers.GRU(4, **SEQUENCES),
            ]
        ),
        keras.Sequential(
            [layers.Bidirectional(layers.LSTM(4, **SEQUENCES)), layers.Conv1D(4, 3, padding="same")]
        ),
        keras.Sequential([layers.Conv1D(WIDTH, 3, padding="causal"), layers.Activation("relu")]),
    ],
    ids=["dense", "norm and gru", "lstm and convolution", "causal"],
)
def test_layers_that_keep_padding_apart_are_not(encoder):
    assert_more_padding_changes_nothing(compose(encoder), atol=1e-5)


@keras.saving.register_keras_serializable("tests")
class Weighted(layers.Layer):
    """Makes its weights when it is built, as Keras' own layers do."""

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], WIDTH), name="kernel")

    def call(self, x):
        return ops.tanh(ops.matmul(x, self.kernel))


@keras.saving.register_keras_serializable("tests")
class Attending(layers.Layer):
    """Builds the layers that it is made of."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.attention = layers.MultiHeadAttention(2, 4)

    def build(self, shape):
        self.attention.build(shape, shape)

    def call(self, x, mask=None):
        return self.attention(x, x, attention_mask=None if mask is None else mask[:, None, :])


@keras.saving.register_keras_serializable("tests")
class Twice(keras.Model):
    """A model by a class."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = layers.Dense(WIDTH)

    def call(self, x):
        return self.dense(x) * 2.0


@keras.saving.register_keras_serializable("tests")
class Scaled(layers.Layer):
    """Has no weights, and its call takes neither `training` nor `mask`."""

    def call(self, x):
        return x * 2.0


@pytest.mark.parametrize(
    "encoder",
    [
        Weighted,
        Attending,
        Twice,
        lambda: keras.Sequential([layers.Dense(WIDTH), Scaled()]),
        lambda: keras.Sequential(
            [Weighted(), keras.Sequential([Scaled(), layers.Conv1D(4, 3, padding="same")])]
        ),
    ],
    ids=[
        "weights made in build",
        "layers built in build",
        "a class of a model",
        "an own layer",
        "one inside another",
    ],
)
def test_an_encoder_of_ones_own_is_built_as_keras_builds_it(encoder, tmp_path):
    model = compose(encoder())
    assert_more_padding_changes_nothing(model, atol=1e-6)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(
        *(ops.convert_to_numpy(each([SOURCE, TARGET_IN])) for each in (model, loaded))
    )


def test_half_precision_is_not_taken_for_padding_that_matters(mixed_float16):
    model = compose(keras.Sequential([layers.Conv1D(64, 3, padding="same") for _ in range(3)]))
    assert_more_padding_changes_nothing(model, atol=1e-2)


def test_a_functional_encoder_whose_layers_use_the_mask_is_not():
    embedded = keras.Input((None, WIDTH))
    read = layers.Bidirectional(layers.GRU(WIDTH // 2, return_sequences=True))(embedded)
    attended = layers.Add()([read, layers.MultiHeadAttention(2, 4)(read, read)])
    model = compose(keras.Model(embedded, layers.LayerNormalization()(attended)))
    assert_more_padding_changes_nothing(model, atol=1e-5)


def test_numbers_with_a_masking_layer_are_refused():
    frames = keras.Input((None, 4))
    encoder = keras.Model(frames, layers.LSTM(WIDTH, return_sequences=True)(layers.Masking()(frames)))
    with pytest.raises(ValueError, match="the decoder would attend to what the Masking layer"):
        compose(encoder, source_embedding=None)


def test_an_encoder_whose_last_state_reads_padding_is_refused():
    """Its memory is the same with and without padding, but what the decoder begins with is not."""
    embedded = keras.Input((None, WIDTH))
    encoder = keras.Model(embedded, [layers.Dense(WIDTH)(embedded), ops.mean(embedded, axis=1)])
    with pytest.raises(ValueError, match="another memory or state when more padding follows"):
        compose(encoder)


def test_models_whose_memories_differ_in_length_have_no_weights_together():
    def of_frames(strides):
        convolution = layers.Conv1D(WIDTH, 3, strides=strides, padding="same")
        return compose(convolution, source_embedding=None, source_shape=(None, 5))

    both = Ensemble([of_frames(1), of_frames(2)])
    frames = np.random.default_rng(1).normal(size=(2, 8, 5)).astype("float32")
    assert both.search(frames, Beam(3), max_length=4).tokens.shape == (2, 3, 4)
    log_probs, weights = both.score(frames, TARGET_IN, TARGET_OUT)
    assert log_probs.shape == (2, 3) and weights is None


def test_targets_to_score_may_be_lists(model):
    ours, theirs = (
        ops.convert_to_numpy(model.score(SOURCE, given_in, given_out)[0])
        for given_in, given_out in ((TARGET_IN, TARGET_OUT), (TARGET_IN.tolist(), TARGET_OUT.tolist()))
    )
    np.testing.assert_array_equal(ours, theirs)
