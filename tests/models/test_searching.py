"""What a model's methods of search are given reaches the search, at the first call and at every later one."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.models.compiled_search import CompiledSearch
from keras_attn.models.searching import Searching
from keras_attn.search import Beam, Hypotheses, Phrases, Sampling


class Recorder(Searching):
    """Keeps what it is asked, and gives the first id of every source as its translation."""

    def __init__(self, shape=(None, None), dtype="int32"):
        self.reads_ids = dtype == "int32"
        self.inputs = [keras.KerasTensor(shape, dtype)]
        self.source_embedding = keras.layers.Embedding(10, 2) if self.reads_ids else None
        self.asked = []

    def _compiled_search(self, source, *given, **options):
        self.asked.append((source, *given, options))
        first, ones = source[:, None, :1], np.ones((len(source), 1))
        return Hypotheses(first, ones, -ones, -ones, None)


def test_translate_hands_on_every_option():
    model = Recorder()
    model.translate(
        np.array([[5, 3]]),
        beam_size=3,
        length_penalty=0.5,
        coverage_penalty=0.2,
        max_length=7,
        return_weights=True,
    )
    model.translate(np.array([[5, 3]]))
    (_, *first), (_, *second) = model.asked
    assert first == [Beam(3, length_penalty=0.5, coverage_penalty=0.2), 7, {"return_weights": True}]
    assert second == [Beam(5, length_penalty=1.0, coverage_penalty=0.0), 64, {"return_weights": False}]


@pytest.mark.parametrize(("batch_size", "sizes"), [(1, [1] * 5), (2, [2, 2, 1]), (5, [5]), (64, [5])])
def test_sources_are_answered_in_their_order_in_batches_of_the_size_asked_for(batch_size, sizes):
    model, source = Recorder(), np.array([[9, 3], [5, 3], [7, 3], [6, 3], [8, 3]])
    found = model.translate(source, batch_size=batch_size)
    assert [len(batch) for batch, *_ in model.asked] == sizes
    assert found.tokens.ravel().tolist() == [9, 5, 7, 6, 8]
    assert found.weights is None


def test_64_sources_make_a_batch():
    model = Recorder()
    model.translate(np.ones((65, 2), "int32"))
    assert [len(batch) for batch, *_ in model.asked] == [64, 1]


def test_sources_get_the_dtype_of_the_model():
    ids, frames = Recorder(), Recorder((None, None, 2), "float32")
    assert ids.checked_inputs([[5, 3]]).dtype == np.int32
    assert frames.checked_inputs([[[1, 2]]]).dtype == np.float32


@pytest.mark.parametrize(
    ("model", "source"),
    [
        (Recorder(), [5, 3]),
        (Recorder(), [[5.0, 3.0]]),
        (Recorder(), np.zeros((0, 4), "int32")),
        (Recorder(), np.zeros((2, 0), "int32")),
        (Recorder((None, 4, 6, 1), "float32"), np.zeros((2, 4, 5, 1))),
        (Recorder((None, None, 2), "float32"), [[["a", "b"]]]),
    ],
    ids=["one axis", "numbers for ids", "no sources", "no positions", "another width", "text"],
)
def test_sources_of_another_shape_or_kind_are_refused(model, source):
    with pytest.raises(ValueError, match=r"expected sources of shape \(None, .*, at least one; got shape"):
        model.translate(source)


@pytest.mark.parametrize(("word", "said"), [(10, "from 3 to 10"), (-1, "from -1 to 3"), (2**33, "from 3 to")])
def test_ids_outside_of_the_vocabulary_are_refused(word, said):
    with pytest.raises(ValueError, match=f"expected ids from 0 to 9; got some {said}"):
        Recorder().translate([[word, 3]])


def test_sources_of_several_lengths_are_refused_with_what_to_do():
    with pytest.raises(ValueError, match="one array, the shorter ones padded on the right with 0"):
        Recorder().translate([[4, 5, 3], [4, 3]])


def test_symbolic_sources_are_refused_with_what_to_call():
    with pytest.raises(ValueError, match=r"in a graph, such as a tf\.function, call `search`"):
        Recorder().translate(keras.Input((None,), dtype="int32"))


@pytest.mark.parametrize("source", [[0, 5, 3], [5, 0, 3]])
def test_padding_before_an_id_is_refused(source):
    with pytest.raises(ValueError, match=r"padding \(0\) only on the right"):
        Recorder().translate([[5, 6, 3], source])


def test_a_source_of_padding_alone_is_not():
    assert Recorder().checked_inputs([[5, 3, 0], [0, 0, 0]]).shape == (2, 3)


@pytest.mark.parametrize("option", [{"batch_size": 0}, {"beam_size": None}, {"max_length": 2.5}])
def test_options_that_are_no_counts_are_refused(option):
    ((name, value),) = option.items()
    with pytest.raises(
        ValueError, match=f"{name} must be an integer of at least 1. Received: {name}={value}"
    ):
        Recorder().translate([[5, 3]], **option)


class Teller:
    """A model whose search tells how it was called: in place of tokens, the values of its arguments."""

    inputs = [keras.KerasTensor((None, None), "int32")]
    variables = []

    def search(
        self, source, method, *, max_length, limits, prefix, phrases, n_best, return_weights, uniforms
    ):
        scalars = [
            max_length,
            getattr(method, "beam_size", -1),
            method.min_length,
            -1 if prefix is None else prefix[0, 0],
            -1 if phrases is None else phrases.ids[0, -1, 0],
            return_weights,
            -1 if n_best is None else n_best,
        ]
        told = ops.stack([ops.cast(x, "int32") for x in scalars])[None, None] + 0 * source[:1, :1, None]
        return Hypotheses(told, limits, limits, limits, None)


def test_a_compiled_search_is_another_one_for_other_arguments():
    """Each call but the first has one argument that the calls before it had not."""
    search, source = CompiledSearch(Teller()), np.array([[5, 3], [6, 3]], "int32")
    phrases = Phrases(np.array([[[7]], [[8]]], "int32"), np.ones(9, bool))
    two = Phrases(np.array([[[7], [6]], [[8], [0]]], "int32"), np.ones(9, bool))
    calls = [
        ((Beam(2), 9), {}, [9, 2, 0, -1, -1, 0, -1]),
        ((Beam(2), 8), {}, [8, 2, 0, -1, -1, 0, -1]),
        ((Beam(3), 8), {}, [8, 3, 0, -1, -1, 0, -1]),
        ((Beam(3, min_length=4), 8), {}, [8, 3, 4, -1, -1, 0, -1]),
        ((Beam(3), 8), {"return_weights": True}, [8, 3, 0, -1, -1, 1, -1]),
        ((Beam(3), 8), {"prefix": np.array([[4], [0]], "int32")}, [8, 3, 0, 4, -1, 0, -1]),
        ((Beam(3), 8), {"phrases": phrases}, [8, 3, 0, -1, 7, 0, -1]),
        ((Beam(3), 8), {"phrases": two}, [8, 3, 0, -1, 6, 0, -1]),
        ((Beam(3), 8), {"n_best": 1}, [8, 3, 0, -1, -1, 0, 1]),
        ((Beam(3), 8), {"n_best": 2}, [8, 3, 0, -1, -1, 0, 2]),
        ((Sampling(), 8), {}, [8, -1, 0, -1, -1, 0, -1]),
    ]
    for _ in range(2):
        for given, options, expected in calls:
            assert search(source, *given, **options).tokens.tolist() == [[expected]]


def test_limits_are_those_given_or_the_length_of_all():
    search, source = CompiledSearch(Teller()), np.array([[5, 3], [6, 3]], "int32")
    assert search(source, Beam(2), 9).lengths.tolist() == [9, 9]
    assert search(source, Beam(2), 9, limits=np.array([4, 5], "int32")).lengths.tolist() == [4, 5]
