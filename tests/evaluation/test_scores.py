import gzip
import json
import math
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF

from keras_attn.evaluation.scores import (
    RESAMPLINGS,
    bleu_by_length,
    corpus_scores,
    moses_tokens,
    tokenized_scores,
)

ON_A_MAT = "the cat sat on a mat"
ON_THE_MAT = "the cat sat on the mat"


@pytest.fixture
def multi30k():
    if "KERAS_ATTN_DATA" not in os.environ:
        pytest.skip(
            "set KERAS_ATTN_DATA to the folder of corpora to compare with Multi30k's tokenised references"
        )
    return Path(os.environ["KERAS_ATTN_DATA"]) / "multi30k"


def test_a_perfect_translation_scores_one_hundred():
    scores = corpus_scores([ON_THE_MAT], [ON_THE_MAT])
    assert (scores.bleu, scores.chrf) == pytest.approx((100, 100))


def test_bleu_is_the_geometric_mean_of_the_four_precisions():
    # 5 of 6 words, 3 of 5 pairs, 2 of 4 triples and 1 of 3 quadruples of "the cat sat on a mat" stand in the reference.
    expected = 100 * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4)
    assert corpus_scores([ON_A_MAT], [ON_THE_MAT]).bleu == pytest.approx(expected)


def test_half_the_words_cost_a_brevity_penalty():
    assert corpus_scores(["a b c d"], ["a b c d e f g h"]).bleu == pytest.approx(100 * math.exp(1 - 8 / 4))


def test_bleu_pools_the_counts_of_all_sentences():
    # Matches over totals, both sentences together: 11/12, 8/10, 6/8, 4/6.
    expected = 100 * (11 / 12 * 8 / 10 * 6 / 8 * 4 / 6) ** (1 / 4)
    assert corpus_scores([ON_A_MAT, ON_THE_MAT], [ON_THE_MAT] * 2).bleu == pytest.approx(expected)


def test_raw_text_is_scored_with_its_case_and_the_signatures_say_so():
    scores = corpus_scores([ON_THE_MAT], [ON_THE_MAT.upper()])
    assert scores.bleu < 1 and scores.chrf < 1
    assert "|case:mixed|" in scores.bleu_signature and "|case:mixed|" in scores.chrf_signature


def test_tokenised_text_is_scored_without_its_case_and_the_signatures_say_so():
    scores = tokenized_scores(["Ja, JA."], ["JA , ja ."], "de")
    assert (scores.bleu, scores.chrf) == pytest.approx((100, 100))
    assert "|case:lc|" in scores.bleu_signature and "|case:lc|" in scores.chrf_signature


def test_a_printed_score_has_its_signature_on_its_line():
    scores = corpus_scores([ON_A_MAT], [ON_THE_MAT])
    bleu_line, chrf_line = str(scores).splitlines()
    assert bleu_line.startswith("BLEU   53.7  nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")
    assert chrf_line.startswith("chrF2 ") and chrf_line.endswith(scores.chrf_signature)


def test_an_interval_holds_the_scores_of_19_in_20_resampled_sets():
    draw = random.Random(1)
    said = [draw.choice([ON_A_MAT, ON_THE_MAT, "a dog"]) for _ in range(60)]
    scores = corpus_scores(said, [ON_THE_MAT] * len(said), intervals=True)
    resampled = [corpus_scores(draw.choices(said, k=len(said)), [ON_THE_MAT] * len(said)) for _ in range(400)]
    for name in ("bleu", "chrf"):
        score, interval = getattr(scores, name), getattr(scores, f"{name}_interval")
        inside = sum(abs(getattr(each, name) - score) <= interval for each in resampled)
        assert 0.9 < inside / len(resampled) < 0.99


def test_intervals_are_those_of_sacrebleu():
    said, references = [ON_A_MAT, ON_THE_MAT, "the dog sat on the mat"] * 20, [ON_THE_MAT] * 60
    scores = corpus_scores(said, references, intervals=True)
    theirs = [
        metric().corpus_score(said, [references], n_bootstrap=RESAMPLINGS)._ci for metric in (BLEU, CHRF)
    ]
    assert [scores.bleu_interval, scores.chrf_interval] == pytest.approx(theirs, rel=0.05)


