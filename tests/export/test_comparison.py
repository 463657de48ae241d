"""What a comparison with Keras reports; the test itself answers in place of an export."""

import dataclasses

import numpy as np
import pytest

from keras_attn.evaluation.scores import corpus_scores
from keras_attn.export.description import search_description
from keras_attn.export.parity import Difference, Outputs, Parity, ParityError, _scores, check_sources, compare
from keras_attn.export.subject import Subject, load_subject
from keras_attn.inference.translator import Translator
from keras_attn.special_ids import BOS_ID, EOS_ID

WRONG = 20  # the sentence that is answered differently


@pytest.fixture(scope="module")
def subject(tiny_trained):
    return load_subject(tiny_trained, beam_size=1)


@pytest.fixture(scope="module")
def everything(tiny_trained, source_lines):
    """What Keras says, greedily."""
    return Translator.from_trained(tiny_trained).translate(source_lines, beam_size=1)


@pytest.fixture(scope="module")
def most(everything):
    """A limit that many translations keep to, some of them just so, and some do not."""
    return sorted(len(each.target_ids) for each in everything)[120]


@pytest.fixture(scope="module")
def expected(everything, most):
    """Fifty translations that keep to the limit, the fewest to compare, and ten that do not."""
    fitting = sorted(
        (each for each in everything if len(each.target_ids) <= most), key=lambda each: -len(each.target_ids)
    )[:50]
    longer = [each for each in everything if len(each.target_ids) > most][:10]
    assert (len(fitting), len(longer)) == (50, 10)
    return [*longer[:5], *fitting[:30], *longer[5:], *fitting[30:]]


@pytest.fixture(scope="module")
def gaps(tiny_trained, expected, most):
    """How far the other translations are from that of the sentence, under Keras: in the words where they part, and in score."""
    kept = [each for each in expected if len(each.target_ids) <= most]
    our = kept[WRONG]
    texts = list(dict.fromkeys([our.text, *(each.text for each in kept)]))
    ids = [[*row, EOS_ID] for row in tiny_trained.target_tokenizer.encode(texts)]
    target_in, target_out = np.zeros((2, len(ids), max(map(len, ids))), np.int32)
    for row, each in enumerate(ids):
        target_out[row, : len(each)] = each
        target_in[row, : len(each)] = [BOS_ID, *each[:-1]]
    source = np.array([our.source_ids] * len(ids), np.int32)
    log_probs = np.asarray(tiny_trained.model.score(source, target_in, target_out)[0])
    penalty = [((5 + len(each)) / 6) ** tiny_trained.config.search.length_penalty for each in ids]
    scores = log_probs.sum(axis=1) / penalty
    found = {}
    for row in range(1, len(ids)):
        parting = next(t for t in range(len(ids[0])) if target_out[0, t] != target_out[row, t])
        of_words = abs(log_probs[0, parting] - log_probs[row, parting])
        found[texts[row]] = of_words, abs(scores[0] - scores[row])
    return found


@pytest.fixture(scope="module")
def closer_scores(gaps):
    return max(gaps, key=lambda text: gaps[text][0] - gaps[text][1])


@pytest.fixture(scope="module")
def closer_words(gaps):
    return min(gaps, key=lambda text: gaps[text][0] - gaps[text][1])


class Answers:
    """Answers like Keras, but for one sentence and the scores; remembers how many sentences it was asked for."""

    def __init__(self, expected, most, wrong, errors=()):
        self.asked = []
        self.kept = [each for each in expected if len(each.target_ids) <= most]
        self.said = [each.text for each in self.kept]
        self.said[WRONG] = wrong
        self.scores = [each.score for each in self.kept]
        for row, error in errors:
            self.scores[row] += error

    def __call__(self, sources):
        self.asked.append(list(sources))
        if len(sources) == 1:
            return Outputs(self.said[:1], self.scores[:1], seconds=100.0)
        return Outputs(self.said, self.scores, seconds=3.0)


def described(subject, most, precision):
    return {"search": search_description(subject.search), "max_length": most, "precision": precision}


@pytest.fixture(scope="module")
def compared(subject, expected, most, closer_scores):
    """Three scores and one sentence are off; the references are what Keras says, where it may be compared."""
    run = Answers(expected, most, wrong=closer_scores, errors=[(0, 0.25), (1, -0.125), (WRONG, 9.0)])
    references = [each.text if len(each.target_ids) <= most else "nothing like it" for each in expected]
    sources = [each.source for each in expected]
    description = described(subject, most, "int8")
    return run, compare(subject, run, description, sources=sources, references=references)


def test_translations_that_just_fit_are_compared_and_longer_ones_are_not(compared, expected, most):
    run, parity = compared
    fitting = [each.source for each in expected if len(each.target_ids) <= most]
    assert run.asked == [fitting[:1], fitting]  # the first call, which also prepares the graph, is not timed
    assert (parity.sentences, parity.identical) == (len(fitting), len(fitting) - 1)


