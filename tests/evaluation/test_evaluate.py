import os

import pytest

from keras_attn.config import DataConfig, SearchConfig
from keras_attn.evaluation.evaluate import evaluate, tokenized_references
from keras_attn.evaluation.scores import corpus_scores


@pytest.mark.slow
def test_greedy_search_comes_before_the_beam_of_the_model(translator, source_lines, target_lines):
    sources, references = source_lines[:10], target_lines[:10]
    greedy, beam = evaluate(translator, sources, references)
    assert (greedy.name, beam.name) == ("greedy", "beam_3")
    assert greedy.scores == corpus_scores(translator(sources, beam_size=1), references, intervals=True)
    assert beam.scores == corpus_scores(translator(sources, beam_size=3), references, intervals=True)


class Repeats:
    """Stands for a translator into German that says its source, and notes the beams it was asked for."""

    search = SearchConfig(beam_size=4, length_penalty=0.6, coverage_penalty=0.2)
    languages = ("en", "de")

    def __init__(self):
        self.beams = []

    def __call__(self, lines, beam_size):
        self.beams.append(beam_size)
        return lines


@pytest.mark.parametrize(("beam_size", "beams"), [(None, [1, 4]), (7, [1, 7]), (1, [1])])
def test_the_beam_is_the_one_that_was_asked_for_or_the_model_s(beam_size, beams):
    translator = Repeats()
    lines = ["a b c d", "e f g h"]
    found = list(evaluate(translator, lines, lines, beam_size, tokenized_references=lines))
    assert translator.beams == [each.beam_size for each in found] == beams
    assert [each.name for each in found] == ["greedy", *(f"beam_{beam}" for beam in beams[1:])]
    assert [str(each).splitlines()[0] for each in found] == [
        "greedy search",
        *(f"beam size {beam}, length penalty 0.6, coverage penalty 0.2" for beam in beams[1:]),
    ]
    for each in found:
        assert [line.split()[0] for line in str(each).splitlines()[1:]] == [*["BLEU", "chrF2"] * 2, "exact"]


def test_metrics_have_all_scores_and_the_penalties():
    (found,) = evaluate(Repeats(), ["a", "b"], ["a", "c"], 1)
    scores, errors = found.scores.as_dict(), found.errors.as_dict()
    assert found.as_dict() == {"length_penalty": 0.6, "coverage_penalty": 0.2, **scores, **errors}
    assert found.without_spaces and found.as_dict()["exact"] == 50


def test_one_reference_of_several_words_in_five_makes_bleu_worth_printing():
    lines = ["a", "b", "c", "d", "e f"]
    (found,) = evaluate(Repeats(), lines, lines, 1)
    assert not found.without_spaces and "BLEU" in str(found)


def test_what_the_model_says_itself_scores_100(translator, source_lines):
    sources = source_lines[:30]
    (evaluation,) = evaluate(translator, sources, translator(sources, beam_size=1), beam_size=1)
    assert evaluation.scores.bleu == pytest.approx(100)
    assert str(evaluation).startswith("greedy search\nBLEU  100.0 ± 0.0  nrefs:1")


def test_more_references_are_as_right(translator, source_lines, target_lines):
    sources = source_lines[:30]
    said = translator(sources, beam_size=1)
    (evaluation,) = evaluate(translator, sources, target_lines[:30], beam_size=1, more_references=[said])
    assert evaluation.scores.bleu == pytest.approx(100)
    assert evaluation.errors.exact == 100


def test_of_single_words_chrf_is_printed_and_no_bleu(translator, source_lines):
    (evaluation,) = evaluate(
        translator, source_lines[:5], ["le", "un", "chat", "chien", "oiseau"], beam_size=1
    )
    assert "BLEU" not in str(evaluation) and "chrF2" in str(evaluation) and "exact" in str(evaluation)
    assert evaluation.as_dict()["cer"] == evaluation.errors.cer


def test_tokenized_references_are_scored_in_the_target_language(translator, source_lines, target_lines):
    lines = source_lines[:5], target_lines[:5]
    (evaluation,) = evaluate(translator, *lines, beam_size=1, tokenized_references=target_lines[:5])
    assert "moses:lc.norm.tok.fr" in evaluation.tokenized.bleu_signature
    assert evaluation.as_dict()["tokenized"] == evaluation.tokenized.as_dict()


@pytest.mark.parametrize(
    ("sources", "references", "others", "message"),
    [
        (["a", "b"], ["c"], {}, "2 sources and 1 references"),
        (["a", "b"], ["c", "d"], {"more_references": [["e", "f"], ["g"]]}, "2 sources and 1 references"),
        (["a", "b"], ["c", "d"], {"tokenized_references": ["e"]}, "2 sources and 1 tokenised references"),
        ([], [], {}, "nothing to evaluate"),
    ],
)
def test_lines_that_do_not_fit_are_refused_before_the_translating(sources, references, others, message):
    class Untouched:
        search = None

    with pytest.raises(ValueError, match=message):
        next(evaluate(Untouched(), sources, references, 1, **others))


@pytest.mark.parametrize(
    ("data", "split"),
    [
        (DataConfig(corpus="phrasebook", source_language="en", target_language="es"), "test"),
        (DataConfig(corpus="multi30k", source_language="de", target_language="en"), "test"),
        (DataConfig(corpus="multi30k", source_language="en", target_language="de"), "dev"),
        (DataConfig(test=("a.en", "a.de"), target_language="de"), "test"),
    ],
)
def test_only_multi30k_s_test_sets_have_references_as_the_papers_score_them(data, split):
    assert tokenized_references(data, split) is None


@pytest.mark.skipif(
    not os.environ.get("KERAS_ATTN_DATA"), reason="set KERAS_ATTN_DATA to the folder of the corpora"
)
@pytest.mark.parametrize("language", ["de", "fr"])
@pytest.mark.parametrize(("split", "count"), [("test", 1000), ("test_2017_mscoco", 461)])
def test_multi30k_s_references_are_there_tokenized(language, split, count):
    data = DataConfig(corpus="multi30k", source_language="en", target_language=language)
    references = tokenized_references(data, split)
    assert len(references) == count and all(line == line.lower() for line in references)
