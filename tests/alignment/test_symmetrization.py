import random

import pytest

from keras_attn.alignment.symmetrization import grow_diag_final_and


def test_what_both_directions_say_stays():
    links = {(0, 0), (1, 2), (2, 1)}
    assert grow_diag_final_and(links, links) == links


def test_a_neighbour_joins_while_one_of_its_words_has_no_link():
    """Source words 0 and 1 make target word 0: the model of the other direction alone has the second link."""
    assert grow_diag_final_and({(0, 0)}, {(0, 0), (1, 0)}) == {(0, 0), (1, 0)}


def test_a_corner_is_a_neighbour():
    """(1, 1) touches (0, 0) alone; the last step would leave it out, for target word 1 has a link."""
    both = {(0, 0), (5, 1)}
    assert grow_diag_final_and(both | {(1, 1)}, both) == both | {(1, 1)}


def test_a_neighbour_whose_words_both_have_links_stays_out():
    both = {(0, 0), (1, 1)}
    assert grow_diag_final_and(both | {(0, 1)}, both) == both


def test_links_that_touch_only_each_other_do_not_grow():
    """(0, 3) and (0, 4) are neighbours and have free words, but no link that counts is next to them; source word 0 is taken."""
    assert grow_diag_final_and({(0, 0), (0, 3), (0, 4)}, {(0, 0)}) == {(0, 0)}


def test_links_grow_step_by_step():
    chain = {(i, i) for i in range(5)}
    assert grow_diag_final_and({(0, 0)}, chain) == chain


def test_the_last_step_takes_far_links_between_words_without_any():
    assert grow_diag_final_and({(0, 0), (5, 7)}, {(0, 0)}) == {(0, 0), (5, 7)}


def test_the_last_step_takes_far_links_of_the_other_direction_too():
    assert grow_diag_final_and({(0, 0)}, {(0, 0), (5, 7)}) == {(0, 0), (5, 7)}


def test_the_last_step_takes_none_where_one_word_has_a_link():
    """(0, 7) touches nothing, and source word 0 is taken: `final` would have it, `final-and` has not."""
    assert grow_diag_final_and({(0, 0), (0, 7)}, {(0, 0)}) == {(0, 0)}


def test_the_first_direction_goes_first_in_the_last_step():
    assert grow_diag_final_and({(0, 5)}, {(3, 5)}) == {(0, 5)}


@pytest.mark.parametrize("seed", range(20))
def test_the_result_lies_between_intersection_and_union(seed):
    draw = random.Random(seed)
    forward, backward = ({(draw.randrange(6), draw.randrange(6)) for _ in range(8)} for _ in range(2))
    found = grow_diag_final_and(forward, backward)
    assert forward & backward <= found <= forward | backward
    assert found == grow_diag_final_and(set(found), set(found))
