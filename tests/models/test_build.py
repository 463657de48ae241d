import dataclasses

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.config import ModelConfig, from_tables, without_unused
from keras_attn.models.build import build_seq2seq

V = 12
TINY = ModelConfig(
    source_vocab_size=V,
    target_vocab_size=V,
    embedding_dim=4,
    encoder_units=3,
    decoder_units=6,
    attention_units=5,
    readout_units=4,
)
PAPERS = {
    "bahdanau": {},
    "bahdanau normalised, deep": {"attention_normalize": True, "encoder_layers": 2, "decoder_layers": 2},
    "luong": {
        "attention": "luong",
        "cell": "lstm",
        "decoder_layers": 2,
        "query_state": "current",
        "feed": "attentional",
        "readout": "attentional",
        "residual": True,
    },
    "luong concat": {
        "attention": "luong",
        "attention_score": "concat",
        "attention_scale": True,
        "query_state": "current",
        "feed": "attentional",
        "readout": "attentional",
    },
    "conditional gru": {"cell": "layer_norm_gru", "query_state": "intermediate", "decoder_layers": 2},
    "jurafsky and martin": {"attention": "luong", "readout": "plain"},
    "cs224n": {
        "attention": "luong",
        "attention_score": "dot",
        "query_state": "current",
        "feed": "none",
        "readout": "plain",
    },
    "fixed vector": {"attention": "none", "feed": "none", "cell": "lstm"},
}
SOURCE = np.array([[5, 6, 7, 3], [8, 3, 0, 0]], "int32")
TARGET_IN = np.array([[2, 9, 10], [2, 11, 0]], "int32")
TARGET_OUT = np.array([[9, 10, 3], [11, 3, 0]], "int32")


def build(return_attention_scores=False, **choices):
    table = {**dataclasses.asdict(TINY), **choices}
    config = from_tables(without_unused({"model": table})).model
    return build_seq2seq(config, return_attention_scores=return_attention_scores)


@pytest.mark.parametrize("kind", ["luong", "luong-monotonic", "local-m", "local-p"])
def test_every_attention_with_a_score_of_luong_gets_all_that_the_config_says_of_it(kind):
    choices = {"attention_score": "concat", "attention_scale": True, "attention_units": 7}
    config = build(attention=kind, **choices, attention_dropout=0.25).decoder.attention.get_config()
    expected = {"score": "concat", "use_scale": True, "units": 7, "dropout": 0.25}
    assert {key: config[key] for key in expected} == expected


@pytest.mark.parametrize("kind", ["bahdanau", "coverage", "monotonic"])
def test_every_additive_attention_gets_all_that_the_config_says_of_it(kind):
    config = build(attention=kind, attention_units=7, attention_dropout=0.25).decoder.attention.get_config()
    assert (config["units"], config["dropout"]) == (7, 0.25)


@pytest.mark.parametrize("kind", ["local-m", "local-p"])
def test_a_local_attention_has_the_window_of_the_config(kind):
    assert build(attention=kind, attention_window=3).decoder.attention.window == 3


def test_encoder_and_decoder_get_all_that_the_config_says_of_them():
    choices = {
        "cell": "lstm",
        "residual": True,
        "query_state": "current",
        "feed": "none",
        "readout": "linear",
    }
    model = build(**choices, encoder_layers=2, decoder_layers=3, layer_dropout=0.25)
    expected = {"cell": "lstm", "residual": True, "dropout": 0.25, "units": 3, "num_layers": 2}
    config = model.encoder.get_config()
    assert {key: config[key] for key in expected} == expected
    expected = {**choices, "dropout": 0.25, "units": 6, "num_layers": 3, "readout_units": 4}
    config = model.decoder.get_config()
    assert {key: config[key] for key in expected} == expected


def test_a_transformer_encoder_gets_all_that_the_config_says_of_it():
    model = build(encoder="transformer", encoder_heads=2, encoder_layers=3, layer_dropout=0.25)
    config, expected = model.encoder.get_config(), {"num_heads": 2, "num_layers": 3, "dropout": 0.25}
    assert {key: config[key] for key in expected} == expected


@pytest.fixture(scope="module", params=PAPERS.values(), ids=PAPERS.keys())
def model(request):
    """One model a paper, for tests that only look at it."""
    keras.utils.set_random_seed(1)
    tied = "none" if request.param.get("readout") == "plain" else "target"
    return build(**request.param, tied_embeddings=tied)


def logits_of(model, source=SOURCE, target_in=TARGET_IN, **kwargs):
    return ops.convert_to_numpy(model([source, target_in], **kwargs))


