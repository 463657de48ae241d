import types

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.config import from_tables, without_unused
from keras_attn.models.build import build_seq2seq
from keras_attn.models.decoding import log_softmax
from keras_attn.models.ensemble import Ensemble
from keras_attn.models.seq2seq import Seq2Seq
from keras_attn.search import Beam

V = 12
MODELS = {
    "bahdanau": {},
    "luong, deep lstm": {
        "attention": "luong",
        "cell": "lstm",
        "encoder_layers": 2,
        "decoder_layers": 2,
        "residual": True,
        "query_state": "current",
        "feed": "attentional",
        "readout": "attentional",
        "tied_embeddings": "target",
    },
    "conditional gru": {"cell": "layer_norm_gru", "query_state": "intermediate"},
    "cs224n": {"attention": "luong", "query_state": "current", "feed": "none", "readout": "plain"},
    "copying": {"copy": True},
    "copying, luong, two heads": {
        "copy": True,
        "attention": "luong",
        "attention_heads": 2,
        "cell": "lstm",
        "query_state": "current",
        "feed": "attentional",
        "readout": "attentional",
        "tied_embeddings": "all",
    },
    "copying, nothing fed": {"copy": True, "query_state": "current", "feed": "none", "readout": "plain"},
    "copying, coverage": {"copy": True, "attention": "coverage", "query_state": "intermediate"},
    "fixed vector, all tied": {"attention": "none", "feed": "none", "tied_embeddings": "all"},
}
SOURCE = np.array([[5, 6, 7, 3], [8, 3, 0, 0]], "int32")
TARGET_IN = np.array([[2, 9, 10], [2, 11, 0]], "int32")
TARGET_OUT = np.array([[9, 10, 3], [11, 3, 0]], "int32")


def build(**choices):
    sizes = {
        "source_vocab_size": V,
        "target_vocab_size": V,
        "embedding_dim": 6,
        "encoder_units": 4,
        "decoder_units": 8,
        "attention_units": 5,
        "readout_units": 6,
    }
    model = build_seq2seq(from_tables(without_unused({"model": {**sizes, **choices}})).model)
    random = np.random.default_rng(1)
    for weight in model.trainable_variables:
        weight.assign(random.normal(size=weight.shape) * 0.7)
    return model


@pytest.fixture(scope="module", params=MODELS.values(), ids=MODELS.keys())
def model(request):
    return build(**request.param)


def log_softmax_of(model, source=SOURCE, target_in=TARGET_IN):
    logits = ops.convert_to_numpy(model([source, target_in])).astype("float64")
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


def by_steps(model, source=SOURCE, target_in=TARGET_IN):
    """Log-probabilities `(N, T, V)` and weights of a loop over `step`."""
    encoded = model.encode(source)
    state = encoded.state
    log_probs, weights = [], []
    for tokens in target_in.T:
        log_probs_t, state, weights_t = model.step(ops.convert_to_tensor(tokens), encoded, state)
        log_probs.append(ops.convert_to_numpy(log_probs_t))
        weights.append(None if weights_t is None else ops.convert_to_numpy(weights_t))
    return np.stack(log_probs, 1), weights


def test_steps_give_the_models_own_log_probabilities(model):
    log_probs, _ = by_steps(model)
    assert log_probs.dtype == np.float32
    np.testing.assert_allclose(log_probs, log_softmax_of(model), atol=1e-5)


def test_the_score_is_the_log_probability_of_each_word_and_zero_at_padding(model):
    log_probs, _ = model.score(SOURCE, TARGET_IN, TARGET_OUT)
    log_probs, expected = ops.convert_to_numpy(log_probs), log_softmax_of(model)
    for n, t in np.ndindex(2, 3):
        wanted = expected[n, t, TARGET_OUT[n, t]] if TARGET_OUT[n, t] else 0.0
        np.testing.assert_allclose(log_probs[n, t], wanted, atol=1e-5)


