import math

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.storage.model_folder import load_model
from keras_attn.text.corpus import read_pairs
from keras_attn.training.checkpoint import load_checkpoint
from keras_attn.training.fit import train
from keras_attn.training.losses import SmoothedCrossEntropy
from keras_attn.training.r_drop import RDropCrossEntropy

TARGETS = np.array([[1, 4, 0]] * 2 + [[2, 2, 3]] * 2, "int32")  # two pairs, each twice


@pytest.fixture
def logits():
    return np.random.default_rng(1).normal(size=(4, 3, 5)).astype("float32")


def softmax(logits):
    total = sum(math.exp(x) for x in logits)
    return [math.exp(x) / total for x in logits]


def test_two_passes_cost_their_cross_entropies_and_the_papers_divergence(logits):
    weight = np.array([[1, 1, 0]] * 2 + [[1, 0, 0]] * 2, "float32")
    total = 0.0
    for b, t in ((0, 0), (0, 1), (1, 0)):
        p, q = softmax(logits[2 * b, t]), softmax(logits[2 * b + 1, t])
        total -= math.log(p[TARGETS[2 * b, t]]) + math.log(q[TARGETS[2 * b, t]])  # equation 3
        both = sum(x * math.log(x / y) + y * math.log(y / x) for x, y in zip(p, q, strict=True))
        total += 3.0 * both / 2  # equation 2, with alpha 3
    loss = RDropCrossEntropy(0.0, weight=3.0)(TARGETS, logits, sample_weight=weight)
    assert float(loss) == pytest.approx(total / 6, rel=1e-5)  # six real tokens in both passes


def test_passes_that_agree_cost_the_cross_entropy_alone(logits):
    twice = np.repeat(logits[:2], 2, axis=0)
    alone = float(SmoothedCrossEntropy(0.1)(TARGETS[::2], logits[:2]))
    assert float(RDropCrossEntropy(0.1, weight=5.0)(TARGETS, twice)) == pytest.approx(alone, rel=1e-6)


def test_gradient_is_that_of_the_loss(logits):
    """Stochastic gradient descent moves logits, here the weights themselves, against finite differences of the loss."""
    loss = RDropCrossEntropy(0.1, weight=4.0)
    inputs = keras.Input((1,))
    table = keras.layers.Embedding(4, 15, embeddings_initializer=keras.initializers.Constant(0.0))
    model = keras.Model(inputs, keras.layers.Reshape((3, 5))(keras.layers.Flatten()(table(inputs))))
    table.set_weights([logits.reshape(4, 15)])
    model.compile(keras.optimizers.SGD(1.0), loss)
    model.train_on_batch(np.arange(4)[:, None], TARGETS)
    moved = logits - ops.convert_to_numpy(table.get_weights()[0]).reshape(logits.shape)
    for at in ((0, 0, 1), (2, 0, 1), (1, 2, 4), (3, 1, 0)):
        step = np.zeros_like(logits)
        step[at] = 1e-2
        slope = (float(loss(TARGETS, logits + step)) - float(loss(TARGETS, logits - step))) / 2e-2
        assert moved[at] == pytest.approx(slope, abs=2e-4)


def test_loss_survives_serialisation():
    loss = RDropCrossEntropy(0.25, weight=2.0)
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(loss))
    assert (again.smoothing, again.weight) == (0.25, 2.0)
    assert again.get_config() == loss.get_config()


def test_a_negative_weight_is_refused():
    with pytest.raises(ValueError, match="the divergence cannot be negative"):
        RDropCrossEntropy(weight=-1)


@pytest.mark.slow
def test_a_training_counts_the_tokens_of_every_pair_once(recipe, pair_files, tmp_path):
    train(recipe(r_drop=5.0, evaluate_every=0, epochs=2), tmp_path)
    target = read_pairs([pair_files / "train.tsv"]).target
    once = sum(len(ids) + 1 for ids in load_model(tmp_path).target_tokenizer.encode(target))
    rounds = load_checkpoint(tmp_path)[0].rounds
    assert [one.tokens for one in rounds] == [once, once]
    assert rounds[1].dev_perplexity < rounds[0].dev_perplexity
