import numpy as np
import pytest

from keras_attn.alignment.align import align, align_both_ways, attention_of_words, draw_attention
from keras_attn.alignment.symmetrization import grow_diag_final_and
from keras_attn.inference.translator import Translator


def test_each_target_word_is_linked_to_the_source_word_with_most_weight(translator):
    source, target = "the old dog", "le vieux chien"
    (found,) = align(translator, [source], [target])
    (pair,) = translator.force([source], [target])
    assert (len(pair.source_ids), len(pair.target_ids)) == (4, 4)  # words are pieces here, and the ends
    assert found == {(int(np.argmax(pair.weights[word, :3])), word) for word in range(3)}


def test_words_of_several_pieces_count_once(translator):
    source, target = "the doghouse", "le grandvert"
    (pair,) = translator.force([source], [target])
    words = attention_of_words(translator, pair)
    assert (words.source_words, words.target_words) == (
        ["the", "doghouse", "</s>"],
        [*target.split(), "</s>"],
    )
    assert words.weights.shape == (3, 3)
    assert words.weights.sum(axis=1) == pytest.approx(1.0, abs=1e-5)


def test_the_step_after_a_word_says_where_its_links_go_if_asked(translator):
    source, target = "the old dog", "le vieux chien"
    (found,) = align(translator, [source], [target], next_step=True)
    (pair,) = translator.force([source], [target])
    assert found == {(int(np.argmax(pair.weights[word + 1, :3])), word) for word in range(3)}


def test_the_step_after_a_word_is_another_one(translator, source_lines, target_lines):
    pairs = source_lines[:20], target_lines[:20]
    assert align(translator, *pairs, next_step=True) != align(translator, *pairs)


def test_a_threshold_may_give_a_word_several_links(translator):
    (found,) = align(translator, ["the old dog"], ["le vieux chien"], threshold=0.0)
    assert found == {(i, j) for i in range(3) for j in range(3)}


def test_the_other_direction_s_links_are_turned_round(translator):
    """Both directions link every word to every other: three words by two, not two by three."""
    (found,) = align_both_ways(translator, translator, ["the old dog"], ["le chien"], threshold=0.0)
    assert found == {(i, j) for i in range(3) for j in range(2)}


def test_both_directions_are_asked_for_the_step_after_a_word(translator, source_lines, target_lines):
    there, back = (source_lines[:20], target_lines[:20]), (target_lines[:20], source_lines[:20])
    expected = [
        grow_diag_final_and(forward, {(i, j) for j, i in backward})
        for forward, backward in zip(
            align(translator, *there, next_step=True), align(translator, *back, next_step=True), strict=True
        )
    ]
    assert align_both_ways(translator, translator, *there, next_step=True) == expected


def test_a_line_without_words_has_no_links(translator):
    assert align(translator, ["", "the", ""], ["le", "", ""]) == [set(), set(), set()]


@pytest.mark.slow
def test_a_picture_of_what_the_model_says_is_drawn(translator, tmp_path):
    drawn = draw_attention(translator, "the old dog", None, tmp_path / "dog.png")
    assert drawn.text == translator(["the old dog"])[0]
    assert (tmp_path / "dog.png").read_bytes().startswith(b"\x89PNG")


def test_a_model_without_attention_aligns_nothing(attentionless_trained, tmp_path):
    translator = Translator.from_trained(attentionless_trained)
    with pytest.raises(ValueError, match="no attention"):
        align(translator, ["the"], ["le"])
    with pytest.raises(ValueError, match="no attention"):
        draw_attention(translator, "the", "le", tmp_path / "a.png")


def test_pairs_are_aligned_in_blocks_as_all_at_once(translator, source_lines, target_lines, monkeypatch):
    sources, targets = source_lines[:20], target_lines[:20]
    expected = align(translator, sources, targets)
    monkeypatch.setattr("keras_attn.alignment.align._BLOCK", 6)
    assert align(translator, sources, targets) == expected
    with pytest.raises(ValueError, match="one target per source; got 20 sources and 12 targets"):
        align(translator, sources, targets[:12])