def test_the_time_is_milliseconds_per_sentence_without_the_first_call(compared):
    run, parity = compared
    assert parity.milliseconds == pytest.approx(3000 / len(run.kept))


def test_the_score_error_is_the_largest_of_the_translations_that_are_the_same(compared):
    assert compared[1].score_error == pytest.approx(0.25)


def test_a_difference_tells_source_keras_and_export(compared, closer_scores):
    run, parity = compared
    (difference,) = parity.differing
    our = run.kept[WRONG]
    assert (difference.source, difference.keras, difference.exported) == (our.source, our.text, closer_scores)


def test_the_gap_is_that_of_the_scores_if_that_is_smaller(compared, gaps, closer_scores):
    of_words, of_scores = gaps[closer_scores]
    assert of_scores < of_words - 1e-3
    assert compared[1].differing[0].gap == pytest.approx(of_scores, abs=1e-4)


def test_each_translation_has_its_own_reference(compared):
    run, parity = compared
    assert parity.keras_bleu == pytest.approx(100)
    scores = corpus_scores(run.said, [each.text for each in run.kept])
    assert (parity.bleu, parity.bleu_signature) == (scores.bleu, scores.bleu_signature)
    assert parity.bleu < 100


def test_without_references_bleu_is_against_keras_and_the_error_names_the_first_sentence(
    subject, expected, most, gaps, closer_words
):
    sources = [each.source for each in expected]
    run = Answers(expected, most, wrong=closer_words)
    parity = compare(subject, run, described(subject, most, "int8"), sources=sources, references=None)
    assert parity.bleu == corpus_scores(run.said, [each.text for each in run.kept]).bleu < 100
    assert parity.keras_bleu is None
    of_words, of_scores = gaps[closer_words]
    assert of_words < of_scores - 1e-3
    assert parity.differing[0].gap == pytest.approx(of_words, abs=1e-4)
    our = run.kept[WRONG]
    with pytest.raises(ParityError) as error:
        compare(subject, run, described(subject, most, "float32"), sources=sources, references=None)
    assert f"translates 1 of {len(run.kept)} sentences differently from Keras" in str(error.value)
    assert f"The first: {our.source!r} should give {our.text!r}, but gave {closer_words!r}" in str(
        error.value
    )


@pytest.mark.parametrize(("gap", "tie"), [(0.0, True), (9e-4, True), (1.1e-3, False), (0.5, False)])
def test_a_thousandth_of_a_nat_is_no_tie_any_more(gap, tie):
    assert Difference("a", "b", "c", gap).is_tie == tie


def test_a_comparison_is_told_in_a_line_or_two():
    differing = [Difference("s", "a", "b", gap) for gap in (1e-5, 0.5, 1e-6, 0.6, 0.7)]
    parity = Parity(60, 55, tuple(differing), 0.0, 33.3333, 33.4, "nrefs:1", 1.26)
    assert str(parity) == (
        "55 of 60 translations equal those of Keras, 2 rounding ties, 3 others; 1.3 ms per sentence\n"
        "BLEU 33.33, Keras 33.40  nrefs:1"
    )
    without_references = dataclasses.replace(parity, keras_bleu=None)
    assert str(without_references).endswith("BLEU 33.33 with Keras' translations as references  nrefs:1")
    bare = dataclasses.replace(parity, differing=parity.differing[:1], bleu=None)
    assert str(bare) == (
        "55 of 60 translations equal those of Keras, 1 rounding tie, 0 others; 1.3 ms per sentence"
    )


def test_the_saved_numbers_are_those_that_come_out_again():
    differing = (Difference("s", "a", "b", 1e-5), Difference("s", "a", "c", 0.5))
    assert Parity(60, 58, differing, 0.25, 33.3, 33.4, "nrefs:1", 1.25).as_dict() == {
        "sentences": 60,
        "identical": 58,
        "differing": 2,
        "ties": 1,
        "score_error": 0.25,
        "bleu": 33.3,
        "keras_bleu": 33.4,
        "bleu_signature": "nrefs:1",
    }


def test_what_is_no_text_is_not_compared_with_a_model_of_text(subject):
    with pytest.raises(ValueError, match="expected sentences to compare with; got something else"):
        check_sources(subject, [*["the cat"] * 50, 3])


def test_ids_have_no_references_of_text(subject):
    bare = Subject(model=subject.model, search=subject.search)
    sources = np.full((50, 2), EOS_ID + 1, np.int32)
    check_sources(bare, sources)
    with pytest.raises(ValueError, match="references are text, but a model without vocabularies returns ids"):
        check_sources(bare, sources, ["le chat"] * 50)


@pytest.mark.parametrize(("text", "has_bleu"), [("one two three", False), ("one two three four", True)])
def test_translations_of_less_than_four_words_have_no_bleu_against_one_another(subject, text, has_bleu):
    """It would be 0 even if all are the same."""
    bleu, keras_bleu = _scores(subject, [text] * 50, [text] * 50, None)
    assert (bleu is not None, keras_bleu) == (has_bleu, None)