def test_a_printed_interval_is_beside_its_score():
    scores = corpus_scores([ON_A_MAT, "a dog"] * 9, [ON_THE_MAT] * 18, intervals=True)
    bleu_line, chrf_line = str(scores).splitlines()
    assert bleu_line.split()[:4] == ["BLEU", f"{scores.bleu:.1f}", "±", f"{scores.bleu_interval:.1f}"]
    assert chrf_line.split()[:4] == ["chrF2", f"{scores.chrf:.1f}", "±", f"{scores.chrf_interval:.1f}"]


def test_of_tokenised_text_there_are_intervals_too():
    scores = tokenized_scores([ON_A_MAT, ON_THE_MAT] * 9, [ON_THE_MAT.lower()] * 18, "de", intervals=True)
    assert scores.bleu_interval > 0 and scores.chrf_interval > 0


def test_arrays_of_text_are_scored_as_lists_are():
    assert corpus_scores(np.array([ON_A_MAT]), np.array([ON_THE_MAT])) == corpus_scores(
        [ON_A_MAT], [ON_THE_MAT]
    )


def test_several_references_are_all_right():
    scores = corpus_scores([ON_A_MAT], [ON_THE_MAT], [ON_A_MAT])
    assert scores.bleu == pytest.approx(100)
    assert scores.bleu_signature.startswith("nrefs:2|")


@pytest.mark.parametrize("intervals", [False, True])
def test_scores_survive_json(intervals):
    scores = corpus_scores([ON_A_MAT], [ON_THE_MAT], intervals=intervals)
    assert type(scores)(**json.loads(json.dumps(scores.as_dict()))) == scores


def test_empty_hypotheses_are_bad_translations_and_no_error():
    assert corpus_scores(["", ""], [ON_THE_MAT, ""]).bleu == 0


@pytest.mark.parametrize("score", [corpus_scores, lambda *lines: tokenized_scores(*lines, "de")])
def test_unequal_counts_are_refused_with_both_numbers(score):
    with pytest.raises(ValueError, match="got 2 hypotheses and 1 references"):
        score(["a", "b"], ["a"])


def test_every_list_of_references_is_counted():
    with pytest.raises(ValueError, match="got 2 hypotheses and 3 references"):
        corpus_scores(["a", "b"], ["a", "b"], ["a", "b", "c"])


@pytest.mark.parametrize("score", [corpus_scores, lambda *lines: tokenized_scores(*lines, "de")])
def test_an_empty_list_is_refused(score):
    with pytest.raises(ValueError, match="nothing to score"):
        score([], [])


def test_a_string_in_place_of_a_list_is_refused():
    with pytest.raises(TypeError, match="lists of lines"):
        corpus_scores(ON_A_MAT, ON_THE_MAT)


def test_moses_tokens_are_lowercase_with_their_punctuation_apart_and_escaped():
    assert moses_tokens(["„Ja“, sagt Eva-Maria."], "de") == ["&quot; ja &quot; , sagt eva-maria ."]


def test_french_apostrophes_stay_with_the_word_before():
    assert moses_tokens(["L'été"], "fr") == ["l&apos; été"]


def test_a_full_stop_leaves_a_closing_quote_at_the_end_of_the_line():
    assert moses_tokens(['Il dit "oui."'], "fr") == ["il dit &quot; oui &quot; ."]


@pytest.mark.parametrize("language", ["German", "DE", "d", "de-AT", "germ"])
def test_a_language_is_a_code_and_not_a_name(language):
    with pytest.raises(ValueError, match=f"got '{language}'"):
        moses_tokens(["Ja."], language)


def test_a_code_may_have_three_letters_and_no_rules_of_its_own():
    assert moses_tokens(["Ja, JA."], "gsw") == ["ja , ja ."]


