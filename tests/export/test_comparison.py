"""What a comparison with Keras reports; the test itself answers in place of an export."""

import dataclasses

import numpy as np
import pytest

from keras_attn.evaluation.scores import corpus_scores
from keras_attn.export.description import search_description
from keras_attn.export.parity import Difference, Outputs, Parity, ParityError, check_sources, compare
from keras_attn.export.subject import Subject, load_subject
from keras_attn.inference.translator import Translator
from keras_attn.special_ids import BOS_ID, EOS_ID

WRONG = 20  # the sentence that is answered differently


@pytest.fixture(scope="module")
def subject(tiny_trained):
    return load_subject(tiny_trained, beam_size=1)


@pytest.fixture(scope="module")
def expected(tiny_trained, source_lines):
    """What Keras says, greedily."""
    return Translator.from_trained(tiny_trained).translate(source_lines, beam_size=1)


@pytest.fixture(scope="module")
def most(expected):
    """A limit that most translations keep to, some of them just so, and some do not."""
    lengths = sorted(len(each.target_ids) for each in expected)
    limit = lengths[150]
    assert 50 <= sum(length <= limit for length in lengths) < 200
    return limit


class Answers:
    """Answers like Keras, but for one sentence and the scores; remembers how many sentences it was asked for."""

    def __init__(self, expected, most, wrong="le chat", errors=()):
        self.asked = []
        self.kept = [each for each in expected if len(each.target_ids) <= most]
        self.said = [each.text for each in self.kept]
        self.said[WRONG] = self.said[WRONG] if wrong is None else wrong
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
def compared(subject, expected, most):
    """Three scores and one sentence are off; the references are what Keras says, where it may be compared."""
    run = Answers(expected, most, errors=[(0, -0.25), (1, 0.125), (WRONG, 9.0)])
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


def test_a_difference_tells_source_keras_and_export(compared):
    run, parity = compared
    (difference,) = parity.differing
    our = run.kept[WRONG]
    assert (difference.source, difference.keras, difference.exported) == (our.source, our.text, "le chat")


def test_the_gap_is_that_of_the_words_or_of_the_scores_under_keras(compared, tiny_trained):
    run, parity = compared
    tokenizer, model = tiny_trained.target_tokenizer, tiny_trained.model
    alpha = tiny_trained.config.search.length_penalty
    words, scores = [], []
    ids = [[*row, EOS_ID] for row in tokenizer.encode([run.kept[WRONG].text, "le chat"])]
    for row in ids:
        source, target_in = np.array([run.kept[WRONG].source_ids]), np.array([[BOS_ID, *row[:-1]]])
        words.append(np.asarray(model.score(source, target_in, np.array([row]))[0])[0])
        scores.append(words[-1].sum() / ((5 + len(row)) / 6) ** alpha)
    parting = next(t for t in range(len(ids[0])) if ids[0][t] != ids[1][t])
    gap = min(abs(words[0][parting] - words[1][parting]), abs(scores[0] - scores[1]))
    assert parity.differing[0].gap == pytest.approx(gap, abs=1e-4)


def test_each_translation_has_its_own_reference(compared):
    run, parity = compared
    assert parity.keras_bleu == pytest.approx(100)
    scores = corpus_scores(run.said, [each.text for each in run.kept])
    assert (parity.bleu, parity.bleu_signature) == (scores.bleu, scores.bleu_signature)
    assert parity.bleu < 100


def test_without_references_bleu_is_against_keras_and_the_error_names_the_first_sentence(
    subject, expected, most
):
    sources = [each.source for each in expected]
    run = Answers(expected, most)
    parity = compare(subject, run, described(subject, most, "float16"), sources=sources, references=None)
    assert parity.bleu < parity.keras_bleu == pytest.approx(100)
    our = run.kept[WRONG]
    with pytest.raises(ParityError) as error:
        compare(subject, run, described(subject, most, "float32"), sources=sources, references=None)
    assert f"translates 1 of {len(run.kept)} sentences differently from Keras" in str(error.value)
    assert f"The first: {our.source!r} should give {our.text!r}, but gave 'le chat'" in str(error.value)


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
