import numpy as np
import pytest

from keras_attn.evaluation.error_rates import error_rates


def test_rates_are_edits_over_the_length_of_the_references():
    # kitten -> sitting: two substitutions and an insertion, over 7 + 3 characters; 1 of 2 words is wrong.
    rates = error_rates(["a", "b"], ["kitten", "cat"], ["sitting", "cat"])
    assert (rates.exact, rates.cer, rates.wer) == pytest.approx((50, 30, 50))


def test_a_word_error_rate_counts_words_and_not_lines():
    assert error_rates(["a"], ["the cat sat"], ["the cat sat down"]).wer == pytest.approx(25)


def test_any_reference_is_right():
    rates = error_rates(["a"], ["grey"], ["gray"], ["grey"])
    assert (rates.exact, rates.cer, rates.wer) == (100, 0, 0)


def test_the_nearest_reference_counts():
    assert error_rates(["a"], ["abcd"], ["xyz"], ["abce"]).cer == pytest.approx(25)


def test_of_equally_near_references_the_longest_counts():
    assert error_rates(["a"], ["ab"], ["a"], ["abc"]).cer == pytest.approx(100 / 3)


def test_a_source_that_occurs_twice_counts_once_with_both_references():
    rates = error_rates(
        ["read", "read", "dog"], ["R EH D", "R EH D", "D AO G"], ["R IY D", "R EH D", "D AA G"]
    )
    assert rates.exact == pytest.approx(50)
    assert rates.signature.startswith("nrefs:var|sources:2|")


def test_equal_references_of_a_source_count_once():
    assert error_rates(["a", "a"], ["x", "x"], ["x", " x"]).signature.startswith("nrefs:1|sources:1|")


def test_spaces_and_composed_letters_are_alike():
    assert error_rates(["a"], ["caf\u00e9  noir "], ["cafe\u0301 noir"]).exact == 100


@pytest.mark.parametrize(
    ("said", "right"), [("Cat", "cat"), ("cat.", "cat"), ("ﬁne", "fine"), ("x²", "x2"), ("café", "cafe")]
)
def test_case_punctuation_accents_and_ligatures_count(said, right):
    assert error_rates(["a"], [said], [right]).exact == 0


def test_spaces_are_characters():
    assert error_rates(["a"], ["thecat"], ["the cat"]).cer == pytest.approx(100 / 7)


def test_arrays_of_text_are_compared_as_lists_are():
    assert error_rates(*np.array([["a"], ["x y"], ["x z"]])) == error_rates(["a"], ["x y"], ["x z"])


def test_error_rates_may_exceed_100():
    rates = error_rates(["a"], ["x y z"], ["w"])
    assert (rates.cer, rates.wer) == (500, 300)


def test_what_is_said_where_nothing_should_be_counts_as_edits():
    assert error_rates(["a", "b"], ["x", "abcd"], ["", "abcd"]).cer == pytest.approx(25)


def test_of_a_source_that_occurs_twice_the_first_hypothesis_counts():
    assert error_rates(["a", "a"], ["x", "y"], ["x", "z"]).exact == 100


def test_the_words_of_a_hypothesis_are_compared_with_the_reference_of_the_nearest_words():
    rates = error_rates(["a"], ["a b c d"], ["a b c e"], ["abcd"])
    assert (rates.cer, rates.wer) == (pytest.approx(100 / 7), pytest.approx(25))


def test_rates_have_their_names_in_the_metrics():
    rates = error_rates(["a", "b"], ["kitten", "cat"], ["sitting", "cat"])
    signature = rates.signature
    assert rates.as_dict() == {
        "exact": 50,
        "cer": pytest.approx(30),
        "wer": 50,
        "error_signature": signature,
    }


def test_nothing_said_is_all_wrong():
    rates = error_rates(["a"], [""], ["abc"])
    assert (rates.exact, rates.cer, rates.wer) == (0, 100, 100)


def test_a_printed_rate_has_its_signature_on_its_line():
    rates = error_rates(["a", "b"], ["x", "y"], ["x", "z"])
    assert str(rates).startswith(
        "exact  50.0 %, CER  50.0 %, WER  50.0 %  nrefs:1|sources:2|norm:nfc|rapidfuzz:"
    )


@pytest.mark.parametrize("lines", [(["a"], ["b"], ["c", "d"]), (["a"], ["b", "c"], ["d"]), (["a"], ["b"])])
def test_lists_that_do_not_fit_are_refused(lines):
    with pytest.raises(ValueError, match="expected a hypothesis and a reference for each of 1 sources"):
        error_rates(*lines)


def test_an_empty_list_is_refused():
    with pytest.raises(ValueError, match="nothing to score"):
        error_rates([], [], [])