def test_raw_hypotheses_match_tokenised_references():
    scores = tokenized_scores(
        ['Er rief "Hallo", sonst nichts.'], ["er rief &quot; hallo &quot; , sonst nichts ."], "de"
    )
    assert (scores.bleu, scores.chrf) == pytest.approx((100, 100))


def test_the_signature_of_tokenised_scores_says_what_was_done():
    scores = tokenized_scores(["Ja."], ["ja ."], "de")
    assert "|case:lc|" in scores.bleu_signature and "|tok:none|" in scores.bleu_signature
    for signature in (scores.bleu_signature, scores.chrf_signature):
        assert "|moses:lc.norm.tok.de|sacremoses:" in signature


@pytest.mark.parametrize("language", ["de", "fr"])
@pytest.mark.parametrize("name", ["test_2016_flickr", "test_2017_flickr", "test_2017_mscoco"])
def test_every_tokenised_reference_of_multi30k_is_reproduced(multi30k, name, language):
    with gzip.open(multi30k / f"{name}.{language}.gz", "rt", encoding="utf-8") as file:
        raw = file.read().split("\n")[:-1]
    published = (
        (multi30k / "tok" / f"{name}.lc.norm.tok.{language}").read_text(encoding="utf-8").split("\n")[:-1]
    )
    assert len(published) in (1000, 461)
    assert moses_tokens(raw, language) == published


def test_buckets_count_every_sentence_once_by_its_source_length():
    sources = ["w " * n for n in (0, 1, 10, 11, 20, 21, 90)]
    buckets = bleu_by_length(sources, [ON_THE_MAT] * 7, [ON_THE_MAT] * 7, edges=(10, 20))
    assert [(b.shortest, b.longest, b.count) for b in buckets] == [(0, 10, 3), (11, 20, 2), (21, None, 2)]


def test_a_bucket_has_the_bleu_of_its_own_sentences():
    short, long = bleu_by_length(["w", "w " * 9], [ON_THE_MAT, ON_A_MAT], [ON_THE_MAT] * 2, edges=(5,))
    assert short.bleu == pytest.approx(100)
    assert long.bleu == pytest.approx(corpus_scores([ON_A_MAT], [ON_THE_MAT]).bleu)


def test_a_bucket_without_sentences_has_no_bleu():
    _, empty = bleu_by_length(["w"], ["a"], ["a"], edges=(5,))
    assert (empty.count, empty.bleu, str(empty).split()) == (
        0,
        None,
        ["6+", "words", "0", "sentences", "no", "BLEU"],
    )


def test_a_printed_bucket_has_its_range_count_and_signature():
    bucket = bleu_by_length(["w"], [ON_A_MAT], [ON_THE_MAT], edges=(5,))[0]
    assert str(bucket).split() == ["0-5", "words", "1", "sentences", "BLEU", "53.7", bucket.bleu_signature]


def test_a_bucket_may_be_of_one_length():
    buckets = bleu_by_length(["w", "w w"], [ON_THE_MAT] * 2, [ON_THE_MAT] * 2, edges=(1, 2))
    assert [(each.shortest, each.longest, each.count) for each in buckets] == [
        (0, 1, 1),
        (2, 2, 1),
        (3, None, 0),
    ]


@pytest.mark.parametrize("edges", [(20, 10), (10, 10), (-1,)])
def test_edges_that_do_not_increase_are_refused(edges):
    with pytest.raises(ValueError, match="increasing numbers of words"):
        bleu_by_length(["w"], ["a"], ["a"], edges)


def test_every_hypothesis_needs_a_source():
    with pytest.raises(ValueError, match="one source per hypothesis; got 2 and 1"):
        bleu_by_length(["w", "w"], ["a"], ["a"], edges=(5,))


def test_importing_the_evaluation_loads_nothing_heavy():
    code = (
        "import sys, keras_attn.evaluation.scores, keras_attn.alignment.word_alignment, keras_attn.alignment.heatmap;"
        "print({'sacrebleu', 'sacremoses', 'matplotlib', 'tensorflow'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
