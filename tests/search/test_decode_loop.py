import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.search import beam, greedy


def changed(speller, change):
    fake = speller([5, 6], [4])

    def step(tokens, state):
        log_probs, state, weights = fake(tokens, state)
        return change(log_probs, state, weights)

    return step, fake.state


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p, s, w: (p, list(s.values()), w), "structure of the one it was given"),
        (lambda p, s, w: (p, {"position": s["position"]}, w), "structure of the one it was given"),
        (lambda p, s, w: (p, {**s, "position": s["position"][:, None]}, w), r"Given: .*returned: "),
        (lambda p, s, w: (p, {**s, "position": ops.cast(s["position"], "float32")}, w), r"int32.*float32"),
        (lambda p, s, w: (p[:, None], s, w), r"log_probs \[N, V\]"),
    ],
)
def test_a_step_that_breaks_the_contract_is_told_so(speller, ids, change, message):
    step, state = changed(speller, change)
    with pytest.raises(ValueError, match=message):
        greedy(step, state, **ids, max_length=4)


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="JAX traces a loop's body once")
@pytest.mark.parametrize(("words", "calls"), [(([5, 6, 7], [4]), 4), (([], []), 1), (([5] * 30,), 12)])
def test_greedy_stops_when_every_sentence_has_ended(speller, ids, words, calls):
    fake, seen = speller(*words), []
    greedy(lambda *args: seen.append(1) or fake(*args), fake.state, **ids, max_length=12)
    assert len(seen) == calls


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="JAX traces a loop's body once")
def test_beam_stops_when_nothing_live_can_beat_the_finished(speller, ids):
    # Two tokens on, [5 EOS] and [EOS] are finished, at 2 log 0.999 and log 0.00014. All that lives has had a token of
    # 0.00014 as well, and one of 0.999 or less.
    fake, seen = speller([5], probability=0.999), []
    step = lambda *args: seen.append(1) or fake(*args)  # noqa: E731
    beam(step, fake.state, **ids, max_length=20, beam_size=2, length_penalty=0.0)
    assert len(seen) == 2


def test_probabilities_of_zero_do_no_harm(speller, ids):
    impossible = lambda p, s, w: (ops.where(p < -1, -np.inf, p), s, w)  # noqa: E731
    step, state = changed(speller, impossible)
    for found in (
        greedy(step, state, **ids, max_length=5),
        beam(step, state, **ids, max_length=5, beam_size=3),
    ):
        np.testing.assert_array_equal(found.tokens[:, 0], [[5, 6, 3, 0, 0], [4, 3, 0, 0, 0]])
        assert np.isfinite(found.scores).all()


def test_a_dead_end_leaves_empty_places(speller, ids):
    step, state = changed(speller, lambda p, s, w: (ops.full_like(p, -np.inf), s, w))
    found = beam(step, state, **ids, max_length=3, beam_size=4)
    np.testing.assert_array_equal(found.lengths, np.zeros((2, 4)))
    np.testing.assert_array_equal(found.log_probs, np.full((2, 4), np.float32(-1e9)))