@pytest.mark.slow
def test_every_word_of_every_sentence_gets_float32_logits(model):
    logits = logits_of(model)
    assert logits.shape == (2, 3, V) and logits.dtype == np.float32
    assert np.isfinite(logits).all()


def test_later_target_words_cannot_change_earlier_logits(model):
    changed = TARGET_IN.copy()
    changed[:, 1:] = 7
    before, after = logits_of(model), logits_of(model, target_in=changed)
    np.testing.assert_allclose(after[:, 0], before[:, 0], atol=1e-6)
    assert (np.abs(after[:, 1:] - before[:, 1:]).max(-1) > 0).all()


def test_a_sentence_gives_the_same_alone_as_padded_in_a_batch(model):
    alone = logits_of(model, SOURCE[1:, :2], TARGET_IN[1:, :2])
    np.testing.assert_allclose(logits_of(model)[1:, :2], alone, atol=1e-6)


@pytest.mark.slow
def test_every_source_word_reaches_the_logits_of_every_position(model):
    for position in range(4):
        changed = SOURCE[:1].copy()
        changed[0, position] = 9
        before, after = logits_of(model)[:1], logits_of(model, changed, TARGET_IN[:1])
        assert (np.abs(after - before).max(-1) > 0).all()


def test_what_stands_at_padding_does_not_matter_to_the_loss():
    model = build()
    model.compile(loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    weight = (TARGET_OUT != 0).astype("float32")
    loss = model.evaluate([SOURCE, TARGET_IN], TARGET_OUT, sample_weight=weight, verbose=0)
    other_in, other_out = np.where(TARGET_IN == 0, 5, TARGET_IN), np.where(TARGET_OUT == 0, 7, TARGET_OUT)
    other = model.evaluate([SOURCE, other_in], other_out, sample_weight=weight, verbose=0)
    np.testing.assert_allclose(other, loss, rtol=1e-6)


@pytest.mark.slow
def test_a_few_lines_compile_fit_save_and_load(tmp_path):
    random = np.random.default_rng(1)
    source = random.integers(4, V, size=(64, 5), dtype="int32")
    target_in = np.concatenate([np.full((64, 1), 2, "int32"), source[:, :-1]], axis=1)

    model = build_seq2seq(dataclasses.replace(TINY, decoder_units=16, encoder_units=16, embedding_dim=8))
    model.compile(keras.optimizers.Adam(0.03), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    history = model.fit([source, target_in], source, epochs=12, verbose=0)
    assert history.history["loss"][-1] < 0.7 * history.history["loss"][0]

    model.save(tmp_path / "copy.keras")
    loaded = keras.models.load_model(tmp_path / "copy.keras")
    np.testing.assert_array_equal(logits_of(loaded), logits_of(model))


@pytest.mark.slow
def test_a_saved_model_gives_the_same_logits(model, tmp_path):
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(logits_of(loaded), logits_of(model))


def test_weights_alone_can_be_saved_and_loaded(tmp_path):
    model, other = build(), build()
    model.save_weights(tmp_path / "model.weights.h5")
    assert np.abs(logits_of(model) - logits_of(other)).max() > 1e-3
    other.load_weights(tmp_path / "model.weights.h5")
    np.testing.assert_array_equal(logits_of(model), logits_of(other))


@pytest.mark.slow
@pytest.mark.parametrize("attention", ["monotonic", "luong-monotonic"])
def test_a_monotonic_model_trains_a_step_and_then_stops_at_one_word_at_most(attention):
    keras.utils.set_random_seed(1)
    model = build(attention=attention, return_attention_scores=True)
    losses = [keras.losses.SparseCategoricalCrossentropy(from_logits=True), None]
    model.compile(keras.optimizers.Adam(0.01), losses)
    before = [ops.convert_to_numpy(weight) for weight in model.get_layer("decoder").attention.weights]
    assert np.isfinite(model.train_on_batch([SOURCE, TARGET_IN], [TARGET_OUT, None]))
    after = [ops.convert_to_numpy(weight) for weight in model.get_layer("decoder").attention.weights]
    assert all((a != b).any() for a, b in zip(before, after, strict=True))
    _, weights = model([SOURCE, TARGET_IN])
    assert set(ops.convert_to_numpy(weights).sum(-1).ravel().tolist()) <= {0.0, 1.0}


@pytest.mark.parametrize("attention", ["bahdanau", "luong"])
def test_the_heads_of_a_config_are_those_of_its_attention(attention):
    model = build(attention=attention, attention_heads=2)
    assert model.decoder.attention.num_heads == 2


@pytest.mark.parametrize(
    "choices", [{"cell": "gru_reset_after"}, {"readout": "linear", "feed": "attentional"}]
)
def test_tfas_cell_and_readout_are_choices_of_a_config(choices):
    model = build(**choices)
    encoded = model.encode(SOURCE)
    log_probs, _, _ = model.step(TARGET_IN[:, 0], encoded, encoded.state)
    expected = ops.log_softmax(logits_of(model)[:, 0])
    np.testing.assert_allclose(ops.convert_to_numpy(log_probs), ops.convert_to_numpy(expected), atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("paper", [name for name in PAPERS if name != "fixed vector"])
def test_the_second_output_is_the_attention_that_each_word_was_said_with(paper):
    keras.utils.set_random_seed(1)
    model = build(**PAPERS[paper], return_attention_scores=True)
    logits, weights = (ops.convert_to_numpy(output) for output in model([SOURCE, TARGET_IN]))
    expected_log_probs, expected_weights = model.score(SOURCE, TARGET_IN, TARGET_OUT)
    np.testing.assert_allclose(weights, expected_weights, atol=1e-6)
    log_probs = ops.convert_to_numpy(ops.log_softmax(logits))
    chosen = np.take_along_axis(log_probs, TARGET_OUT[..., None], axis=-1)[..., 0] * (TARGET_OUT != 0)
    np.testing.assert_allclose(chosen, expected_log_probs, atol=1e-5)
    assert weights.shape == (2, 3, 4) and weights.dtype == np.float32


def test_a_model_with_two_outputs_has_the_weights_of_one_with_one(tmp_path):
    both, one = build_seq2seq(TINY, return_attention_scores=True), build()
    both.save_weights(tmp_path / "model.weights.h5")
    one.load_weights(tmp_path / "model.weights.h5")
    np.testing.assert_array_equal(logits_of(one), ops.convert_to_numpy(both([SOURCE, TARGET_IN])[0]))


# embedding 4, encoder 3 each way, decoder 6, attention 5, readout 4, vocabulary 12
GRU = {
    "encoder": 2 * (4 * 9 + 9 + 3 * 9),  # each way: W, b, U
    "bridge": 6 * 6 + 6,
    "cell": 4 * 18 + 18 + 6 * 18 + 6 * 18,  # W, b, U, C
    "attention": 6 * 5 + 6 * 5 + 5,  # W, U, v
    "readout": (6 + 6 + 4) * 8 + 8,  # context, state, word -> pairs
}


@pytest.mark.parametrize(("tied", "matrices", "bias"), [("none", 3, V), ("target", 2, 0), ("all", 1, 0)])
def test_tied_embeddings_are_one_matrix(tied, matrices, bias):
    """Untied: source, target and output matrix, the last with a bias."""
    model = build(tied_embeddings=tied)
    assert model.count_params() == sum(GRU.values()) + matrices * V * 4 + bias


def test_an_output_matrix_of_its_own_starts_as_large_for_any_vocabulary():
    """The deviation is 2 over the root of the readout's width, here 64; Keras' own start would have 0.125 and 0.025."""
    for words in (64, 3200):
        model = build(readout_units=64, source_vocab_size=words, target_vocab_size=words)
        kernel = ops.convert_to_numpy(model.get_layer("output").kernel)
        assert kernel.shape == (64, words) and abs(kernel.std() - 0.25) < 0.01


@pytest.mark.parametrize("tied", ["target", "all"])
def test_a_tied_matrix_is_input_and_output_at_once(tied):
    model = build(tied_embeddings=tied)
    embedding = model.get_layer("target_embedding").embeddings
    before = logits_of(model)
    changed = ops.convert_to_numpy(embedding).copy()
    changed[11] += 1  # word 11 is read by sentence 1 at position 1 alone
    embedding.assign(changed)
    difference = np.abs(logits_of(model) - before)
    assert (difference[..., 11] > 1e-6).all()  # as an output, everywhere
    assert (difference[..., :11].max(-1) > 1e-6).tolist() == [[False, False, False], [False, True, True]]


def test_mixed_precision_gives_float32_logits(mixed_float16):
    model = build(tied_embeddings="target")
    logits = logits_of(model)
    assert logits.dtype == np.float32 and np.isfinite(logits).all()
    assert model.get_layer("decoder").compute_dtype == "float16"


@pytest.mark.parametrize("name", ["word", "embedding", "layer", "memory", "attention", "readout"])
def test_each_dropout_is_for_training_alone(name):
    layers = 2 if name == "layer" else 1
    model = build(encoder_layers=layers, decoder_layers=layers, **{f"{name}_dropout": 0.5})
    plain = logits_of(model)
    np.testing.assert_array_equal(logits_of(model, training=False), plain)
    assert (logits_of(model, training=True) != plain).any()


@pytest.mark.parametrize("name", ["word_dropout", "embedding_dropout"])
def test_words_are_dropped_in_the_source_and_in_the_target(name):
    """A side whose embeddings are zero has nothing to lose."""
    model = build(**{name: 0.5})
    tables = [model.get_layer(f"{side}_embedding").embeddings for side in ("source", "target")]
    for emptied in tables:
        before = ops.convert_to_numpy(emptied)
        emptied.assign(np.zeros_like(before))
        assert (logits_of(model, training=True) != logits_of(model)).any()
        emptied.assign(before)


def dropped(model, layer, positions=50, width=20):
    """Which of 3 x positions x width ones the model's layer takes away."""
    ones = np.ones((3, positions, width), "float32")
    return ops.convert_to_numpy(model.get_layer(layer)(ones, training=True)) == 0


def test_word_dropout_takes_words_whole():
    gone = dropped(build(word_dropout=0.3), "word_dropout")
    np.testing.assert_array_equal(gone, np.broadcast_to(gone[:, :, :1], gone.shape))
    assert 0.15 < gone.mean() < 0.45  # of 150 words; the bounds are four standard deviations away


@pytest.mark.parametrize("layer", ["embedding_dropout", "memory_dropout", "readout_dropout"])
def test_variational_dropout_takes_the_same_units_at_every_position(layer):
    once, each = (dropped(build(**{layer: 0.5}, variational_dropout=same), layer) for same in (True, False))
    np.testing.assert_array_equal(once, np.broadcast_to(once[:, :1], once.shape))
    assert (once[0] != once[1]).any()  # sentences have masks of their own
    assert (each[:, 1:] != each[:, :-1]).any()


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"source_vocab_size": 0}, r"source_vocab_size=0, target_vocab_size=12\. Set both"),
        ({"target_vocab_size": 0}, r"source_vocab_size=12, target_vocab_size=0\. Set both"),
        ({"embedding_dim": 0}, r"an integer of at least 1\. Received: embedding_dim=0"),
        (
            {"tied_embeddings": "target", "readout_units": 5},
            r"readout_units must equal embedding_dim\. Received: embedding_dim=4, .*readout_units=5",
        ),
        (
            {"tied_embeddings": "target", "readout": "plain"},
            r"readout='plain' with readout_units=none of its own",
        ),
        (
            {"tied_embeddings": "all", "source_vocab_size": 9},
            r"one vocabulary for both languages .*source_vocab_size=9, target_vocab_size=12",
        ),
        ({"attention": "none"}, r"set feed='none'\. Received: 'context'"),
        ({"attention": "luong", "attention_score": "dot", "decoder_units": 7}, r"Use score='general'"),
        ({"encoder_layers": 0}, r"an integer of at least 1\. Received: num_layers=0"),
        ({"decoder_layers": 0}, r"an integer of at least 1\. Received: num_layers=0"),
    ],
)
def test_choices_that_do_not_fit_are_refused(choices, message):
    with pytest.raises(ValueError, match=message):
        build(**choices)