def test_steps_and_score_give_the_same_weights(model):
    _, weights = model.score(SOURCE, TARGET_IN, TARGET_OUT)
    _, by_step = by_steps(model)
    if model.get_layer("decoder").attention is None:
        assert weights is None and by_step == [None] * 3
    else:
        weights = ops.convert_to_numpy(weights)
        np.testing.assert_allclose(weights, np.stack(by_step, 1), atol=1e-5)
        np.testing.assert_allclose(weights.sum(-1), 1.0, rtol=1e-5)
        assert (weights[1, :, 2:] == 0).all()


def test_several_hypotheses_of_a_sentence_need_no_second_encoding(model):
    targets = np.random.default_rng(2).integers(3, V, size=(6, 3), dtype="int32")  # three for each sentence
    repeated, _ = by_steps(model, np.repeat(SOURCE, 3, axis=0), targets)
    encoded = model.encode(SOURCE)
    state = keras.tree.map_structure(lambda leaf: ops.repeat(leaf, 3, axis=0), encoded.state)
    for t in range(3):
        log_probs, state, _ = model.step(ops.convert_to_tensor(targets[:, t]), encoded, state)
        np.testing.assert_allclose(ops.convert_to_numpy(log_probs), repeated[:, t], atol=1e-5)


def test_greedy_search_says_what_the_model_finds_most_probable(model):
    """Teacher-forced with its own words, the model would say each of them again."""
    found = model.translate(SOURCE, beam_size=1, max_length=6)
    for n in range(2):
        length = int(found.lengths[n, 0])
        tokens = found.tokens[n, 0, :length]
        target_in = np.array([[2, *tokens[:-1]]], "int32")
        log_probs = log_softmax_of(model, SOURCE[n : n + 1], target_in)[0]
        possible = np.delete(log_probs, [0, 2], axis=1)  # neither PAD nor BOS
        chosen = log_probs[np.arange(length), tokens]
        np.testing.assert_allclose(chosen, possible.max(1), atol=1e-5)
        np.testing.assert_allclose(found.log_probs[n, 0], chosen.sum(), atol=1e-4)


@pytest.mark.parametrize("batch_size", [1, 2, 64])
def test_translate_answers_every_source_whatever_the_batch_size(batch_size):
    """Three sources: batches of two leave one over."""
    model, sources = build(), np.concatenate([SOURCE, SOURCE[:1, ::-1]])
    found = model.translate(sources, beam_size=2, max_length=4, batch_size=batch_size, return_weights=True)
    together = model.translate(sources, beam_size=2, max_length=4, return_weights=True)
    assert found.tokens.shape == (3, 2, 4)
    np.testing.assert_array_equal(found.tokens, together.tokens)
    np.testing.assert_allclose(found.weights, together.weights, atol=1e-5)


@pytest.mark.parametrize("choices", MODELS.values(), ids=MODELS.keys())
def test_mixed_precision_gives_float32_log_probabilities_that_sum_to_one(choices, mixed_float16):
    log_probs, weights = by_steps(build(**choices))
    assert log_probs.dtype == np.float32
    assert all(each is None or each.dtype == np.float32 for each in weights)
    np.testing.assert_allclose(np.exp(log_probs.astype("float64")).sum(-1), 1.0, rtol=1e-5)


def test_a_model_read_from_a_file_says_the_same(tmp_path):
    model = build(tied_embeddings="all", copy=True)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(by_steps(loaded)[0], by_steps(model)[0])


def test_a_model_made_from_a_config_drops_at_the_rates_of_the_first():
    rates = {"word_dropout": 0.1, "embedding_dropout": 0.2, "memory_dropout": 0.3, "readout_dropout": 0.4}
    model = build(**rates, variational_dropout=True)
    again = Seq2Seq.from_config(model.get_config())
    assert {name: again.get_layer(name).rate for name in rates} == rates
    same_at_every_position = (None, 1, None)
    assert again.get_layer("readout_dropout").noise_shape == same_at_every_position


