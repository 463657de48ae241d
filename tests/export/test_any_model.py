"""A user's own encoder, from `fit` to a `.tflite` and a SavedModel that say what Keras says."""

import functools

import keras
import numpy as np
import pytest

from keras_attn import (
    AttentionDecoder,
    BahdanauAttention,
    LuongAttention,
    Seq2Seq,
    export_litert,
    export_saved_model,
)
from keras_attn.export.runner import LiteRTModel
from keras_attn.inference.translator import Translator
from keras_attn.models.bidirectional_encoder import BidirectionalEncoder
from keras_attn.models.bridge import CopyBridge
from keras_attn.models.transformer_encoder import TransformerEncoder
from keras_attn.special_ids import BOS_ID, EOS_ID, UNK_ID
from keras_attn.text.tokenizer import train_tokenizer

V, WIDTH, LETTERS = 16, 24, 6
layers = keras.layers


def convolutions():
    return keras.Sequential(
        [
            layers.Conv1D(WIDTH, 3, padding="same", activation="relu"),
            layers.Dropout(0.1),
            layers.Conv1D(WIDTH, 3, padding="same"),
        ]
    )


RECURRENT = {"return_sequences": True, "return_state": True}
ENCODERS = {
    "bidirectional encoder": lambda: BidirectionalEncoder(WIDTH // 2),
    "transformer encoder": lambda: TransformerEncoder(num_layers=1, num_heads=2),
    "Keras' bidirectional GRU": lambda: layers.Bidirectional(layers.GRU(WIDTH // 2, **RECURRENT)),
    "Keras' LSTM": lambda: layers.LSTM(WIDTH, **RECURRENT),
    "convolutions": convolutions,
}


def reversal_pairs(count, seed):
    """Ids of strings with EOS, and the strings backwards."""
    draw = np.random.default_rng(seed)
    source = np.zeros((count, LETTERS + 1), "int32")
    target = np.zeros((count, LETTERS + 1), "int32")
    for row, length in enumerate(draw.integers(1, LETTERS + 1, count)):
        letters = draw.integers(EOS_ID + 1, V, length)
        source[row, : length + 1] = [*letters, EOS_ID]
        target[row, : length + 1] = [*letters[::-1], EOS_ID]
    return source, target


def rows_without_words():
    """An empty one, one that ends at once, and one of which nothing is known."""
    rows = np.zeros((3, LETTERS + 1), "int32")
    rows[1, 0] = EOS_ID
    rows[2, :3] = UNK_ID, UNK_ID, EOS_ID
    return rows


def untrained(encoder, *, source_embedding=True, **parts):
    keras.utils.set_random_seed(1)
    return Seq2Seq(
        source_embedding=layers.Embedding(V, WIDTH) if source_embedding else None,
        encoder=encoder,
        decoder=AttentionDecoder(WIDTH, BahdanauAttention(WIDTH), readout_units=WIDTH),
        target_embedding=layers.Embedding(V, WIDTH),
        output=layers.Dense(V),
        **parts,
    )


def trained(encoder, **parts):
    model = untrained(encoder, **parts)
    fit(model, *reversal_pairs(256, seed=1))
    return model


@functools.cache
def reverser(encoder):
    """Trained with this one of `ENCODERS`; no test changes it."""
    return trained(ENCODERS[encoder]())


def fit(model, source, target, epochs=4):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    model.compile(keras.optimizers.Adam(0.01), loss, jit_compile=False)
    target_in = np.pad(target[:, :-1], [(0, 0), (1, 0)], constant_values=BOS_ID)
    model.fit([source, target_in], target, batch_size=64, epochs=epochs, verbose=0)


# Each encoder in one kind of file, padded or of any length, because an export takes its time.
@pytest.mark.parametrize(("encoder", "padded"), zip(ENCODERS, [True, False] * 3, strict=False))
def test_an_encoder_of_ids_goes_from_fit_to_a_file_that_says_what_keras_says(encoder, padded, tmp_path):
    model = reverser(encoder)
    source, _ = reversal_pairs(60, seed=2)
    compared = np.concatenate([source, rows_without_words()])
    parity = export_litert(
        model, tmp_path / "phone", source_length=12, max_length=12, sources=compared, padded=padded
    )
    assert parity.sentences == 63 and parity.identical + parity.ties == 63
    file = LiteRTModel(tmp_path / "phone")
    assert [file.translate_ids(row[row > 0])[0] for row in rows_without_words()] == [[]] * 3
    expected = model.translate(source[:1], beam_size=1, max_length=12)
    words = source[0][source[0] > 0]
    assert file.translate_ids(words)[0] == [i for i in expected.tokens[0, 0].tolist() if i]


@pytest.mark.parametrize("encoder", ENCODERS)
def test_columns_of_padding_change_no_translation(encoder):
    model = reverser(encoder)
    source, _ = reversal_pairs(8, seed=3)
    plain = model.translate(source, beam_size=3, max_length=8)
    padded = model.translate(np.pad(source, [(0, 0), (0, 5)]), beam_size=3, max_length=8)
    np.testing.assert_array_equal(plain.tokens, padded.tokens)
    np.testing.assert_allclose(plain.scores, padded.scores, atol=1e-4)


@pytest.fixture(scope="module")
def picture_reader():
    """Reads a row of black and white squares as letters: 4 x 4 pixels each, of five kinds."""
    kinds = np.random.default_rng(0).normal(size=(5, 4, 4))
    draw = np.random.default_rng(1)
    letters = draw.integers(0, 5, (300, 4))
    pictures = np.concatenate([kinds[letters[:, i]] for i in range(4)], axis=2)[..., None].astype("float32")
    target = np.pad(letters + EOS_ID + 1, [(0, 0), (0, 1)], constant_values=EOS_ID).astype("int32")
    picture = keras.Input((4, 16, 1))
    columns = layers.Permute((2, 1, 3))(layers.Conv2D(8, 3, padding="same", activation="relu")(picture))
    columns = layers.Bidirectional(layers.GRU(12, return_sequences=True))(layers.Reshape((16, 32))(columns))
    encoder = keras.Model(picture, columns)
    keras.utils.set_random_seed(1)
    model = Seq2Seq(
        encoder=encoder,
        decoder=AttentionDecoder(WIDTH, LuongAttention("general"), readout_units=WIDTH),
        target_embedding=layers.Embedding(9, WIDTH, embeddings_initializer="random_normal"),
        output=layers.Dense(9),
    )
    fit(model, pictures[:250], target[:250], epochs=40)
    return model, pictures[240:], target[240:]


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_a_model_of_pictures_goes_from_fit_to_a_file(picture_reader, precision, tmp_path):
    model, pictures, target = picture_reader
    parity = export_litert(
        model, tmp_path / "phone", precision=precision, beam_size=2, max_length=6, sources=pictures
    )
    assert parity.bleu is None and parity.identical + parity.ties >= 58
    said = [LiteRTModel(tmp_path / "phone").translate_ids(picture)[0] for picture in pictures[10:]]
    assert np.mean([said[i] == target[10 + i].tolist() for i in range(50)]) > 0.9


def test_a_picture_has_weights_over_its_positions(picture_reader):
    model, pictures, _ = picture_reader
    found = model.translate(pictures[:3], beam_size=2, max_length=6, return_weights=True)
    assert found.weights.shape == (3, 2, 6, 16)
    np.testing.assert_allclose(found.weights[:, 0, 0].sum(-1), 1, rtol=1e-5)


def test_a_bare_model_becomes_a_saved_model_of_ids(picture_reader, tmp_path):
    import tensorflow as tf

    model, pictures, _ = picture_reader
    parity = export_saved_model(model, tmp_path / "served", beam_size=3, max_length=6, sources=pictures)
    assert parity.identical + parity.ties == 60
    signatures = tf.saved_model.load(str(tmp_path / "served")).signatures
    found = signatures["serving_default"](source=tf.constant(pictures))
    expected = model.translate(pictures, beam_size=3, max_length=6)
    np.testing.assert_array_equal(found["ids"], expected.tokens)
    assert signatures["align"](source=tf.constant(pictures))["weights"].shape == (60, 6, 16)
    best = expected.tokens[:, 0]
    log_prob = signatures["score"](source=tf.constant(pictures), target=tf.constant(best))["log_prob"]
    np.testing.assert_allclose(log_prob, expected.log_probs[:, 0], atol=1e-4)
    for name in ("serving_default", "align"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="source_must_be_a_batch_of_inputs_even"):
            signatures[name](source=tf.constant(pictures[0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="target_must_be_a_batch_of_rows_of_ids_even"):
        signatures["score"](source=tf.constant(pictures[:1]), target=tf.constant(best[0]))


def test_a_bare_model_of_ids_becomes_a_saved_model(tmp_path):
    import tensorflow as tf

    model = reverser("bidirectional encoder")
    source, target = reversal_pairs(60, seed=2)
    parity = export_saved_model(model, tmp_path / "served", beam_size=2, max_length=8)  # on random sources
    assert parity.sentences == 50 and parity.identical + parity.ties == 50
    signatures = tf.saved_model.load(str(tmp_path / "served")).signatures

    def ask(name, **arrays):
        return {key: value.numpy() for key, value in signatures[name](**arrays).items()}

    target_in = np.pad(target[:, :-1], [(0, 0), (1, 0)], constant_values=BOS_ID)
    expected = np.sum(model.score(source, target_in, target)[0], axis=1)
    np.testing.assert_allclose(ask("score", source=source, target=target)["log_prob"], expected, atol=1e-4)
    strange, unknown = (np.where(source == V - 1, other, source) for other in (V, UNK_ID))
    assert (strange != source).any()
    answers = [ask("serving_default", source=each) for each in (strange, unknown)]
    np.testing.assert_array_equal(answers[0]["ids"], answers[1]["ids"])
    nothing = ask("serving_default", source=rows_without_words())
    assert nothing["lengths"].tolist() == [[0, 0]] * 3 and nothing["scores"][:, 0].tolist() == [0.0] * 3
    targets = [np.where(target == V - 1, other, target) for other in (V, UNK_ID)]
    given = [ask("score", source=source, target=each)["log_prob"] for each in targets]
    np.testing.assert_array_equal(*given)
    found = model.translate(source, beam_size=2, max_length=8, return_weights=True)._asdict()
    names = {"ids": "tokens", "lengths": "lengths", "scores": "scores", "weights": "weights"}
    for name, values in ask("serving_default", source=source).items():
        np.testing.assert_allclose(values, found[names[name]], atol=1e-4)
    for name, values in ask("align", source=source).items():
        np.testing.assert_allclose(values, found[names[name]][:, 0], atol=1e-4)
    nothing, padding = np.zeros((2, 0), "int32"), np.zeros((2, 1), "int32")
    assert ask("serving_default", source=nothing)["lengths"].tolist() == [[0, 0], [0, 0]]
    scores = [ask("score", source=each, target=target[:2])["log_prob"] for each in (nothing, padding)]
    np.testing.assert_allclose(*scores, atol=1e-5)


def test_a_bare_model_may_say_more_than_it_reads(tmp_path):
    import tensorflow as tf

    model = untrained(layers.GRU(WIDTH, **RECURRENT))
    model.output_layer.bias.assign([-99.0 if word == EOS_ID else 0.0 for word in range(V)])
    source = np.array([[5, 6, EOS_ID]], "int32")
    export_saved_model(model, tmp_path / "served", beam_size=1, max_length=40)
    found = tf.saved_model.load(str(tmp_path / "served")).signatures["serving_default"](source=source)
    assert found["lengths"].numpy().tolist() == [[40]]
    expected = model.translate(source, beam_size=1, max_length=40)
    np.testing.assert_array_equal(found["ids"].numpy(), expected.tokens)


def test_without_inputs_a_bare_model_is_compared_on_random_ones(picture_reader, tmp_path):
    parity = export_litert(picture_reader[0], tmp_path / "phone", max_length=5)
    assert parity.sentences == 50 and parity.identical + parity.ties == 50


def test_a_users_model_with_vocabularies_translates_text_and_goes_to_the_phone(source_lines, tmp_path):
    tokenizer = train_tokenizer(source_lines, 60)
    size = tokenizer.vocab_size
    keras.utils.set_random_seed(2)
    embedding = layers.ReversibleEmbedding(size, 16, embeddings_initializer="glorot_normal")
    model = Seq2Seq(
        source_embedding=embedding,
        encoder=layers.LSTM(16, **RECURRENT),
        decoder=AttentionDecoder(16, LuongAttention("dot"), cell="lstm", readout_units=16),
        target_embedding=embedding,
        bridge=CopyBridge(),
    )
    for weight in model.trainable_weights:
        weight.assign(3 * weight.value)
    translator = Translator(model, tokenizer)
    parity = export_litert(translator, tmp_path / "phone", precision="float32", sources=source_lines[:60])
    assert parity.identical + parity.ties == 60
    parity = export_saved_model(translator, tmp_path / "served", beam_size=2, sources=source_lines[:60])
    assert parity.identical + parity.ties == 60


def test_an_encoder_that_reads_padding_is_refused_before_it_is_converted(tmp_path):
    class Convolution(layers.Layer):
        def __init__(self):
            super().__init__()
            self.first = layers.Conv1D(WIDTH, 3, padding="same", activation="relu", bias_initializer="ones")
            self.second = layers.Conv1D(WIDTH, 3, padding="same")

        def call(self, x, mask=None):  # which it does not use
            return self.second(self.first(x))

    model = trained(Convolution())
    with pytest.raises(ValueError, match=r"another memory or state when more padding .* keras\.Sequential"):
        export_litert(model, tmp_path / "phone")
    assert not (tmp_path / "phone").exists()


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16", "float64"])
def test_a_model_in_another_precision_is_told_so_before_it_is_converted(policy, tmp_path):
    keras.config.set_dtype_policy(policy)
    try:
        model = untrained(ENCODERS["bidirectional encoder"]())
    finally:
        keras.config.set_dtype_policy("float32")
    with pytest.raises(
        ValueError, match=r"computes in float32, and layers of this model compute in \w*float"
    ):
        export_litert(model, tmp_path / "phone")
    assert not (tmp_path / "phone").exists()


@pytest.fixture(scope="module")
def phone_of_ids(tmp_path_factory):
    folder = tmp_path_factory.mktemp("phone_of_ids")
    export_litert(reverser("Keras' LSTM"), folder / "phone", source_length=12, max_length=12)
    return LiteRTModel(folder / "phone")


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([[7, 5, EOS_ID]], r"expected the ids of one source, such as .*; got shape \(1, 3\)"),
        ([7.0, 5.0], "expected the ids of one source.*float64"),
        ([V, EOS_ID], f"expected ids from 0 to {V - 1}; got some from {EOS_ID} to {V}"),
        ([-1, EOS_ID], "got some from -1"),
        ([0, 5, EOS_ID], "expected padding .0. only on the right"),
    ],
)
def test_a_file_refuses_ids_as_the_model_does(ids, message, phone_of_ids):
    with pytest.raises(ValueError, match=message):
        phone_of_ids.translate_ids(ids)


def test_a_file_refuses_a_picture_of_another_shape(picture_reader, tmp_path):
    model, pictures, _ = picture_reader
    export_litert(model, tmp_path / "phone", max_length=5)
    with pytest.raises(
        ValueError, match=r"expected numbers of shape \[4, 16, 1\]; got shape \(1, 4, 16, 1\)"
    ):
        LiteRTModel(tmp_path / "phone").translate_ids(pictures[:1])


def test_inputs_that_a_model_cannot_read_are_refused_before_anything_is_written(picture_reader, tmp_path):
    model, pictures, _ = picture_reader
    with pytest.raises(ValueError, match=r"expected sources of shape \(None, 4, 16, 1\)"):
        export_litert(model, tmp_path / "phone", sources=pictures[..., 0])
    with pytest.raises(ValueError, match="at least 50"):
        export_litert(model, tmp_path / "phone", sources=pictures[:49])
    assert not (tmp_path / "phone").exists()