def test_a_name_instead_of_a_config_is_refused_with_what_makes_one_of_it():
    with pytest.raises(ValueError, match=r"ModelConfig\.from_preset\('bahdanau2015'.*Received: 'luong2015'"):
        build_seq2seq("luong2015")


def test_without_attention_there_are_no_scores_to_return():
    with pytest.raises(ValueError, match="without attention has no attention scores"):
        build(attention="none", feed="none", return_attention_scores=True)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"attention": "coverage", "attention_heads": 2}, "model.attention_heads does not apply to"),
        ({"attention_window": 5}, "model.attention_window does not apply to model.attention = 'bahdanau'"),
    ],
)
def test_a_choice_of_another_kind_is_refused(choices, message):
    with pytest.raises(ValueError, match=message):
        build_seq2seq(dataclasses.replace(TINY, **choices))


@pytest.mark.parametrize(("encoder", "deviation"), [("bidirectional", 0.5), ("transformer", 0.125)])
def test_embeddings_start_as_large_as_the_encoder_wants_them(encoder, deviation):
    """A Transformer encoder multiplies them by the root of their width: here 8, which gives 1."""
    model = build(
        source_vocab_size=500, target_vocab_size=500, embedding_dim=64, encoder=encoder, encoder_heads=2
    )
    for name in ("source_embedding", "target_embedding"):
        table = ops.convert_to_numpy(model.get_layer(name).embeddings)
        assert np.std(table) == pytest.approx(deviation, rel=0.02)
