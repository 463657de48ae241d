import math

import numpy as np
import pytest

from keras_attn.evaluation.error_rates import error_rates
from keras_attn.evaluation.scores import corpus_scores
from keras_attn.text.corpus import Corpus
from keras_attn.training.development import evaluate_on_dev


@pytest.fixture(scope="module")
def dev(source_lines, target_lines):
    return Corpus(source_lines[:20], target_lines[:20])


def test_translations_are_greedy(translator, dev):
    found = evaluate_on_dev(translator, dev)
    assert found.scores == corpus_scores(translator(dev.source, beam_size=1), dev.target)


def test_error_rates_are_those_of_the_same_translations(translator, dev):
    translations = translator(dev.source, beam_size=1)
    assert evaluate_on_dev(translator, dev).errors == error_rates(dev.source, translations, dev.target)


def test_perplexity_is_that_of_a_target_token_with_eos(translator, dev):
    log_probs = [each.log_prob for each in translator.force(dev.source, dev.target)]
    tokens = sum(len(ids) + 1 for ids in translator.target_tokenizer.encode(dev.target))
    assert evaluate_on_dev(translator, dev).perplexity == pytest.approx(math.exp(-sum(log_probs) / tokens))


class Certain:
    """Stands for a translator that gives each token of each target the same probability."""

    def __init__(self, log_prob):
        self._log_prob = log_prob

    def __call__(self, lines, beam_size):
        return lines

    def force(self, sources, targets):
        from keras_attn.inference.translator import Translation

        return [
            Translation(*pair, log_prob=3 * self._log_prob, target_ids=(5, 6, 3))
            for pair in zip(sources, targets, strict=True)
        ]


def test_a_model_that_guesses_among_eight_words_has_a_perplexity_of_eight(dev):
    assert evaluate_on_dev(Certain(-math.log(8)), dev).perplexity == pytest.approx(8)


def test_perplexity_stays_a_number_when_the_model_excludes_what_is_said(dev):
    assert np.isfinite(evaluate_on_dev(Certain(-1e6), dev).perplexity)


def test_the_metrics_say_how_the_translations_were_found(translator, dev):
    found = evaluate_on_dev(translator, dev)
    assert found.as_dict() == {
        "dev_bleu": found.scores.bleu,
        "dev_bleu_signature": found.scores.bleu_signature,
        "dev_chrf": found.scores.chrf,
        "dev_chrf_signature": found.scores.chrf_signature,
        "dev_exact": found.errors.exact,
        "dev_cer": found.errors.cer,
        "dev_wer": found.errors.wer,
        "dev_error_signature": found.errors.signature,
        "dev_search": "greedy",
        "dev_perplexity": found.perplexity,
    }