def test_a_model_made_from_a_config_returns_its_attention_scores_too_and_keeps_its_name():
    changes = {"return_attention_scores": True, "name": "mine", "trainable": False}
    model = Seq2Seq.from_config({**build().get_config(), **changes})
    again = Seq2Seq.from_config(model.get_config())
    assert len(again.outputs) == 2
    assert (again.name, again.trainable) == ("mine", False)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_given_embeddings_take_the_place_of_the_models_own_on_both_sides_and_in_a_tied_output(beam_size):
    model, other = (build(tied_embeddings="target") for _ in range(2))
    for each in (other.source_embedding, other.target_embedding):
        each.embeddings.assign(-each.embeddings.value)
    found = model.search(SOURCE, Beam(beam_size), max_length=4, embeddings=other.embeddings)
    expected = other.search(SOURCE, Beam(beam_size), max_length=4)
    np.testing.assert_array_equal(ops.convert_to_numpy(found.tokens), ops.convert_to_numpy(expected.tokens))
    np.testing.assert_allclose(
        ops.convert_to_numpy(found.scores), ops.convert_to_numpy(expected.scores), rtol=1e-5
    )
    own = model.search(SOURCE, Beam(beam_size), max_length=4)
    assert (ops.convert_to_numpy(own.scores) != ops.convert_to_numpy(found.scores)).any()


@pytest.fixture(scope="module")
def two():
    """Two models of different sizes and weights for the same words."""
    return build(), build(decoder_units=7, cell="lstm")


def test_an_ensemble_is_as_large_as_all_its_models(two):
    both = Ensemble(two)
    assert both.count_params() == sum(model.count_params() for model in two)
    for kind in ("variables", "weights"):
        expected = [id(each) for model in two for each in getattr(model, kind)]
        assert [id(each) for each in getattr(both, kind)] == expected


def test_an_ensemble_scores_with_mean_probabilities_and_mean_weights(two):
    log_probs, weights = Ensemble(two).score(SOURCE, TARGET_IN, TARGET_OUT)
    singly = [[ops.convert_to_numpy(x) for x in model.score(SOURCE, TARGET_IN, TARGET_OUT)] for model in two]
    expected = np.log(sum(np.exp(each) for each, _ in singly) / 2)
    np.testing.assert_allclose(ops.convert_to_numpy(log_probs), expected, atol=1e-5)
    np.testing.assert_allclose(ops.convert_to_numpy(weights), sum(w for _, w in singly) / 2, atol=1e-6)


def test_an_ensemble_may_copy_if_one_of_its_models_may(two):
    assert Ensemble(two).copy is None
    copying = build(copy=True)
    assert Ensemble([two[0], copying]).copy is copying.copy


def like_a_model(shape=(None, None), reads_ids=True, words=V):
    """All of a model that is looked at before it may join an ensemble."""
    inputs = [keras.KerasTensor(shape, "int32" if reads_ids else "float32")]
    return types.SimpleNamespace(inputs=inputs, reads_ids=reads_ids, target_vocab_size=words)


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ([], "at least one model"),
        ([like_a_model(), like_a_model(), like_a_model(words=13)], "is 12 of the first and 13 of model 3"),
        (
            [like_a_model(), like_a_model(reads_ids=False)],
            "reads_ids is True of the first and False of model 2",
        ),
        (
            [like_a_model((None, 4, 6), reads_ids=False), like_a_model((None, 4, 5), reads_ids=False)],
            r"equal inputs: of shape \(None, 4, 6\) of the first and \(None, 4, 5\) of model 2",
        ),
    ],
)
def test_models_that_are_no_ensemble_are_refused(models, message):
    with pytest.raises(ValueError, match=message):
        Ensemble(models)


def test_log_probabilities_of_very_large_logits_are_finite():
    found = ops.convert_to_numpy(log_softmax(ops.convert_to_tensor([[1000.0, 999.0], [-1000.0, -1000.0]])))
    expected = [[-np.log1p(np.exp(-1)), -1 - np.log1p(np.exp(-1))], [-np.log(2)] * 2]
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_a_change_of_the_models_weights_is_seen():
    """Whatever is compiled reads the model's variables anew."""
    model = build()
    model.translate(SOURCE, beam_size=1, max_length=3)
    before, _ = model.score(SOURCE, TARGET_IN, TARGET_OUT)
    for weight in model.trainable_variables:
        weight.assign(weight.value * 0.5)
    after, _ = model.score(SOURCE, TARGET_IN, TARGET_OUT)
    assert np.abs(ops.convert_to_numpy(after) - ops.convert_to_numpy(before)).max() > 0.1
