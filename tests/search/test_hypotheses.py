"""What all searches check about ids and limits."""

import pytest
from keras import ops

from keras_attn.search import hypotheses


@pytest.mark.parametrize(("bos_id", "eos_id"), [(2, 7), (7, 3)])
def test_ids_outside_the_vocabulary_are_named(bos_id, eos_id):
    with pytest.raises(
        ValueError, match=rf"among the 7 words of the vocabulary\. Received: bos_id={bos_id}, eos_id={eos_id}"
    ):
        hypotheses.possible(ops.zeros((1, 7)), 0, bos_id=bos_id, eos_id=eos_id, min_length=0)


def test_ids_below_0_are_refused():
    with pytest.raises(ValueError, match=r"must be 0 or more\. Received: bos_id=2, eos_id=-1"):
        hypotheses.check_ids(2, -1)


def test_limits_are_as_many_as_sentences():
    with pytest.raises(ValueError, match=r"limits must have a row for each of the 3 sentences\. Received: 2"):
        hypotheses.sentence_limits([2, 9], 3, 10)
