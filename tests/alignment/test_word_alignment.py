import io

import numpy as np
import pytest

from keras_attn.alignment.word_alignment import (
    alignment_error_rate,
    links,
    parse_gold,
    precision_and_recall,
    word_weights,
)
from keras_attn.text.links import format_pharaoh
from keras_attn.text.words import EOS_PIECE

SOURCE = ["▁die", "▁Haus", "tür", EOS_PIECE]
TARGET = ["▁the", "▁front", "▁do", "or", EOS_PIECE]
WEIGHTS = np.array(
    [  # die  Haus  tür   </s>
        [0.70, 0.10, 0.10, 0.10],  # the
        [0.10, 0.60, 0.20, 0.10],  # front
        [0.00, 0.20, 0.70, 0.10],  # do
        [0.10, 0.20, 0.40, 0.30],  # or
        [0.00, 0.00, 0.20, 0.80],  # </s>
    ]
)


def words(pieces):
    """The words of a target, read through `word_weights` against a source of one word."""
    return word_weights(np.ones((len(pieces), 1)), ["▁x"], pieces).target_words


def test_source_pieces_are_summed_and_target_pieces_averaged():
    joined = word_weights(WEIGHTS, SOURCE, TARGET)
    assert joined.source_words == ["die", "Haustür", EOS_PIECE]
    assert joined.target_words == ["the", "front", "door", EOS_PIECE]
    expected = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.05, 0.75, 0.2], [0.0, 0.2, 0.8]]
    np.testing.assert_allclose(joined.weights, expected)


def test_rows_still_sum_to_one():
    np.testing.assert_allclose(word_weights(WEIGHTS, SOURCE, TARGET).weights.sum(axis=1), 1)


def test_without_the_end_its_row_and_column_go_and_nothing_is_rescaled():
    joined = word_weights(WEIGHTS, SOURCE, TARGET, keep_eos=False)
    assert (joined.source_words, joined.target_words) == (["die", "Haustür"], ["the", "front", "door"])
    np.testing.assert_allclose(joined.weights, [[0.7, 0.2], [0.1, 0.8], [0.05, 0.75]])


def test_whole_words_keep_their_weights():
    np.testing.assert_allclose(
        word_weights(WEIGHTS[:2, :2], ["▁a", "▁b"], ["▁c", "▁d"]).weights, WEIGHTS[:2, :2]
    )


def test_a_sentence_of_nothing_but_its_end_has_no_words():
    joined = word_weights(np.ones((1, 4)) / 4, SOURCE, [EOS_PIECE], keep_eos=False)
    assert (joined.weights.shape, joined.target_words) == ((0, 2), [])


def test_weights_that_do_not_fit_the_pieces_are_refused_with_both_shapes():
    with pytest.raises(ValueError, match=r"\(5, 4\).*got \(4, 5\)"):
        word_weights(WEIGHTS.T, SOURCE, TARGET)


def test_words_of_sentencepiece_are_the_whitespace_words():
    import sentencepiece

    lines = [
        "der alte Mann liest die Zeitung .",
        "die Zeitungen liest der Mann",
        "alter Mann , neue Zeitung !",
    ] * 20
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=model,
        vocab_size=40,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    text = "  neuer Mann liest\u00a0der  Zeitungsalter !"
    pieces = [processor.id_to_piece(i) for i in [*processor.encode(text), processor.eos_id()]]
    assert len(pieces) > len(text.split()) + 1
    assert words(pieces) == [*text.split(), EOS_PIECE]


def test_links_go_to_the_largest_weight_of_each_target_word():
    assert links(word_weights(WEIGHTS, SOURCE, TARGET, keep_eos=False).weights) == {(0, 0), (1, 1), (1, 2)}


def test_links_of_equal_weights_go_to_the_first():
    assert links(np.array([[0.2, 0.4, 0.4]])) == {(1, 0)}


@pytest.mark.parametrize("weights", [np.zeros((1, 3)), np.zeros((2, 0)), np.zeros((0, 3))])
def test_no_weight_is_no_link(weights):
    assert links(weights) == set()


def test_links_by_threshold_are_all_pairs_that_reach_it():
    weights = np.array([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5], [0.4, 0.3, 0.3]])  # three target words
    assert links(weights, threshold=0.5) == {(0, 0), (1, 0), (2, 1)}


def test_what_is_written_is_read_back():
    alignments = [{(0, 0), (1, 12)}, set(), {(3, 2)}]
    sure, possible = parse_gold([format_pharaoh(links) + "\n" for links in alignments])
    assert (sure, possible) == (alignments, [set()] * 3)


def test_the_talp_format_marks_possible_links():
    assert parse_gold(["0-0 1p2 2-1", "3p3"]) == ([{(0, 0), (2, 1)}, set()], [{(1, 2)}, {(3, 3)}])


def test_a_file_that_counts_from_one_is_counted_from_zero():
    assert parse_gold(["1-1 2p10"], first=1) == ([{(0, 0)}], [{(1, 9)}])


def test_a_word_before_the_first_is_refused():
    with pytest.raises(ValueError, match="line 2: words are counted from 1; got '0-1'"):
        parse_gold(["1-1", "0-1"], first=1)


def test_another_format_is_refused_with_its_line():
    with pytest.raises(ValueError, match=r"line 2: .*'1:2'"):
        parse_gold(["0-0", "0-0 1:2"])


def test_error_rate_counts_sure_and_possible_links():
    # A = 3 links, S = 2; one of A is sure, two are possible: 1 - (1 + 2) / (3 + 2).
    rate = alignment_error_rate([{(0, 0), (1, 1), (2, 2)}], [{(0, 0), (3, 3)}], [{(0, 0), (1, 1), (3, 3)}])
    assert rate == pytest.approx(0.4)


def test_error_rate_is_taken_over_the_corpus_and_not_averaged():
    predicted, sure = [{(0, 0)}, {(0, 0), (1, 1), (2, 2)}], [{(0, 0)}, {(5, 5)}]
    assert alignment_error_rate(predicted, sure) == pytest.approx(1 - (1 + 1) / (4 + 2))


def test_a_perfect_alignment_has_no_error_and_a_disjoint_one_nothing_else():
    assert alignment_error_rate([{(0, 1)}], [{(0, 1)}]) == 0
    assert alignment_error_rate([{(0, 1)}], [{(1, 0)}]) == 1


def test_possible_links_cost_nothing_whether_or_not_they_are_predicted():
    sure, possible = [{(0, 0)}], [{(0, 0), (1, 1)}]
    assert alignment_error_rate([{(0, 0), (1, 1)}], sure, possible) == 0
    assert alignment_error_rate([{(0, 0)}], sure, possible) == 0


def test_sure_links_are_possible_ones_even_if_not_listed():
    assert alignment_error_rate([{(0, 0)}], [{(0, 0)}], [set()]) == 0


def test_precision_is_against_possible_and_recall_against_sure_links():
    predicted, sure, possible = [{(0, 0), (1, 1), (2, 2)}], [{(0, 0), (3, 3)}], [{(1, 1)}]
    assert precision_and_recall(predicted, sure, possible) == pytest.approx((2 / 3, 1 / 2))


def test_precision_of_no_links_is_zero():
    assert precision_and_recall([set()], [{(0, 0)}]) == (0, 0)


def test_alignments_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="got 2, 1 and 1"):
        alignment_error_rate([set(), set()], [{(0, 0)}])


def test_an_error_rate_without_any_link_is_refused():
    with pytest.raises(ValueError, match="no links"):
        alignment_error_rate([set()], [set()])
