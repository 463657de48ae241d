import dataclasses

import pytest

from keras_attn.text.corpus import Corpus
from keras_attn.training.best_by import SCORES, chosen
from keras_attn.training.history import Round


def rounds_with(column, *values):
    return [
        Round(
            **{"epoch": 1.0, "loss": 2.0, "learning_rate": 0.001, "tokens": 300, "seconds": 2.0},
            **{"dev_bleu": 5.0, "dev_perplexity": 5.0, "step": 10 * (i + 1), column: value},
        )
        for i, value in enumerate(values)
    ]


@pytest.mark.parametrize("name", ["bleu", "chrf", "exact"])
def test_the_best_round_is_the_first_of_the_highest_scores(name):
    assert SCORES[name].best(rounds_with(SCORES[name].column, 1.0, 7.5, 3.0, 7.5)).step == 20


def test_of_rounds_with_the_same_score_the_one_of_the_lowest_perplexity_is_the_best():
    rounds = rounds_with("dev_exact", 0.0, 0.0, 0.0)
    rounds[1] = dataclasses.replace(rounds[1], dev_perplexity=3.0)
    assert SCORES["exact"].best(rounds) is rounds[1]
    assert SCORES["exact"].rounds_since_best(rounds) == 1  # it was the new best model


@pytest.mark.parametrize("name", ["cer", "wer", "loss"])
def test_the_best_round_is_the_first_of_the_lowest_error_rates(name):
    assert SCORES[name].best(rounds_with(SCORES[name].column, 9.0, 7.5, 8.0, 7.5)).step == 20


def test_patience_counts_the_evaluations_after_the_best_one():
    since = [
        SCORES["bleu"].rounds_since_best(rounds_with("dev_bleu", *bleus))
        for bleus in ([], [3], [3, 3], [3, 2, 1], [3, 2, 4])
    ]
    assert since == [0, 0, 1, 2, 0]


def test_a_score_is_told_with_its_name_and_unit():
    (one,) = rounds_with("dev_exact", 45.678)
    assert SCORES["exact"].describe(one) == "exact match 45.68 %"


def test_every_score_has_its_own_column():
    scores = ("dev_bleu", "dev_chrf", "dev_exact", "dev_cer", "dev_wer", "dev_perplexity")
    (first,) = rounds_with("dev_bleu", 0.0)
    one = dataclasses.replace(first, **{name: float(i) for i, name in enumerate(scores, start=1)})
    assert {name: score.describe(one) for name, score in SCORES.items()} == {
        "bleu": "BLEU 1.00",
        "chrf": "chrF2 2.00",
        "exact": "exact match 3.00 %",
        "cer": "character error rate 4.00 %",
        "wer": "word error rate 5.00 %",
        "loss": "perplexity 6.00",
    }


SENTENCES, NAMES, LETTERS = ["a dog runs", "he sleeps"], ["Anna", "Otto"], ["ア ン ナ", "オ ッ ト"]
CHINESE, THAI, KATAKANA = (
    ["我看见狗。", "他睡着了！"],
    ["ฉันไปโรงเรียนทุกวันจันทร์", "เขานอนหลับอยู่ในบ้านหลังใหญ่"],
    ["アンナ", "オットー"],
)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (SENTENCES, SENTENCES, "bleu"),
        (SENTENCES, NAMES, "exact"),
        (NAMES, NAMES, "exact"),
        (NAMES, LETTERS, "exact"),
        (NAMES, KATAKANA, "exact"),
        (["14 March 2027", "May 1, 1999"], ["2027-03-14", "1999-05-01"], "exact"),
        (SENTENCES, CHINESE, "chrf"),
        (SENTENCES, THAI, "chrf"),
        (CHINESE, CHINESE, "chrf"),
        (CHINESE, SENTENCES, "bleu"),
        (SENTENCES * 5, [*NAMES * 4, *SENTENCES], "bleu"),
        (SENTENCES * 5, [*NAMES * 4, "Anna", "he sleeps"], "exact"),  # nine in ten
    ],
)
def test_data_that_look_like_single_words_are_judged_by_exact_match(source, target, expected):
    assert chosen("auto", Corpus(source, target)) == expected


def test_a_given_score_is_taken_whatever_the_data():
    assert chosen("cer", Corpus(SENTENCES, SENTENCES)) == "cer"
