"""The search methods and their options."""

import dataclasses

import pytest

from keras_attn.config import Beam, Sampling, SearchConfig


def test_the_method_that_a_config_describes_has_all_its_options():
    settings = SearchConfig(
        beam_size=7, length_penalty=0.6, coverage_penalty=0.2, min_length=4, no_repeat_ngram=3
    )
    assert Beam.of(settings) == Beam(7, 0.6, 0.2, 0.0, min_length=4, no_repeat_ngram=3)


def test_a_beam_has_the_defaults_of_a_config_but_may_end_at_once():
    assert Beam() == Beam(5, 1.0, 0.0, 0.0, min_length=0, no_repeat_ngram=0)
    assert Beam.of(SearchConfig()) == dataclasses.replace(Beam(), min_length=2)


def test_sampling_draws_from_all_words_as_the_model_says_unless_it_is_told_otherwise():
    assert Sampling() == Sampling(1.0, 0, 1.0, 1, min_length=0, no_repeat_ngram=0)


@pytest.mark.parametrize("method", [Beam, Sampling])
@pytest.mark.parametrize("option", ["min_length", "no_repeat_ngram"])
def test_a_limit_may_be_0_and_not_less(method, option):
    assert getattr(method(**{option: 0}), option) == 0
    with pytest.raises(ValueError, match=f"{option} must be 0 or more. Received: {option}=-1"):
        method(**{option: -1})


def test_a_beam_has_room_for_one_hypothesis_at_least():
    assert Beam(1).beam_size == 1
    with pytest.raises(ValueError, match=r"beam_size must be at least 1\. Received: beam_size=0"):
        Beam(0)


def test_numbers_of_any_size_are_compared_with_the_limits():
    with pytest.raises(ValueError, match="min_length must be at most"):
        Beam(min_length=10**400)
    with pytest.raises(ValueError, match="seed must be from 0"):
        Sampling(seed=10**400)
    for row in (-1, 2**63):
        with pytest.raises(
            ValueError, match=f"first_row must be from 0 up to 2 [*][*] 63 - 1. Received: first_row={row}"
        ):
            Sampling(first_row=row)
