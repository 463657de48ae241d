"""The list of sentences with two quantities."""

import re
from itertools import permutations

import pytest

from keras_attn.corpora.quantities import quantities


@pytest.mark.parametrize(("source", "target"), tuple(permutations(("de", "en", "es", "fr"), 2)))
def test_both_sides_have_the_same_two_numbers_and_never_a_single_one(source, target):
    found = quantities(source, target)
    assert len(found) > 20
    for ours, theirs in found:
        numbers = sorted(re.findall(r"\d+", ours))
        assert len(set(numbers)) == 2 and "1" not in numbers
        assert sorted(re.findall(r"\d+", theirs)) == numbers
        assert ours.endswith(".") and theirs.endswith(".")


def test_a_language_without_a_list_has_no_quantities():
    assert quantities("en", "pl") == quantities("pl", "en") == []
